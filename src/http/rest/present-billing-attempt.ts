import { type Static, Type } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { gid } from '#platform'
import type { BillingAttemptView } from '#reports'
import type { PlatformProfileName } from '#stores'
import { OrNull } from './fields.ts'

export const BillingAttemptBody = Type.Object(
  {
    id: Type.String(),
    subscription_id: Type.String(),
    status: Type.Union([Type.Literal('success'), Type.Literal('failed'), Type.Literal('pending')]),
    amount: Type.Number(),
    currency: Type.String(),
    date: Type.String(),
    attempt_number: Type.Integer(),
    cycle_index: Type.Integer(),
    error: OrNull(
      Type.Object({ code: Type.String(), message: OrNull(Type.String()), decline_code: OrNull(Type.String()) })
    ),
    retry_scheduled: Type.Boolean(),
    retry_date: OrNull(Type.String()),
    attempts_remaining: Type.Integer(),
    order: OrNull(
      Type.Object({ id: Type.String(), shopify_id: OrNull(Type.String()), order_number: OrNull(Type.String()) })
    ),
    payment_method: OrNull(
      Type.Object({ type: Type.String(), last_four: OrNull(Type.String()), brand: OrNull(Type.String()) })
    ),
    created_at: Type.String(),
    completed_at: OrNull(Type.String())
  },
  { additionalProperties: false }
)

/** A billing attempt of the direct API; `date` is when it was scheduled, which the date filters look at. */
export function presentBillingAttempt(
  attempt: BillingAttemptView,
  profile: PlatformProfileName
): Static<typeof BillingAttemptBody> {
  const { errorCode, orderId, platformOrderId, paymentMethod } = attempt
  return {
    id: publicId('ba', attempt.id),
    subscription_id: publicId('sub', attempt.subscriptionId),
    status: attempt.status,
    amount: numberOf(attempt.amountMinor, attempt.currency),
    currency: attempt.currency,
    date: isoOf(attempt.scheduledAt),
    attempt_number: attempt.attemptNumber,
    cycle_index: attempt.cycleIndex,
    error:
      errorCode === null ? null : { code: errorCode, message: attempt.errorMessage, decline_code: attempt.declineCode },
    retry_scheduled: attempt.retryAt !== null,
    retry_date: isoOrNull(attempt.retryAt),
    attempts_remaining: attempt.attemptsRemaining,
    order:
      orderId === null
        ? null
        : {
            id: publicId('ord', orderId),
            shopify_id: platformOrderId && gid(profile, 'Order', platformOrderId),
            order_number: attempt.orderNumber
          },
    payment_method: paymentMethod && {
      type: paymentMethod.type,
      last_four: paymentMethod.lastFour,
      brand: paymentMethod.brand
    },
    created_at: isoOf(attempt.createdAt),
    completed_at: isoOrNull(attempt.completedAt)
  }
}
