import { dueQuery, type LeaseRelease } from '#kit/engines'
import { bool, type Ctx, directSql, instant, int, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'

const Inbound = row({
  id: int,
  topic: text,
  body: text,
  triggeredAt: nullable(instant),
  receivedAt: instant,
  attempts: int,
  leaseToken: int
})
/** A stored message, with the token of its lease. */
export type Inbound = RowOf<typeof Inbound>

/** A message as its handler gets it. */
export type InboundMessage = { id: number; topic: string; payload: unknown; triggeredAt: Temporal.Instant }

const MAX_ERROR_LENGTH = 500

/**
 * Finds the oldest due messages that nobody has, in order of arrival, at most `limit` and so many that their bodies, without the
 * first, have less than `maxBytes`: some are megabytes long. `leaseInbound` leases those of them that may begin, in the same
 * transaction: until its end no other process finds any. It finds none while another process has messages of this store: two
 * processes side by side would handle a later message before an earlier one. None while the store is on hold. Leaves out the
 * messages `except`.
 */
export async function findDueInbound(
  { tx, storeId, now, isRestored }: Ctx,
  { leaseOwner, limit, maxBytes, except }: { leaseOwner: number; limit: number; maxBytes: number; except: number[] }
): Promise<Inbound[]> {
  if (isRestored) return []
  // A statement of its own: the claim must see what the last holder of this lock committed.
  const turn = await tx.one(
    row({ mine: bool }),
    sql`select pg_try_advisory_xact_lock(hashtextextended('inbound_webhooks', ${storeId}::bigint)) as mine`
  )
  if (!turn.mine) return []
  return tx.many(
    Inbound,
    sql`
    with due as (
      select store_id, id from inbound_webhooks
       where store_id = ${storeId} and status = 'waiting' and run_at <= ${now}
         and (leased_until is null or leased_until < statement_timestamp())
         and id not in (select unnest(${except}::bigint[]))
         and not exists (select from inbound_webhooks busy
                          where busy.store_id = ${storeId} and busy.lease_owner <> ${leaseOwner}
                            and busy.leased_until >= statement_timestamp())
       order by id limit ${limit} for update skip locked),
    batch as (
      select store_id, id, sum(bytes) over (order by id) - bytes as before from (
        select d.store_id, d.id, octet_length(m.body) as bytes
          from due d join inbound_webhooks m on m.store_id = ${storeId} and m.id = d.id) sized)
    select w.id, w.topic, w.body, w.triggered_at, w.received_at, w.attempts, w.lease_token + 1 as lease_token
      from inbound_webhooks w join batch b on w.store_id = b.store_id and w.id = b.id
     where w.store_id = ${storeId} and b.before < ${maxBytes}
     order by w.id`
  )
}

/** Leases messages that were found in this transaction. */
export async function leaseInbound(
  { tx, storeId }: Ctx,
  messages: Inbound[],
  { leaseOwner, leaseMs }: { leaseOwner: number; leaseMs: number }
): Promise<void> {
  if (messages.length === 0) return
  await tx.run(sql`
    update inbound_webhooks
       set lease_token = lease_token + 1, lease_owner = ${leaseOwner},
           leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
     where store_id = ${storeId} and id = any(${messages.map(({ id }) => id)}::bigint[])`)
}

/**
 * Of these messages those of which nothing was recorded yet; afterwards all of them count as recorded. In the transaction of what is
 * recorded, for what may follow from a message only once: a handler can get it twice.
 */
export async function claimRecording({ tx, storeId, now }: Ctx, ids: number[]): Promise<Set<number>> {
  const claimed = await tx.many(
    row({ id: int }),
    sql`
    update inbound_webhooks set recorded_at = ${now}
     where store_id = ${storeId} and id = any(${ids}::bigint[]) and recorded_at is null
    returning id`
  )
  return new Set(claimed.map(({ id }) => id))
}

/** Extends the leases on messages and returns these. The others have run out or were taken over: we were too slow. */
export async function extendInboundLease(
  { tx, storeId }: Ctx,
  messages: Inbound[],
  leaseMs: number
): Promise<Inbound[]> {
  // What is locked is being marked or given back: waiting for several could be a deadlock.
  const extended = await tx.many(
    row({ id: int }),
    sql`
    with held as (
      select w.id from inbound_webhooks w
        join unnest(${messages.map((m) => m.id)}::bigint[], ${messages.map((m) => m.leaseToken)}::int[]) as h(id, token)
          on w.id = h.id and w.lease_token = h.token
       where w.store_id = ${storeId} and w.leased_until >= statement_timestamp()
         for update of w skip locked)
    update inbound_webhooks w set leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
      from held where w.store_id = ${storeId} and w.id = held.id
    returning w.id`
  )
  const ids = new Set(extended.map(({ id }) => id))
  return messages.filter(({ id }) => ids.has(id))
}

/** Gives back messages that were not handled. */
export async function giveBackInbound({ tx, storeId }: Ctx, messages: Inbound[]): Promise<void> {
  await tx.run(sql`
    update inbound_webhooks w set lease_owner = null, leased_until = null
      from unnest(${messages.map((m) => m.id)}::bigint[], ${messages.map((m) => m.leaseToken)}::int[]) as held(id, token)
     where w.store_id = ${storeId} and w.id = held.id and w.lease_token = held.token`)
}

/** Ends messages, except those whose lease another process has taken over. */
export async function markInboundEnded(
  { tx, storeId }: Ctx,
  messages: Inbound[],
  status: 'done' | 'ignored'
): Promise<void> {
  await tx.run(sql`
    update inbound_webhooks w set status = ${status}, lease_owner = null, leased_until = null
      from unnest(${messages.map((m) => m.id)}::bigint[], ${messages.map((m) => m.leaseToken)}::int[]) as ended(id, token)
     where w.store_id = ${storeId} and w.id = ended.id and w.lease_token = ended.token`)
}

/** Schedules the next try of a message at `runAt`; null: the message has failed for good. */
export async function markInboundFailed(
  { tx, storeId }: Ctx,
  message: Inbound,
  error: string,
  runAt: Temporal.Instant | null
): Promise<void> {
  // PostgreSQL does not accept NUL in text, and an error may quote the message.
  const lastError = error.replaceAll('\0', '').slice(0, MAX_ERROR_LENGTH)
  await tx.run(sql`
    update inbound_webhooks
       set status = case when ${runAt}::timestamptz is null then 'failed' else 'waiting' end,
           run_at = coalesce(${runAt}::timestamptz, run_at), attempts = attempts + 1, last_error = ${lastError},
           lease_owner = null, leased_until = null
     where store_id = ${storeId} and id = ${message.id} and lease_token = ${message.leaseToken}`)
}

/** How many are tried again at once. */
const MAX_RETRIED = 1000

/**
 * Has messages tried now whose processing failed: those that wait for their next try, and those that have failed for good, which
 * begin anew. The oldest of very many. Returns how many.
 */
export function retryInboundNow({ tx, storeId, now }: Ctx): Promise<number> {
  return tx.run(sql`
    with unprocessed as (
      select id from (
        (select id from inbound_webhooks
          where store_id = ${storeId} and status = 'failed' order by id limit ${MAX_RETRIED})
        union all
        (select id from inbound_webhooks
          where store_id = ${storeId} and status = 'waiting' and run_at > ${now} and attempts > 0 order by id limit ${MAX_RETRIED})) both_kinds
       order by id limit ${MAX_RETRIED}),
    free as (
      select w.id from inbound_webhooks w join unprocessed u on u.id = w.id
       where w.store_id = ${storeId} and w.leased_until is null for update of w skip locked)
    update inbound_webhooks w
       set status = 'waiting', run_at = ${now}, attempts = case when w.status = 'failed' then 0 else w.attempts end
      from free where w.store_id = ${storeId} and w.id = free.id`)
}

const InboundState = row({ status: oneOf('waiting', 'done', 'failed', 'ignored'), lastError: nullable(text) })

/** How far a message has come; null when none has arrived under this id. */
export function findInbound({ tx, storeId }: Ctx, webhookId: string): Promise<RowOf<typeof InboundState> | null> {
  return tx.maybeOne(
    InboundState,
    sql`select status, last_error from inbound_webhooks where store_id = ${storeId} and webhook_id = ${webhookId}`
  )
}

/** Deletes at most `limit` finished messages from before `before`, oldest first. Failed messages stay for people to see. */
export async function deleteOldInbound({ tx, storeId }: Ctx, before: Temporal.Instant, limit: number): Promise<void> {
  await tx.run(sql`
    delete from inbound_webhooks
     where store_id = ${storeId}
       and id in (select id from inbound_webhooks
                   where store_id = ${storeId} and status in ('done', 'ignored') and received_at < ${before}
                   order by received_at limit ${limit})`)
}

export const dueInbound = dueQuery(
  'inbound_due',
  `select m.store_id, min(m.run_at) as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join inbound_webhooks m on m.store_id = s.store_id and m.status = 'waiting' and m.run_at <= s.until
    where m.leased_until is null or m.leased_until < statement_timestamp()
    group by m.store_id`
)

export const nextInboundAt = directSql<[number]>(
  'next_inbound_at',
  `select min(run_at) as at from inbound_webhooks where store_id = $1 and status = 'waiting'`
)

/** Releases what these nodes have leased, in all stores. */
export const releaseInbound: LeaseRelease = (owners) => sql`
  update inbound_webhooks set lease_owner = null, leased_until = null where lease_owner = any(${owners}::bigint[])`

/** The number of the last message of a store; 0 where there is none. */
export async function findLastMessage({ tx, storeId }: Ctx): Promise<number> {
  return (
    await tx.one(
      row({ id: int }),
      sql`select coalesce(max(id), 0) as id from inbound_webhooks where store_id = ${storeId}`
    )
  ).id
}

/** Messages of these topics after one that are done, in order of arrival. */
export function listMessagesAfter(
  { tx, storeId }: Ctx,
  { topics, after, limit }: { topics: string[]; after: number; limit: number }
): Promise<Inbound[]> {
  return tx.many(
    Inbound,
    sql`
    select id, topic, body, triggered_at, received_at, attempts, lease_token from inbound_webhooks
     where store_id = ${storeId} and id > ${after} and topic = any(${topics}::text[]) and status = 'done' order by id limit ${limit}`
  )
}
