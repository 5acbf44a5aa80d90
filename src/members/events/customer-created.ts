import { isoOrNull } from '#kit/clock'
import { defineFact } from '#kit/outbox'
import { about } from './member-event.ts'

/**
 * A customer is known here for the first time. `createdAt`: when the platform has made them, null where the source does not say.
 * `isPast`: they were read in from what the platform had before the store was connected.
 */
export const customerCreated = defineFact(
  'customer.created',
  (customer: { id: number; createdAt: Temporal.Instant | null; isPast: boolean }) => ({
    ...about(customer),
    data: { createdAt: isoOrNull(customer.createdAt), isPast: customer.isPast }
  })
)
