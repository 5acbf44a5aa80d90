import { publicId } from '#kit/ids'
import { Refusal } from '#kit/refusal'
import type { Subscription } from './subscription.ts'
import { decide, type Obstacle, type TransitionName } from './transitions/transitions.ts'

export const subscriptionNotFound = (id: number) =>
  new Refusal('not_found', `There is no subscription ${publicId('sub', id)}`)

/** Refuses a move that the subscription's state does not allow, with the state and the reason. */
export function assertAllowed(transition: TransitionName, subscription: Subscription, now: Temporal.Instant): void {
  const decision = decide(transition, subscription, now)
  if ('to' in decision) return
  const { id, status } = subscription
  const because = BECAUSE[decision.obstacle]
  throw new Refusal(
    'conflict',
    `Subscription ${publicId('sub', id)} is ${status}${because}: it is not possible to ${WORDS[transition]}`
  )
}

const WORDS: Record<TransitionName, string> = {
  pause: 'pause it',
  resume: 'resume it',
  cancel: 'cancel it',
  fail: 'fail it',
  expire: 'expire it',
  reactivate: 'reactivate it',
  skip: 'skip its next cycle',
  skip_held: 'skip its next cycle',
  reschedule: 'change its next date',
  change_terms: 'change its plan, price or interval',
  change_payment: 'change its payment method',
  gift: 'give it away',
  revoke_gift: 'take its gift back'
}

const BECAUSE: Record<Obstacle, string> = {
  status: '',
  in_billing: ' and its present cycle is being charged or was declined',
  no_grace: ' and there is no time left to take that back',
  no_cycle_left: ' and all its cycles are paid'
}
