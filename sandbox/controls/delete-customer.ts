import { deleteCustomerOf } from '../customers/delete-customer.ts'
import type { Platform } from '../http.ts'
import { findCustomer } from '../state/customers.ts'
import { customerNotFound, idFrom, shopOf } from './refusals.ts'

/** Deletes a customer and their cards. Their contracts stay, but can no longer be charged. */
export async function deleteCustomer(
  platform: Platform,
  input: { storeId: number; customerId: string }
): Promise<{ id: string }> {
  const shop = await shopOf(platform, input.storeId)
  const id = idFrom('customer', input.customerId)
  const now = await platform.clock(shop.domain)
  await platform.db.inInstallation(async (q) => {
    if (!(await findCustomer(q, shop.storeId, id))) throw customerNotFound(id)
    await deleteCustomerOf(q, shop, id, now)
  })
  return { id }
}
