import { day, instant, int, nullable, oneOf, type RowOf, row, text } from '#kit/postgres'
import { CONTENT_TYPES } from './content/check-content.ts'

export const RECEIPT_STATUSES = ['waiting', 'approved', 'refused'] as const
export type ReceiptStatus = (typeof RECEIPT_STATUSES)[number]

export const ReceiptRow = row({
  id: int,
  memberId: int,
  /** The platform's number of the customer. */
  customerId: nullable(text),
  ruleId: int,
  ruleName: text,
  retailer: text,
  purchasedOn: day,
  /** What is printed on it; null where none was entered. */
  number: nullable(text),
  /** As the customer has entered it. */
  amountMinor: int,
  status: oneOf(...RECEIPT_STATUSES),
  /** What counts; null where it is not approved. */
  approvedMinor: nullable(int),
  decidedBy: nullable(oneOf('rule', 'operator')),
  /** Why it was refused. */
  reason: nullable(text),
  /** What it has earned, and was not taken back; null: nothing. */
  points: nullable(int),
  contentType: oneOf(...CONTENT_TYPES),
  fileBytes: int,
  /** The name of its file in the storage; null where that is removed. */
  fileName: nullable(text),
  uploadedAt: instant,
  decidedAt: nullable(instant),
  updatedAt: instant
})
/** A receipt that a customer has uploaded. */
export type Receipt = RowOf<typeof ReceiptRow>

/** Identifies what a receipt counts. */
export const receiptCause = (id: number): string => `receipt:${id}`
