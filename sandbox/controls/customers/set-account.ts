import { changeAccountOf } from '../../customers/change-account.ts'
import type { Platform } from '../../http.ts'
import { type AccountState, findCustomer } from '../../state/customers.ts'
import { customerNotFound, idFrom, shopOf } from '../refusals.ts'

/** A customer activates their account or declines it, or the shop's people invite them or disable it. */
export async function setAccount(
  platform: Platform,
  input: { storeId: number; customerId: string; state: AccountState }
): Promise<{ id: string }> {
  const shop = await shopOf(platform, input.storeId)
  const id = idFrom('customer', input.customerId)
  const now = await platform.clock(shop.domain)
  await platform.db.inInstallation(async (q) => {
    const customer = await findCustomer(q, shop.storeId, id)
    if (!customer) throw customerNotFound(id)
    await changeAccountOf(q, shop, customer, input.state, now)
  })
  return { id }
}
