import {
  acrossStores,
  bool,
  bytes,
  type Ctx,
  directSql,
  instant,
  int,
  json,
  nullable,
  oneOf,
  type Queries,
  type RowOf,
  row,
  sql,
  type Tx,
  text
} from '#kit/postgres'
import { PLATFORM_PROFILES, RATE_PLANS, Store } from './store.ts'

export function listAllStores(tx: Tx): Promise<Store[]> {
  return tx.many(
    Store,
    sql`select store_id, domain, name, timezone, currency, rate_plan, sandbox, clock_at, platform_profile, platform_url,
               case when deleting_since is null then status else 'deleting' end as status, connected_at, restored_at,
               token_refused_at, webhooks_url, created_at
          from stores order by store_id`
  )
}

const storeById = directSql<[storeId: number]>(
  'store_by_id',
  `select store_id, domain, name, timezone, currency, rate_plan, sandbox, clock_at, platform_profile, platform_url,
          case when deleting_since is null then status else 'deleting' end as status, connected_at, restored_at,
          token_refused_at, webhooks_url, created_at
     from stores where store_id = $1`
)

export function findStoreById(direct: Queries, storeId: number): Promise<Store | null> {
  return direct.maybeOne(Store, storeById(storeId))
}

/** The store of a domain, read over all stores: the result is public, and nothing else of the store is returned. */
export async function findStoreIdByDomain(tx: Tx, domain: string): Promise<number | null> {
  const found = await tx.maybeOne(row({ storeId: int }), sql`select store_id from stores where domain = ${domain}`)
  return found?.storeId ?? null
}

/** Locks an unfinished store, so that two attempts to create it do not mix. Null when no store has this domain. */
export function lockStoreByDomain(tx: Tx, domain: string) {
  return tx.maybeOne(
    row({ storeId: int, connectedAt: nullable(instant), platformCredentials: bytes, isDeleting: bool }),
    sql`select store_id, connected_at, platform_credentials, deleting_since is not null as is_deleting
          from stores where domain = ${domain} for update`
  )
}

/** A store as it is written; `credentials` are encrypted. */
export type WrittenStore = Omit<
  Store,
  'storeId' | 'status' | 'connectedAt' | 'restoredAt' | 'tokenRefusedAt' | 'webhooksUrl' | 'createdAt'
> & {
  credentials: Buffer
}

/** Null when another transaction inserted the domain first. */
export function insertStore(tx: Tx, store: WrittenStore): Promise<Store | null> {
  return tx.maybeOne(
    Store,
    sql`insert into stores (domain, name, timezone, currency, rate_plan, sandbox, clock_at, platform_profile, platform_url,
                            platform_credentials)
        values (${store.domain}, ${store.name}, ${store.timezone}, ${store.currency}, ${store.ratePlan}, ${store.sandbox},
                ${store.clockAt}, ${store.platformProfile}, ${store.platformUrl}, ${store.credentials})
        on conflict (domain) do nothing
        returning store_id, domain, name, timezone, currency, rate_plan, sandbox, clock_at, platform_profile, platform_url,
                  status, connected_at, restored_at, token_refused_at, webhooks_url, created_at`
  )
}

export function rewriteStore(tx: Tx, storeId: number, store: WrittenStore): Promise<Store> {
  return tx.one(
    Store,
    sql`update stores
           set name = ${store.name}, timezone = ${store.timezone}, currency = ${store.currency},
               rate_plan = ${store.ratePlan}, sandbox = ${store.sandbox}, clock_at = ${store.clockAt},
               platform_profile = ${store.platformProfile}, platform_url = ${store.platformUrl},
               platform_credentials = ${store.credentials}, updated_at = statement_timestamp()
         where store_id = ${storeId}
        returning store_id, domain, name, timezone, currency, rate_plan, sandbox, clock_at, platform_profile, platform_url,
                  status, connected_at, restored_at, token_refused_at, webhooks_url, created_at`
  )
}

