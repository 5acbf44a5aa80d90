import { Type } from 'typebox'
import { internalId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import { invalidField, Refusal } from '#kit/refusal'
import { numericIdOf } from '#platform'
import { findSubscriptionByContract } from '#subscriptions'
import { findSubscription } from '#views'

const ACCEPTED_CONTRACT = "the platform's number of a contract, its global id, or a subscription id such as sub_24"

/** Names a contract in a query. */
export const contractParameter = (meaning: string) =>
  Type.String({ minLength: 1, maxLength: 100, description: ACCEPTED_CONTRACT, meaning, examples: ['9264106591'] })

/** The subscription of the contract that a request names. Refuses one that the store does not have. */
export async function namedContract(ctx: Ctx, given: string): Promise<number> {
  const ours = internalId('sub', given)
  if (ours !== null) {
    if (await findSubscription(ctx.tx, ctx.storeId, ours)) return ours
    throw noContract(given)
  }
  const number = /^[0-9]{1,20}$/.test(given) ? given : numericIdOf(given)
  if (number === null) throw invalidField('contract', `must be ${ACCEPTED_CONTRACT}`)
  const found = await findSubscriptionByContract(ctx, number)
  if (!found) throw noContract(given)
  return found.id
}

const noContract = (given: string) =>
  new Refusal('not_found', `There is no contract ${given}`, [
    { field: 'contract', code: 'not_found', message: 'names no contract of the store' }
  ])
