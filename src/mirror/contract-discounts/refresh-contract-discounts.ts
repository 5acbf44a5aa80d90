import { consumer, type StoredFact } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { lockMembers, membersOfFacts } from '#members'
import { findMainPlans, listPlans, tierPlanOf } from '#plans'
import { TIERS } from '#plans/pricing'
import {
  deriveWanted,
  hasContractDiscounts,
  listConcernedMembers,
  markContractDiscountsDue,
  writeTerms
} from './contract-discount-queries.ts'
import { termsHashOf } from './wanted-contract-discounts.ts'

/** The facts after which somebody may hold another membership, or have another product contract. A renewal is none of them. */
const FACTS = [
  'member.tier_changed',
  'subscription.created',
  'subscription.activated',
  'subscription.paused',
  'subscription.resumed',
  'subscription.cancelled',
  'subscription.updated'
] as const

/** Contracts of before are derived with the discounts of the checkout, at the latest after an hour. */
export const contractDiscountsConsumer = consumer('contract_discounts', FACTS, refreshOfFacts, { from: 'now' })

const MEMBERS_AT_ONCE = 1000

/** It reads what is true now, so that a repeated fact changes nothing. */
async function refreshOfFacts(ctx: Ctx, facts: StoredFact[]): Promise<void> {
  if (!(await hasContractDiscounts(ctx))) return
  await deriveOf(ctx, membersOfFacts(facts))
  // Its lines may be others.
  await markContractDiscountsDue(
    ctx,
    facts.flatMap(({ name, refs }) => (name === 'subscription.updated' ? (refs.subscriptionId ?? []) : []))
  )
}

/** Two customers were merged, by our numbers. */
export async function transferContractDiscounts(ctx: Ctx, fromMember: number, toMember: number): Promise<void> {
  if (await hasContractDiscounts(ctx)) await deriveOf(ctx, [fromMember, toMember])
}

/**
 * Derives anew which discounts the product contracts of the store are to have: a plan or a setting is another. Contracts for which nothing
 * is another cost no write.
 */
export async function refreshContractDiscounts(ctx: Ctx): Promise<void> {
  const main = await findMainPlans(ctx, await listPlans(ctx))
  await writeTerms(
    ctx,
    TIERS.flatMap((tier) => {
      const plan = main[tier]
      return plan ? { tier, termsHash: termsHashOf(tierPlanOf(plan)) } : []
    })
  )
  if (!(await hasContractDiscounts(ctx))) return
  for (let after = 0; ; ) {
    const members = await listConcernedMembers(ctx, after, MEMBERS_AT_ONCE)
    await deriveOf(ctx, members)
    if (members.length < MEMBERS_AT_ONCE) return
    after = members.at(-1)!
  }
}

async function deriveOf(ctx: Ctx, memberIds: number[]): Promise<void> {
  const ids = [...new Set(memberIds)]
  if (ids.length === 0) return
  // Of two transactions that derive something for one customer, the later sees what the other saw.
  await lockMembers(ctx, ids)
  await deriveWanted(ctx, ids)
}
