import type { TSchema } from 'typebox'
import { type EventDefinition, envelopeOf } from '#resources'
import * as eventList from './event-list.ts'

const FACT_OF_EVENT = eventList satisfies Record<string, { factName: string; event: EventDefinition }>

export type EventType = keyof typeof FACT_OF_EVENT

/** The sixteen types of the contract in its order (spec 1, Events), which shows four of their payloads, and one of ours. */
const READING_ORDER: readonly EventType[] = [
  'subscription.created',
  'subscription.activated',
  'subscription.updated',
  'subscription.paused',
  'subscription.resumed',
  'subscription.cancelled',
  'billing.pending',
  'billing.success',
  'billing.failed',
  'billing.retry_scheduled',
  'billing.action_required',
  'member.created',
  'member.updated',
  'member.tier_changed',
  'member.points_changed',
  'store_credit.added',
  'store_credit.deducted'
]

/** Every type, in the order of documents and messages: those without a place of their own follow the others of their kind. */
export const EVENT_TYPES = inKinds([...READING_ORDER, ...(Object.keys(eventList) as EventType[])])

/** Each once, all of `billing.…` together and so on, otherwise in the order given. */
function inKinds(types: EventType[]): EventType[] {
  return [...Map.groupBy(new Set(types), (type) => type.split('.')[0]).values()].flat()
}

export const isEventType = (text: string): text is EventType => Object.hasOwn(FACT_OF_EVENT, text)

const byType = <Value>(about: (type: EventType) => Value) =>
  Object.fromEntries(EVENT_TYPES.map((type) => [type, about(type)])) as Record<EventType, Value>

/** What each event says of itself: its summary and its payload. */
export const EVENTS = byType<EventDefinition>((type) => FACT_OF_EVENT[type].event)

/** The schema of what receivers get, by event type: the envelope around each payload. */
export const EVENT_SCHEMAS = byType<TSchema>((type) => envelopeOf(type, EVENTS[type]))

/** The name of the fact that an event is made from. */
export const factOfEvent = (type: EventType): string => FACT_OF_EVENT[type].factName

const EVENT_OF_FACT = new Map<string, EventType>(EVENT_TYPES.map((type) => [FACT_OF_EVENT[type].factName, type]))

/** The names of the facts that become public events. */
export const PUBLIC_FACTS: readonly string[] = [...EVENT_OF_FACT.keys()]

/** The public event that a fact becomes, or null for an internal one. */
export const eventOfFact = (name: string): EventType | null => EVENT_OF_FACT.get(name) ?? null
