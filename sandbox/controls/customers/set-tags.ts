import { Refusal } from '#kit/refusal'
import { withoutTags, withTags } from '../../admin/tag-list.ts'
import { changeCustomerTags } from '../../admin/tags.ts'
import type { Platform } from '../../http.ts'
import { customerNotFound, idFrom, shopOf } from '../refusals.ts'

/** The shop's people, or another app, add tags to a customer and take some away. */
export async function setTags(
  platform: Platform,
  input: { storeId: number; customerId: string; add: string[]; remove: string[] }
): Promise<{ id: string }> {
  const shop = await shopOf(platform, input.storeId)
  const id = idFrom('customer', input.customerId)
  const now = await platform.clock(shop.domain)
  await platform.db.inInstallation(async (q) => {
    const change = (old: string[]) => withTags(withoutTags(old, input.remove), input.add)
    const outcome = await changeCustomerTags(q, shop, id, [], change, now)
    if (outcome === 'missing') throw customerNotFound(id)
    if (outcome === 'too many') throw new Refusal('conflict', `Sandbox customer ${id} would have more than 250 tags`)
  })
  return { id }
}
