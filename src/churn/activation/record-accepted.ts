import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { storeContext } from '#stores'
import { type Actor, actorOf, recordActivities, type Subscription, subscriptionUpdated } from '#subscriptions'
import { type ContractOffer, contractOfferJson } from '../contract-offers/contract-offer.ts'
import { getContractOffer } from '../contract-offers/contract-offer-queries.ts'

/** Records that an offer is active now, for its history and everybody who is notified. Returns it. */
export async function recordAccepted(ctx: Ctx, s: Subscription, id: number, by: Actor): Promise<ContractOffer> {
  const offer = await getContractOffer(ctx, id)
  await recordActivities(ctx, [
    {
      ...{ subscriptionId: s.id, kind: 'offer_accepted', ...actorOf(by), text: `Offer accepted: ${offer.name}` },
      refs: { offer_id: offer.offerId, name: offer.name, type: offer.type },
      cause: `churn-offer:${id}:accepted`
    }
  ])
  const { profile } = await storeContext(ctx)
  await record(ctx, subscriptionUpdated(s, { offer: { from: null, to: contractOfferJson(offer) } }, profile))
  return offer
}
