import { isoOf, isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import type { DomainEvent } from '#kit/outbox'
import { gid, type ProfileName } from '#platform'
import type { Subscription } from '#subscriptions'
import type { Attempt } from './attempt.ts'
import type { ChargedOrder } from './settle-attempts.ts'
import type { Settlement } from './settlement.ts'

type Of = { attempt: Attempt; subscription: Subscription }

const about = ({ subscription }: Of) => ({
  objectKey: `subscription:${subscription.id}` as const,
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
  code: settled.errorCode,
  message: settled.errorMessage,
  decline_code: settled.declineCode
})

export const billingPending = (of: Of) =>
  ({
    type: 'billing.pending',
    ...about(of),
    data: { ...base(of), ...amount(of), scheduled_at: isoOf(of.attempt.scheduledAt) }
  }) satisfies DomainEvent

/** `reminder`: 0 when the challenge is first told, then which reminder it is. */
export const billingActionRequired = (of: Of, actionUrl: string, reminder: number) =>
  ({
    type: 'billing.action_required',
    ...about(of),
    data: {
      ...base(of),
      ...amount(of),
      scheduled_at: isoOf(of.attempt.scheduledAt),
      action_url: actionUrl,
      reminder
    }
  }) satisfies DomainEvent

/** `order` is null when the platform's order could not be read along with the result. */
export const billingSuccess = (of: Of, order: ChargedOrder | null, settled: Settlement, profile: ProfileName) =>
  ({
    type: 'billing.success',
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
    }
  }) satisfies DomainEvent

export const billingFailed = (of: Of, settled: Settlement) =>
  ({
    type: 'billing.failed',
    ...about(of),
    data: {
      ...base(of),
      ...amount(of),
      error: errorOf(settled),
      retry_scheduled: settled.retryAt !== null,
      retry_date: isoOrNull(settled.retryAt),
      attempts_remaining: settled.attemptsRemaining
    }
  }) satisfies DomainEvent

export const billingRetryScheduled = (of: Of, settled: Settlement) =>
  ({
    type: 'billing.retry_scheduled',
    ...about(of),
    data: {
      ...base(of),
      ...amount(of),
      scheduled_at: isoOf(of.attempt.scheduledAt),
      retry_date: isoOrNull(settled.retryAt),
      attempt_number: of.attempt.attemptNumber,
      attempts_remaining: settled.attemptsRemaining,
      error: errorOf(settled)
    }
  }) satisfies DomainEvent
