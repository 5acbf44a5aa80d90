import type { TSchema } from 'typebox'
import { billingEvents } from './billing-events.ts'
import { type EventDefinition, envelopeOf, type PayloadOf } from './define-event.ts'
import { memberEvents } from './member-events.ts'
import { storeCreditEvents } from './store-credit-events.ts'
import { subscriptionEvents } from './subscription-events.ts'

/**
 * Every public event: the sixteen types of the contract (spec 1, Events), and `billing.action_required`, which is ours.
 * The contract shows four of the payloads; the others are ours.
 */
export const EVENTS = {
  ...subscriptionEvents,
  ...billingEvents,
  ...memberEvents,
  ...storeCreditEvents
} as const satisfies Record<string, EventDefinition>

export type EventType = keyof typeof EVENTS
/** The payload (`data`) of an event of this type. */
export type EventData<Type extends EventType> = PayloadOf<(typeof EVENTS)[Type]>

export const EVENT_TYPES = Object.keys(EVENTS) as EventType[]

/** The schema of what receivers get, by event type: the envelope around each payload. */
export const EVENT_SCHEMAS = Object.fromEntries(
  Object.entries(EVENTS).map(([type, definition]) => [type, envelopeOf(type, definition)])
) as Record<EventType, TSchema>

export const isEventType = (text: string): text is EventType => Object.hasOwn(EVENTS, text)
