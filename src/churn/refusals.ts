import { Refusal } from '#kit/refusal'
import { REASON_ALIASES } from './reasons/reasons.ts'

const conflict = (message: string) => new Refusal('conflict', message)

export const noSuchReason = (alias: string) =>
  new Refusal(
    'not_found',
    `There is no cancellation reason ${alias.slice(0, 100)}; the reasons are ${REASON_ALIASES.join(', ')}`
  )
export const offerNotFound = (id: number | string) =>
  new Refusal('not_found', `There is no offer ${String(id).slice(0, 100)}`)
export const contractOfferNotFound = (id: number | string) =>
  new Refusal('not_found', `There is no accepted offer ${String(id).slice(0, 100)}`)
export const tooManyOffers = (max: number) =>
  conflict(`A store has at most ${max} offers: change one that is not needed any more`)

// What a customer reads who wants an offer.
export const hasActiveOffer = () => conflict('This contract already has an active offer')
export const isBeingApplied = () => conflict('An offer is being applied to this contract: look again in a moment')
export const wasUsedBefore = () => conflict('This offer was already used on this contract')
export const hasEnded = () => conflict('This contract has ended: an offer cannot be applied to it')
export const isBeingCharged = () =>
  conflict('A payment of this contract is under way: an offer can be applied when that is done')
export const isNotEligible = () => conflict('This offer is not for this contract at present')
export const doesNotFit = (why: string) => conflict(`This offer does not fit this contract: ${why}`)
export const platformRefused = () =>
  conflict('The offer could not be applied to this contract. Nothing was changed, and the shop was notified')
export const isOnHold = () =>
  new Refusal('unavailable', 'Offers cannot be accepted at present, and nothing was changed: try again later')
export const platformAway = () =>
  new Refusal(
    'unavailable',
    'The offer could not be applied just now, and nothing was changed: try again in a few minutes'
  )
