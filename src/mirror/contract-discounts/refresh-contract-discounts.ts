import { consumer, type StoredFact } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { lockMembers, membersOfFacts } from '#members'
import { findMainPlans, listPlans, tierPlansOf } from '#plans'
import { TIERS } from '#plans/pricing'
import { forgetStoreContext } from '#stores'
import {
  deriveWanted,
  hasContractDiscounts,
  listMembersPage,
  markContractDiscountsDue,
  writeTerms
} from './contract-discount-queries.ts'
import {
  askForContractDiscountWalk,
  type ContractDiscountWalk,
  lockContractDiscountWalk
} from './contract-discount-walks.ts'
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

/** Contracts of before are derived by the walk, with which a store begins. */
export const contractDiscountsConsumer = consumer('contract_discounts', FACTS, refreshOfFacts, { from: 'now' })

/** Members of a page: they are locked until it is derived. */
const PAGE = 500

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
 * Writes what renewals get of the tiers. Where a plan or a setting gives something else than before, or `isComparing` asks for a comparison
 * with the platform, the product contracts of the store are walked over, a page at a time. Facts that come after the transaction are derived
 * with the new terms, and the walk begins after it: so each contract has them, whoever is first.
 */
export async function refreshContractDiscounts(ctx: Ctx, { isComparing = false } = {}): Promise<void> {
  await lockContractDiscountWalk(ctx)
  // What the transaction has read of the settings may be from before the lock.
  forgetStoreContext(ctx)
  const main = tierPlansOf(await findMainPlans(ctx, await listPlans(ctx)))
  const isOther = await writeTerms(
    ctx,
    TIERS.flatMap((tier) => {
      const plan = main[tier]
      return plan ? { tier, termsHash: termsHashOf(plan) } : []
    })
  )
  if (isOther || isComparing) await askForContractDiscountWalk(ctx, { isComparing })
}

/**
 * Derives the page of members that a walk has reached. Contracts for which nothing is another cost no write. Returns the last member of the
 * page; null at the end.
 */
export async function refreshPage(
  ctx: Ctx,
  { afterId, isComparing }: Pick<ContractDiscountWalk, 'afterId' | 'isComparing'>
): Promise<number | null> {
  if (!(await hasContractDiscounts(ctx))) return null
  const page = await listMembersPage(ctx, afterId, PAGE)
  const members = page.filter(({ isConcerned }) => isConcerned).map(({ id }) => id)
  await deriveOf(ctx, members, isComparing)
  return page.length === PAGE ? page.at(-1)!.id : null
}

async function deriveOf(ctx: Ctx, memberIds: number[], isComparing = false): Promise<void> {
  const ids = [...new Set(memberIds)]
  if (ids.length === 0) return
  // Of two transactions that derive something for one customer, the later sees what the other saw.
  await lockMembers(ctx, ids)
  await deriveWanted(ctx, ids, isComparing)
}
