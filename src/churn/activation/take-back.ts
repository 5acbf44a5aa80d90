import { revokeGrants } from '#contracts'
import type { Ctx } from '#kit/postgres'
import { storableError } from '#kit/storable-json'
import type { PlatformFailure } from '#platform'
import { notify } from '#stores'
import { recordActivities } from '#subscriptions'
import { deleteContractOffers } from '../contract-offers/contract-offer-queries.ts'
import { lockWithCustomers } from '../lock-with-customers.ts'
import type { BegunOnPlatform } from './begin-activation.ts'
import { hasEndedMeanwhile, isStillApplying } from './finish-activation.ts'
import { isRefusal } from './is-refusal.ts'

/**
 * The platform did not do what an acceptance asks for: nothing of it stays. What a lost answer may have done there goes too: of a discount its grant is
 * revoked; a frequency is set back by the engine, once the call has ended. Returns whether the contract has ended meanwhile.
 */
export async function takeBack(ctx: Ctx, begun: BegunOnPlatform, failure: PlatformFailure): Promise<boolean> {
  const { id, subscriptionId } = begun
  const [subscription] = await lockWithCustomers(ctx, [subscriptionId])
  const isOver = hasEndedMeanwhile(subscription!)
  if (!(await isStillApplying(ctx, id))) return isOver
  if (begun.type === 'discount_price') await revokeGrants(ctx, [begun.grant.id])
  const isOpen = begun.type === 'change_frequency' && failure.outcomeUnknown === true
  if (!isOpen) await deleteContractOffers(ctx, [id])
  // That the platform changes no contract that has ended is nothing to notify anybody of.
  if (!isRefusal(failure) || isOver) return isOver
  const what = storableError(failure.message)
  await recordActivities(ctx, [
    {
      ...{ subscriptionId, kind: 'offer_refused', actor: 'platform' },
      text: `An offer could not be applied: ${what}`.slice(0, 500)
    }
  ])
  await notify(ctx, {
    kind: 'churn_offer_refused',
    subject: 'An offer to somebody who cancels could not be applied',
    message: `The platform refused to apply an offer to a contract of ${subscription!.name}: ${what}`,
    ...{ isOnce: true, atMostEveryHours: 24, atMost: 20 }
  })
  return false
}
