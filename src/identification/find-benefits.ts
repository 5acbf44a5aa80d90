import { findCredit } from '#credits'
import type { Ctx } from '#kit/postgres'
import { cartFrom, findMainPlans, listPlans, tierPlansOf } from '#plans'
import { storeContext } from '#stores'
import { findMemberships } from '#subscriptions'
import { isPresent } from './queries.ts'
import { notIdentified } from './refusals.ts'
import { assertOffered } from './request-identification.ts'
import { readToken } from './token.ts'

/**
 * What a token shows: the tiers of the customer, what they can spend, and what decides the prices of a cart. Refuses a token that is not
 * good, and one of somebody who was erased, merged or deleted since. `cart` is read as `cartFrom` does; null for none.
 */
export async function findBenefits(ctx: Ctx, token: string, cart: Record<string, unknown> | null) {
  await assertOffered(ctx)
  const memberId = readToken(ctx, token)
  if (!(await isPresent(ctx, memberId))) throw notIdentified()
  const { currency } = await storeContext(ctx)
  const plans = await listPlans(ctx)
  const main = await findMainPlans(ctx, plans)
  const member = await findMemberships(ctx, memberId)
  const { availableMinor } = await findCredit(ctx, memberId)
  return {
    currency,
    availableMinor,
    member,
    cart: cart && cartFrom(cart, currency, plans),
    plans: tierPlansOf(main)
  }
}
