import { createHmac } from 'node:crypto'
import { type Agent, request } from 'undici'
import { type Database, instant, int, nullable, type RowOf, row, sql, text, textList } from '#kit/postgres'
import { headerWord, type Shop } from '../shop.ts'

const Claimed = row({
  id: int,
  webhookId: text,
  eventId: text,
  subscriptionId: nullable(text),
  topic: text,
  uri: text,
  body: text,
  includeFields: nullable(textList),
  name: nullable(text),
  triggeredAt: instant,
  tries: int,
  leaseToken: int
})
type Claimed = RowOf<typeof Claimed>

const BATCH = 96
const AT_ONCE = 32
const TIMEOUT_MS = 5_000
/** A batch whose receivers all hang takes three times the timeout. */
const LEASE_SECONDS = 20

/** Eight retries over four hours; then the platform removes the subscription. */
const RETRY_AFTER_MINUTES = [1, 2, 5, 10, 20, 40, 62, 100] as const

/**
 * Sends a batch of due messages, oldest first, and records the results. Returns the number of messages. Several processes may do
 * this at once; if a process dies between sending and recording, the message is sent again.
 */
export async function sendWebhooks(db: Database, agent: Agent, shop: Shop, now: Temporal.Instant): Promise<number> {
  const claimed = await db.direct.many(
    Claimed,
    sql`
    update sandbox.webhook_messages m
       set lease_token = m.lease_token + 1, leased_until = clock_timestamp() + ${LEASE_SECONDS} * interval '1 second'
      from (select due.id from sandbox.webhook_messages due
             where due.store_id = ${shop.storeId} and due.status = 'waiting' and due.next_try_at <= ${now}
               and (due.leased_until is null or due.leased_until < clock_timestamp())
             order by due.next_try_at, due.id limit ${BATCH} for update skip locked) due
     where m.store_id = ${shop.storeId} and m.id = due.id
    returning m.id, m.webhook_id::text as webhook_id, m.event_id::text as event_id,
              m.subscription_id::text as subscription_id, m.topic, m.uri, m.body,
              (select include_fields from sandbox.webhook_subscriptions f
                where f.store_id = ${shop.storeId} and f.id = m.subscription_id) as include_fields,
              (select name from sandbox.webhook_subscriptions f
                where f.store_id = ${shop.storeId} and f.id = m.subscription_id) as name,
              m.triggered_at, m.tries, m.lease_token`
  )
  if (claimed.length === 0) return 0
  claimed.sort((a, b) => a.id - b.id)

  const outcomes = new Array<string>(claimed.length)
  let next = 0
  const worker = async () => {
    for (let turn = next++; turn < claimed.length; turn = next++) {
      outcomes[turn] = await send(agent, shop, claimed[turn]!)
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, claimed.length) }, worker))

  await settle(db, shop, claimed, outcomes, now)
  return claimed.length
}

/** Returns the HTTP status as text, or the name of the error. */
async function send(agent: Agent, shop: Shop, message: Claimed): Promise<string> {
  const body = withFields(message)
  const word = headerWord(shop)
  try {
    const response = await request(message.uri, {
      method: 'POST',
      dispatcher: agent,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        'content-type': 'application/json',
        'user-agent': `${word}-Captain-Hook`,
        [`X-${word}-Topic`]: message.topic,
        [`X-${word}-Hmac-Sha256`]: createHmac('sha256', shop.appSecret).update(body).digest('base64'),
        [`X-${word}-Shop-Domain`]: shop.domain,
        [`X-${word}-API-Version`]: '2026-07',
        [`X-${word}-Webhook-Id`]: message.webhookId,
        [`X-${word}-Event-Id`]: message.eventId,
        [`X-${word}-Triggered-At`]: message.triggeredAt.toString({ smallestUnit: 'nanosecond' }),
        ...(message.name && { [`X-${word}-Name`]: message.name })
      },
      body
    })
    await response.body.dump()
    return String(response.statusCode)
  } catch (err) {
    const { code, name } = err as { code?: string; name?: string }
    return code ?? name ?? 'failed'
  }
}

/** The body with the top-level fields that the subscription selects. */
function withFields(message: Claimed): string {
  if (!message.includeFields || message.includeFields.length === 0) return message.body
  const wanted = new Set(message.includeFields.map((field) => field.split('.')[0]))
  const parsed: Record<string, unknown> = JSON.parse(message.body)
  return JSON.stringify(Object.fromEntries(Object.entries(parsed).filter(([key]) => wanted.has(key))))
}

/** Deletes delivered messages; others wait for their next retry, or fail after the last one. */
async function settle(db: Database, shop: Shop, claimed: Claimed[], outcomes: string[], now: Temporal.Instant) {
  const isDelivered = (i: number) => /^2\d\d$/.test(outcomes[i]!)
  const delivered = claimed.filter((_, i) => isDelivered(i))
  await db.direct.run(sql`
    delete from sandbox.webhook_messages m
     using unnest(${delivered.map((m) => m.id)}::bigint[], ${delivered.map((m) => m.leaseToken)}::int[]) as n(id, lease_token)
     where m.store_id = ${shop.storeId} and m.id = n.id and m.lease_token = n.lease_token`)

  const failed = claimed.flatMap((message, i) => {
    const minutes = RETRY_AFTER_MINUTES[message.tries]
    return isDelivered(i) ? [] : [{ message, minutes, nextTryAt: now.add({ minutes: minutes ?? 0 }) }]
  })
  if (failed.length === 0) return
  await db.direct.run(sql`
    update sandbox.webhook_messages m
       set status = case when n.again then 'waiting' else 'failed' end, tries = m.tries + 1,
           next_try_at = n.next_try_at, leased_until = null
      from unnest(${failed.map(({ message }) => message.id)}::bigint[],
                  ${failed.map(({ message }) => message.leaseToken)}::int[],
                  ${failed.map(({ minutes }) => minutes !== undefined)}::boolean[],
                  ${failed.map(({ nextTryAt }) => nextTryAt)}::timestamptz[]) as n(id, lease_token, again, next_try_at)
     where m.store_id = ${shop.storeId} and m.id = n.id and m.lease_token = n.lease_token`)

  const dropped = failed.filter(({ minutes }) => minutes === undefined).map(({ message }) => message.subscriptionId)
  if (dropped.length === 0) return
  await db.direct.run(sql`
    delete from sandbox.webhook_subscriptions
     where store_id = ${shop.storeId} and id = any(${dropped.filter((id) => id !== null)}::bigint[])`)
}
