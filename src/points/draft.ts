import type { LotPart, NewEntry, PointsCause, PointsEntryType, Reversal } from './points.ts'

/** The unspent rest of the points of one entry. A lot that this transaction makes has no entry yet, but an operation. */
export type Lot = {
  entryId: number | null
  operationId: string | null
  /** The entry of the pending points that this very transaction has made earned. */
  pendingId: number | null
  expiresAt: Temporal.Instant | null
  remaining: number
  isChanged: boolean
}

/** The rest of the points of one entry that are pending. */
export type Pending = {
  entryId: number | null
  operationId: string | null
  orderId: number | null
  reason: string
  readyAt: Temporal.Instant
  /** Until when they can be spent once they are earned; null for ever. */
  expiresAt: Temporal.Instant | null
  remaining: number
  isChanged: boolean
}

/** A locked account as the current transaction leaves it, change by change. */
export type Draft = {
  memberId: number
  balance: number
  pendingPoints: number
  lifetimePoints: number
  /** As the table has it: what is written is the difference, so that its constraints see what others have written. */
  before: { balance: number; pendingPoints: number; lifetimePoints: number; lottedPoints: number }
  /** In the order of spending; as many as the changes can need. */
  lots: Lot[]
  pending: Pending[]
  /** The entries of this transaction, of all accounts, in the order in which they are written. */
  entries: NewEntry[]
}

type Amounts = { points?: number; pendingPoints?: number; lifetimePoints?: number }
type Rest = Partial<Pick<NewEntry, 'isShared' | 'exactPoints' | 'readyAt' | 'expiresAt' | 'pendingId' | 'spent'>> & {
  reversal?: Reversal | null
}

/** Notes an entry whose lots were changed already, and what it does to the account. */
export function append(
  draft: Draft,
  type: PointsEntryType,
  { reason, operationId, orderId = null }: Omit<PointsCause, 'memberId'>,
  { points = 0, pendingPoints = 0, lifetimePoints = 0 }: Amounts,
  rest: Rest = {}
): NewEntry {
  draft.balance += points
  draft.pendingPoints += pendingPoints
  draft.lifetimePoints += lifetimePoints
  const entry: NewEntry = {
    memberId: draft.memberId,
    type,
    points,
    pendingPoints,
    lifetimePoints,
    balanceAfter: draft.balance,
    reason,
    orderId,
    operationId,
    reversal: null,
    isShared: false,
    exactPoints: null,
    readyAt: null,
    expiresAt: null,
    pendingId: null,
    spent: null,
    ...rest
  }
  draft.entries.push(entry)
  return entry
}

/** Adds points to the lot of an entry, or to a new one of the entry that this operation writes. */
export function addLot(
  draft: Draft,
  points: number,
  lot: Pick<Lot, 'expiresAt'> & Partial<Pick<Lot, 'entryId' | 'operationId' | 'pendingId'>>
): void {
  const { entryId = null, operationId = null, pendingId = null, expiresAt } = lot
  const there = entryId !== null && draft.lots.find((other) => other.entryId === entryId)
  if (there && there.remaining > 0) {
    addTo(there, points)
    return
  }
  // Of a lot that was used up only the number is left.
  if (there) draft.lots.splice(draft.lots.indexOf(there), 1)
  const added = { entryId, operationId, pendingId, expiresAt, remaining: points, isChanged: true }
  const later = draft.lots.findIndex((other) => isBefore(added, other))
  draft.lots.splice(later < 0 ? draft.lots.length : later, 0, added)
}

/** Adds points to a lot, or to what is pending. */
export function addTo(part: Lot | Pending, points: number): void {
  part.remaining += points
  part.isChanged = true
}

/** Takes points from the lot that comes `first`, where there is one, and then from the others in order. Returns what came from each. */
export function takeFromLots(draft: Draft, points: number, first: (lot: Lot) => boolean = () => false): LotPart[] {
  const parts: LotPart[] = []
  let wanted = points
  const take = (lot: Lot) => {
    const taken = Math.min(lot.remaining, wanted)
    if (taken === 0) return
    lot.remaining -= taken
    lot.isChanged = true
    wanted -= taken
    // A lot of this very transaction has no number yet: that of the pending points that it was stands for it. What was never pending is given
    // back without its date.
    const entryId = lot.entryId ?? lot.pendingId
    if (entryId !== null) parts.push({ entryId, points: taken })
  }
  for (const lot of draft.lots) if (first(lot)) take(lot)
  for (const lot of draft.lots) {
    if (wanted === 0) break
    take(lot)
  }
  if (wanted > 0) throw new Error(`The lots of member ${draft.memberId} are ${wanted} points short of the balance`)
  return parts
}

/** What expires first is spent first, what never expires last; of equal dates the older lot, by its entry. */
function isBefore(a: Lot, b: Lot): boolean {
  if (a.expiresAt === null || b.expiresAt === null) {
    if (a.expiresAt !== b.expiresAt) return b.expiresAt === null
  } else {
    const byDate = Temporal.Instant.compare(a.expiresAt, b.expiresAt)
    if (byDate !== 0) return byDate < 0
  }
  return (a.entryId ?? Number.POSITIVE_INFINITY) < (b.entryId ?? Number.POSITIVE_INFINITY)
}
