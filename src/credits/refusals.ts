import { publicId } from '#kit/ids'
import { decimalOf } from '#kit/money'
import { invalidField, Refusal } from '#kit/refusal'
import type { Credit } from './credit.ts'

/** The message names the amount, since that is what has to change. */
export const notEnoughCredit = ({ memberId, availableMinor }: Credit, wantedMinor: number, currency: string) =>
  new Refusal(
    'conflict',
    `amount is more than there is: ${publicId('cust', memberId)} has ${decimalOf(availableMinor, currency)} ${currency} ` +
      `of store credit available, and ${decimalOf(wantedMinor, currency)} was asked for`
  )

export const tooMuchCredit = () => invalidField('amount', 'would take the balance beyond what can be kept')

export const expiresInThePast = (now: Temporal.Instant) =>
  invalidField('expires_at', `must be a time after now, which is ${now.toString({ smallestUnit: 'millisecond' })}`)
