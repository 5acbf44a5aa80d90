import { publicId } from '#kit/ids'
import { Refusal } from '#kit/refusal'
import type { Move, SubscriptionStatus } from './transitions.ts'

export const subscriptionNotFound = (id: number) =>
  new Refusal('not_found', `There is no subscription ${publicId('sub', id)}`)

export const wrongStatus = (move: Move, id: number, status: SubscriptionStatus) =>
  new Refusal('conflict', `Subscription ${publicId('sub', id)} is ${status}: it is not possible to ${move} it`)
