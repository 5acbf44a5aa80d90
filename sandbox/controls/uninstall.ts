import { randomBytes } from 'node:crypto'
import { sql } from '#kit/postgres'
import type { Platform } from '../http.ts'
import { queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import { shopPayload } from '../outgoing/shop-payload.ts'
import { hashToken } from '../shop.ts'
import { shopOf } from './refusals.ts'

/** The owner takes the app off: its token opens nothing any more, and after the message about it none follows. */
export async function uninstall(platform: Platform, { storeId }: { storeId: number }): Promise<void> {
  const shop = await shopOf(platform, storeId)
  const now = await platform.clock(shop.domain)
  await platform.db.inInstallation(async (q) => {
    await q.run(sql`
      update sandbox.shops set access_token_hash = ${hashToken(randomBytes(24).toString('hex'))}
       where store_id = ${storeId}`)
    await queueWebhooks(q, shop, webhookMessage([{ topic: 'app/uninstalled', payload: shopPayload(shop, now) }]), now)
    await q.run(sql`delete from sandbox.webhook_subscriptions where store_id = ${storeId}`)
  })
  platform.shops.forget(storeId)
}

/** The owner takes the app on again, with a token of its own. */
export async function install(
  platform: Platform,
  { storeId, accessToken }: { storeId: number; accessToken: string }
): Promise<void> {
  await platform.db.direct.run(sql`
    update sandbox.shops set access_token_hash = ${hashToken(accessToken)}
     where store_id = ${storeId}`)
  platform.shops.forget(storeId)
}
