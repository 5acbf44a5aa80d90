import { expectGrantedDiscount, recordGiven, upsertFromContracts } from '#contracts'
import { type Ctx, oneOf, row, sql } from '#kit/postgres'
import { type Actor, chargeMinorOf, enqueueContractSync, lockSubscription } from '#subscriptions'
import type { ContractOffer } from '../contract-offers/contract-offer.ts'
import { getContractOffer, writeApplied } from '../contract-offers/contract-offer-queries.ts'
import { lockWithCustomers } from '../lock-with-customers.ts'
import { chargeWithOffer } from '../offers/charge-with-offer.ts'
import type { BegunOnPlatform, OnPlatform } from './begin-activation.ts'
import { recordAccepted } from './record-accepted.ts'

/** Makes active what the platform has done. Null: it took so long that it is being taken back. */
export async function finishActivation(
  ctx: Ctx,
  { id, subscriptionId, contractId }: BegunOnPlatform,
  done: OnPlatform,
  by: Actor
): Promise<ContractOffer | null> {
  await lockWithCustomers(ctx, [subscriptionId])
  if (!(await isStillApplying(ctx, id))) return null
  if (done.type === 'discount_price') {
    await recordGiven(ctx, { ...done.grant, subscriptionId }, done.gid)
    await writeApplied(ctx, id, { discountTitle: done.title }, true)
    const s = await lockSubscription(ctx, subscriptionId)
    const withOffer = chargeWithOffer(await getContractOffer(ctx, id), s)!
    await expectGrantedDiscount(ctx, s, chargeMinorOf(s) - withOffer)
    // What a cycle is charged now is read from the contract.
    await enqueueContractSync(ctx, [contractId])
  } else {
    await upsertFromContracts(ctx, [done.contract], [])
    const { nextBillingAt } = await lockSubscription(ctx, subscriptionId)
    await writeApplied(ctx, id, { nextBillingAt }, true)
  }
  return recordAccepted(ctx, await lockSubscription(ctx, subscriptionId), id, by)
}

/** Locks the row until the transaction ends. */
export async function isStillApplying(ctx: Ctx, id: number): Promise<boolean> {
  const found = await ctx.tx.maybeOne(
    row({ status: oneOf('applying', 'active', 'cancelled') }),
    sql`select status from contract_offers where store_id = ${ctx.storeId} and id = ${id} for update`
  )
  return found?.status === 'applying'
}
