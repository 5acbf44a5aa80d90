import { isoOf } from '#kit/clock'
import { publicId } from '#kit/ids'
import { Refusal } from '#kit/refusal'
import type { Subscription } from './subscription.ts'
import { decide, type Obstacle, type TransitionName, transitions } from './transitions/transitions.ts'

export const subscriptionNotFound = (id: number) =>
  new Refusal('not_found', `There is no subscription ${publicId('sub', id)}`)

/** Refuses an action that the subscription's state does not allow, and says which state that is. */
export function assertAllowed(transition: TransitionName, subscription: Subscription, now: Temporal.Instant): void {
  const decision = decide(transition, subscription, now)
  if ('obstacle' in decision) throw notAllowed(transition, subscription, decision.obstacle)
}

const notAllowed = (transition: TransitionName, { id, status, trialEndsAt }: Subscription, obstacle: Obstacle) => {
  const name = `Subscription ${publicId('sub', id)}`
  const { from, to } = transitions[transition]
  const can = CAN[transition]
  const sentence = {
    status:
      status === to
        ? `${name} is already ${status}.`
        : `${name} is ${status}: only ${listOf(from)} subscription ${can}.`,
    in_billing: `${name} cannot ${can.slice('can '.length)} now: the cycle is being charged or was declined.`,
    no_grace: `${name} cannot be reactivated: it was cancelled without a grace period, or that period is over.`,
    no_cycle_left: `${name} has no next cycle: all its cycles are paid.`,
    first_charge_open: `${name} has not been paid for since its trial, whose end is ${trialEndsAt && isoOf(trialEndsAt)}: its first charge cannot be skipped.`
  }[obstacle]
  return new Refusal('conflict', sentence)
}

/** `an active or paused` */
const listOf = (statuses: readonly string[]) => `${statuses[0] === 'active' ? 'an' : 'a'} ${statuses.join(' or ')}`

const CAN: Record<TransitionName, string> = {
  pause: 'can be paused',
  resume: 'can be resumed',
  cancel: 'can be cancelled',
  fail: 'can fail',
  expire: 'can expire',
  reactivate: 'can be reactivated',
  skip: 'can skip its next cycle',
  skip_held: 'can skip its next cycle',
  reschedule: 'can change its next date',
  change_terms: 'can change its plan, price or interval',
  change_payment: 'can change its payment method',
  gift: 'can be given away',
  revoke_gift: 'can be taken back from its receiver'
}
