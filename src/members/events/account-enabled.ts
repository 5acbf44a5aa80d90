import { isoOf } from '#kit/clock'
import { defineFact } from '#kit/outbox'
import { about } from './member-event.ts'

/** The account of a customer in the shop was enabled. `at` is the platform's time. */
export const accountEnabled = defineFact(
  'customer.account_enabled',
  (customer: { id: number; at: Temporal.Instant }) => ({ ...about(customer), data: { at: isoOf(customer.at) } })
)
