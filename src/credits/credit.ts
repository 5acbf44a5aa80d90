import { instant, int, nullable, type RowOf, row, text } from '#kit/postgres'
import type { CreditEntryType } from '#resources'

/** What a member has. Someone who never had credit has no account: all zero, and `updatedAt` null. */
export type Credit = {
  memberId: number
  /** The sum of the ledger. */
  balanceMinor: number
  /** What can be spent: the balance without lots that are past their date and not taken off yet. */
  availableMinor: number
  updatedAt: Temporal.Instant | null
}

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
  createdAt: instant
})

/** One line of the ledger. `position` numbers a member's lines 1, 2, 3, … without a gap. */
export type CreditEntry = Omit<RowOf<typeof EntryRow>, 'type'> & { type: CreditEntryType }

/** One change that is wanted. */
export type CreditChange = {
  memberId: number
  type: CreditEntryType
  /** Above zero for credit that comes in, below zero for credit that goes out. In the store's currency. */
  amountMinor: number
  reason: string
  /** Names the cause; a change of the same cause happens once, however often it is told. */
  operationId: string
  orderId?: number | null
  /** For credit that comes in: when what is left of it is taken off. */
  expiresAt?: Temporal.Instant | null
}
