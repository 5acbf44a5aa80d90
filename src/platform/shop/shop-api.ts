import type { PlatformClient } from '../wire/client.ts'
import type { Fields } from '../wire/fields.ts'
import type { PlatformResult } from '../wire/outcome.ts'
import { ShopInfo } from './documents.ts'

export type PlatformShop = { name: string; domain: string; timezone: string; currency: string }

export type ShopApi = {
  read(): Promise<PlatformResult<PlatformShop>>
}

export function createShopApi(client: PlatformClient): ShopApi {
  return { read: () => client.query(ShopInfo, {}, readShop) }
}

function readShop(data: Fields): PlatformShop {
  const shop = data.at('shop')
  return {
    name: shop.text('name'),
    domain: shop.text('myshopifyDomain'),
    timezone: shop.text('ianaTimezone'),
    currency: shop.text('currencyCode')
  }
}
