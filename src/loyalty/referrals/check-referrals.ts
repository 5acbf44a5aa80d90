import { record as recordFact } from '#kit/outbox'
import { loyaltyReferralChecked } from '../events/loyalty-referral-checked.ts'
import { type Visit, valueOrRefusal } from '../referral-codes/visit.ts'
import { listReferralsToCheck, markReferralChecked } from './referral-queries.ts'
import { isSameHome } from './self-referral.ts'

/** Referrals that are compared in one visit. */
const BATCH = 20

/**
 * Compares where friends and those who sent them live, as the platform knows it now: nothing of an address is kept here. Where it withholds
 * addresses they cannot be the same. Returns whether there are more.
 */
export async function checkReferrals({ db, storeId, connector }: Visit): Promise<boolean> {
  const referrals = await db.inStore(storeId, (ctx) => listReferralsToCheck(ctx, BATCH))
  for (const { id, orderId, platformOrderId, platformReferrerId } of referrals) {
    const read = valueOrRefusal(await connector.orders.findAddresses(platformOrderId, platformReferrerId))
    const { ofOrder, ofCustomer } = 'value' in read ? read.value : { ofOrder: [], ofCustomer: [] }
    const isSame = ofOrder.some((one) => ofCustomer.some((other) => isSameHome(one, other)))
    await db.inStore(storeId, async (ctx) => {
      // It may have been refused meanwhile.
      if (!(await markReferralChecked(ctx, id, isSame))) return
      if (!isSame) await recordFact(ctx, loyaltyReferralChecked({ orderId }))
    })
  }
  return referrals.length === BATCH
}
