import { bool, type Ctx, instant, int, nullable, type RowOf, row, sql, text } from '#kit/postgres'
import { invalidField, Refusal } from '#kit/refusal'
import type { Vault } from '#kit/secrets'
import { applyPullChange, type PullChange } from './pull/pull-settings.ts'

const pullColumns = {
  /** Null where nothing is pulled; the others are null then too. */
  url: nullable(text),
  everyMinutes: nullable(int),
  hasAuthorization: nullable(bool),
  /** Real time, as all times of a pull; null while the integration is inactive. */
  nextAt: nullable(instant),
  isDue: nullable(bool),
  startedAt: nullable(instant),
  finishedAt: nullable(instant),
  received: nullable(int),
  stored: nullable(int),
  unknown: nullable(int),
  failures: nullable(int),
  lastError: nullable(text),
  failingSince: nullable(instant)
}

const RewardIntegrationRow = row({
  key: text,
  isActive: bool,
  isShown: bool,
  /** Of how many customers a balance is known. */
  balances: int,
  createdAt: instant,
  updatedAt: instant,
  ...pullColumns
})

/**
 * A service that keeps reward points for the shop. While it is active, rows of members have the field `<key>_points`; `isShown`: the shop
 * shows balances in its storefront, and they are exported.
 */
export type RewardIntegration = RowOf<typeof RewardIntegrationRow>

/** What a key accepts: it becomes a part of the name of a field. */
const INTEGRATION_KEY = 'lower-case letters, digits and _, beginning with a letter, at most 40 characters'
const KEY = /^[a-z][a-z0-9_]{0,39}$/

/** What is left out stays; `pull` null: nothing is pulled any more. */
export type IntegrationChange = {
  key: string
  isActive?: boolean | null
  isShown?: boolean | null
  /** As `checkPullChange` returns it. */
  pull?: PullChange | null | undefined
}

/** Adds an integration, or changes what is given of a known one. */
export async function setRewardIntegration(
  ctx: Ctx,
  { key, isActive = null, isShown = null, pull }: IntegrationChange,
  { vault }: { vault: Vault }
): Promise<RewardIntegration> {
  if (!KEY.test(key)) throw invalidField('key', `must be ${INTEGRATION_KEY}`)
  const set = await ctx.tx.one(
    row({ key: text, isActive: bool }),
    sql`
    insert into reward_integrations as r (store_id, key, is_active, is_shown, created_at, updated_at)
    values (${ctx.storeId}, ${key}, ${isActive ?? true}, ${isShown ?? true}, ${ctx.now}, ${ctx.now})
    on conflict (store_id, key) do update
      set is_active = coalesce(${isActive}::boolean, r.is_active), is_shown = coalesce(${isShown}::boolean, r.is_shown),
          updated_at = excluded.updated_at
    returning key, is_active`
  )
  await applyPullChange(ctx, set, pull, { vault })
  return findRewardIntegration(ctx, key)
}

/** Refuses one that the store does not have. */
export async function findRewardIntegration(ctx: Ctx, key: string): Promise<RewardIntegration> {
  const found = (await listRewardIntegrations(ctx)).find((one) => one.key === key)
  if (!found) throw noSuchIntegration(key)
  return found
}

/** All of the store, by their keys. */
export function listRewardIntegrations(ctx: Ctx): Promise<RewardIntegration[]> {
  return ctx.tx.many(
    RewardIntegrationRow,
    sql`
    select r.key, r.is_active, r.is_shown, r.created_at, r.updated_at,
           (select count(*) from reward_balances b where b.store_id = ${ctx.storeId} and b.key = r.key) as balances,
           p.url, p.every_minutes, p.sealed_authorization is not null as has_authorization, p.next_at,
           p.next_at <= statement_timestamp() as is_due, p.started_at, p.finished_at,
           p.received, p.stored, p.unknown, p.failures, p.last_error, p.failing_since
      from reward_integrations r
      left join reward_pulls p on p.store_id = ${ctx.storeId} and p.key = r.key
     where r.store_id = ${ctx.storeId} order by r.key`
  )
}

/** Removes an integration with its balances; returns it as it was. */
export async function removeRewardIntegration(ctx: Ctx, key: string): Promise<RewardIntegration> {
  // Nobody adds balances to it meanwhile.
  await ctx.tx.many(
    row({ key: text }),
    sql`select key from reward_integrations where store_id = ${ctx.storeId} and key = ${key} for update`
  )
  const removed = await findRewardIntegration(ctx, key)
  await ctx.tx.run(sql`delete from reward_balances where store_id = ${ctx.storeId} and key = ${key}`)
  // What is known of its pull goes with it.
  await ctx.tx.run(sql`delete from reward_integrations where store_id = ${ctx.storeId} and key = ${key}`)
  return removed
}

export const noSuchIntegration = (key: string) =>
  new Refusal('not_found', `There is no integration of reward points with the key ${key.slice(0, 100)}`)
