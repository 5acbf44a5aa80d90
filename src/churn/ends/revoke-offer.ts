import type { Ctx } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import type { Actor } from '#subscriptions'
import type { ContractOffer } from '../contract-offers/contract-offer.ts'
import { getContractOffer } from '../contract-offers/contract-offer-queries.ts'
import { lockWithCustomers } from '../lock-with-customers.ts'
import { endOffers } from './end-offers.ts'

/**
 * Ends an accepted offer by hand: what is left of a discount goes, the former frequency holds again from the next cycle on, and store credit stays.
 * Where the contract has ended for good, only what is said of it changes. Refuses one that is over.
 */
export async function revokeOffer(ctx: Ctx, id: number, by: Actor): Promise<ContractOffer> {
  const { subscriptionId } = await getContractOffer(ctx, id)
  await lockWithCustomers(ctx, [subscriptionId])
  const [ended] = await endOffers(ctx, [{ id, by: 'revoked' }], by)
  if (ended) return ended
  const { endedBy } = await getContractOffer(ctx, id)
  throw new Refusal('conflict', `Accepted offer ${id} is over: it ended as ${endedBy}`)
}
