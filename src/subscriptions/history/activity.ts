import { instant, int, json, nullable, oneOf, type RowOf, row, text } from '#kit/postgres'

/** The kinds of entries in the history of a contract. */
export const ACTIVITY_KINDS = [
  'created',
  'activated',
  'trial_started',
  'trial_ended',
  'paused',
  'resumed',
  'cancelled',
  'reactivated',
  'expired',
  'failed',
  'skipped',
  'date_changed',
  'plan_changed',
  'price_changed',
  'frequency_changed',
  'payment_method_changed',
  'charge_scheduled',
  'charge_succeeded',
  'charge_failed',
  'retry_scheduled',
  'retry_requested',
  'action_required',
  'action_reminded',
  'charge_corrected',
  'charged_after_stop',
  'recovered',
  'retries_exhausted',
  /** The platform and we differed; the entry says which side follows. */
  'reconciled',
  'imported',
  'gifted',
  'offer_accepted',
  'offer_ended',
  'offer_refused',
  'note'
] as const
export type ActivityKind = (typeof ACTIVITY_KINDS)[number]

/** Who can change a subscription. */
export const ACTORS = ['api', 'customer', 'operator', 'scheduler', 'dunning', 'platform', 'import'] as const
export type ActorName = (typeof ACTORS)[number]

export const MAX_NOTE_CHARACTERS = 1024

/** One entry of the history of a contract, with plan names as they were then (spec 2, activity_log_m). */
export const Activity = row({
  id: int,
  subscriptionId: int,
  kind: oneOf(...ACTIVITY_KINDS),
  actor: oneOf(...ACTORS),
  /** Which one of its kind, where there are several: the API key, for example. */
  actorId: nullable(text),
  text,
  notes: nullable(text),
  planGroupName: nullable(text),
  planName: text,
  refs: json<Record<string, unknown>>(),
  occurredAt: instant
})
export type Activity = RowOf<typeof Activity>
