import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { listCustomers } from '#members'
import { pointsChanged } from './events/points-changed.ts'
import { insertMissingAccounts, listEntriesOfOrders, lockAccounts, writeLedger } from './queries.ts'

/** How much of an order is refunded or disputed in all: 15.00 of 60.00. */
export type OrderReversal = { orderId: number; partMinor: number; wholeMinor: number; reason: string }

/**
 * Brings what is taken back of the points that orders have issued to their share of the order, rounded down: takes at most the balance,
 * with the rest as the shortfall of the entry, or gives back what is no longer to be taken. A share that is settled writes nothing.
 */
export async function settleOrderPoints(ctx: Ctx, reversals: OrderReversal[]): Promise<void> {
  const byOrder = new Map(reversals.map((one) => [one.orderId, one]))
  const found = await listEntriesOfOrders(ctx, [...byOrder.keys()])
  const members = [...new Set(found.map(({ memberId }) => memberId))].sort((a, b) => a - b)
  if (members.length === 0) return
  await insertMissingAccounts(ctx, members)
  const balances = new Map((await lockAccounts(ctx, members)).map((a) => [a.memberId, a.balance]))
  const entries = await listEntriesOfOrders(ctx, [...byOrder.keys()])
  const reversing = Map.groupBy(entries, ({ reversesId }) => reversesId)
  const planned = entries.flatMap((issued) => {
    if (issued.reversesId !== null || issued.points <= 0) return []
    const { orderId, memberId } = issued
    const { reason, ...share } = byOrder.get(orderId)!
    const before = reversing.get(issued.id) ?? []
    const wanted = inProportion(issued.points, share)
    const taken = before.reduce((sum, { points }) => sum - points, 0)
    const asked = before.at(-1)?.reversedPoints ?? 0
    const balance = balances.get(memberId) ?? 0
    const missing = Math.max(0, wanted - Math.max(asked, taken))
    const points = wanted < taken ? taken - wanted : -Math.min(missing, Math.max(0, balance))
    const shortfallPoints = wanted < taken ? 0 : missing + points
    if (points === 0 && shortfallPoints === 0) return []
    balances.set(memberId, balance + points)
    const operationId = `order:${orderId}:${issued.id}:${before.length + 1}`
    const reversal = { reversesId: issued.id, shortfallPoints, reversedPoints: wanted }
    return [
      {
        memberId,
        points: points === 0 ? 0 : points,
        balanceAfter: balance + points,
        reason,
        orderId,
        operationId,
        ...reversal
      }
    ]
  })
  if (planned.length === 0) return
  const written = await writeLedger(ctx, planned)
  const emails = new Map((await listCustomers(ctx, members)).map(({ id, email }) => [id, email]))
  const moved = written.filter(({ points }) => points !== 0)
  await record(ctx, ...moved.map((entry) => pointsChanged(entry, emails.get(entry.memberId) ?? null)))
}

/** Rounded down, in whole numbers: the product may be beyond 2^53. */
function inProportion(points: number, { partMinor, wholeMinor }: { partMinor: number; wholeMinor: number }): number {
  if (partMinor <= 0) return 0
  if (partMinor >= wholeMinor) return points
  return Number((BigInt(points) * BigInt(partMinor)) / BigInt(wholeMinor))
}
