import { isTimezone } from '#kit/clock'
import { sql } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import type { Platform } from '../http.ts'
import { queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import { shopPayload } from '../outgoing/shop-payload.ts'
import { shopOf } from './refusals.ts'

/** Changes the shop's name or time zone, as its owner would. A shop's currency never changes. */
export async function changeShop(
  platform: Platform,
  input: { storeId: number; name?: string; timezone?: string }
): Promise<void> {
  if (input.timezone !== undefined && !isTimezone(input.timezone)) {
    throw invalidField('timezone', 'must be an IANA time zone such as Europe/Berlin')
  }
  const before = await shopOf(platform, input.storeId)
  const shop = { ...before, name: input.name ?? before.name, timezone: input.timezone ?? before.timezone }
  const now = await platform.clock(shop.domain)
  await platform.db.inInstallation(async (q) => {
    await q.run(sql`
      update sandbox.shops set name = ${shop.name}, timezone = ${shop.timezone}
       where store_id = ${shop.storeId}`)
    await queueWebhooks(q, shop, webhookMessage([{ topic: 'shop/update', payload: shopPayload(shop, now) }]), now)
  })
  platform.shops.forget(shop.storeId)
}