/** Marks a store as finished; from then on its domain is taken. */
export function markStoreConnected(ctx: Ctx): Promise<number> {
  return ctx.tx.run(
    sql`update stores set connected_at = statement_timestamp(), updated_at = statement_timestamp()
         where store_id = ${ctx.storeId} and connected_at is null`
  )
}

/**
 * A time zone that only JavaScript knows would fail later, in the first query for shop-local dates. When the result is false
 * the transaction has failed: the caller must throw.
 */
export async function databaseKnowsTimezone(tx: Tx, timezone: string): Promise<boolean> {
  try {
    await tx.run(sql`select statement_timestamp() at time zone ${timezone}`)
    return true
  } catch (err) {
    if ((err as { code?: string }).code === INVALID_PARAMETER_VALUE) return false
    throw err
  }
}

const INVALID_PARAMETER_VALUE = '22023'

const AccessRow = row({
  storeId: int,
  domain: text,
  timezone: text,
  currency: text,
  ratePlan: oneOf(...RATE_PLANS),
  sandbox: bool,
  platformProfile: oneOf(...PLATFORM_PROFILES),
  platformUrl: text,
  platformCredentials: bytes,
  isConnected: bool,
  isRestored: bool,
  tokenLeftMs: nullable(int)
})

const storeAccess = directSql<[storeId: number]>(
  'store_access',
  `select store_id, domain, timezone, currency, rate_plan, sandbox, platform_profile, platform_url, platform_credentials,
          status = 'active' as is_connected, restored_at is not null as is_restored,
          floor(extract(epoch from token_expires_at - statement_timestamp()) * 1000)::bigint as token_left_ms
     from stores where store_id = $1 and deleting_since is null`
)

export function findSealedAccess(direct: Queries, storeId: number) {
  return direct.maybeOne(AccessRow, storeAccess(storeId))
}

export async function readIsSandbox(ctx: Ctx): Promise<boolean> {
  const { sandbox } = await ctx.tx.one(
    row({ sandbox: bool }),
    sql`select sandbox from stores where store_id = ${ctx.storeId}`
  )
  return sandbox
}

const clockOf = directSql<[storeId: number]>(
  'store_clock',
  `select date_trunc('milliseconds', coalesce(clock_at, clock_timestamp())) as now from stores where store_id = $1`
)

export function findClock(direct: Queries, storeId: number) {
  return direct.maybeOne(row({ now: instant }), clockOf(storeId))
}

const Status = row({
  storeId: int,
  clockAt: nullable(instant),
  realNowMs: int,
  isSandbox: bool,
  isConnected: bool,
  isCaughtUp: bool,
  isRestored: bool
})

const STATUS = `
  select store_id, clock_at, floor(extract(epoch from statement_timestamp()) * 1000)::bigint as real_now_ms,
         sandbox as is_sandbox, status = 'active' as is_connected, not catching_up as is_caught_up,
         restored_at is not null as is_restored
    from stores where deleting_since is null`
const allStatuses = acrossStores<[]>('store_statuses', STATUS)
const someStatuses = acrossStores<[storeIds: number[]]>(
  'store_statuses_of',
  `${STATUS} and store_id = any($1::bigint[])`
)

/** The status of these stores, or of all; unknown ones and those that are being deleted are left out. */
export function listStatuses(queries: Queries, storeIds: number[] | null): Promise<RowOf<typeof Status>[]> {
  return queries.many(Status, storeIds === null ? allStatuses() : someStatuses(storeIds))
}

/** The clock, locked until the transaction ends, and the real time. */
export function lockClock(ctx: Ctx) {
  return ctx.tx.one(
    row({ domain: text, sandbox: bool, clockAt: nullable(instant), realNow: instant }),
    sql`select domain, sandbox, clock_at, date_trunc('milliseconds', statement_timestamp()) as real_now
          from stores where store_id = ${ctx.storeId} for update`
  )
}

