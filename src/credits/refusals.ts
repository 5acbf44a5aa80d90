import { publicId } from '#kit/ids'
import { decimalOf } from '#kit/money'
import { invalidField, Refusal } from '#kit/refusal'
import type { Credit } from './credit.ts'

/** Names the field `amount`, which is what has to change. */
export const notEnoughCredit = ({ memberId, availableMinor }: Credit, wantedMinor: number, currency: string) => {
  const message =
    `is more than the available store credit: ${publicId('cust', memberId)} has ` +
    `${decimalOf(availableMinor, currency)} ${currency} available, and ${decimalOf(wantedMinor, currency)} was requested`
  return new Refusal('conflict', `amount ${message}`, [{ field: 'amount', code: 'invalid', message }])
}

export const tooMuchCredit = () => invalidField('amount', 'would make the balance larger than can be stored')

export const expiresInThePast = (now: Temporal.Instant) =>
  invalidField('expires_at', `must be a time after now, which is ${now.toString({ smallestUnit: 'millisecond' })}`)
