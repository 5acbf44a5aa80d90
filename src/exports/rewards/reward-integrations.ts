import { bool, type Ctx, instant, int, type RowOf, row, sql, text } from '#kit/postgres'
import { invalidField, Refusal } from '#kit/refusal'

const RewardIntegrationRow = row({
  key: text,
  isActive: bool,
  isShown: bool,
  /** Of how many customers a balance is known. */
  balances: int,
  createdAt: instant,
  updatedAt: instant
})

/**
 * A service that keeps reward points for the shop. While it is active, rows of members have the field `<key>_points`; `isShown`: the shop
 * shows balances in its storefront, and they are exported.
 */
export type RewardIntegration = RowOf<typeof RewardIntegrationRow>

/** What a key accepts: it becomes a part of the name of a field. */
const INTEGRATION_KEY = 'lower-case letters, digits and _, beginning with a letter, at most 40 characters'
const KEY = /^[a-z][a-z0-9_]{0,39}$/

/** Adds an integration, or changes what is given of a known one. */
export async function setRewardIntegration(
  ctx: Ctx,
  { key, isActive = null, isShown = null }: { key: string; isActive?: boolean | null; isShown?: boolean | null }
): Promise<RewardIntegration> {
  if (!KEY.test(key)) throw invalidField('key', `must be ${INTEGRATION_KEY}`)
  await ctx.tx.run(sql`
    insert into reward_integrations as r (store_id, key, is_active, is_shown, created_at, updated_at)
    values (${ctx.storeId}, ${key}, ${isActive ?? true}, ${isShown ?? true}, ${ctx.now}, ${ctx.now})
    on conflict (store_id, key) do update
      set is_active = coalesce(${isActive}::boolean, r.is_active), is_shown = coalesce(${isShown}::boolean, r.is_shown),
          updated_at = excluded.updated_at`)
  return (await listRewardIntegrations(ctx)).find((one) => one.key === key)!
}

/** All of the store, by their keys. */
export function listRewardIntegrations(ctx: Ctx): Promise<RewardIntegration[]> {
  return ctx.tx.many(
    RewardIntegrationRow,
    sql`
    select r.key, r.is_active, r.is_shown, r.created_at, r.updated_at,
           (select count(*) from reward_balances b where b.store_id = ${ctx.storeId} and b.key = r.key) as balances
      from reward_integrations r where r.store_id = ${ctx.storeId} order by r.key`
  )
}

/** Removes an integration with its balances; returns it as it was. */
export async function removeRewardIntegration(ctx: Ctx, key: string): Promise<RewardIntegration> {
  // Nobody adds balances to it meanwhile.
  await ctx.tx.many(
    row({ key: text }),
    sql`select key from reward_integrations where store_id = ${ctx.storeId} and key = ${key} for update`
  )
  const removed = (await listRewardIntegrations(ctx)).find((one) => one.key === key)
  if (!removed) throw noSuchIntegration(key)
  await ctx.tx.run(sql`delete from reward_balances where store_id = ${ctx.storeId} and key = ${key}`)
  await ctx.tx.run(sql`delete from reward_integrations where store_id = ${ctx.storeId} and key = ${key}`)
  return removed
}

export const noSuchIntegration = (key: string) =>
  new Refusal('not_found', `There is no integration of reward points with the key ${key.slice(0, 100)}`)
