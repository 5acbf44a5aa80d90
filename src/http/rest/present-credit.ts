import type { Static } from 'typebox'
import type { Credit, CreditEntry, Reservation } from '#credits'
import { isoOf, isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import type { CreditBody, CreditEntryBody, ReservationBody } from '#resources'

/** The balance of the direct API. The spec shows no field of it; they are ours (docs/decisions). */
export function presentCredit(credit: Credit, currency: string): Static<typeof CreditBody> {
  return {
    customer_id: publicId('cust', credit.memberId),
    balance: numberOf(credit.balanceMinor, currency),
    reserved: numberOf(credit.reservedMinor, currency),
    available: numberOf(credit.availableMinor, currency),
    currency,
    updated_at: isoOrNull(credit.updatedAt)
  }
}

export function presentCreditEntry(entry: CreditEntry, currency: string): Static<typeof CreditEntryBody> {
  return {
    id: publicId('sct', entry.id),
    type: entry.type,
    amount: numberOf(entry.amountMinor, currency),
    balance_after: numberOf(entry.balanceAfterMinor, currency),
    reason: entry.reason,
    order_id: entry.orderId === null ? null : publicId('ord', entry.orderId),
    expires_at: isoOrNull(entry.expiresAt),
    created_at: isoOf(entry.createdAt)
  }
}

export function presentReservation(reservation: Reservation, currency: string): Static<typeof ReservationBody> {
  const { capturedMinor, entryId } = reservation
  return {
    id: publicId('scr', reservation.id),
    customer_id: publicId('cust', reservation.memberId),
    status: reservation.status,
    amount: numberOf(reservation.amountMinor, currency),
    captured_amount: capturedMinor === null ? null : numberOf(capturedMinor, currency),
    currency,
    transaction_id: entryId === null ? null : publicId('sct', entryId),
    expires_at: isoOf(reservation.expiresAt),
    created_at: isoOf(reservation.createdAt),
    ended_at: isoOrNull(reservation.endedAt)
  }
}
