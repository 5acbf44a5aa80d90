import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { changesOf } from '../events/subscription-updated.ts'
import { billingFrequency } from '../public-fields.ts'
import type { PaymentMethod, Subscription } from '../subscription.ts'
import type { ActorName } from './activity.ts'
import type { NewActivity } from './record-activity.ts'

/** Who makes a change: a kind, or one of that kind, such as an API key. The platform is not sent changes that it made itself. */
export type Actor = ActorName | { actor: ActorName; actorId: string | null }

export function actorOf(by: Actor): { actor: ActorName; actorId: string | null } {
  return typeof by === 'string' ? { actor: by, actorId: null } : by
}

/** An entry of the history before its subscription is added. `by`: who made this change, where that is not who made the others. */
export type ActivityMessage = Pick<NewActivity, 'kind' | 'text' | 'notes' | 'refs'> & { by?: Actor }

/** What is paid for, how much, and how often. */
export const termsOf = (s: Subscription) => ({
  name: s.name,
  price: numberOf(s.priceMinor, s.currency),
  currency: s.currency,
  frequency: billingFrequency(s)
})

type At = Temporal.Instant | null

/** The day in the shop's time zone. */
const dayOf = (at: Temporal.Instant, timezone: string) => at.toZonedDateTimeISO(timezone).toPlainDate().toString()
const nextOn = (at: At, timezone: string) => (at ? `; next charge on ${dayOf(at, timezone)}` : '')
const isoOrNull = (at: At) => at?.toString() ?? null

/** The sentences of the history, by what happened. */
export const activityMessages = {
  created: (s: Subscription): ActivityMessage => ({
    kind: 'created',
    text: `Created: ${s.name} at ${numberOf(s.priceMinor, s.currency)} ${s.currency}, ${inWords(billingFrequency(s))}`,
    refs: { status: s.status, ...termsOf(s) }
  }),
  activated: (): ActivityMessage => ({ kind: 'activated', text: 'Active: its first payment is done' }),
  trialStarted: (until: Temporal.Instant, timezone: string): ActivityMessage => ({
    kind: 'trial_started',
    text: `Trial until ${dayOf(until, timezone)}`,
    refs: { trial_ends_at: isoOrNull(until) }
  }),
  trialEnded: (): ActivityMessage => ({ kind: 'trial_ended', text: 'The trial is over: its first payment is done' }),
  paused: (resumesAt: At, timezone: string): ActivityMessage => ({
    kind: 'paused',
    text: resumesAt ? `Paused until ${dayOf(resumesAt, timezone)}` : 'Paused',
    refs: { resumes_at: isoOrNull(resumesAt) }
  }),
  resumed: (before: Subscription, after: Subscription, timezone: string): ActivityMessage => ({
    kind: 'resumed',
    text: `Resumed${pastDueOrNext(before, after, timezone)}`,
    refs: { next_billing_date: isoOrNull(after.nextBillingAt), ...pastDueOf(before, after) }
  }),
  reactivated: (before: Subscription, after: Subscription, timezone: string): ActivityMessage => ({
    kind: 'reactivated',
    text: `Reactivated${pastDueOrNext(before, after, timezone)}`,
    refs: { next_billing_date: isoOrNull(after.nextBillingAt), ...pastDueOf(before, after) }
  }),
  /** Dunning had paused it, and its last charge turned out to be paid. */
  paidAfterAll: (cycle: number, next: At, timezone: string): ActivityMessage => ({
    kind: 'resumed',
    text: `Resumed, since cycle ${cycle} was paid after all${nextOn(next, timezone)}`,
    refs: { next_billing_date: isoOrNull(next), cycle }
  }),
  skipped: (before: Subscription, after: Subscription, timezone: string): ActivityMessage => ({
    kind: 'skipped',
    text: `Cycle ${before.nextCycle} skipped${nextOn(after.nextBillingAt, timezone)}`,
    refs: { cycle: before.nextCycle, ...datesOf(before, after) }
  }),
  dateChanged: (before: Subscription, after: Subscription, timezone: string): ActivityMessage => ({
    kind: 'date_changed',
    text: after.nextBillingAt
      ? `Next charge moved to ${dayOf(after.nextBillingAt, timezone)}`
      : 'The date of the next charge was removed',
    refs: datesOf(before, after)
  }),
  cancelled: (reason: string, comment: string | null): ActivityMessage => ({
    kind: 'cancelled',
    text: `Cancelled: ${reason}`,
    notes: comment,
    refs: { reason }
  }),
  /** People are named by their ids only, because the history is never changed. */
  gifted: (before: Subscription, after: Subscription): ActivityMessage => {
    const [from, to] = [before, after].map(({ receiverMemberId: id }) => id && publicId('cust', id))
    return {
      kind: 'gifted',
      text: to ? `Given to ${to}, who holds it from now on` : `The gift to ${from} was revoked`,
      refs: { from, to }
    }
  },
  reconciled: (text: string): ActivityMessage => ({ kind: 'reconciled', text }),
  ended: (status: 'failed' | 'expired', reason: string): ActivityMessage => ({
    kind: status,
    text: status === 'expired' ? 'Expired: all its cycles are paid' : `Failed: ${reason}`,
    refs: { reason }
  })
}

