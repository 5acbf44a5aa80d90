import { isoOrNull } from '#kit/clock'
import { defineFact } from '#kit/outbox'
import type { ConsentChannel, ConsentState } from '#platform'
import { about } from './member-event.ts'

/**
 * A customer allows e-mails or texts, or no longer does. `at`: the platform's time of the change, which may be long ago where it is
 * noticed only now; null where the platform has none.
 */
export const consentChanged = defineFact(
  'customer.consent_changed',
  (
    customer: { id: number },
    changed: { channel: ConsentChannel; state: ConsentState; at: Temporal.Instant | null }
  ) => ({
    ...about(customer),
    data: { channel: changed.channel, state: changed.state, at: isoOrNull(changed.at) }
  })
)
