import { randomBytes } from 'node:crypto'
import { int, row, sql } from '#kit/postgres'
import { invalidField, Refusal } from '#kit/refusal'
import { DOMAIN_NAME } from '#kit/texts'
import type { Platform } from '../http.ts'
import { createShop } from './create-shop.ts'

export type NewUninstalledShop = { domain: string; name: string; timezone: string; currency: string }

/** Opens a shop that has not installed the app: a development store, from which it can be installed as on the real platform. */
export async function openShop(platform: Platform, shop: NewUninstalledShop): Promise<{ domain: string }> {
  const domain = shop.domain.toLowerCase()
  if (!DOMAIN_NAME.test(domain)) throw invalidField('domain', 'must be a host name such as dev.example')
  if (await platform.shops.findByDomain(domain)) throw new Refusal('conflict', `There already is a shop ${domain}`)
  const { storeId } = await platform.db.direct.one(
    row({ storeId: int }),
    sql`select -nextval('sandbox.uninstalled_ids') as store_id`
  )
  const secret = () => randomBytes(24).toString('hex')
  await createShop(platform, {
    ...shop,
    domain,
    storeId,
    profile: 'platform',
    accessToken: secret(),
    appSecret: secret(),
    proxySecret: secret(),
    appProxyUrl: null
  })
  return { domain }
}
