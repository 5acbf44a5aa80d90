import { randomUUID } from 'node:crypto'
import { sql } from '#kit/postgres'
import { invalidField, Refusal } from '#kit/refusal'
import type { Platform } from '../http.ts'
import { type ComplianceTopic, compliancePayloads } from '../outgoing/customer-payloads.ts'
import { findCustomer } from '../state/customers.ts'
import { listOrdersOf } from '../state/orders.ts'
import { customerNotFound, idFrom, shopOf } from './refusals.ts'

const MAX_ORDERS = 250

/**
 * Sends one of the compliance topics. An app cannot subscribe to them: on the platform their address is part of the app's
 * configuration. Here it is the address of the app's other webhooks, unless another is given.
 */
export async function sendCompliance(
  platform: Platform,
  input: { storeId: number; topic: ComplianceTopic; customerId?: string | null; uri?: string }
): Promise<void> {
  if (!(input.topic in compliancePayloads)) {
    throw invalidField('topic', `must be one of ${Object.keys(compliancePayloads).join(', ')}`)
  }
  const shop = await shopOf(platform, input.storeId)
  const now = await platform.clock(shop.domain)
  await platform.db.inInstallation(async (q) => {
    const payload =
      input.topic === 'shop/redact'
        ? compliancePayloads['shop/redact'](shop)
        : await (async () => {
            const id = idFrom('customer', input.customerId ?? '')
            const customer = await findCustomer(q, shop.storeId, id)
            if (!customer) throw customerNotFound(id)
            const orders = await listOrdersOf(q, shop.storeId, id, MAX_ORDERS)
            return compliancePayloads[input.topic as 'customers/redact'](
              shop,
              customer,
              orders.map((order) => order.id)
            )
          })()
    const sent = await q.run(sql`
      insert into sandbox.webhook_messages (store_id, webhook_id, event_id, topic, uri, body, triggered_at, next_try_at)
      select ${shop.storeId}, gen_random_uuid(), ${randomUUID()}, ${input.topic}, uri, ${JSON.stringify(payload)}, ${now}, ${now}
        from (select coalesce(${input.uri ?? null}, (select uri from sandbox.webhook_subscriptions
                where store_id = ${shop.storeId} order by id limit 1)) as uri) address
       where uri is not null`)
    if (sent === 0) throw new Refusal('conflict', 'The app has no address for compliance webhooks')
  })
}
