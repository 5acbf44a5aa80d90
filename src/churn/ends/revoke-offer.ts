import type { Ctx } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { requestChange } from '#lifecycle'
import type { Actor } from '#subscriptions'
import type { ContractOffer } from '../contract-offers/contract-offer.ts'
import { getContractOffer } from '../contract-offers/contract-offer-queries.ts'
import { lockWithCustomers } from '../lock-with-customers.ts'
import { endOffers } from './end-offers.ts'

/**
 * Ends an accepted offer by hand: what is left of a discount goes, the former frequency holds again from the next cycle on, and store credit stays.
 * Where the contract has ended, only what is said of it changes. Refuses one that is over.
 */
export async function revokeOffer(ctx: Ctx, id: number, by: Actor): Promise<ContractOffer> {
  const { subscriptionId } = await getContractOffer(ctx, id)
  const s = (await lockWithCustomers(ctx, [subscriptionId]))[0]!
  const [ended] = await endOffers(ctx, [{ id, by: 'revoked' }], by)
  if (!ended) {
    const { endedBy } = await getContractOffer(ctx, id)
    throw new Refusal('conflict', `Accepted offer ${id} is over: it ended as ${endedBy}`)
  }
  const { type, interval, intervalCount, formerInterval, formerIntervalCount } = ended
  const isAsAccepted = s.interval === interval && s.intervalCount === intervalCount
  const isLive = s.status === 'active' || s.status === 'paused'
  // A frequency that somebody has changed since is what was agreed last.
  if (type === 'change_frequency' && isLive && isAsAccepted) {
    await requestChange(ctx, s.id, { interval: formerInterval!, intervalCount: formerIntervalCount! }, by)
  }
  return ended
}
