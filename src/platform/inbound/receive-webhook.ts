import { isUtf8 } from 'node:buffer'
import { bool, type Ctx, type Database, directSql, row, sql, UnknownStore } from '#kit/postgres'
import { parseExactJson } from '#kit/storable-json'
import { COMPLIANCE_TOPICS, stripMessage, subjectsOf } from '../erasures/strip-message.ts'
import type { ProfileName } from '../wire/platform-profiles.ts'
import { verifyWebhookSignature } from './verify-webhook-signature.ts'
import type { WebhookHeaders } from './webhook-headers.ts'

export type WebhookStore = { storeId: number; appSecret: string; profile: ProfileName }

export type Received =
  | { status: 200; outcome: 'stored' | 'repeated' }
  | { status: 400; outcome: 'malformed' }
  | { status: 401; outcome: 'bad_signature' }

type ComplianceTopic = (typeof COMPLIANCE_TOPICS)[number]
/** Carries on with a message of a compliance topic. */
export type OnCompliance = (ctx: Ctx, topic: ComplianceTopic, payload: unknown) => Promise<void>

/**
 * Messages about payments name the holder of the card, and not the customer: nobody could tell later whose name it is. So nothing is stored
 * of them but what is read.
 */
const NAMELESS = new Set(['order_transactions/create', 'refunds/create'])

const refuseCompliance: OnCompliance = async (_ctx, topic) => {
  throw new Error(`Nobody carries out ${topic} here`)
}

/** Does nothing when this delivery is stored already, when the store is gone, or when it names somebody who was erased. */
const insertWebhook = directSql<
  [number, string, string, string, Temporal.Instant | null, 'waiting' | 'ignored', Buffer[]]
>(
  'insert_inbound_webhook',
  `insert into inbound_webhooks (store_id, webhook_id, topic, body, triggered_at, received_at, run_at, status)
   select $1, $2, $3, $4, $5::timestamptz, s.now, s.now, $6
     from (select date_trunc('milliseconds', coalesce(clock_at, clock_timestamp())) as now
             from stores where store_id = $1) s
    where not exists (
            select from erased_subjects e where e.store_id = $1 and e.subject_key = any($7::bytea[]) offset 0)
   on conflict (store_id, webhook_id) do nothing`
)

const isErased = directSql<[number, Buffer[]]>(
  'is_subject_erased',
  `select exists (
     select from erased_subjects where store_id = $1 and subject_key = any($2::bytea[])) as found`
)

/**
 * Stores a webhook of the platform as it came (but see `NAMELESS`), after checking its signature before anything else. The inbound engine
 * processes it later, so that the platform has its answer within its five seconds. Takes one statement.
 */
export async function receiveWebhook(
  db: Database,
  store: WebhookStore,
  headers: WebhookHeaders,
  rawBody: Buffer,
  onCompliance: OnCompliance = refuseCompliance
): Promise<Received> {
  if (headers.profile !== store.profile || !verifyWebhookSignature(rawBody, headers.signature, store.appSecret)) {
    return { status: 401, outcome: 'bad_signature' }
  }
  const sent = isUtf8(rawBody) ? rawBody.toString('utf8') : null
  if (sent === null || !isJsonObject(sent)) return { status: 400, outcome: 'malformed' }
  const { webhookId, topic, triggeredAt } = headers
  const body = NAMELESS.has(topic) ? stripMessage(topic, sent)! : sent
  if (isCompliance(topic)) return receiveCompliance(db, store, { webhookId, topic, body }, onCompliance)
  const keys = subjectsOf(topic, body).flatMap((subject) => db.pseudonym(store.storeId, subject) ?? [])
  const insert = (text: string, status: 'waiting' | 'ignored', unless: Buffer[]) =>
    db.direct.run(insertWebhook(store.storeId, webhookId, topic, text, triggeredAt, status, unless))
  if ((await insert(body, 'waiting', keys)) === 1) return { status: 200, outcome: 'stored' }
  if (keys.length === 0 || !(await db.direct.one(Found, isErased(store.storeId, keys))).found) {
    return { status: 200, outcome: 'repeated' }
  }
  // The person is not stored again, not even until the message is handled.
  const left = stripMessage(topic, body)
  const stored = await insert(left ?? '{}', left === null ? 'ignored' : 'waiting', [])
  return { status: 200, outcome: stored === 1 ? 'stored' : 'repeated' }
}

const Found = row({ found: bool })

/** Records the request that such a message is, in the transaction that remembers its delivery. Only the request has who it is about. */
async function receiveCompliance(
  db: Database,
  { storeId }: WebhookStore,
  { webhookId, topic, body }: { webhookId: string; topic: ComplianceTopic; body: string },
  onCompliance: OnCompliance = refuseCompliance
): Promise<Received> {
  try {
    return await db.inStore(storeId, async (ctx) => {
      const isNew = await ctx.tx.run(sql`
        insert into inbound_webhooks (store_id, webhook_id, topic, body, received_at, run_at, status)
        values (${storeId}, ${webhookId}, ${topic}, '{}', ${ctx.now}, ${ctx.now}, 'done')
        on conflict (store_id, webhook_id) do nothing`)
      if (isNew === 1) await onCompliance(ctx, topic, parseExactJson(body))
      return { status: 200, outcome: isNew === 1 ? 'stored' : 'repeated' } as const
    })
  } catch (err) {
    // A store that is being deleted has nothing left to be asked for.
    if (err instanceof UnknownStore) return { status: 200, outcome: 'repeated' }
    throw err
  }
}

const isCompliance = (topic: string): topic is ComplianceTopic => COMPLIANCE_TOPICS.includes(topic as ComplianceTopic)

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
