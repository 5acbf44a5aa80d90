import type { BillingFact } from '#billing'
import type { CreditFact } from '#credits'
import type { MemberFact } from '#members'
import type { PointsFact } from '#points'
import { EVENT_TYPES, type EventData, type EventType } from '#resources'
import type { SubscriptionFact } from '#subscriptions'

type DeclaredFact = SubscriptionFact | BillingFact | MemberFact | PointsFact | CreditFact

/** The names of the facts whose snapshot is the payload of an event. */
type FactsOf<Type extends EventType> = Extract<DeclaredFact, { data: EventData<Type> }>['name']

/**
 * From which fact each public event is made. A fact that is not named here is internal: no endpoint ever receives it, not
 * even one that accepts every type.
 */
const FACT_OF_EVENT = {
  'subscription.created': 'subscription.created',
  'subscription.activated': 'subscription.activated',
  'subscription.updated': 'subscription.updated',
  'subscription.paused': 'subscription.paused',
  'subscription.resumed': 'subscription.resumed',
  'subscription.cancelled': 'subscription.cancelled',
  'billing.pending': 'billing.pending',
  'billing.success': 'billing.success',
  'billing.failed': 'billing.failed',
  'billing.retry_scheduled': 'billing.retry_scheduled',
  'billing.action_required': 'billing.action_required',
  'member.created': 'member.created',
  'member.updated': 'member.updated',
  'member.tier_changed': 'member.tier_changed',
  'member.points_changed': 'member.points_changed',
  'store_credit.added': 'store_credit.added',
  'store_credit.deducted': 'store_credit.deducted'
} as const satisfies { [Type in EventType]: FactsOf<Type> }

const EVENT_OF_FACT = new Map<string, EventType>(EVENT_TYPES.map((type) => [FACT_OF_EVENT[type], type]))

/** The names of the facts that become public events. */
export const PUBLIC_FACTS: readonly string[] = [...EVENT_OF_FACT.keys()]

/** The public event that a fact becomes, or null for an internal one. */
export const eventOfFact = (name: string): EventType | null => EVENT_OF_FACT.get(name) ?? null
