import { type OrderReversal, planTakeBack, type TakeBackType, type TakenBack, undoLast } from '#credits'
import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { followMerges, listCustomers } from '#members'
import { pointsChanged } from './events/points-changed.ts'
import type { PointsEntry, Reversal } from './points.ts'
import { type EntryOfOrder, insertMissingAccounts, listEntriesOfOrders, lockAccounts, writeLedger } from './queries.ts'

/**
 * Takes back, or gives back, the points that orders have issued, so that they are what their refunds and disputes leave: by the rule of store
 * credit (`planTakeBack`), at most the balance, with the rest as the shortfall of the entry. A share that is settled writes nothing.
 */
export async function settleOrderPoints(ctx: Ctx, reversals: OrderReversal[]): Promise<void> {
  const byOrder = new Map(reversals.map((one) => [one.orderId, one]))
  const { entries, balances, ownerOf } = await lockEntriesOfOrders(ctx, [...byOrder.keys()])
  const planned = entries.flatMap((issued) => {
    if (issued.reversesId !== null || issued.points <= 0) return []
    const rows = entries.filter(({ reversesId }) => reversesId === issued.id)
    const before = takeBacksOf(rows)
    const memberId = ownerOf(issued.memberId)
    let asked = before.reduce((sum, { taken, shortfall }) => sum + taken + shortfall, 0)
    return planTakeBack(issued.points, byOrder.get(issued.orderId)!, before).map((step, i) => {
      asked += step.asked
      const { points, shortfall } = step.asked < 0 ? undo(before, step) : take(balances.get(memberId)!, step)
      const balanceAfter = balances.get(memberId)! + points
      balances.set(memberId, balanceAfter)
      const { id, orderId } = issued
      const operationId = `order:${orderId}:${id}:${rows.length + 1 + i}`
      const entry = { memberId, points, balanceAfter, reason: step.reason, orderId, operationId }
      const reversal = { reversesId: id, shortfallPoints: shortfall, reversedPoints: asked, reversal: step.type }
      return { ...entry, ...reversal } satisfies Omit<PointsEntry, 'id'> & Reversal
    })
  })
  if (planned.length === 0) return
  const written = await writeLedger(ctx, planned)
  const customers = await listCustomers(ctx, [...balances.keys()])
  const emails = new Map(customers.map(({ id, email }) => [id, email]))
  const moved = written.filter(({ points }) => points !== 0)
  await record(ctx, ...moved.map((entry) => pointsChanged(entry, emails.get(entry.memberId) ?? null)))
}

type Step = { type: TakeBackType; asked: number }
type Moved = { points: number; shortfall: number }

function take(balance: number, { asked }: Step): Moved {
  const taken = Math.min(asked, Math.max(0, balance))
  return { points: taken === 0 ? 0 : -taken, shortfall: asked - taken }
}

function undo(before: TakeBack[], { type, asked }: Step): Moved {
  const undone = undoLast(
    before.filter((one) => one.type === type),
    -asked
  )
  const shortfall = undone.reduce((sum, one) => sum + one.shortfall, 0)
  return {
    points: undone.reduce((sum, one) => sum + one.taken, 0),
    shortfall: shortfall === 0 ? 0 : -shortfall
  }
}

type TakeBack = TakenBack & { type: TakeBackType }

/**
 * What refunds and disputes have taken back of an entry, oldest first, by the entries that reverse it: what gives back undoes the last of its
 * type, and then the last of the other, since earlier versions gave back without saying for what.
 */
function takeBacksOf(rows: EntryOfOrder[]): TakeBack[] {
  const before: TakeBack[] = []
  for (const { points, shortfallPoints, reversal } of rows) {
    const type = reversal ?? 'refund'
    if (points <= 0 && shortfallPoints >= 0) {
      before.push({ type, taken: 0 - points, shortfall: shortfallPoints })
    } else {
      const lastFirst = before.toReversed()
      const ofType = lastFirst.filter((one) => one.type === type)
      const ofOther = lastFirst.filter((one) => one.type !== type)
      takeOff([...ofType, ...ofOther], { taken: points, shortfall: -shortfallPoints })
    }
  }
  return before
}

/** Takes off each of both, from the first ones on. */
function takeOff(takeBacks: TakeBack[], undone: TakenBack): void {
  for (const one of takeBacks) {
    for (const what of ['taken', 'shortfall'] as const) {
      const part = Math.min(one[what], undone[what])
      one[what] -= part
      undone[what] -= part
    }
  }
}

/**
 * The entries of orders, with the accounts locked of who has their points now. Who that is may change while we wait for a lock, by a merge of
 * customers.
 */
async function lockEntriesOfOrders(ctx: Ctx, orderIds: number[]) {
  const balances = new Map<number, number>()
  for (;;) {
    const entries = await listEntriesOfOrders(ctx, orderIds)
    const kept = await followMerges(ctx, [...new Set(entries.map(({ memberId }) => memberId))])
    const missing = [...new Set(kept.values())].filter((id) => !balances.has(id)).sort((a, b) => a - b)
    if (missing.length === 0) return { entries, balances, ownerOf: (memberId: number) => kept.get(memberId)! }
    await insertMissingAccounts(ctx, missing)
    for (const { memberId, balance } of await lockAccounts(ctx, missing)) balances.set(memberId, balance)
  }
}
