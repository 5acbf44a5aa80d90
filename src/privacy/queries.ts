import { dueQuery } from '#kit/engines'
import { type Ctx, directSql, instant, int, json, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'
import { pseudonymIn } from '#platform'
import {
  DAYS_TO_CARRY_OUT,
  PRIVACY_TOPICS,
  PrivacyRequest,
  type PrivacyTopic,
  type Progress,
  type StoredSubject,
  type Subject
} from './request.ts'

export type NewRequest = {
  topic: PrivacyTopic
  source: 'platform' | 'operator'
  platformRequestId: string | null
  subject: Subject | null
  /** Why it is refused at once; null: it is carried out. */
  refusedFor: string | null
}

/** What tells that two requests are about the same customer. */
const keyOf = ({ customerId, memberId, email, phone }: Subject): string =>
  customerId !== null
    ? `customer:${customerId}`
    : memberId !== null
      ? `member:${memberId}`
      : email !== null
        ? `email:${email.toLowerCase()}`
        : `phone:${phone}`

/** Records a request. Returns the open one where there is one with this topic about the same customer. */
export async function insertRequest(
  ctx: Ctx,
  { topic, source, platformRequestId, subject, refusedFor }: NewRequest
): Promise<number> {
  const key = subject && pseudonymIn(ctx, keyOf(subject))
  const open = await ctx.tx.maybeOne(
    row({ id: int }),
    sql`
    select min(id) as id from privacy_requests
     where store_id = ${ctx.storeId} and topic = ${topic} and subject_key = ${key}::bytea and done_at is null
    having min(id) is not null`
  )
  if (open) return open.id
  const due = ctx.now.add({ hours: DAYS_TO_CARRY_OUT * 24 })
  const { id } = await ctx.tx.one(
    row({ id: int }),
    sql`
    insert into privacy_requests (store_id, topic, source, platform_request_id, subject_key, subject, received_at, due_at, run_at)
    values (${ctx.storeId}, ${topic}, ${source}, ${platformRequestId}, ${key}, ${
      subject && JSON.stringify({ asked: subject, person: null } satisfies StoredSubject)
    }::jsonb, ${ctx.now}, ${due}, ${ctx.now})
    returning id`
  )
  if (refusedFor !== null) await markRefused(ctx, id, refusedFor)
  return id
}

const DueRequest = row({
  id: int,
  topic: oneOf(...PRIVACY_TOPICS),
  receivedAt: instant,
  subject: nullable(json<StoredSubject>()),
  progress: nullable(json<Progress>())
})
export type DueRequest = RowOf<typeof DueRequest>

/** Locks the request whose step is due first; null when there is none, or another process is at it. */
export function lockDueRequest(ctx: Ctx): Promise<DueRequest | null> {
  return ctx.tx.maybeOne(
    DueRequest,
    sql`
    select id, topic, received_at, subject, progress from privacy_requests
     where store_id = ${ctx.storeId} and run_at <= ${ctx.now}
     order by run_at, id limit 1 for update skip locked`
  )
}

/** Why it cannot be begun yet, and when it is tried again. */
export async function markWaiting(ctx: Ctx, id: number, reason: string, runAt: Temporal.Instant): Promise<void> {
  await ctx.tx.run(sql`
    update privacy_requests set reason = ${reason}, run_at = ${runAt}
     where store_id = ${ctx.storeId} and id = ${id} and run_at is not null`)
}

export async function markRunning(
  ctx: Ctx,
  id: number,
  subject: StoredSubject,
  memberId: number | null
): Promise<void> {
  await ctx.tx.run(sql`
    update privacy_requests
       set status = 'running', reason = null, subject = ${JSON.stringify(subject)}::jsonb,
           member_id = coalesce(${memberId}::bigint, member_id)
     where store_id = ${ctx.storeId} and id = ${id}`)
}

/** Where it goes on, and how many rows of a table the last step has changed. */
export async function markProgress(
  ctx: Ctx,
  id: number,
  { progress, runAt, status }: { progress: Progress; runAt: Temporal.Instant; status: 'running' | 'checking' },
  { table, rows }: { table: string; rows: number }
): Promise<void> {
  await ctx.tx.run(sql`
    update privacy_requests
       set progress = ${JSON.stringify(progress)}::jsonb, run_at = ${runAt}, status = ${status}, reason = ${progress.left ?? null},
           counts = case when ${rows}::bigint = 0 then counts
                         else counts || jsonb_build_object(${table}::text, coalesce((counts->>${table}::text)::bigint, 0) + ${rows}::bigint) end
     where store_id = ${ctx.storeId} and id = ${id}`)
}

/** Keeps less of the person while it runs. */
export async function storeSubject(ctx: Ctx, id: number, subject: StoredSubject): Promise<void> {
  await ctx.tx.run(sql`
    update privacy_requests set subject = ${JSON.stringify(subject)}::jsonb
     where store_id = ${ctx.storeId} and id = ${id} and done_at is null`)
}

/** A request is done. `left`: what others still have of the person, and why. */
export const markDone = (ctx: Ctx, id: number, left: string | null = null): Promise<void> => end(ctx, id, 'done', left)

/** A request was not carried out. */
export const markRefused = (ctx: Ctx, id: number, reason: string): Promise<void> => end(ctx, id, 'refused', reason)

/** From here on nobody can tell from it who it was about. */
async function end(ctx: Ctx, id: number, status: 'done' | 'refused', reason: string | null): Promise<void> {
  await ctx.tx.run(sql`
    update privacy_requests
       set status = ${status}, reason = ${reason}, run_at = null, progress = null, subject = null, done_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = ${id} and done_at is null`)
}

/** Keeps the file of a data request until it expires. */
export async function storeExport(
  ctx: Ctx,
  id: number,
  file: { memberId: number | null; content: string; counts: Record<string, number>; expiresAt: Temporal.Instant }
): Promise<void> {
  await ctx.tx.run(sql`
    insert into privacy_exports (store_id, request_id, member_id, content, made_at, expires_at)
    values (${ctx.storeId}, ${id}, ${file.memberId}, ${file.content}, ${ctx.now}, ${file.expiresAt})
    on conflict (store_id, request_id) do update
      set content = excluded.content, made_at = excluded.made_at, expires_at = excluded.expires_at`)
  await ctx.tx.run(sql`
    update privacy_requests
       set status = 'ready', reason = null, subject = null, run_at = null, member_id = ${file.memberId}, counts = ${JSON.stringify(file.counts)}::jsonb
     where store_id = ${ctx.storeId} and id = ${id} and done_at is null`)
}

/** The file of a data request, which is handed over with that; null when there is none, or none any more. */
export async function takeExport(ctx: Ctx, id: number): Promise<string | null> {
  const found = await ctx.tx.maybeOne(
    row({ content: text }),
    sql`
    update privacy_exports set fetched_at = coalesce(fetched_at, ${ctx.now}::timestamptz)
     where store_id = ${ctx.storeId} and request_id = ${id} and expires_at > ${ctx.now}
    returning content`
  )
  if (found) await markDone(ctx, id)
  return found?.content ?? null
}

/** Newest first. `before`: only older ones than this. */
export function listRequests(ctx: Ctx, { before = null, limit }: { before?: number | null; limit: number }) {
  return ctx.tx.many(
    PrivacyRequest,
    sql`
    select r.id, r.topic, r.source, r.platform_request_id, r.member_id, r.status, r.reason, r.counts, r.received_at, r.due_at,
           r.done_at, e.expires_at
      from privacy_requests r
      left join privacy_exports e on e.store_id = ${ctx.storeId} and e.request_id = r.id
     where r.store_id = ${ctx.storeId} and (${before}::bigint is null or r.id < ${before}::bigint)
     order by r.id desc limit ${limit}`
  )
}

/** One of them; null when the store has none under this number. */
export function findRequest(ctx: Ctx, id: number): Promise<PrivacyRequest | null> {
  return ctx.tx.maybeOne(
    PrivacyRequest,
    sql`
    select r.id, r.topic, r.source, r.platform_request_id, r.member_id, r.status, r.reason, r.counts, r.received_at, r.due_at,
           r.done_at, e.expires_at
      from privacy_requests r
      left join privacy_exports e on e.store_id = ${ctx.storeId} and e.request_id = r.id
     where r.store_id = ${ctx.storeId} and r.id = ${id}`
  )
}

/** Removes files whose time is over; a request that nobody has fetched is done with that. */
export async function deleteExpiredExports(ctx: Ctx): Promise<number> {
  const expired = await ctx.tx.many(
    row({ requestId: int }),
    sql`delete from privacy_exports where store_id = ${ctx.storeId} and expires_at <= ${ctx.now} returning request_id`
  )
  for (const { requestId } of expired) await markRefused(ctx, requestId, 'Nobody has fetched the file in its time')
  return expired.length
}

export const duePrivacy = dueQuery(
  'privacy_due',
  `select d.store_id, min(d.due_at) as due_at
     from (select r.store_id, r.run_at as due_at
             from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
             join privacy_requests r on r.store_id = s.store_id and r.run_at <= s.until
           union all
           select e.store_id, e.expires_at
             from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
             join privacy_exports e on e.store_id = s.store_id and e.expires_at <= s.until) d
    group by d.store_id`
)

export const nextPrivacyAt = directSql<[number]>(
  'privacy_next_due',
  `select least((select min(run_at) from privacy_requests where store_id = $1 and run_at is not null),
                (select min(expires_at) from privacy_exports where store_id = $1)) as at`
)
