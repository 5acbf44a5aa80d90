import { type Ctx, int, row, sql, text } from '../postgres/index.ts'
import { type Consumer, StoredFact } from './consumer.ts'

/** How long a consumer waits after each failed try of a fact, in store time. After one try more the fact is dead. */
export const RETRY_AFTER_MINUTES = [1, 5, 30, 120, 720] as const
const MAX_ERROR_CHARACTERS = 500

/** A fact that is tried again, and how often it has failed. */
export type Retry = { fact: StoredFact; attempts: number }

// A row is due at retry_at. It has none while it waits for an earlier fact of its ordering key, and none once it is dead.

/** Ordering keys of these facts of which an earlier fact waits for a retry. */
export async function blockedKeys(ctx: Ctx, { name }: Consumer, facts: StoredFact[]): Promise<Set<string>> {
  const rows = await ctx.tx.many(
    row({ orderingKey: text }),
    sql`
    select distinct ordering_key from fact_retries
     where store_id = ${ctx.storeId} and consumer = ${name} and dead_at is null
       and ordering_key = any(${facts.map((fact) => fact.orderingKey)}::text[])`
  )
  return new Set(rows.map(({ orderingKey }) => orderingKey))
}

/**
 * Keeps facts for later: one that failed, ones that only newer code can handle, which may take them at once, or ones that wait
 * for an earlier fact of their ordering key.
 */
export async function putAside(
  ctx: Ctx,
  { name }: Consumer,
  facts: StoredFact[],
  why: 'waits' | 'needs newer code' | { error: unknown }
): Promise<void> {
  if (facts.length === 0) return
  const hasFailed = typeof why === 'object'
  const failedUntil = ctx.now.add({ minutes: RETRY_AFTER_MINUTES[0] })
  const retryAt = hasFailed ? failedUntil : why === 'waits' ? null : ctx.now
  await ctx.tx.run(sql`
    insert into fact_retries
           (store_id, consumer, fact_id, name, position, ordering_key, attempts, retry_at, last_error)
    select ${ctx.storeId}, ${name}, f.id, f.name, f.position, f.ordering_key, ${Number(hasFailed)}::int,
           ${retryAt}::timestamptz, ${hasFailed ? messageOf(why.error) : null}::text
      from unnest(${facts.map((f) => f.id)}::bigint[], ${facts.map((f) => f.name)}::text[],
                  ${facts.map((f) => f.position)}::bigint[], ${facts.map((f) => f.orderingKey)}::text[])
             as f(id, name, position, ordering_key)
    on conflict (store_id, fact_id, consumer) do nothing`)
}

/** The names of facts that this version of a consumer knows, those included that it needs no more. */
export const namesOf = ({ facts, dropped }: Consumer) => [...facts, ...dropped]

/** The fact whose retry is due first, with the number of its failed tries, or null. Facts of other names are left to newer code. */
export async function nextRetry(ctx: Ctx, consumer: Consumer): Promise<Retry | null> {
  const found = await ctx.tx.maybeOne(
    row({ factId: int, attempts: int }),
    sql`
    select fact_id, attempts from fact_retries
     where store_id = ${ctx.storeId} and consumer = ${consumer.name} and retry_at <= ${ctx.now}
       and name = any(${namesOf(consumer)}::text[])
     order by retry_at, position limit 1`
  )
  if (!found) return null
  const fact = await ctx.tx.one(
    StoredFact,
    sql`
    select id, position, name, ordering_key, data, refs, occurred_at from facts
     where store_id = ${ctx.storeId} and id = ${found.factId}`
  )
  return { fact, attempts: found.attempts }
}

/** Ends the retries of a fact that was handled, and lets the next fact of its ordering key go. */
export async function settleRetry(ctx: Ctx, consumer: Consumer, fact: StoredFact): Promise<void> {
  await ctx.tx.run(sql`
    delete from fact_retries
     where store_id = ${ctx.storeId} and consumer = ${consumer.name} and fact_id = ${fact.id}`)
  await releaseNext(ctx, consumer, fact.orderingKey)
}

/**
 * Writes down one more failed try of a fact that had failed `attempts` times, and returns when it is tried again. Null
 * after the last try: the fact is dead, and its successors go on.
 */
export async function failAgain(
  ctx: Ctx,
  consumer: Consumer,
  { fact, attempts, error }: { fact: StoredFact; attempts: number; error: unknown }
): Promise<Temporal.Instant | null> {
  const minutes = RETRY_AFTER_MINUTES[attempts]
  const retryAt = minutes === undefined ? null : ctx.now.add({ minutes })
  await ctx.tx.run(sql`
    update fact_retries
       set attempts = ${attempts + 1}, last_error = ${messageOf(error)}, retry_at = ${retryAt},
           dead_at = ${retryAt ? null : ctx.now}
     where store_id = ${ctx.storeId} and consumer = ${consumer.name} and fact_id = ${fact.id}`)
  if (!retryAt) await releaseNext(ctx, consumer, fact.orderingKey)
  return retryAt
}

/** Makes the first fact that is left of an ordering key due at once. */
async function releaseNext(ctx: Ctx, { name }: Consumer, orderingKey: string): Promise<void> {
  await ctx.tx.run(sql`
    update fact_retries set retry_at = ${ctx.now}
     where store_id = ${ctx.storeId} and consumer = ${name} and retry_at is null
       and position = (select min(r.position) from fact_retries r
                        where r.store_id = ${ctx.storeId} and r.consumer = ${name} and r.ordering_key = ${orderingKey}
                          and r.dead_at is null)`)
}

const messageOf = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).slice(0, MAX_ERROR_CHARACTERS)
