import type { TProperties } from 'typebox'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { customerKey } from '#members'
import { BillingAttemptBody, defineEvent, exampleOf, OrNull, PersonBody, type Shown, Timestamp } from '#resources'
import type { Subscription } from '#subscriptions'
import type { Attempt } from '../attempts/attempt.ts'
import type { Settlement } from '../attempts/settlement.ts'

const { id, subscription_id, amount, currency } = BillingAttemptBody.properties

/** The fields with which every event of an attempt to charge begins. */
const charge = { billing_attempt_id: id, subscription_id, customer: PersonBody, amount, currency }

/** Declares an event of an attempt to charge by the fields that it has besides. */
export function attemptEvent<Also extends TProperties>(summary: string, also: Also, shown: Shown = {}) {
  return defineEvent({
    summary,
    fields: { ...charge, ...also },
    like: BillingAttemptBody,
    shown: {
      ...shown,
      billing_attempt_id: 'ba_154',
      customer: exampleOf(PersonBody),
      scheduled_at: '2026-12-15T06:25:00.000Z'
    }
  })
}

export const scheduled_at = Timestamp('When the attempt was scheduled')
export const retry_date = OrNull(Timestamp('When the next attempt is due; null without one'))

export type Charge = { attempt: Attempt; subscription: Subscription }

/** What a fact of an attempt is about. */
export const about = ({ subscription }: Charge) => ({
  orderingKey: customerKey(subscription.memberId),
  refs: { subscriptionId: subscription.id, memberId: subscription.memberId }
})

export const base = ({ attempt, subscription }: Charge) => ({
  billing_attempt_id: publicId('ba', attempt.id),
  subscription_id: publicId('sub', subscription.id),
  customer: { id: publicId('cust', subscription.memberId), email: subscription.email }
})

export const amountOf = ({ attempt }: Charge) => ({
  amount: numberOf(attempt.amountMinor, attempt.currency),
  currency: attempt.currency
})

export const errorOf = (settled: Settlement) => ({
  // Every failure has a code.
  code: settled.errorCode!,
  message: settled.errorMessage,
  decline_code: settled.declineCode
})
