import { bytes, type Ctx, type Database, int, row, sql, text } from './postgres/index.ts'

/** A writing request that may be repeated. `fingerprint` tells one request from another under the same key. */
export type Claim = { key: string; fingerprint: Buffer }
export type StoredResponse = { status: number; body: string }

/** What a claim found: nobody had the key, the same request had it and was answered, or another request has it. */
export type Claimed = { state: 'fresh' } | { state: 'stored'; answer: StoredResponse } | { state: 'other' }

/** How long an answer is kept for repetitions, in real time. */
const RETAINED_FOR = '24 hours'

const StoredKey = row({ idempotencyKey: text, fingerprint: bytes, status: int, body: text })

/**
 * Takes keys, each given once, for the transaction under way. One that another transaction has taken is waited for: it
 * is either answered then, or free again because that one came to nothing. In the order of the claims.
 */
export async function claimKeys(ctx: Ctx, claims: Claim[]): Promise<Claimed[]> {
  if (claims.length === 0) return []
  const keys = claims.map(({ key }) => key)
  const fresh = await ctx.tx.many(
    row({ idempotencyKey: text }),
    sql`
    insert into idempotent_responses as a (store_id, idempotency_key, fingerprint, created_at)
    select ${ctx.storeId}, c.key, c.fingerprint, statement_timestamp()
      from unnest(${keys}::text[], ${claims.map(({ fingerprint }) => fingerprint)}::bytea[]) as c(key, fingerprint)
     order by c.key
    on conflict (store_id, idempotency_key) do update
      set fingerprint = excluded.fingerprint, status = null, body = null, created_at = excluded.created_at
      where a.created_at < excluded.created_at - ${RETAINED_FOR}::interval
    returning idempotency_key`
  )
  const mine = new Set(fresh.map(({ idempotencyKey }) => idempotencyKey))
  const stored = mine.size === keys.length ? [] : await listStoredResponses(ctx, keys)
  const byKey = new Map(stored.map((answer) => [answer.idempotencyKey, answer]))
  return claims.map(({ key, fingerprint }) => {
    if (mine.has(key)) return { state: 'fresh' }
    const { status, body, fingerprint: was } = byKey.get(key)!
    return was.equals(fingerprint) ? { state: 'stored', answer: { status, body } } : { state: 'other' }
  })
}

function listStoredResponses(ctx: Ctx, keys: string[]) {
  return ctx.tx.many(
    StoredKey,
    sql`
    select idempotency_key, fingerprint, status, body from idempotent_responses
     where store_id = ${ctx.storeId} and idempotency_key = any(${keys}::text[]) and status is not null`
  )
}

/** Keeps what was answered, in the transaction of the effect: either both are there or neither. */
export async function storeResponses(ctx: Ctx, answers: ({ key: string } & StoredResponse)[]): Promise<void> {
  if (answers.length === 0) return
  await ctx.tx.run(sql`
    update idempotent_responses a set status = k.status, body = k.body
      from unnest(${answers.map((k) => k.key)}::text[], ${answers.map((k) => k.status)}::int[],
                  ${answers.map((k) => k.body)}::text[]) as k(key, status, body)
     where a.store_id = ${ctx.storeId} and a.idempotency_key = k.key`)
}

/** Gives back keys that were claimed in this transaction and came to nothing, while others of it have their effect. */
export async function releaseKeys(ctx: Ctx, keys: string[]): Promise<void> {
  if (keys.length === 0) return
  await ctx.tx.run(sql`
    delete from idempotent_responses
     where store_id = ${ctx.storeId} and idempotency_key = any(${keys}::text[]) and status is null`)
}

/** Removes answers that nobody can ask for any more; returns how many. */
export function pruneResponses(db: Database): Promise<number> {
  return db.inInstallation((tx) =>
    tx.run(sql`delete from idempotent_responses where created_at < statement_timestamp() - ${RETAINED_FOR}::interval`)
  )
}
