import { daysAfter } from '#kit/clock'
import type { Ctx } from '#kit/postgres'
import { storeContext } from '#stores'
import { addLot, append, type Draft } from './draft.ts'
import { exactPointsOf } from './exact-points.ts'
import { openAccounts } from './open-accounts.ts'
import type { PointsCause, PointsEntry } from './points.ts'
import { listOperations } from './queries.ts'
import { writePoints } from './write-points.ts'

/** Points that a customer gets for something. */
export type Earning = PointsCause & {
  points: number
  /** What was rounded down to these points (`exactPointsOf`); left out where they were a whole number. */
  exactPoints?: string | null
  /** Until then the points are pending, and cannot be spent. Null, or a time that is over: they are earned at once. */
  readyAt: Temporal.Instant | null
  /** For how many days of the shop they can be spent once they are earned; null for ever. */
  expireAfterDays: number | null
  /** Refunds and disputes of the order take their shares of these points back (`settleOrderPoints`). */
  isShared: boolean
}

/**
 * Enters points that customers have earned, in the given order. Returns the entries; a repeated operation has none. Those of a customer
 * who was merged into another are of who was kept.
 */
export async function earnPoints(ctx: Ctx, earnings: Earning[]): Promise<PointsEntry[]> {
  if (earnings.length === 0) return []
  const { drafts, entries, draftOf } = await openAccounts(
    ctx,
    earnings.map(({ memberId }) => ({ memberId, adds: true }))
  )
  const operationIds = earnings.map(({ operationId }) => operationId)
  const done = await listOperations(ctx, operationIds)
  const { timezone } = await storeContext(ctx)
  for (const earning of earnings) {
    if (done.has(earning.operationId)) continue
    done.add(earning.operationId)
    planEarning(draftOf(earning.memberId), earning, ctx.now, timezone)
  }
  const asked = new Set(operationIds)
  return (await writePoints(ctx, drafts, entries)).filter(({ operationId }) => asked.has(operationId))
}

function planEarning(draft: Draft, earning: Earning, now: Temporal.Instant, timezone: string): void {
  const { points, readyAt, expireAfterDays, isShared, ...cause } = earning
  const exactPoints = isShared ? (earning.exactPoints ?? exactPointsOf(BigInt(points), 1n)) : null
  const { operationId, orderId = null, reason } = cause
  const isPending = readyAt !== null && Temporal.Instant.compare(readyAt, now) > 0
  const expiresAt = expireAfterDays === null ? null : daysAfter(isPending ? readyAt : now, expireAfterDays, timezone)
  if (isPending) {
    const rest = { remaining: points, isChanged: true }
    draft.pending.push({ entryId: null, operationId, orderId, reason, readyAt, expiresAt, ...rest })
    append(draft, 'pending', cause, { pendingPoints: points }, { readyAt, expiresAt, isShared, exactPoints })
  } else {
    addLot(draft, points, { operationId, expiresAt })
    append(draft, 'earned', cause, { points, lifetimePoints: points }, { expiresAt, isShared, exactPoints })
  }
}
