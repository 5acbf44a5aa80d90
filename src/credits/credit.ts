import { instant, int, nullable, oneOf, type RowOf, row, text } from '#kit/postgres'
import type { CreditEntryType } from '#resources'

/** Begins the operation of a request to the API; behind it is the id of the request. */
export const API_OPERATION = 'api:'

/** A member's store credit. One who never had credit has no account: all zero, and `updatedAt` null. */
export type Credit = {
  memberId: number
  /** The sum of the ledger. */
  balanceMinor: number
  /** Held by open reservations. */
  reservedMinor: number
  /** What can be spent: the balance without what is reserved, and without lots that are past their date and not expired yet. */
  availableMinor: number
  updatedAt: Temporal.Instant | null
}

/**
 * Kinds of type 9 and 5 that reports show apart: credit moved by a merge of customers, a correction of drift against the platform's
 * account, and a redemption restored because its order was cancelled.
 */
export const CREDIT_MARKS = ['merge', 'drift', 'order_cancelled'] as const
export type CreditMark = (typeof CREDIT_MARKS)[number]

export const EntryRow = row({
  id: int,
  memberId: int,
  position: int,
  type: int,
  amountMinor: int,
  balanceAfterMinor: int,
  reason: text,
  orderId: nullable(int),
  operationId: text,
  expiresAt: nullable(instant),
  createdAt: instant,
  reversesId: nullable(int),
  shortfallMinor: int,
  mark: nullable(oneOf(...CREDIT_MARKS))
})

/** One entry of the ledger. `position` numbers a member's entries 1, 2, 3, … without a gap. */
export type CreditEntry = Omit<RowOf<typeof EntryRow>, 'type'> & { type: CreditEntryType }

/** A part of a lot: the entry that added it, and how much. */
export type LotPart = { entryId: number; minor: number }

/** A requested change. */
export type CreditChange = {
  memberId: number
  type: CreditEntryType
  /** In minor units of the store's currency: above zero to add, below zero to deduct. */
  amountMinor: number
  reason: string
  /** Identifies the cause: a change with the same operation id is applied once, however often it is requested. */
  operationId: string
  orderId?: number | null
  /** For added credit: when the rest of it expires. */
  expiresAt?: Temporal.Instant | null
  /** Deducts what is available, if that is less, and records the rest as the shortfall of the entry. */
  isCapped?: boolean
  /** The entry that this one takes back or restores. What is taken back is first taken from the lot of that entry. */
  reversesId?: number | null
  /** The refund or dispute of which this entry takes more later, or gives something back. */
  takeBackId?: number | null
  /** Below zero: what of the shortfall of that refund or dispute is taken now, or no longer asked for. */
  shortfallMinor?: number
  mark?: CreditMark | null
  /** It is one of this account, also where the platform has merged the customer into another. */
  isOwn?: boolean
  /** For restored credit: the lots that get a part of it back, each with its date. The rest is a lot of this entry. */
  returns?: (LotPart & { expiresAt: Temporal.Instant | null })[]
}

const RESERVATION_STATUSES = ['reserved', 'captured', 'aborted'] as const
const ABORTED_BY = ['released', 'expired', 'merged'] as const

/** Credit that is held for an open checkout. `aborted`: it was released, or its time was over. */
export type Reservation = {
  id: number
  memberId: number
  amountMinor: number
  status: (typeof RESERVATION_STATUSES)[number]
  abortedBy: (typeof ABORTED_BY)[number] | null
  reason: string
  operationId: string
  /** The entry of the redemption, and its amount as a positive number. */
  entryId: number | null
  capturedMinor: number | null
  expiresAt: Temporal.Instant
  createdAt: Temporal.Instant
  endedAt: Temporal.Instant | null
}

export const reservationColumns = {
  id: int,
  memberId: int,
  amountMinor: int,
  status: oneOf(...RESERVATION_STATUSES),
  abortedBy: nullable(oneOf(...ABORTED_BY)),
  reason: text,
  operationId: text,
  entryId: nullable(int),
  capturedMinor: nullable(int),
  expiresAt: instant,
  createdAt: instant,
  endedAt: nullable(instant)
}
