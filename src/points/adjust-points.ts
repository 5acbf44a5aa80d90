import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { listCustomers } from '#members'
import { pointsChanged } from './events/points-changed.ts'
import type { PointsAdjustment, PointsEntry } from './points.ts'
import { insertMissingAccounts, listOperations, lockAccounts, writeLedger } from './queries.ts'

/**
 * Sets balances of points, in the given order. Returns the entries that were written; a balance that is reached already, and a
 * repeated operation, have none.
 */
export async function adjustPoints(ctx: Ctx, adjustments: PointsAdjustment[]): Promise<PointsEntry[]> {
  if (adjustments.length === 0) return []
  const memberIds = [...new Set(adjustments.map((a) => a.memberId))]
  const balances = await lockBalances(ctx, adjustments)
  const done = new Set(
    await listOperations(
      ctx,
      adjustments.map((a) => a.operationId)
    )
  )

  const entries = adjustments.flatMap(({ memberId, balance, reason, operationId, orderId = null }) => {
    const points = balance - (balances.get(memberId) ?? 0)
    if (points === 0 || done.has(operationId)) return []
    balances.set(memberId, balance)
    done.add(operationId)
    return [{ memberId, points, balanceAfter: balance, reason, orderId, operationId }]
  })
  if (entries.length === 0) return []

  const written = await writeLedger(ctx, entries)
  const emails = new Map((await listCustomers(ctx, memberIds)).map(({ id, email }) => [id, email]))
  await record(ctx, ...written.map((entry) => pointsChanged(entry, emails.get(entry.memberId) ?? null)))
  return written
}

/** Locked until the transaction ends. The first points create the account; without one the balance is zero. */
async function lockBalances(ctx: Ctx, adjustments: PointsAdjustment[]): Promise<Map<number, number>> {
  const accounts = await lockAccounts(ctx, [...new Set(adjustments.map((a) => a.memberId))])
  const known = new Set(accounts.map((a) => a.memberId))
  const firsts = adjustments.filter((a) => a.balance !== 0 && !known.has(a.memberId))
  const missing = [...new Set(firsts.map((a) => a.memberId))]
  if (missing.length > 0) {
    await insertMissingAccounts(ctx, missing)
    accounts.push(...(await lockAccounts(ctx, missing)))
  }
  return new Map(accounts.map((a) => [a.memberId, a.balance]))
}
