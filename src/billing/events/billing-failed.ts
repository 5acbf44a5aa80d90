import { Type } from 'typebox'
import { isoOrNull } from '#kit/clock'
import { definePublicFact } from '#kit/outbox'
import { BillingAttemptBody, DeclineBody } from '#resources'
import type { Settlement } from '../attempts/settlement.ts'
import { about, amountOf, attemptEvent, base, type Charge, errorOf, retry_date } from './attempt-event.ts'

export const billingFailed = definePublicFact(
  'billing.failed',
  attemptEvent('A billing attempt failed', {
    error: DeclineBody,
    retry_scheduled: Type.Boolean({ description: 'Whether an automatic retry follows this attempt' }),
    retry_date,
    attempts_remaining: BillingAttemptBody.properties.attempts_remaining
  }),
  (of: Charge, settled: Settlement) => ({
    ...about(of),
    data: {
      ...base(of),
      ...amountOf(of),
      error: errorOf(settled),
      retry_scheduled: settled.retryAt !== null,
      retry_date: isoOrNull(settled.retryAt),
      attempts_remaining: settled.attemptsRemaining
    }
  })
)
