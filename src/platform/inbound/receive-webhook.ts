import { isUtf8 } from 'node:buffer'
import { type Database, directSql } from '#kit/postgres'
import type { ProfileName } from '../wire/platform-profiles.ts'
import { verifyWebhookSignature } from './verify-webhook-signature.ts'
import type { WebhookHeaders } from './webhook-headers.ts'

export type WebhookStore = { storeId: number; appSecret: string; profile: ProfileName }

export type Received =
  | { status: 200; outcome: 'stored' | 'repeated' }
  | { status: 400; outcome: 'malformed' }
  | { status: 401; outcome: 'bad_signature' }

/** Does nothing when this delivery is stored already, or when the store is gone. */
const insertWebhook = directSql<[number, string, string, string, Temporal.Instant | null]>(
  'insert_inbound_webhook',
  `insert into inbound_webhooks (store_id, webhook_id, topic, body, triggered_at, received_at, run_at)
   select $1, $2, $3, $4, $5::timestamptz, s.now, s.now
     from (select date_trunc('milliseconds', coalesce(clock_at, clock_timestamp())) as now
             from stores where store_id = $1) s
   on conflict (store_id, webhook_id) do nothing`
)

/**
 * Stores a webhook of the platform as it came, after checking its signature before anything else. The inbound engine
 * processes it later, so that the platform has its answer within its five seconds. Takes one statement.
 */
export async function receiveWebhook(
  db: Database,
  store: WebhookStore,
  headers: WebhookHeaders,
  rawBody: Buffer
): Promise<Received> {
  if (headers.profile !== store.profile || !verifyWebhookSignature(rawBody, headers.signature, store.appSecret)) {
    return { status: 401, outcome: 'bad_signature' }
  }
  const body = isUtf8(rawBody) ? rawBody.toString('utf8') : null
  if (body === null || !isJsonObject(body)) return { status: 400, outcome: 'malformed' }
  const { webhookId, topic, triggeredAt } = headers
  const stored = await db.direct.run(insertWebhook(store.storeId, webhookId, topic, body, triggeredAt))
  return { status: 200, outcome: stored === 1 ? 'stored' : 'repeated' }
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
