import type { TSchema } from 'typebox'
import { type EventDefinition, envelopeOf } from '#resources'

/**
 * From which fact each public event is made, in the order of the documents. A fact that is not named here is internal: no
 * endpoint ever receives it, not even one that accepts every type.
 *
 * These are the sixteen types of the contract (spec 1, Events), which shows four of their payloads, and ours. Dynamic
 * imports keep an event to one line.
 */
const FACT_OF_EVENT = {
  'subscription.created': (await import('../subscriptions/events/subscription-created.ts')).subscriptionCreated,
  'subscription.activated': (await import('../subscriptions/events/subscription-activated.ts')).subscriptionActivated,
  'subscription.updated': (await import('../subscriptions/events/subscription-updated.ts')).subscriptionUpdated,
  'subscription.paused': (await import('../subscriptions/events/subscription-paused.ts')).subscriptionPaused,
  'subscription.resumed': (await import('../subscriptions/events/subscription-resumed.ts')).subscriptionResumed,
  'subscription.cancelled': (await import('../subscriptions/events/subscription-cancelled.ts')).subscriptionCancelled,
  'billing.pending': (await import('../billing/events/billing-pending.ts')).billingPending,
  'billing.success': (await import('../billing/events/billing-success.ts')).billingSuccess,
  'billing.failed': (await import('../billing/events/billing-failed.ts')).billingFailed,
  'billing.retry_scheduled': (await import('../billing/events/billing-retry-scheduled.ts')).billingRetryScheduled,
  'billing.action_required': (await import('../billing/events/billing-action-required.ts')).billingActionRequired,
  'member.created': (await import('../members/events/member-created.ts')).memberCreated,
  'member.updated': (await import('../members/events/member-updated.ts')).memberUpdated,
  'member.tier_changed': (await import('../members/events/tier-changed.ts')).tierChanged,
  'member.points_changed': (await import('../points/events/points-changed.ts')).pointsChanged,
  'store_credit.added': (await import('../credits/events/credit-added.ts')).creditAdded,
  'store_credit.deducted': (await import('../credits/events/credit-deducted.ts')).creditDeducted
} as const satisfies Record<string, { factName: string; event: EventDefinition }>

export type EventType = keyof typeof FACT_OF_EVENT

export const EVENT_TYPES = Object.keys(FACT_OF_EVENT) as EventType[]

export const isEventType = (text: string): text is EventType => Object.hasOwn(FACT_OF_EVENT, text)

const byType = <Value>(about: (type: EventType) => Value) =>
  Object.fromEntries(EVENT_TYPES.map((type) => [type, about(type)])) as Record<EventType, Value>

/** What each event says of itself: its summary and its payload. */
export const EVENTS = byType<EventDefinition>((type) => FACT_OF_EVENT[type].event)

/** The schema of what receivers get, by event type: the envelope around each payload. */
export const EVENT_SCHEMAS = byType<TSchema>((type) => envelopeOf(type, EVENTS[type]))

const EVENT_OF_FACT = new Map<string, EventType>(EVENT_TYPES.map((type) => [FACT_OF_EVENT[type].factName, type]))

/** The names of the facts that become public events. */
export const PUBLIC_FACTS: readonly string[] = [...EVENT_OF_FACT.keys()]

/** The public event that a fact becomes, or null for an internal one. */
export const eventOfFact = (name: string): EventType | null => EVENT_OF_FACT.get(name) ?? null
