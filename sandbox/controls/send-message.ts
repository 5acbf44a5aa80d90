import { randomUUID } from 'node:crypto'
import { sql } from '#kit/postgres'
import { invalidField, Refusal } from '#kit/refusal'
import type { Platform } from '../http.ts'
import { TOPICS } from '../outgoing/topics.ts'
import { noteQueued } from '../report-queued.ts'
import { shopOf } from './refusals.ts'

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/**
 * Sends a message with any body to the app's subscriptions to its topic, signed as every other, whatever the shop has: so are messages
 * tried that are wrong, late or contradict each other. `body` is the text of a JSON object and is sent as it is. Without `webhookId` it
 * is a new message; with that of an earlier one a repetition. `at` is when it was triggered; now when left out. Faults of webhooks do
 * not apply to it.
 */
export async function sendMessage(
  platform: Platform,
  input: { storeId: number; topic: string; body: string; webhookId?: string | null; at?: Temporal.Instant | null }
): Promise<{ webhookId: string }> {
  const shop = await shopOf(platform, input.storeId)
  const { topic, body, webhookId = null } = input
  const topics: string[] = Object.values(TOPICS)
  if (!topics.includes(topic)) throw invalidField('topic', `must be one of ${topics.join(', ')}`)
  if (!isObject(body)) throw invalidField('body', 'must be the text of one JSON object')
  if (webhookId !== null && !UUID.test(webhookId)) throw invalidField('webhook_id', 'must be a UUID')
  const now = await platform.clock(shop.domain)
  const id = webhookId?.toLowerCase() ?? randomUUID()
  await platform.db.inInstallation(async (q) => {
    const sent = await q.run(sql`
      insert into sandbox.webhook_messages (store_id, webhook_id, event_id, subscription_id, topic, uri, body, triggered_at, next_try_at)
      select ${shop.storeId}, ${id}, ${randomUUID()}, s.id, ${topic}, s.uri, ${body}, ${input.at ?? now}, ${now}
        from (select id, uri from sandbox.webhook_subscriptions
               where store_id = ${shop.storeId} and topic = ${topic} order by id limit 1) as s`)
    if (sent === 0) throw new Refusal('conflict', `The app has no subscription to ${topic}`)
    noteQueued(q, shop.storeId)
  })
  return { webhookId: id }
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
