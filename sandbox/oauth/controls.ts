import { shopOf } from '../controls/refusals.ts'
import { setAccess } from '../controls/set-access.ts'
import type { Platform } from '../http.ts'
import { queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import { endTokens } from './tokens.ts'

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
