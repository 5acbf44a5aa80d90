import type { Ctx } from '#kit/postgres'
import { type CreditOutcome, changeCredits } from './change-credits.ts'
import type { CreditChange } from './credit.ts'
import { type Restoration, restoreCredit } from './restore-credit.ts'
import { lockEntriesOfOrder } from './reversal-queries.ts'

/** Types of entries that issue credit because of an order. */
const ISSUING = new Set<CreditChange['type']>(['membership_charge', 'churn_offer', 'loyalty_reward'])

export type TakeBack = {
  orderId: number
  /** Who has the credit now of the customer to whom it was issued: after a merge of customers another one. */
  ownerOf: (memberId: number) => number
  type: 'refund' | 'dispute'
  /** How much of the order is refunded or disputed in all, with what came before: 15.00 of 60.00. */
  share: { partMinor: number; wholeMinor: number }
  reason: string
  /** Identifies the refund or dispute, so that it is taken back once. */
  cause: string
}

/**
 * Takes back the credit that an order has issued, in proportion to what is refunded or disputed of it: one linked entry for each
 * entry that issued some. What is left of that credit goes first, then the customer's other credit, at most what is available; the
 * rest is the shortfall of the entry. All refunds and disputes of an order together never take back more than it has issued, in
 * whatever order they are reported. An amount is rounded down. Nothing happens where the share was taken back before.
 */
export async function takeBackCredit(ctx: Ctx, taken: TakeBack): Promise<CreditOutcome[]> {
  const { orderId, type, share, reason, cause } = taken
  const entries = await lockEntriesOfOrder(ctx, taken)
  const reversing = Map.groupBy(entries, (entry) => entry.reversesId)
  /** What a taking entry has taken, without what was given back; of its own type also what it could not take. */
  const requested = (entry: (typeof entries)[number]) => {
    const givenBack = (reversing.get(entry.id) ?? []).reduce((sum, { amountMinor }) => sum + amountMinor, 0)
    return -entry.amountMinor - givenBack + (entry.type === type ? entry.shortfallMinor : 0)
  }
  const changes = entries.flatMap((issued): CreditChange[] => {
    if (!ISSUING.has(issued.type) || issued.amountMinor <= 0) return []
    const before = (reversing.get(issued.id) ?? []).reduce((sum, entry) => sum + requested(entry), 0)
    const minor = inProportion(issued.amountMinor, share) - before
    if (minor <= 0) return []
    const operationId = `${cause}:${issued.id}`
    const change = {
      memberId: taken.ownerOf(issued.memberId),
      type,
      amountMinor: -minor,
      reason,
      operationId,
      orderId,
      reversesId: issued.id
    }
    return [{ ...change, isCapped: true }]
  })
  return changeCredits(ctx, changes)
}

/**
 * Gives back what was taken beyond the share of the order that is refunded or disputed in all, as when less was refunded than had been
 * reported. What was taken last comes back first.
 */
export async function giveBackExcess(ctx: Ctx, given: Omit<TakeBack, 'type'>): Promise<void> {
  const { orderId, ownerOf, share, reason, cause } = given
  const entries = await lockEntriesOfOrder(ctx, { orderId, ownerOf })
  const reversing = Map.groupBy(entries, (entry) => entry.reversesId)
  const takenBy = (entry: (typeof entries)[number]) =>
    (reversing.get(entry.id) ?? []).reduce((sum, { amountMinor }) => sum - amountMinor, -entry.amountMinor)
  const restorations = entries.flatMap((issued): Restoration[] => {
    if (!ISSUING.has(issued.type) || issued.amountMinor <= 0) return []
    const taking = (reversing.get(issued.id) ?? []).filter(({ type }) => type === 'refund' || type === 'dispute')
    let excess = taking.reduce((sum, entry) => sum + takenBy(entry), 0) - inProportion(issued.amountMinor, share)
    return taking.toReversed().flatMap((entry) => {
      const amountMinor = Math.min(excess, takenBy(entry))
      if (amountMinor <= 0) return []
      excess -= amountMinor
      const type = entry.type as 'refund' | 'dispute'
      const operationId = `${cause}:${entry.id}`
      return [{ entryId: entry.id, memberId: ownerOf(issued.memberId), amountMinor, type, reason, operationId }]
    })
  })
  await restoreCredit(ctx, restorations)
}

/** Rounded down, in whole numbers: the product may be beyond 2^53. */
function inProportion(minor: number, { partMinor, wholeMinor }: TakeBack['share']): number {
  if (partMinor <= 0) return 0
  if (partMinor >= wholeMinor) return minor
  return Number((BigInt(minor) * BigInt(partMinor)) / BigInt(wholeMinor))
}
