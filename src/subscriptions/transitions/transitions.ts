import { hasPaidAll, type Subscription } from '../subscription.ts'

export type SubscriptionStatus = Subscription['status']

/** `to` is null for a transition that keeps the status. */
type Transition = { from: readonly SubscriptionStatus[]; to: SubscriptionStatus | null }

/** Which transition is possible in which status. Constraints in the database enforce what each status implies. */
export const transitions = {
  pause: { from: ['active'], to: 'paused' },
  resume: { from: ['paused'], to: 'active' },
  cancel: { from: ['active', 'paused', 'failed'], to: 'cancelled' },
  fail: { from: ['active'], to: 'failed' },
  expire: { from: ['active'], to: 'expired' },
  reactivate: { from: ['cancelled'], to: 'active' },
  skip: { from: ['active'], to: null },
  /** Of a cycle whose charge is held for a person: nothing else would ever end it. */
  skip_held: { from: ['active'], to: null },
  reschedule: { from: ['active'], to: null },
  change_terms: { from: ['active', 'paused'], to: null },
  change_payment: { from: ['active', 'paused', 'failed'], to: null },
  gift: { from: ['active', 'paused'], to: null },
  revoke_gift: { from: ['active', 'paused'], to: null }
} as const satisfies Record<string, Transition>

export type TransitionName = keyof typeof transitions

/** What a decision depends on. */
export type Situation = Pick<
  Subscription,
  | 'status'
  | 'billingDueAt'
  | 'declines'
  | 'inventoryFailures'
  | 'pastDueCycle'
  | 'graceEndsAt'
  | 'cyclesPaid'
  | 'maxCycles'
  | 'cycleIndex'
  | 'trialEndsAt'
>

/** Why a transition is not possible. */
export type Obstacle = 'status' | 'in_billing' | 'no_grace' | 'no_cycle_left' | 'first_charge_open'

/** The status that the transition leads to, or why it is not possible. The whole lifecycle is decided here. */
export function decide(
  transition: TransitionName,
  situation: Situation,
  now: Temporal.Instant
): { to: SubscriptionStatus } | { obstacle: Obstacle } {
  const { from, to } = transitions[transition] as Transition
  if (!from.includes(situation.status)) return { obstacle: 'status' }
  const obstacle = OBSTACLES[transition]?.(situation, now) ?? null
  return obstacle ? { obstacle } : { to: to ?? situation.status }
}

/** What can prevent a transition that the status allows. */
const OBSTACLES: Partial<Record<TransitionName, (situation: Situation, now: Temporal.Instant) => Obstacle | null>> = {
  reactivate: ({ graceEndsAt }, now) =>
    graceEndsAt && Temporal.Instant.compare(now, graceEndsAt) < 0 ? null : 'no_grace',
  // Until the first charge is paid, a cycle that is skipped would be another one of the trial.
  skip: (situation) => obstacleOfSchedule(situation) ?? (hasUnpaidTrial(situation) ? 'first_charge_open' : null),
  reschedule: obstacleOfSchedule
}

type Trial = Pick<Situation, 'cycleIndex' | 'trialEndsAt'>

/** Its first charge is ahead, and the trial before it is not over. */
export const isInTrial = (s: Trial, now: Temporal.Instant): boolean =>
  hasUnpaidTrial(s) && Temporal.Instant.compare(s.trialEndsAt, now) > 0

/** It began with a trial, which may be over, and its first charge has not been paid. */
export const hasUnpaidTrial = <S extends Trial>(s: S): s is S & { trialEndsAt: Temporal.Instant } =>
  s.cycleIndex === 0 && s.trialEndsAt !== null

function obstacleOfSchedule(situation: Situation): Obstacle | null {
  if (isInBilling(situation)) return 'in_billing'
  return hasPaidAll(situation) ? 'no_cycle_left' : null
}

/**
 * The next cycle is being charged, waits for a retry or a new payment method, or is past due: until billing has settled it,
 * nobody else changes its date.
 */
export function isInBilling(s: Pick<Situation, 'status' | 'billingDueAt' | keyof Debt>): boolean {
  return s.status === 'active' && (s.billingDueAt === null || isDeclined(s))
}

type Debt = Pick<Subscription, 'declines' | 'inventoryFailures' | 'pastDueCycle'>

/** The next cycle was charged before and not paid, or was due before a pause. */
export const isDeclined = ({ declines, inventoryFailures, pastDueCycle }: Debt): boolean =>
  declines > 0 || inventoryFailures > 0 || pastDueCycle !== null

export const isOver = (status: SubscriptionStatus) =>
  status === 'cancelled' || status === 'failed' || status === 'expired'

/** Ended, and nothing can continue it: a failed one can get another payment method, a cancellation can be taken back. */
export const isFinal = ({ status, graceEndsAt }: Pick<Situation, 'status' | 'graceEndsAt'>): boolean =>
  isOver(status) && status !== 'failed' && graceEndsAt === null
