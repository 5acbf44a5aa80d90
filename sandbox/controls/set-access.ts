import { sql } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import type { Platform } from '../http.ts'
import { queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import { endTokens } from '../state/oauth-tokens.ts'
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

/** Ends the app's access token in a shop: `expire` as an hour does, `revoke` with its refresh token, so that there is no next one. */
export async function endToken(
  { db, shops }: Platform,
  { storeId, how }: { storeId: number; how: 'expire' | 'revoke' }
): Promise<void> {
  await db.inInstallation((q) => endTokens(q, storeId, { keepRefresh: how === 'expire' }))
  shops.forget(storeId)
}

/** Gives the app other access scopes in a shop, with the message about it. */
export async function changeScopes(platform: Platform, storeId: number, scopes: string[]): Promise<void> {
  const shop = await shopOf(platform, storeId)
  await setAccess(platform, { storeId, scopes })
  const now = await platform.clock(shop.domain)
  const payload = { id: Number(shop.id), previous: shop.accessScopes, current: scopes, updated_at: now.toString() }
  await platform.db.inInstallation((q) =>
    queueWebhooks(q, shop, webhookMessage([{ topic: 'app/scopes_update', payload }]), now)
  )
}
