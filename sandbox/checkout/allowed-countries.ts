import type { Queries } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import type { Shop } from '../shop.ts'
import { listMetafields } from '../state/metafields.ts'
import type { Offer } from './offers.ts'
import { PLAN_SETTINGS, soldIn } from './plan-settings.ts'

/**
 * Refuses a cart with a membership that the app sells in other countries only, as a checkout's validation would. It knows the main plans by
 * metafields of the shop; without a country nothing is refused.
 */
export async function refuseCountries(q: Queries, shop: Shop, offers: Offer[], country: string | null): Promise<void> {
  if (country === null || offers.length === 0) return
  const metafields = await listMetafields(q, shop.storeId, [`Shop/${shop.id}`])
  for (const { namespace, key, value } of metafields) {
    if (namespace !== PLAN_SETTINGS.namespace || !PLAN_SETTINGS.keys.some((one) => one === key)) continue
    const sold = soldIn(value)
    const offer = offers.find(({ product }) => product.id === sold?.productId)
    if (!offer || !sold || sold.countries.length === 0 || sold.countries.includes(country)) continue
    throw new Refusal(
      'conflict',
      `${offer.product.title} is sold in ${sold.countries.join(', ')} only, not in ${country}`
    )
  }
}
