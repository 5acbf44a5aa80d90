import { hasPaidAll, type Subscription } from '../subscription.ts'

export type SubscriptionStatus = Subscription['status']

/** `to` is null for a move that keeps the status. */
type Transition = { from: readonly SubscriptionStatus[]; to: SubscriptionStatus | null }

/** Which move is possible in which status; constraints in the database hold what each status implies. */
export const transitions = {
  pause: { from: ['active'], to: 'paused' },
  resume: { from: ['paused'], to: 'active' },
  cancel: { from: ['active', 'paused', 'failed'], to: 'cancelled' },
  fail: { from: ['active'], to: 'failed' },
  expire: { from: ['active'], to: 'expired' },
  reactivate: { from: ['cancelled'], to: 'active' },
  skip: { from: ['active'], to: null },
  /** Of a cycle whose charge waits for a person: nothing else would ever end it. */
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
>

/** Why a move is not possible although the caller asks for it. */
export type Obstacle = 'status' | 'in_billing' | 'no_grace' | 'no_cycle_left'

/** The status that the move leads to, or what stands against it. The whole lifecycle is decided here. */
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

/** What can stand against a move that the status would allow. */
const OBSTACLES: Partial<Record<TransitionName, (situation: Situation, now: Temporal.Instant) => Obstacle | null>> = {
  reactivate: ({ graceEndsAt }, now) =>
    graceEndsAt && Temporal.Instant.compare(now, graceEndsAt) < 0 ? null : 'no_grace',
  skip: obstacleOfSchedule,
  reschedule: obstacleOfSchedule
}

function obstacleOfSchedule(situation: Situation): Obstacle | null {
  if (isInBilling(situation)) return 'in_billing'
  return hasPaidAll(situation) ? 'no_cycle_left' : null
}

/**
 * An attempt is under way, a retry is ahead, a decline waits for a new payment method, or a cycle is owed: the schedule is
 * billing's.
 */
export function isInBilling(s: Pick<Situation, 'status' | 'billingDueAt' | keyof Debt>): boolean {
  return s.status === 'active' && (s.billingDueAt === null || isDeclined(s))
}

type Debt = Pick<Subscription, 'declines' | 'inventoryFailures' | 'pastDueCycle'>

/** The cycle that is next was charged before and not paid, or was due before a pause. */
export const isDeclined = ({ declines, inventoryFailures, pastDueCycle }: Debt): boolean =>
  declines > 0 || inventoryFailures > 0 || pastDueCycle !== null

export const isOver = (status: SubscriptionStatus) =>
  status === 'cancelled' || status === 'failed' || status === 'expired'

/** Nothing that was asked for can come of it: a failed one can be given another payment method, a cancellation be taken back. */
export const isFinal = ({ status, graceEndsAt }: Pick<Situation, 'status' | 'graceEndsAt'>): boolean =>
  isOver(status) && status !== 'failed' && graceEndsAt === null
