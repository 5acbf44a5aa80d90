import { hasEntryRules, type LoyaltyTier } from '../tiers/tier.ts'
import type { HeldTier } from './held-tiers.ts'

/** The tier of a customer, null for none, and when it may be lost at the earliest; null: it needs nothing. */
export type CustomerTier = { tierId: number | null; reviewAt: Temporal.Instant | null }

/** What is known of a customer. `held`: the tiers with entry rules that hold now. */
export type TierState = { current: CustomerTier; held: Pick<HeldTier, 'tierId' | 'until'>[] }

/**
 * The tier that a customer is to be in. A higher one is entered at once. A lower one when the present tier is due for review, is not active any
 * more, or `isAnew`: everybody is put where the rules say. Pure.
 */
export function planTier(
  tiers: LoyaltyTier[],
  { current, held }: TierState,
  { now, isAnew }: { now: Temporal.Instant; isAnew: boolean }
): CustomerTier {
  const active = tiers.filter(({ isActive }) => isActive)
  const untilOf = new Map(held.map(({ tierId, until }) => [tierId, until]))
  const best = active.findLast((tier) => untilOf.has(tier.id) || !hasEntryRules(tier))
  const present = active.find(({ id }) => id === current.tierId)
  const isDue = current.reviewAt !== null && Temporal.Instant.compare(current.reviewAt, now) <= 0
  if (present && (!best || best.place < present.place) && !isAnew && !isDue) return current
  return { tierId: best?.id ?? null, reviewAt: (best && untilOf.get(best.id)) ?? null }
}
