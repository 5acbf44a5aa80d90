import { instant, int, nullable, oneOf, type RowOf, row, text } from '#kit/postgres'

export const CODE_STATUSES = ['pending', 'active', 'ending', 'used', 'ended', 'failed'] as const
const ENDED_BY = ['revoked', 'expired', 'merged'] as const

export const CreditCodeRow = row({
  id: int,
  memberId: int,
  reservationId: int,
  code: text,
  amountMinor: int,
  status: oneOf(...CODE_STATUSES),
  endedBy: nullable(oneOf(...ENDED_BY)),
  endsAt: instant,
  problem: nullable(text),
  createdAt: instant,
  endedAt: nullable(instant),
  sentAt: nullable(instant),
  usedMinor: nullable(int),
  orderId: nullable(int),
  entryId: nullable(int)
})

/** A discount code that spends store credit. `usedMinor`, `orderId` and `entryId`: of the first order that used it. */
export type CreditCode = RowOf<typeof CreditCodeRow>
