import { type OrderReversal, planTakeBack, type TakeBackType, type TakenBack, undoLast } from '#credits'
import type { Ctx } from '#kit/postgres'
import { takenShare } from './exact-points.ts'
import { ALL, openAccounts } from './open-accounts.ts'
import { type EntryToReverse, listEntriesOfOrders } from './queries.ts'
import { giveBack, type Issued, issuedPoints, isUndoing, takeBack } from './undo.ts'
import { writePoints } from './write-points.ts'

/**
 * Takes back, or gives back, their shares of the points that orders have issued, so that they are what refunds and disputes leave: by the rule of
 * store credit (`planTakeBack`), but so that what is kept is rounded down (`takenShare`); first of what is pending, at most the balance, with
 * the rest as the shortfall of the entry. One order after the other, in the order in which they are given. A share that is settled writes nothing.
 */
export async function settleOrderPoints(ctx: Ctx, reversals: OrderReversal[]): Promise<void> {
  const byOrder = new Map(reversals.map((one) => [one.orderId, one]))
  const first = await listEntriesOfOrders(ctx, [...byOrder.keys()])
  const memberIds = [...new Set(issuedOf(first).map(({ entry }) => entry.memberId))]
  if (memberIds.length === 0) return
  const { drafts, entries, draftOf } = await openAccounts(
    ctx,
    memberIds.map((memberId) => ({
      ...{ memberId, adds: true, takes: ALL },
      lotsOf: first.filter((entry) => entry.memberId === memberId).map(({ id }) => id)
    }))
  )
  // Read again behind the locks: somebody else may have settled meanwhile.
  const rows = await listEntriesOfOrders(ctx, [...byOrder.keys()])
  const issuedBy = Map.groupBy(issuedOf(rows), ({ entry }) => entry.orderId!)
  for (const issued of [...byOrder.keys()].flatMap((orderId) => issuedBy.get(orderId) ?? [])) {
    const { id, orderId, memberId } = issued.entry
    const ofIssued = rows.filter(({ reversesId }) => reversesId === id)
    const before = takeBacksOf(ofIssued)
    const draft = draftOf(memberId)
    let asked = before.reduce((sum, { taken, shortfall }) => sum + taken + shortfall, 0)
    const order = byOrder.get(orderId!)!
    const { wholeMinor } = order
    const [points, exact] = [issuedPoints(issued.entry), issued.entry.exactPoints]
    const shareOf = (partMinor: number) => takenShare({ points, exact }, { partMinor, wholeMinor })
    for (const [i, step] of planTakeBack(points, order, before, shareOf).entries()) {
      asked += step.asked
      const operationId = `order:${orderId}:${id}:${ofIssued.length + 1 + i}`
      const cause = { reason: step.reason, operationId, orderId }
      const of = { reversal: step.type, reversedPoints: asked }
      if (step.asked > 0) takeBack(draft, issued, step.asked, cause, of)
      else {
        const takenAt = ofIssued.at(-1)!.createdAt
        giveBack(draft, issued, undone(before, step), cause, of, { now: ctx.now, takenAt })
      }
    }
  }
  await writePoints(ctx, drafts, entries)
}

/** What orders have issued of which refunds and disputes take their shares; what was undone as a whole is out of it. */
function issuedOf(rows: EntryToReverse[]): Issued[] {
  const undone = new Set(rows.map((entry) => (isUndoing(entry) ? entry.reversesId : null)))
  const earnedBy = new Map(
    rows.flatMap((entry) => (entry.pendingId === null ? [] : [[entry.pendingId, entry] as const]))
  )
  return rows.flatMap((entry) =>
    isShared(entry) && !undone.has(entry.id) ? [{ entry, earnedBy: earnedBy.get(entry.id) ?? null }] : []
  )
}

/** Entries of nodes of before do not know whether they are shared: all that were of an order were. */
const isShared = ({ type, isShared, reversesId, points }: EntryToReverse) =>
  type === null ? reversesId === null && points > 0 : isShared

type Step = { type: TakeBackType; asked: number }

function undone(before: TakeBack[], { type, asked }: Step): TakenBack {
  const parts = undoLast(
    before.filter((one) => one.type === type),
    -asked
  )
  return {
    taken: parts.reduce((sum, one) => sum + one.taken, 0),
    shortfall: parts.reduce((sum, one) => sum + one.shortfall, 0)
  }
}

type TakeBack = TakenBack & { type: TakeBackType }

/**
 * What refunds and disputes have taken back of an entry, oldest first, by the entries that reverse it: what gives back undoes the last of its
 * type, and then the last of the other, since earlier versions gave back without saying for what.
 */
function takeBacksOf(rows: EntryToReverse[]): TakeBack[] {
  const before: TakeBack[] = []
  for (const { points, pendingPoints, shortfallPoints, reversal } of rows) {
    const type = reversal ?? 'refund'
    const moved = points + pendingPoints
    if (moved <= 0 && shortfallPoints >= 0) {
      before.push({ type, taken: 0 - moved, shortfall: shortfallPoints })
    } else {
      const lastFirst = before.toReversed()
      const ofType = lastFirst.filter((one) => one.type === type)
      const ofOther = lastFirst.filter((one) => one.type !== type)
      takeOff([...ofType, ...ofOther], { taken: moved, shortfall: -shortfallPoints })
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
