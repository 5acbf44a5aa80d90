import { type Bound, bytes, type Ctx, type Database, int, row, sql, text } from './postgres/index.ts'

/** A write request with an idempotency key. `fingerprint` distinguishes requests that use the same key. */
export type Claim = { key: string; fingerprint: Buffer }
export type StoredResponse = { status: number; body: string }

/** The result of a claim: the key is new, the same request has a stored response, or another request used the key. */
export type Claimed = { state: 'fresh' } | { state: 'stored'; response: StoredResponse } | { state: 'other' }

/** How long a response is stored, in real time. */
const RETAINED_FOR = '24 hours'

const StoredKey = row({ idempotencyKey: text, fingerprint: bytes, status: int, body: text })

/**
 * Claims keys for the current transaction; no key may occur twice. Waits for another transaction that holds one of the keys:
 * afterwards the key either has a response, or is free because that transaction was rolled back. Results are in the order of
 * the claims.
 */
export async function claimKeys(ctx: Bound, claims: Claim[]): Promise<Claimed[]> {
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
  const claimed = new Set(fresh.map(({ idempotencyKey }) => idempotencyKey))
  const stored = claimed.size === keys.length ? [] : await listStoredResponses(ctx, keys)
  const byKey = new Map(stored.map((response) => [response.idempotencyKey, response]))
  return claims.map(({ key, fingerprint }) => {
    if (claimed.has(key)) return { state: 'fresh' }
    const { status, body, fingerprint: storedFingerprint } = byKey.get(key)!
    return storedFingerprint.equals(fingerprint) ? { state: 'stored', response: { status, body } } : { state: 'other' }
  })
}

/** What a claim of the key would find now. It claims nothing: a request with the key may be under way. */
export async function peekKey(ctx: Ctx, { key, fingerprint }: Claim): Promise<Claimed> {
  const found = await ctx.tx.maybeOne(
    StoredKey,
    sql`
    select idempotency_key, fingerprint, status, body from idempotent_responses
     where store_id = ${ctx.storeId} and idempotency_key = ${key} and status is not null
       and created_at >= statement_timestamp() - ${RETAINED_FOR}::interval`
  )
  if (!found) return { state: 'fresh' }
  const { status, body } = found
  return found.fingerprint.equals(fingerprint) ? { state: 'stored', response: { status, body } } : { state: 'other' }
}

function listStoredResponses(ctx: Bound, keys: string[]) {
  return ctx.tx.many(
    StoredKey,
    sql`
    select idempotency_key, fingerprint, status, body from idempotent_responses
     where store_id = ${ctx.storeId} and idempotency_key = any(${keys}::text[]) and status is not null`
  )
}

/** Stores responses, in the same transaction as the requests' effects. Nobody waits for it before the transaction's end. */
export function storeResponses(ctx: Ctx, responses: ({ key: string } & StoredResponse)[]): void {
  if (responses.length === 0) return
  const keys = responses.map(({ key }) => key)
  // The keys are named twice, so that without statistics too no plan can read other rows of the store.
  ctx.tx.send(sql`
    update idempotent_responses a set status = k.status, body = k.body
      from unnest(${keys}::text[], ${responses.map((k) => k.status)}::int[],
                  ${responses.map((k) => k.body)}::text[]) as k(key, status, body)
     where a.store_id = ${ctx.storeId} and a.idempotency_key = k.key and a.idempotency_key = any(${keys}::text[])`)
}

/** Releases keys that this transaction claimed for requests without effect, while its other requests are committed. */
export async function releaseKeys(ctx: Ctx, keys: string[]): Promise<void> {
  if (keys.length === 0) return
  await ctx.tx.run(sql`
    delete from idempotent_responses
     where store_id = ${ctx.storeId} and idempotency_key = any(${keys}::text[]) and status is null`)
}

/** Deletes expired responses; returns their number. */
export function pruneResponses(db: Database): Promise<number> {
  return db.inInstallation((tx) =>
    tx.run(sql`delete from idempotent_responses where created_at < statement_timestamp() - ${RETAINED_FOR}::interval`)
  )
}
