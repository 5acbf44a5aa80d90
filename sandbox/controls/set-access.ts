import { sql } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import type { Platform } from '../http.ts'
import { ACCESS_SCOPES } from '../wire/access.ts'
import { shopOf } from './refusals.ts'

/**
 * Sets what the shop's app may read and write: its scopes, and the single fields with personal data that are withheld from it all
 * the same (`Order.email`). What is left out stays as it is.
 */
export async function setAccess(
  platform: Platform,
  { storeId, scopes, withheld }: { storeId: number; scopes?: string[]; withheld?: string[] }
): Promise<void> {
  const shop = await shopOf(platform, storeId)
  const unknown = scopes?.find((scope) => !(ACCESS_SCOPES as readonly string[]).includes(scope))
  if (unknown !== undefined) throw invalidField('scopes', `must be among ${ACCESS_SCOPES.join(', ')}`)
  await platform.db.direct.run(sql`
    update sandbox.shops
       set access_scopes = ${scopes ?? shop.accessScopes}, withheld_fields = ${withheld ?? shop.withheldFields}
     where store_id = ${storeId}`)
  platform.shops.forget(storeId)
}
