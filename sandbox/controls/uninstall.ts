import { randomBytes } from 'node:crypto'
import { sql } from '#kit/postgres'
import type { Platform } from '../http.ts'
import { queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import { shopPayload } from '../outgoing/shop-payload.ts'
import { hashToken } from '../shop.ts'
import { endTokens } from '../state/oauth-tokens.ts'
import { shopOf } from './refusals.ts'

/** Uninstalls the app: its token becomes invalid, and after app/uninstalled no webhook is sent. */
export async function uninstall(platform: Platform, { storeId }: { storeId: number }): Promise<void> {
  const shop = await shopOf(platform, storeId)
  const now = await platform.clock(shop.domain)
  await platform.db.inInstallation(async (q) => {
    await q.run(sql`
      update sandbox.shops set access_token_hash = ${hashToken(randomBytes(24).toString('hex'))}
       where store_id = ${storeId}`)
    await endTokens(q, storeId)
    await queueWebhooks(q, shop, webhookMessage([{ topic: 'app/uninstalled', payload: shopPayload(shop, now) }]), now)
    await q.run(sql`delete from sandbox.webhook_subscriptions where store_id = ${storeId}`)
  })
  platform.shops.forget(storeId)
}

/** Installs the app again with a new token. */
export async function install(
  platform: Platform,
  { storeId, accessToken }: { storeId: number; accessToken: string }
): Promise<void> {
  await platform.db.direct.run(sql`
    update sandbox.shops set access_token_hash = ${hashToken(accessToken)}
     where store_id = ${storeId}`)
  platform.shops.forget(storeId)
}
