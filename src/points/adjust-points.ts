import type { Ctx } from '#kit/postgres'
import { addLot, append, type Draft, takeFromLots } from './draft.ts'
import { ALL, openAccounts } from './open-accounts.ts'
import type { PointsCause, PointsEntry } from './points.ts'
import { listOperations } from './queries.ts'
import { writePoints } from './write-points.ts'

/** A requested balance. */
export type PointsAdjustment = PointsCause & { balance: number }

/**
 * Sets balances of points, in the given order. Returns the entries that were written; a balance that is reached already, and a
 * repeated operation, have none.
 */
export async function adjustPoints(ctx: Ctx, adjustments: PointsAdjustment[]): Promise<PointsEntry[]> {
  if (adjustments.length === 0) return []
  const { drafts, entries, draftOf } = await openAccounts(
    ctx,
    adjustments.map(({ memberId, balance }) => ({ memberId, adds: balance !== 0, takes: ALL }))
  )
  const operationIds = adjustments.map(({ operationId }) => operationId)
  const done = await listOperations(ctx, operationIds)
  for (const adjustment of adjustments) {
    if (done.has(adjustment.operationId)) continue
    if (planBalance(draftOf(adjustment.memberId), adjustment)) done.add(adjustment.operationId)
  }
  const asked = new Set(operationIds)
  return (await writePoints(ctx, drafts, entries)).filter(({ operationId }) => asked.has(operationId))
}

/** Whether there is anything to change. */
function planBalance(draft: Draft, { balance, ...cause }: PointsAdjustment): boolean {
  const points = balance - draft.balance
  if (points === 0) return false
  if (points > 0) addLot(draft, points, { operationId: cause.operationId, expiresAt: null })
  else takeFromLots(draft, -points)
  append(draft, 'adjusted', cause, { points })
  return true
}
