import { isoOf } from '#kit/clock'
import { defineFact } from '#kit/outbox'
import { about } from './member-event.ts'

/** Tags were added to a customer on the platform, also those that we have put there ourselves. `at` is the platform's time. */
export const tagsAdded = defineFact(
  'customer.tags_added',
  (customer: { id: number }, added: { tags: string[]; at: Temporal.Instant }) => ({
    ...about(customer),
    data: { tags: added.tags, at: isoOf(added.at) }
  })
)
