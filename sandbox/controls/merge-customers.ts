import { decimalOf } from '#kit/money'
import type { Queries } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import { withTags } from '../admin/tag-list.ts'
import { mergeInto } from '../customers/merge-customers.ts'
import type { Platform } from '../http.ts'
import { listCreditAccounts } from '../state/credit.ts'
import { findCustomers } from '../state/customers.ts'
import { listGiftCardHolders } from '../state/gift-cards.ts'
import { customerNotFound, hasGiftCards, hasStoreCredit, idFrom, shopOf } from './refusals.ts'

/**
 * Merges `customerId` into `intoId`: contracts, orders, cards and tags move, and `customerId` is deleted. Refuses customers with store
 * credit or gift cards, as the platform does (`CustomerMergeErrorFieldType`).
 */
export async function mergeCustomers(
  platform: Platform,
  input: { storeId: number; customerId: string; intoId: string }
): Promise<{ keptId: string; deletedId: string }> {
  const shop = await shopOf(platform, input.storeId)
  const { storeId } = shop
  const merged = { keptId: idFrom('into', input.intoId), deletedId: idFrom('customer', input.customerId) }
  const { keptId, deletedId } = merged
  if (keptId === deletedId) throw invalidField('into', 'must be another customer')
  const now = await platform.clock(shop.domain)
  await platform.db.inInstallation(async (q) => {
    const existing = new Map((await findCustomers(q, storeId, [keptId, deletedId])).map((one) => [one.id, one]))
    for (const id of [keptId, deletedId]) if (!existing.has(id)) throw customerNotFound(id)
    await refuseCredit(q, storeId, [keptId, deletedId])
    const tags = withTags(existing.get(keptId)!.tags, existing.get(deletedId)!.tags)
    await mergeInto(q, shop, merged, { ...existing.get(keptId)!, tags }, now)
  })
  return merged
}

async function refuseCredit(q: Queries, storeId: number, ids: string[]): Promise<void> {
  const account = (await listCreditAccounts(q, storeId, ids)).find(({ balanceMinor }) => balanceMinor > 0)
  if (account) {
    const { customerId, balanceMinor, currency } = account
    throw hasStoreCredit(customerId, `${decimalOf(balanceMinor, currency)} ${currency}`)
  }
  const [holder] = await listGiftCardHolders(q, storeId, ids)
  if (holder !== undefined) throw hasGiftCards(holder)
}
