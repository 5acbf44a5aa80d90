import { addLot, addTo, append, type Draft, type Lot, takeFromLots } from './draft.ts'
import type { PointsCause, Reversal } from './points.ts'
import type { EntryToReverse, SpentLot } from './queries.ts'

/** Points that were issued, and the entry that made them earned where they were pending; null where none has. */
export type Issued = { entry: EntryToReverse; earnedBy: EntryToReverse | null }

type Cause = Omit<PointsCause, 'memberId'>
type OfReversal = Pick<Reversal, 'reversal' | 'reversedPoints'>

/** How much these points are: what was pending from the start counts once. */
export const issuedPoints = ({ points, pendingPoints }: Pick<EntryToReverse, 'points' | 'pendingPoints'>): number =>
  points + pendingPoints

/** Whether an entry undoes another as a whole (`reversePoints`), and not for refunds or disputes. */
export const isUndoing = ({ type, reversal }: Pick<EntryToReverse, 'type' | 'reversal'>): boolean =>
  type === 'reversed' && reversal === null

/**
 * Takes back so many of issued points: first what of them is pending, then what is left of their lot, then what expires first. At most the
 * balance is taken; the rest is the shortfall of the entry.
 */
export function takeBack(draft: Draft, { entry, earnedBy }: Issued, asked: number, cause: Cause, of: OfReversal): void {
  const pending = draft.pending.find(({ entryId }) => entryId === entry.id)
  const fromPending = Math.min(asked, pending?.remaining ?? 0)
  if (pending && fromPending > 0) {
    pending.remaining -= fromPending
    pending.isChanged = true
  }
  const taken = Math.min(asked - fromPending, draft.balance)
  const shortfallPoints = asked - fromPending - taken
  takeFromLots(draft, taken, isLotOf({ entry, earnedBy }))
  append(
    draft,
    'reversed',
    cause,
    {
      points: minus(taken),
      pendingPoints: minus(fromPending),
      lifetimePoints: isCounted(entry) ? minus(taken + shortfallPoints) : 0
    },
    { reversal: { reversesId: entry.id, shortfallPoints, ...of } }
  )
}

/**
 * Gives back what was taken of issued points: they are pending again while they would be, and otherwise in their lot. `takenAt`: when it was
 * taken, so that points whose date has passed meanwhile can be spent for as long as they could have been.
 */
export function giveBack(
  draft: Draft,
  { entry, earnedBy }: Issued,
  { taken, shortfall }: { taken: number; shortfall: number },
  cause: Cause,
  of: OfReversal,
  { now, takenAt }: { now: Temporal.Instant; takenAt: Temporal.Instant }
): void {
  const isPending = entry.readyAt !== null && Temporal.Instant.compare(entry.readyAt, now) > 0
  if (isPending) addPending(draft, entry, taken)
  else if (taken > 0) {
    const there = draft.lots.find(isLotOf({ entry, earnedBy }))
    const expiresAt = dateAgain(entry.expiresAt, takenAt, now, entry.readyAt ?? entry.createdAt)
    if (there && there.remaining > 0) addTo(there, taken)
    else addLot(draft, taken, { entryId: (earnedBy ?? entry).id, expiresAt })
  }
  append(
    draft,
    'reversed',
    cause,
    {
      points: isPending ? 0 : taken,
      pendingPoints: isPending ? taken : 0,
      lifetimePoints: !isPending && isCounted(entry) ? taken + shortfall : 0
    },
    { reversal: { reversesId: entry.id, shortfallPoints: minus(shortfall), ...of } }
  )
}

/** Gives back points that were spent, to the lots that they came from. `spentAt`: as `takenAt` of `giveBack`. */
export function restoreSpent(
  draft: Draft,
  spent: EntryToReverse,
  lots: ReadonlyMap<number, SpentLot>,
  cause: Cause,
  now: Temporal.Instant
): void {
  const points = -spent.points
  let rest = points
  for (const [i, entryId] of (spent.spentLots ?? []).entries()) {
    const part = spent.spentPoints![i]!
    rest -= part
    const { lotId, begunAt, expiresAt } = lots.get(entryId)!
    addLot(draft, part, { entryId: lotId, expiresAt: dateAgain(expiresAt, spent.createdAt, now, begunAt) })
  }
  // What was spent from a lot of the very transaction that made it, and was never pending.
  if (rest > 0) addLot(draft, rest, { operationId: cause.operationId, expiresAt: null })
  append(
    draft,
    'reversed',
    cause,
    { points },
    { reversal: { reversesId: spent.id, shortfallPoints: 0, reversedPoints: points, reversal: null } }
  )
}

const isLotOf =
  ({ entry, earnedBy }: Issued) =>
  ({ entryId, pendingId }: Lot) =>
    entryId === (earnedBy ?? entry).id || pendingId === entry.id

function addPending(draft: Draft, entry: EntryToReverse, points: number): void {
  const there = draft.pending.find(({ entryId }) => entryId === entry.id)
  if (there) {
    addTo(there, points)
    return
  }
  const { id: entryId, orderId, reason, readyAt, expiresAt } = entry
  draft.pending.push({
    ...{ entryId, operationId: null, orderId, reason, readyAt: readyAt!, expiresAt },
    ...{ remaining: points, isChanged: true }
  })
}

/**
 * Until when points that are given back can be spent: for as long as they could have been when they were taken. Where their own date had passed by then,
 * others were taken in their place: those can be spent for as long as these could from the beginning.
 */
function dateAgain(
  expiresAt: Temporal.Instant | null,
  takenAt: Temporal.Instant,
  now: Temporal.Instant,
  begunAt: Temporal.Instant
): Temporal.Instant | null {
  if (expiresAt === null || Temporal.Instant.compare(expiresAt, now) > 0) return expiresAt
  const isOfItself = Temporal.Instant.compare(expiresAt, takenAt) > 0
  return now.add((isOfItself ? takenAt : begunAt).until(expiresAt))
}

/** Whether these points count as ever earned: what was adjusted by hand does not. */
const isCounted = ({ type }: EntryToReverse) => type === 'pending' || type === 'earned'

const minus = (points: number) => (points === 0 ? 0 : -points)
