import { isoOrNull } from '#kit/clock'
import { defineFact } from '#kit/outbox'
import { about } from './member-event.ts'

/**
 * A customer is known here for the first time. `createdAt`: when the platform has made them, null where the source does not say.
 * `isPast`: they were read from what the platform had already, so that they may be years old.
 */
export const customerCreated = defineFact(
  'customer.created',
  (customer: { id: number; createdAt: Temporal.Instant | null; isPast: boolean }) => ({
    ...about(customer),
    data: { createdAt: isoOrNull(customer.createdAt), isPast: customer.isPast }
  })
)
