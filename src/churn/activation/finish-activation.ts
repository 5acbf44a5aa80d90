import { expectGrantedDiscount, recordGiven, revokeGrants, upsertFromContracts } from '#contracts'
import { type Ctx, oneOf, row, sql } from '#kit/postgres'
import { type Actor, chargeMinorOf, enqueueContractSync, lockSubscription, type Subscription } from '#subscriptions'
import type { ContractOffer } from '../contract-offers/contract-offer.ts'
import { deleteContractOffers, endWait, writeApplied } from '../contract-offers/contract-offer-queries.ts'
import { lockWithCustomers } from '../lock-with-customers.ts'
import { chargeWithOffer } from '../offers/charge-with-offer.ts'
import type { BegunOnPlatform, OnPlatform } from './begin-activation.ts'
import { recordAccepted } from './record-accepted.ts'

/** `late`: it took so long that it is being taken back. `ended`: so it is, since the contract has ended meanwhile. */
export type Finished = { offer: ContractOffer } | { offer: null; why: 'late' | 'ended' }

/** Makes active what the platform has done, on a contract that lives. */
export async function finishActivation(
  ctx: Ctx,
  begun: BegunOnPlatform,
  done: OnPlatform,
  by: Actor
): Promise<Finished> {
  const { id, subscriptionId, contractId } = begun
  const s = (await lockWithCustomers(ctx, [subscriptionId]))[0]!
  if (!(await isStillApplying(ctx, id))) return { offer: null, why: 'late' }
  if (hasEndedMeanwhile(s)) {
    await takeDoneBack(ctx, begun, done)
    return { offer: null, why: 'ended' }
  }
  if (done.type === 'discount_price') {
    await recordGiven(ctx, { ...done.grant, subscriptionId }, done.gid)
    await writeApplied(ctx, id, { discountTitle: done.title }, true)
    const offer = await recordAccepted(ctx, s, id, by)
    await expectGrantedDiscount(ctx, s, chargeMinorOf(s) - chargeWithOffer(offer, s)!)
    // What a cycle is charged now is read from the contract.
    await enqueueContractSync(ctx, [contractId])
    return { offer }
  }
  await upsertFromContracts(ctx, [done.contract], [])
  const changed = await lockSubscription(ctx, subscriptionId)
  await writeApplied(ctx, id, { nextBillingAt: changed.nextBillingAt }, true)
  return { offer: await recordAccepted(ctx, changed, id, by) }
}

/** An acceptance began on it while it was active or paused. */
export const hasEndedMeanwhile = ({ status }: Subscription): boolean => status !== 'active' && status !== 'paused'

/**
 * Of a discount its grant is revoked, which takes it off the contract; a frequency is set back by the engine at once. The platform accepts both while
 * the cancellation can be taken back.
 */
async function takeDoneBack(ctx: Ctx, { id, subscriptionId }: BegunOnPlatform, done: OnPlatform): Promise<void> {
  if (done.type === 'change_frequency') {
    await endWait(ctx, id)
    return
  }
  await recordGiven(ctx, { ...done.grant, subscriptionId }, done.gid)
  await revokeGrants(ctx, [done.grant.id])
  await deleteContractOffers(ctx, [id])
}

/** Locks the row until the transaction ends. */
export async function isStillApplying(ctx: Ctx, id: number): Promise<boolean> {
  const found = await ctx.tx.maybeOne(
    row({ status: oneOf('applying', 'active', 'cancelled') }),
    sql`select status from contract_offers where store_id = ${ctx.storeId} and id = ${id} for update`
  )
  return found?.status === 'applying'
}
