import { instant, int, nullable, type RowOf, row, text } from '#kit/postgres'
import type { CreditEntryType } from '#resources'

/** A member's store credit. One who never had credit has no account: all zero, and `updatedAt` null. */
export type Credit = {
  memberId: number
  /** The sum of the ledger. */
  balanceMinor: number
  /** What can be spent: the balance without lots that are past their date and not expired yet. */
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

/** One entry of the ledger. `position` numbers a member's entries 1, 2, 3, … without a gap. */
export type CreditEntry = Omit<RowOf<typeof EntryRow>, 'type'> & { type: CreditEntryType }

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
}
