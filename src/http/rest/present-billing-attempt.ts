import type { Static } from 'typebox'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { gid } from '#platform'
import type { BillingAttemptBody } from '#resources'
import type { PlatformProfileName } from '#stores'
import type { BillingAttemptView } from '#views'

/** A billing attempt of the direct API. `date` is when it was scheduled; the date filters use it. */
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
    date: attempt.scheduledAt,
    attempt_number: attempt.attemptNumber,
    cycle_index: attempt.cycleIndex,
    error:
      errorCode === null ? null : { code: errorCode, message: attempt.errorMessage, decline_code: attempt.declineCode },
    retry_scheduled: attempt.retryAt !== null,
    retry_date: attempt.retryAt,
    attempts_remaining: attempt.attemptsRemaining,
    recovered: attempt.recovered,
    recovered_amount: attempt.recovered ? numberOf(attempt.amountMinor, attempt.currency) : 0,
    charged_after_stop: attempt.chargedAfterStop,
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
    action_required: actionRequiredOf(attempt),
    created_at: attempt.createdAt,
    completed_at: attempt.completedAt
  }
}

function actionRequiredOf({ status, actionUrl, actionRequiredAt, actionReminders }: BillingAttemptView) {
  if (status !== 'pending' || actionUrl === null || actionRequiredAt === null) return null
  return { url: actionUrl, since: actionRequiredAt, reminders: actionReminders }
}