export function writeClock(ctx: Ctx, clockAt: Temporal.Instant | null): Promise<number> {
  return ctx.tx.run(
    sql`update stores set clock_at = ${clockAt}, updated_at = statement_timestamp() where store_id = ${ctx.storeId}`
  )
}

export function writePlatformUrl(ctx: Ctx, url: string): Promise<number> {
  return ctx.tx.run(
    sql`update stores set platform_url = ${url}, updated_at = statement_timestamp()
         where store_id = ${ctx.storeId} and platform_url <> ${url}`
  )
}

/** The store's settings, locked until the transaction ends, so that two changes do not overwrite each other. */
export async function lockSettings(ctx: Ctx): Promise<object> {
  const { settings } = await ctx.tx.one(
    row({ settings: json<object>() }),
    sql`select settings from stores where store_id = ${ctx.storeId} for no key update`
  )
  return settings
}

export function writeSettings(ctx: Ctx, settings: object): Promise<number> {
  return ctx.tx.run(
    sql`update stores set settings = ${JSON.stringify(settings)}::jsonb, updated_at = statement_timestamp()
         where store_id = ${ctx.storeId}`
  )
}

/** The parts of a connection, locked until the transaction ends. */
export function lockConnection(ctx: Ctx) {
  return ctx.tx.one(
    row({ domain: text, name: text, timezone: text, platformUrl: text, platformCredentials: bytes, isConnected: bool }),
    sql`select domain, name, timezone, platform_url, platform_credentials, status = 'active' as is_connected
          from stores where store_id = ${ctx.storeId} for no key update`
  )
}

export function writeConnection(
  ctx: Ctx,
  { credentials, platformUrl, isConnected }: { credentials: Buffer; platformUrl: string; isConnected: boolean }
): Promise<number> {
  return ctx.tx.run(
    sql`update stores
           set platform_credentials = ${credentials}, platform_url = ${platformUrl},
               status = case when ${isConnected} then 'active' else 'disconnected' end, catching_up = catching_up or (${isConnected} and status <> 'active'),
               updated_at = statement_timestamp()
         where store_id = ${ctx.storeId}`
  )
}

/** Writes where the platform was told to send its webhooks. */
export function writeWebhooksUrl(ctx: Ctx, url: string): Promise<number> {
  return ctx.tx.run(
    sql`update stores set webhooks_url = ${url}, updated_at = statement_timestamp()
         where store_id = ${ctx.storeId} and webhooks_url is distinct from ${url}`
  )
}

/** Marks that the platform's changes during the disconnection are known. */
export function markCaughtUp(ctx: Ctx): Promise<number> {
  return ctx.tx.run(
    sql`update stores set catching_up = false, updated_at = statement_timestamp()
         where store_id = ${ctx.storeId} and catching_up`
  )
}

export function writeShop(ctx: Ctx, { name, timezone }: { name: string; timezone: string }): Promise<number> {
  return ctx.tx.run(
    sql`update stores set name = ${name}, timezone = ${timezone}, updated_at = statement_timestamp(),
               past_timezones = case when timezone = ${timezone} then past_timezones else past_timezones || timezone end
         where store_id = ${ctx.storeId}`
  )
}

/** Marks a store as one that is being deleted, which it stays. Older code knows it as disconnected. */
export async function markDeleting(tx: Tx, storeId: number, since: Temporal.Instant): Promise<void> {
  await tx.run(
    sql`update stores set deleting_since = coalesce(deleting_since, ${since}), status = 'disconnected',
               updated_at = statement_timestamp()
         where store_id = ${storeId}`
  )
}

/** The stores that are being deleted, over all stores. */
export function listDeletingIds(tx: Tx): Promise<{ storeId: number }[]> {
  return tx.many(
    row({ storeId: int }),
    sql`select store_id from stores where deleting_since is not null order by store_id`
  )
}
