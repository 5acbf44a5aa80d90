import { defineFact } from '#kit/outbox'
import { about } from './member-event.ts'

/** The birth date of a member was entered, corrected or removed. Both are days; null is none. */
export const birthDateChanged = defineFact(
  'customer.birth_date_changed',
  (member: { id: number }, changed: { from: Temporal.PlainDate | null; to: Temporal.PlainDate | null }) => ({
    ...about(member),
    // Under the name by which an erasure finds it.
    data: { birth_date: { from: changed.from?.toString() ?? null, to: changed.to?.toString() ?? null } }
  })
)
