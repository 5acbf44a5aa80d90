import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { listCustomers } from '#members'
import { pointsChanged } from './events.ts'
import type { PointsAdjustment, PointsEntry } from './points.ts'
import { insertMissingAccounts, listOperations, lockAccounts, writeLedger } from './queries.ts'

/**
 * Brings balances of points to what is wanted, in the order given. Returns the entries that it took; a balance that is
 * there already, and an operation told before, take none.
 */
export async function adjustPoints(ctx: Ctx, adjustments: PointsAdjustment[]): Promise<PointsEntry[]> {
  if (adjustments.length === 0) return []
  const memberIds = [...new Set(adjustments.map((a) => a.memberId))]
  await insertMissingAccounts(ctx, memberIds)
  const balances = new Map((await lockAccounts(ctx, memberIds)).map((a) => [a.memberId, a.balance]))
  const told = new Set(
    await listOperations(
      ctx,
      adjustments.map((a) => a.operationId)
    )
  )

  const entries = adjustments.flatMap(({ memberId, balance, reason, operationId, orderId = null }) => {
    const points = balance - balances.get(memberId)!
    if (points === 0 || told.has(operationId)) return []
    balances.set(memberId, balance)
    told.add(operationId)
    return [{ memberId, points, balanceAfter: balance, reason, orderId, operationId }]
  })
  if (entries.length === 0) return []

  const written = await writeLedger(ctx, entries)
  const emails = new Map((await listCustomers(ctx, memberIds)).map(({ id, email }) => [id, email]))
  await record(ctx, ...written.map((entry) => pointsChanged(entry, emails.get(entry.memberId) ?? null)))
  return written
}
