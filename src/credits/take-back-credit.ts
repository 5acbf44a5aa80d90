import type { Ctx } from '#kit/postgres'
import { type CreditOutcome, changeCredits } from './change-credits.ts'
import type { CreditChange } from './credit.ts'
import { lockAccounts } from './queries.ts'
import { listEntriesOfOrder } from './reversal-queries.ts'

/** Types of entries that issue credit because of an order. */
const ISSUING = new Set<CreditChange['type']>(['membership_charge', 'churn_offer', 'loyalty_reward'])

export type TakeBack = {
  orderId: number
  /** Who has the order now: after a merge of customers not who had it then. */
  memberId: number
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
  const { orderId, memberId, type, share, reason, cause } = taken
  await lockAccounts(ctx, [memberId])
  const entries = await listEntriesOfOrder(ctx, orderId)
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
    const change = { memberId, type, amountMinor: -minor, reason, operationId, orderId, reversesId: issued.id }
    return [{ ...change, isCapped: true }]
  })
  return changeCredits(ctx, changes)
}

/** Rounded down, in whole numbers: the product may be beyond 2^53. */
function inProportion(minor: number, { partMinor, wholeMinor }: TakeBack['share']): number {
  if (wholeMinor <= 0 || partMinor >= wholeMinor) return minor
  return Number((BigInt(minor) * BigInt(partMinor)) / BigInt(wholeMinor))
}
