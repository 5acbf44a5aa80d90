import { revokeGrants } from '#contracts'
import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { restoreCadence } from '#lifecycle'
import { storeContext } from '#stores'
import { type Actor, actorOf, lockSubscriptions, recordActivities, subscriptionUpdated } from '#subscriptions'
import { type ContractOffer, contractOfferJson } from '../contract-offers/contract-offer.ts'
import { findContractOffers, markEnded } from '../contract-offers/contract-offer-queries.ts'

type EndedBy = NonNullable<ContractOffer['endedBy']>
export type OfferEnd = { id: number; by: EndedBy }

const WHY: Record<EndedBy, string> = {
  used: 'all its cycles were paid',
  charged: 'the next charge was paid',
  revoked: 'it was revoked',
  removed: 'somebody else removed it on the platform',
  lost: 'its contract has ended'
}

/**
 * Ends those of these accepted offers that are active, and returns them. What is left of a discount is taken off its contract a moment later; store
 * credit stays. So does a frequency that was charged; one that is revoked or lost before that is set back. The rows of the customers are locked.
 */
export async function endOffers(ctx: Ctx, ends: OfferEnd[], by: Actor): Promise<ContractOffer[]> {
  if (ends.length === 0) return []
  const before = new Map(
    (
      await findContractOffers(
        ctx,
        ends.map(({ id }) => id)
      )
    ).map((one) => [one.id, one])
  )
  const ended = await findContractOffers(ctx, await markEnded(ctx, ends))
  if (ended.length === 0) return []
  await revokeGrants(
    ctx,
    ended.flatMap(({ grantId }) => grantId ?? [])
  )
  for (const one of ended) await restoreFrequency(ctx, one, by)
  await recordActivities(
    ctx,
    ended.map(({ id, subscriptionId, name, endedBy, offerId }) => ({
      ...{ subscriptionId, kind: 'offer_ended' as const, ...actorOf(by) },
      text: `Offer ended, since ${WHY[endedBy!]}: ${name}`.slice(0, 500),
      refs: { offer_id: offerId, name, ended_by: endedBy },
      cause: `churn-offer:${id}:ended`
    }))
  )
  const { profile } = await storeContext(ctx)
  const subscriptions = new Map(
    (await lockSubscriptions(ctx, [...new Set(ended.map(({ subscriptionId }) => subscriptionId))])).map((s) => [
      s.id,
      s
    ])
  )
  await record(
    ctx,
    ...ended.map((one) =>
      subscriptionUpdated(
        subscriptions.get(one.subscriptionId)!,
        { offer: { from: contractOfferJson(before.get(one.id)!), to: null } },
        profile
      )
    )
  )
  return ended
}

/** The frequency from before an offer that nobody has paid a charge with. */
async function restoreFrequency(ctx: Ctx, one: ContractOffer, by: Actor): Promise<void> {
  if (one.type !== 'change_frequency' || (one.endedBy !== 'revoked' && one.endedBy !== 'lost')) return
  const given = { interval: one.interval!, intervalCount: one.intervalCount! }
  const former = { interval: one.formerInterval!, intervalCount: one.formerIntervalCount! }
  await restoreCadence(ctx, one.subscriptionId, { given, former }, by)
}
