import { isoOf, isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { defineFact } from '#kit/outbox'
import { gid, type ProfileName } from '#platform'
import type { EventData } from '#resources'
import type { Subscription } from '#subscriptions'
import type { Attempt } from './attempts/attempt.ts'
import type { ChargedOrder, Settlement } from './attempts/settlement.ts'

type Of = { attempt: Attempt; subscription: Subscription }

const about = ({ subscription }: Of) => ({
  orderingKey: `subscription:${subscription.id}` as const,
  refs: { subscriptionId: subscription.id, memberId: subscription.memberId }
})

const base = ({ attempt, subscription }: Of) => ({
  billing_attempt_id: publicId('ba', attempt.id),
  subscription_id: publicId('sub', subscription.id),
  customer: { id: publicId('cust', subscription.memberId), email: subscription.email }
})

const amount = ({ attempt }: Of) => ({
  amount: numberOf(attempt.amountMinor, attempt.currency),
  currency: attempt.currency
})

const errorOf = (settled: Settlement) => ({
  // Every failure has a code.
  code: settled.errorCode!,
  message: settled.errorMessage,
  decline_code: settled.declineCode
})

export const billingPending = defineFact('billing.pending', (of: Of) => ({
  ...about(of),
  data: {
    ...base(of),
    ...amount(of),
    scheduled_at: isoOf(of.attempt.scheduledAt)
  } satisfies EventData<'billing.pending'>
}))

/** `reminder`: 0 for the first event of a challenge, then the number of the reminder. */
export const billingActionRequired = defineFact(
  'billing.action_required',
  (of: Of, actionUrl: string, reminder: number) => ({
    ...about(of),
    data: {
      ...base(of),
      ...amount(of),
      scheduled_at: isoOf(of.attempt.scheduledAt),
      action_url: actionUrl,
      reminder
    } satisfies EventData<'billing.action_required'>
  })
)

/** `order` is null when the platform's order could not be read along with the result. */
export const billingSuccess = defineFact(
  'billing.success',
  (of: Of, order: ChargedOrder | null, settled: Settlement, profile: ProfileName) => ({
    ...about(of),
    data: {
      ...base(of),
      order: order && {
        id: publicId('ord', order.ours.id),
        shopify_id: gid(profile, 'Order', order.ours.platformOrderId),
        order_number: order.ours.number,
        total: numberOf(order.reported.totalMinor, order.reported.currency),
        currency: order.reported.currency
      },
      ...amount(of),
      payment_method: settled.paymentMethod && {
        type: settled.paymentMethod.type,
        last_four: settled.paymentMethod.lastFour,
        brand: settled.paymentMethod.brand
      },
      next_billing_date: isoOrNull(of.subscription.nextBillingAt)
    } satisfies EventData<'billing.success'>
  })
)

export const billingFailed = defineFact('billing.failed', (of: Of, settled: Settlement) => ({
  ...about(of),
  data: {
    ...base(of),
    ...amount(of),
    error: errorOf(settled),
    retry_scheduled: settled.retryAt !== null,
    retry_date: isoOrNull(settled.retryAt),
    attempts_remaining: settled.attemptsRemaining
  } satisfies EventData<'billing.failed'>
}))

export const billingRetryScheduled = defineFact('billing.retry_scheduled', (of: Of, settled: Settlement) => ({
  ...about(of),
  data: {
    ...base(of),
    ...amount(of),
    scheduled_at: isoOf(of.attempt.scheduledAt),
    retry_date: isoOrNull(settled.retryAt),
    attempt_number: of.attempt.attemptNumber,
    attempts_remaining: settled.attemptsRemaining,
    error: errorOf(settled)
  } satisfies EventData<'billing.retry_scheduled'>
}))

export type BillingFact = ReturnType<
  | typeof billingPending
  | typeof billingActionRequired
  | typeof billingSuccess
  | typeof billingFailed
  | typeof billingRetryScheduled
>
