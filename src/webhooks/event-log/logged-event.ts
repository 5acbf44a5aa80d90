import { type EventType, eventOfFact } from '../public-events.ts'
import type { LoggedFact } from './customer-events.ts'

/** An event as it is kept: `data` is the payload of its deliveries, `sequence` their `X-Svc-Sequence`. */
export type LoggedEvent = Pick<LoggedFact, 'id' | 'occurredAt' | 'requestId'> & {
  type: EventType
  sequence: number
  data: unknown
}

/** The event that a public fact became. */
export const loggedEvent = ({ id, name, position, data, occurredAt, requestId }: LoggedFact): LoggedEvent => ({
  id,
  type: eventOfFact(name)!,
  sequence: position,
  occurredAt,
  data: JSON.parse(data) as unknown,
  requestId
})
