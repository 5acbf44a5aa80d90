import { isoOf } from '#kit/clock'
import { publicId } from '#kit/ids'
import { Refusal } from '#kit/refusal'
import type { Subscription } from '#subscriptions'
import type { Attempt } from './attempts/attempt.ts'

export const attemptNotFound = (id: number) =>
  new Refusal('not_found', `There is no billing attempt ${publicId('ba', id)}`)

export const attemptNotFailed = (id: number, status: 'pending' | 'success') =>
  new Refusal(
    'conflict',
    `Billing attempt ${publicId('ba', id)} ${status === 'success' ? 'has succeeded' : 'is pending'}: only a failed attempt can be retried`
  )

export const subscriptionNotLive = (id: number, status: string) =>
  new Refusal(
    'conflict',
    `Subscription ${publicId('sub', id)} is ${status}: only an attempt of an active subscription can be retried`
  )

/** `other` is the attempt of the cycle that is pending or has succeeded. */
export const cycleNotOpen = (other: Pick<Attempt, 'id' | 'status' | 'cycleIndex' | 'subscriptionId'>) => {
  const cycle = `Cycle ${other.cycleIndex} of subscription ${publicId('sub', other.subscriptionId)}`
  const id = publicId('ba', other.id)
  return new Refusal(
    'conflict',
    other.status === 'success' ? `${cycle} is paid by ${id}` : `${cycle} has an attempt that is pending: ${id}`
  )
}

export const cycleNotDue = (cycle: number, subscriptionId: number, at: Temporal.Instant) =>
  new Refusal(
    'conflict',
    `Cycle ${cycle} of subscription ${publicId('sub', subscriptionId)} is due on ${isoOf(at)}: it is charged then, and not before`
  )

export const cycleMissed = (
  cycle: number,
  { id, nextCycle, nextBillingAt }: Pick<Subscription, 'id' | 'nextCycle' | 'nextBillingAt'>
) =>
  new Refusal(
    'conflict',
    `Cycle ${cycle} of subscription ${publicId('sub', id)} was missed and is not charged any more: cycle ${nextCycle} is next${nextBillingAt ? `, on ${isoOf(nextBillingAt)}` : ''}`
  )
