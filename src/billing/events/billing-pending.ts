import { isoOf } from '#kit/clock'
import { definePublicFact } from '#kit/outbox'
import { about, amountOf, attemptEvent, base, type Charge, scheduled_at } from './attempt-event.ts'

export const billingPending = definePublicFact(
  'billing.pending',
  attemptEvent('A billing attempt was created', { scheduled_at }),
  (of: Charge) => ({
    ...about(of),
    data: { ...base(of), ...amountOf(of), scheduled_at: isoOf(of.attempt.scheduledAt) }
  })
)
