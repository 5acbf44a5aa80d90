import { assertCadenceOpen, type ContractGrant, issueGrantAtOnce } from '#contracts'
import { changeCredits } from '#credits'
import type { Ctx } from '#kit/postgres'
import { MAX_CALL_MS, type PlatformContract } from '#platform'
import { refuseOnHold } from '#stores'
import { type Actor, type Subscription, subscriptionNotFound } from '#subscriptions'
import type { ContractOffer } from '../contract-offers/contract-offer.ts'
import { insertContractOffer, writeApplied } from '../contract-offers/contract-offer-queries.ts'
import { lockWithCustomers } from '../lock-with-customers.ts'
import { findSituation } from '../offers/find-situation.ts'
import type { Offer } from '../offers/offer.ts'
import { getOffer } from '../offers/offer-queries.ts'
import { obstacleTo } from '../offers/situation.ts'
import type { ReasonAlias } from '../reasons/reasons.ts'
import { hasActiveOffer, isOnHold, offerNotFound } from '../refusals.ts'
import { recordAccepted } from './record-accepted.ts'

/** Somebody accepts an offer on a contract. `isShopper`: the rules of the offer on who is offered it apply. */
export type Acceptance = {
  subscriptionId: number
  offerId: number
  /** The reason that was shown with it, where it is known. */
  reason: ReasonAlias | null
  isShopper: boolean
  by: Actor
}

type OfContract = { id: number; subscriptionId: number; contractId: string }
/** An acceptance that the platform has to carry out, with what it is to be asked. */
export type BegunOnPlatform =
  | (OfContract & { type: 'discount_price'; currency: string; grant: ContractGrant })
  | (OfContract & { type: 'change_frequency'; cadence: Pick<Subscription, 'interval' | 'intervalCount'> })
export type Begun = BegunOnPlatform | { type: 'add_store_credits'; offer: ContractOffer }

/** What the platform has of an acceptance by now. */
export type OnPlatform =
  | { type: 'discount_price'; grant: ContractGrant; gid: string; title: string }
  | { type: 'change_frequency'; contract: PlatformContract }

/** By then each call of the platform has ended, whatever became of its answer. */
const SETTLE_MS = MAX_CALL_MS * 1.5

/**
 * Checks that the contract may accept the offer, and records that it does: store credit at once; for what the platform has to do, a row that is taken back
 * unless somebody finishes it in time. Two at once: the later waits, and is refused.
 */
export async function beginActivation(ctx: Ctx, acceptance: Acceptance): Promise<Begun> {
  const { subscriptionId, offerId, isShopper } = acceptance
  const [subscription] = await lockWithCustomers(ctx, [subscriptionId])
  if (!subscription) throw subscriptionNotFound(subscriptionId)
  const offer = await getOffer(ctx, offerId)
  if (!offer.isOn) throw offerNotFound(offerId)
  const obstacle = obstacleTo(offer, await findSituation(ctx, subscriptionId), { now: ctx.now, isShopper })
  if (obstacle) throw obstacle
  return offer.type === 'add_store_credits'
    ? addCredit(ctx, subscription, offer, acceptance)
    : begin(ctx, subscription, offer, acceptance)
}

async function addCredit(ctx: Ctx, s: Subscription, offer: Offer, acceptance: Acceptance): Promise<Begun> {
  const id = await insertContractOffer(ctx, acceptedOf(s, offer, acceptance.reason, null))
  if (id === null) throw hasActiveOffer()
  const [outcome] = await changeCredits(ctx, [
    {
      memberId: s.memberId,
      type: 'churn_offer',
      amountMinor: offer.creditMinor!,
      reason: offer.name,
      operationId: `churn-offer:${id}`
    }
  ])
  if (outcome!.refusal) throw outcome!.refusal
  await writeApplied(ctx, id, { creditEntryId: outcome!.entry.id }, true)
  return { type: 'add_store_credits', offer: await recordAccepted(ctx, s, id, acceptance.by) }
}

async function begin(ctx: Ctx, s: Subscription, offer: Offer, { reason, isShopper }: Acceptance): Promise<Begun> {
  if (ctx.isRestored && isShopper) throw isOnHold()
  refuseOnHold(ctx)
  if (offer.type === 'change_frequency') await assertCadenceOpen(ctx, s)
  const answerBy = Temporal.Instant.fromEpochMilliseconds(Math.ceil(ctx.realNowMs + SETTLE_MS))
  const id = await insertContractOffer(ctx, acceptedOf(s, offer, reason, answerBy))
  if (id === null) throw hasActiveOffer()
  const common = { id, subscriptionId: s.id, contractId: s.platformContractId }
  if (offer.type === 'change_frequency') {
    const cadence = { interval: offer.interval!, intervalCount: offer.intervalCount! }
    return { ...common, type: 'change_frequency', cadence }
  }
  const { cycles, target, percent, amountMinor, isOfEachItem } = offer
  const issue = {
    ...{ memberId: s.memberId, subscriptionId: s.id, label: offer.name, isTransferable: false },
    terms:
      target === 'shipping_line'
        ? ({ kind: 'free_shipping', cycles } as const)
        : percent === null
          ? ({ kind: 'discount', amountMinor: amountMinor!, isOfEachItem, cycles } as const)
          : ({ kind: 'discount', percent, cycles } as const),
    operationId: `churn-offer:${id}`
  }
  const grant = await issueGrantAtOnce(ctx, issue, SETTLE_MS)
  await writeApplied(ctx, id, { grantId: grant.id }, false)
  return { ...common, type: 'discount_price', currency: s.currency, grant }
}

/** The offer as it is accepted now. */
function acceptedOf(s: Subscription, offer: Offer, reason: ReasonAlias | null, answerBy: Temporal.Instant | null) {
  const isOther = offer.type === 'change_frequency'
  return {
    ...offer,
    ...{ subscriptionId: s.id, offerId: offer.id, planId: s.planId, reason, answerBy },
    formerInterval: isOther ? s.interval : null,
    formerIntervalCount: isOther ? s.intervalCount : null
  }
}
