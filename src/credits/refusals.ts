import { isoOf } from '#kit/clock'
import { publicId } from '#kit/ids'
import { decimalOf } from '#kit/money'
import { invalidField, Refusal } from '#kit/refusal'
import type { Credit, Reservation } from './credit.ts'

/** Names the field `amount`, which is what has to change. */
export const notEnoughCredit = ({ memberId, availableMinor }: Credit, wantedMinor: number, currency: string) => {
  const message =
    `is more than the available store credit: ${publicId('cust', memberId)} has ` +
    `${decimalOf(availableMinor, currency)} ${currency} available, and ${decimalOf(wantedMinor, currency)} was requested`
  return new Refusal('conflict', `amount ${message}`, [{ field: 'amount', code: 'invalid', message }])
}

/** Of a customer who is deleted on the platform: nobody could spend it. What they have can be read and deducted. */
export const customerDeleted = (memberId: number) =>
  invalidField(
    'customer_id',
    `must be a customer who is not deleted on the platform: ${publicId('cust', memberId)} was deleted there, and their store credit can only be read and deducted`
  )

export const tooMuchCredit = () => invalidField('amount', 'would make the balance larger than can be stored')

export const expiresInThePast = (now: Temporal.Instant) =>
  invalidField('expires_at', `must be a time after now, which is ${now.toString({ smallestUnit: 'millisecond' })}`)

export const noSuchReservation = (given: string) =>
  new Refusal('not_found', `There is no reservation ${given.slice(0, 100)} of this customer`, [
    { field: 'reservation_id', code: 'not_found', message: 'names no reservation of this customer' }
  ])

/** Why a reservation can be neither captured nor released. */
export function reservationEnded({ id, status, abortedBy, expiresAt, endedAt }: Reservation): Refusal {
  const how =
    status === 'captured'
      ? `was captured at ${isoOf(endedAt!)}`
      : abortedBy === 'expired'
        ? `ended at ${isoOf(expiresAt)}, when its time was over`
        : abortedBy === 'merged'
          ? `ended at ${isoOf(endedAt!)}, when its customer was merged into another`
          : `was released at ${isoOf(endedAt!)}`
  return new Refusal(
    'conflict',
    `Reservation ${publicId('scr', id)} ${how}; only an open reservation can be captured or released`
  )
}

export const moreThanReserved = (reservedMinor: number, wantedMinor: number, currency: string) =>
  invalidField(
    'amount',
    `must be at most ${decimalOf(reservedMinor, currency)} ${currency}, which is reserved; ${decimalOf(wantedMinor, currency)} was requested`
  )

export const belowReserved = (balanceMinor: number, reservedMinor: number, currency: string) =>
  invalidField(
    'balance',
    `must be at least ${decimalOf(reservedMinor, currency)} ${currency}, which open reservations hold; ${decimalOf(balanceMinor, currency)} was given`
  )
