import { realNow } from '#kit/clock'
import {
  bool,
  type Ctx,
  directSql,
  instant,
  int,
  nullable,
  oneOf,
  type Queries,
  type RowOf,
  row,
  sql,
  type Tx,
  text,
  textList
} from '#kit/postgres'
import { PLATFORM_PROFILES, RATE_PLANS } from '../store.ts'
import type { KeyMode } from './key-text.ts'

const shownOfKey = {
  id: int,
  name: text,
  mode: oneOf('test', 'live'),
  keyHint: text,
  scopes: textList,
  createdAt: instant,
  lastUsedAt: nullable(instant),
  /** Until when it works, after it was rolled; null without an end. */
  expiresAt: nullable(instant),
  revokedAt: nullable(instant)
}

/** An API key without its hash. Times are real time, also in a sandbox store. */
export const ApiKey = row(shownOfKey)
export type ApiKey = RowOf<typeof ApiKey>

const KeyWithState = row({ ...shownOfKey, isLive: bool })

export function insertKey(
  ctx: Ctx,
  key: { name: string; mode: KeyMode; hash: Buffer; hint: string; scopes: string[] }
): Promise<ApiKey> {
  return ctx.tx.one(
    ApiKey,
    sql`insert into api_keys (store_id, name, mode, key_hash, key_hint, scopes, created_at)
        values (${ctx.storeId}, ${key.name}, ${key.mode}, ${key.hash}, ${key.hint}, ${key.scopes}::text[],
                statement_timestamp())
        returning id, name, mode, key_hint, scopes, created_at, last_used_at, expires_at, revoked_at`
  )
}

/** Newest first, including revoked ones. */
export function listKeys(ctx: Ctx): Promise<ApiKey[]> {
  return ctx.tx.many(
    ApiKey,
    sql`select id, name, mode, key_hint, scopes, created_at, last_used_at, expires_at, revoked_at
          from api_keys where store_id = ${ctx.storeId} order by id desc`
  )
}

/** The names of these keys by their ids, also of those that were revoked. */
export async function namesOfKeys(ctx: Ctx, keyIds: number[]): Promise<Map<number, string>> {
  if (keyIds.length === 0) return new Map()
  const found = await ctx.tx.many(
    row({ id: int, name: text }),
    sql`select id, name from api_keys where store_id = ${ctx.storeId} and id = any(${keyIds}::bigint[])`
  )
  return new Map(found.map(({ id, name }) => [id, name]))
}

/** Revokes a key; a second revocation does not change the time of the first. Null when there is no such key. */
export function markRevoked(ctx: Ctx, keyId: number): Promise<ApiKey | null> {
  return ctx.tx.maybeOne(
    ApiKey,
    sql`update api_keys set revoked_at = coalesce(revoked_at, ${realNow()})
         where store_id = ${ctx.storeId} and id = ${keyId}
        returning id, name, mode, key_hint, scopes, created_at, last_used_at, expires_at, revoked_at`
  )
}

/** Held until the transaction ends, so that a revocation does not come between; null when there is no such key. */
export function lockKey(ctx: Ctx, keyId: number): Promise<(ApiKey & { isLive: boolean }) | null> {
  return ctx.tx.maybeOne(
    KeyWithState,
    sql`select id, name, mode, key_hint, scopes, created_at, last_used_at, expires_at, revoked_at,
               revoked_at is null and (expires_at is null or expires_at > statement_timestamp()) as is_live
          from api_keys where store_id = ${ctx.storeId} and id = ${keyId} for update`
  )
}

/** From then on, in `hours` of real time, the key is refused. */
export function setKeyEnd(ctx: Ctx, keyId: number, hours: number): Promise<number> {
  return ctx.tx.run(
    // A key that ends at once is revoked for nodes of before too, which know no end.
    sql`update api_keys
           set expires_at = statement_timestamp() + ${hours} * interval '1 hour',
               revoked_at = coalesce(revoked_at, ${hours === 0 ? realNow() : null}::timestamptz)
         where store_id = ${ctx.storeId} and id = ${keyId}`
  )
}

const LiveKey = row({
  id: int,
  storeId: int,
  scopes: textList,
  timezone: text,
  currency: text,
  ratePlan: oneOf(...RATE_PLANS),
  platformProfile: oneOf(...PLATFORM_PROFILES),
  sandbox: bool
})

const keyByHash = directSql<[storeId: number, hash: Buffer]>(
  'api_key_by_hash',
  `select k.id, k.store_id, k.scopes, s.timezone, s.currency, s.rate_plan, s.platform_profile, s.sandbox
     from api_keys k join stores s on s.store_id = k.store_id
    where k.store_id = $1 and k.key_hash = $2 and k.revoked_at is null and (k.expires_at is null or k.expires_at > statement_timestamp()) and s.status = 'active'`
)

/** A valid key of a connected store, with the facts of the store that every request needs. */
export function findLiveKey(direct: Queries, storeId: number, hash: Buffer) {
  return direct.maybeOne(LiveKey, keyByHash(storeId, hash))
}

/** Updates the last uses of many keys of many stores; a time never goes back. */
export function writeLastUses(tx: Tx, uses: { storeId: number; keyId: number; at: Temporal.Instant }[]) {
  return tx.run(
    sql`update api_keys k set last_used_at = u.at
          from unnest(${uses.map((u) => u.storeId)}::bigint[], ${uses.map((u) => u.keyId)}::bigint[],
                      ${uses.map((u) => u.at)}::timestamptz[]) as u(store_id, id, at)
         where k.store_id = u.store_id and k.id = u.id and (k.last_used_at is null or k.last_used_at < u.at)`
  )
}
