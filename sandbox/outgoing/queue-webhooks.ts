import { randomUUID } from 'node:crypto'
import { int, json, nullable, type Queries, row, sql, textList } from '#kit/postgres'
import { noteQueued } from '../report-queued.ts'
import type { Shop } from '../shop.ts'
import type { Topic } from './topics.ts'
import { type Fate, fateOf, type WebhookFaults } from './webhook-faults.ts'

export type Message = {
  topic: Topic
  payload: unknown
  /** Shared by all messages of one event. */
  eventId: string
  /** More than one: the message is sent repeatedly with the same webhook id. */
  copies?: number
}

/**
 * Queues messages for all subscriptions to their topics, in the given order, each with the fields that it asks for; there are no event
 * buses here to send to. Call it in the transaction of the change that they
 * report.
 */
export async function queueWebhooks(q: Queries, shop: Shop, all: Message[], now: Temporal.Instant) {
  const { topics, faults } = await q.one(
    row({ topics: textList, faults: nullable(json<WebhookFaults>()) }),
    sql`
    select array(select distinct topic from sandbox.webhook_subscriptions where store_id = ${shop.storeId}) as topics,
           (select webhook_faults from sandbox.shops where store_id = ${shop.storeId}) as faults`
  )
  // Bodies are large and most topics have no subscription, so other messages are not stored.
  const messages = all.filter(({ topic }) => topics.includes(topic))
  if (messages.length === 0) return
  const fates = await fatesOf(q, shop, faults, messages.length)
  const copies = messages.map((m, i) => (m.copies ?? 1) * fates[i]!.copies)
  const delays = fates.map(({ delaySeconds }) => delaySeconds)
  await q.run(sql`
    insert into sandbox.webhook_messages (store_id, webhook_id, event_id, subscription_id, topic, uri, body, triggered_at,
                                          next_try_at)
    select ${shop.storeId}, md5(m.event_id || m.topic || m.position || ':' || s.id)::uuid, m.event_id::uuid, s.id, m.topic,
           s.uri, case when cardinality(s.include_fields) = 0 then m.body
                       else (select coalesce(json_object_agg(f.key, f.value), '{}')::text
                               from json_each(m.body::json) f where f.key = any(s.include_fields)) end,
           ${now}, ${now}::timestamptz + m.delay * interval '1 second'
      from unnest(${messages.map((m) => m.topic)}::text[], ${messages.map((m) => JSON.stringify(m.payload))}::text[],
                  ${messages.map((m) => m.eventId)}::text[], ${copies}::int[], ${delays}::int[])
           with ordinality as m(topic, body, event_id, copies, delay, position)
      join sandbox.webhook_subscriptions s on s.store_id = ${shop.storeId} and s.topic = m.topic and s.uri like 'http%'
      cross join lateral generate_series(1, m.copies)
     order by m.position, s.id`)
  noteQueued(q, shop.storeId)
}

/** The faults of the shop's next messages, which are numbered consecutively. */
async function fatesOf(q: Queries, shop: Shop, faults: WebhookFaults | null, count: number): Promise<Fate[]> {
  if (!faults) return Array.from({ length: count }, () => ({ copies: 1, delaySeconds: 0 }))
  const { last } = await q.one(
    row({ last: int }),
    sql`
    update sandbox.shops set faulty_messages = faulty_messages + ${count}
     where store_id = ${shop.storeId} returning faulty_messages as last`
  )
  return Array.from({ length: count }, (_, i) => fateOf(faults, last - count + i + 1))
}

/** The messages of one event, with a common event id. */
export function webhookMessage(messages: { topic: Topic; payload: unknown }[], copies = 1): Message[] {
  const eventId = randomUUID()
  return messages.map(({ topic, payload }) => ({ topic, payload, eventId, copies }))
}
