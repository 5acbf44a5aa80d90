import { Type } from 'typebox'
import { isoOf } from '#kit/clock'
import { definePublicFact } from '#kit/outbox'
import { about, amountOf, attemptEvent, base, type Charge, scheduled_at } from './attempt-event.ts'

/** `reminder`: 0 for the first event of a challenge, then the number of the reminder. */
export const billingActionRequired = definePublicFact(
  'billing.action_required',
  attemptEvent(
    'The customer must confirm a payment, or is due a reminder',
    {
      scheduled_at,
      action_url: Type.String({ description: 'Where the customer confirms the payment' }),
      reminder: Type.Integer({
        description: '0 for the first event; 1, 2, … for the reminders, whose number (0 to 5) is a setting of the store'
      })
    },
    { action_url: 'https://shop.example.com/challenges/8Xb2kQ', reminder: 0 }
  ),
  (of: Charge, actionUrl: string, reminder: number) => ({
    ...about(of),
    data: {
      ...base(of),
      ...amountOf(of),
      scheduled_at: isoOf(of.attempt.scheduledAt),
      action_url: actionUrl,
      reminder
    }
  })
)
