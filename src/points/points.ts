import type { TakeBackType } from '#credits'
import { instant, int, type RowOf, row } from '#kit/postgres'

/**
 * What an entry is: points that are promised (`pending`), given (`earned`), used (`spent`), taken back or given back by undoing another
 * entry (`reversed`), past their date (`expired`), or corrected (`adjusted`: by hand, by a file, or by a merge of customers).
 */
export type PointsEntryType = 'pending' | 'earned' | 'spent' | 'reversed' | 'expired' | 'adjusted'

/** The points of a customer: whole numbers, none below zero. */
export const Points = row({
  memberId: int,
  /** What can be spent. */
  balance: int,
  /** Earned, but not to be spent yet. */
  pendingPoints: int,
  /** All that were ever earned, without what was reversed. */
  lifetimePoints: int,
  updatedAt: instant
})
export type Points = RowOf<typeof Points>

/** What any change of points has. */
export type PointsCause = {
  memberId: number
  /** Shown to people, in `member.points_changed` too. */
  reason: string
  /** Identifies the cause: a change with the same operation id is applied once, however often it is requested. */
  operationId: string
  orderId?: number | null
}

/** One entry of the ledger. */
export type PointsEntry = {
  id: number
  memberId: number
  /** Null in entries of versions that did not know it. */
  type: PointsEntryType | null
  /** What it changes of the balance, of what is pending, and of all that was ever earned. */
  points: number
  pendingPoints: number
  lifetimePoints: number
  balanceAfter: number
  reason: string
  orderId: number | null
  operationId: string
}

/** Part of what came from the entry that made a lot. */
export type LotPart = { entryId: number; points: number }

/**
 * Of an entry that undoes another: which one; for what, where a refund or dispute of its order does; what it could not take, or below zero
 * what is no longer asked for; and how much of the other is undone in all.
 */
export type Reversal = {
  reversesId: number
  reversal: TakeBackType | null
  shortfallPoints: number
  reversedPoints: number
}

/** An entry as it is to be written. */
export type NewEntry = Omit<PointsEntry, 'id'> & {
  reversal: Reversal | null
  /** Refunds and disputes of its order take their shares of it. */
  isShared: boolean
  /** What was rounded down to these points, of those that are shared; null in all others. */
  exactPoints: string | null
  readyAt: Temporal.Instant | null
  expiresAt: Temporal.Instant | null
  /** The entry of the pending points that are earned by this one. */
  pendingId: number | null
  /** The lots that spent points came from. */
  spent: LotPart[] | null
}