/** What follows for the past due cycle, or else the next date. */
function pastDueOrNext({ pastDueCycle: cycle }: Subscription, after: Subscription, timezone: string): string {
  if (after.pastDueCycle !== null && after.nextBillingAt !== null)
    return `; cycle ${cycle}, which is not paid, is due on ${dayOf(after.nextBillingAt, timezone)}`
  if (cycle === null || after.nextCycle === cycle) return nextOn(after.nextBillingAt, timezone)
  return `; cycle ${cycle} was not paid and is missed${nextOn(after.nextBillingAt, timezone)}`
}

function pastDueOf({ pastDueCycle: cycle }: Subscription, after: Subscription) {
  if (cycle === null) return {}
  return { past_due_cycle: cycle, is_missed: after.pastDueCycle === null && after.nextCycle !== cycle }
}

const datesOf = (before: Subscription, after: Subscription) => ({
  from: isoOrNull(before.nextBillingAt),
  to: isoOrNull(after.nextBillingAt)
})

/** One entry for each term that differs: plan, price, interval, next date. */
export function termsMessages(before: Subscription, after: Subscription, timezone: string): ActivityMessage[] {
  const { plan_id, plan_name, price } = changesOf(before, after)
  const found: ActivityMessage[] = []
  if (plan_id || plan_name) {
    found.push({
      kind: 'plan_changed',
      text: `Plan changed from ${before.name} to ${after.name}`.slice(0, 500),
      refs: { from: plan_id?.from ?? null, to: plan_id?.to ?? null, plan_name }
    })
  }
  if (price) {
    const { currency } = after
    found.push({
      kind: 'price_changed',
      text: `Price changed from ${price.from} to ${price.to} ${currency}`,
      refs: { ...price, currency }
    })
  }
  const cadence = { from: billingFrequency(before), to: billingFrequency(after) }
  if (cadence.from !== cadence.to) {
    const text = `Billing changed from ${inWords(cadence.from)} to ${inWords(cadence.to)}`
    found.push({ kind: 'frequency_changed', text, refs: cadence })
  }
  if (isoOrNull(before.nextBillingAt) !== isoOrNull(after.nextBillingAt)) {
    found.push(activityMessages.dateChanged(before, after, timezone))
  }
  return found
}

const inWords = (frequency: string) => frequency.replaceAll('_', ' ')

/** Null when nothing known of the payment method differs. */
export function paymentMethodMessage(
  before: PaymentMethod | null,
  after: PaymentMethod | null
): ActivityMessage | null {
  const [from, to] = [before, after].map((m) => m && { type: m.type, last_four: m.lastFour, brand: m.brand })
  if (JSON.stringify(from) === JSON.stringify(to)) return null
  const text = after ? `Payment method changed to ${nameOf(after)}` : 'The payment method was removed'
  return { kind: 'payment_method_changed', text, refs: { from, to } }
}

const nameOf = ({ type, brand, lastFour }: PaymentMethod) =>
  `${brand ?? inWords(type)}${lastFour ? ` ending in ${lastFour}` : ''}`
