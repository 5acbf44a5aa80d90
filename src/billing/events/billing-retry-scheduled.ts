import { isoOf, isoOrNull } from '#kit/clock'
import { definePublicFact } from '#kit/outbox'
import { BillingAttemptBody, DeclineBody } from '#resources'
import type { Settlement } from '../attempts/settlement.ts'
import { about, amountOf, attemptEvent, base, type Charge, errorOf, retry_date, scheduled_at } from './attempt-event.ts'

const { attempt_number, attempts_remaining } = BillingAttemptBody.properties

export const billingRetryScheduled = definePublicFact(
  'billing.retry_scheduled',
  attemptEvent('A retry of a failed billing attempt was scheduled', {
    scheduled_at,
    retry_date,
    attempt_number,
    attempts_remaining,
    error: DeclineBody
  }),
  (of: Charge, settled: Settlement) => ({
    ...about(of),
    data: {
      ...base(of),
      ...amountOf(of),
      scheduled_at: isoOf(of.attempt.scheduledAt),
      retry_date: isoOrNull(settled.retryAt),
      attempt_number: of.attempt.attemptNumber,
      attempts_remaining: settled.attemptsRemaining,
      error: errorOf(settled)
    }
  })
)
