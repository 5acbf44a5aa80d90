import { bool, type Ctx, int, row, sql } from '#kit/postgres'
import { settingsOf, storeContext } from '#stores'
import { loyaltySettings } from '../settings.ts'
import { earliestCounted } from './review-period.ts'

/** Whether customers enter and leave tiers: not while loyalty or its tiers are off. */
export async function areTiersOn(ctx: Ctx): Promise<boolean> {
  const { enabled, tiers } = await settingsOf(ctx, loyaltySettings)
  return enabled === 'on' && tiers === 'on'
}

/**
 * Has everybody put anew where the tiers say now, after a change of them; a walk that is under way begins again. With the first tier the orders of
 * before are counted too.
 */
export async function walkTiers(ctx: Ctx): Promise<void> {
  const isFrozen = !(await areTiersOn(ctx))
  const { tierReview } = await settingsOf(ctx, loyaltySettings)
  await ctx.tx.run(sql`
    insert into loyalty_tier_stores (store_id, is_frozen, review, walk_due_at, orders_due_at)
    values (${ctx.storeId}, ${isFrozen}, ${tierReview}, ${ctx.now}, ${ctx.now})
    on conflict (store_id) do update
      set is_frozen = excluded.is_frozen, review = excluded.review, walk_due_at = excluded.walk_due_at, walk_after_id = 0`)
}

/**
 * Follows a change of the settings of loyalty. Where tiers are off nobody moves; when they are on again, and where another review decides, everybody is
 * put anew. Other settings change nothing here.
 */
export async function followTierSettings(ctx: Ctx): Promise<void> {
  const isFrozen = !(await areTiersOn(ctx))
  const { tierReview } = await settingsOf(ctx, loyaltySettings)
  await ctx.tx.run(sql`
    update loyalty_tier_stores set is_frozen = ${isFrozen}, review = ${tierReview}, walk_due_at = ${ctx.now}, walk_after_id = 0
     where store_id = ${ctx.storeId} and (is_frozen, review) is distinct from (${isFrozen}::boolean, ${tierReview}::text)`)
}

/** The next customers of the walk, whom it has passed then; none where there is no walk to do. `isOver`: it was the last page. */
export async function nextOfWalk(ctx: Ctx, limit: number): Promise<{ memberIds: number[]; isOver: boolean } | null> {
  const walk = await ctx.tx.maybeOne(
    row({ afterId: int }),
    sql`
    select walk_after_id as after_id from loyalty_tier_stores
     where store_id = ${ctx.storeId} and walk_due_at <= ${ctx.now} and not is_frozen for update skip locked`
  )
  if (!walk) return null
  const rows = await ctx.tx.many(
    row({ id: int }),
    sql`
    select id from members
     where store_id = ${ctx.storeId} and id > ${walk.afterId} order by id limit ${limit}`
  )
  const isOver = rows.length < limit
  await ctx.tx.run(sql`
    update loyalty_tier_stores
       set walk_after_id = ${isOver ? 0 : rows.at(-1)!.id}, walk_due_at = ${isOver ? null : ctx.now}
     where store_id = ${ctx.storeId}`)
  return { memberIds: rows.map(({ id }) => id), isOver }
}

/**
 * Those of the next orders that may count, from before the first tier; null where all were looked at. The caller counts them in this
 * transaction. `limit`: of the orders that are looked at, since most of a store's may be too old.
 */
export async function nextOrdersForTiers(ctx: Ctx, limit: number): Promise<number[] | null> {
  const walk = await ctx.tx.maybeOne(
    row({ afterId: int }),
    sql`
    select orders_after_id as after_id from loyalty_tier_stores
     where store_id = ${ctx.storeId} and orders_due_at <= ${ctx.now} for update skip locked`
  )
  if (!walk) return null
  const since = earliestCounted(ctx.now, (await storeContext(ctx)).timezone)
  const rows = await ctx.tx.many(
    row({ id: int, mayCount: bool }),
    sql`
    select id, processed_at >= ${since} and member_id is not null as may_count from orders
     where store_id = ${ctx.storeId} and id > ${walk.afterId} order by id limit ${limit}`
  )
  const isOver = rows.length < limit
  await ctx.tx.run(sql`
    update loyalty_tier_stores
       set orders_after_id = ${isOver ? 0 : rows.at(-1)!.id}, orders_due_at = ${isOver ? null : ctx.now}
     where store_id = ${ctx.storeId}`)
  return rows.flatMap(({ id, mayCount }) => (mayCount ? id : []))
}

/** Whether everything that may place customers anew was done. Not so in a store that never had tiers. */
export async function areTiersSettled(ctx: Ctx): Promise<boolean> {
  const found = await ctx.tx.maybeOne(
    row({ isSettled: bool }),
    sql`
    select t.walk_due_at is null and t.orders_due_at is null and not t.is_frozen
             and not exists (select from waiting_facts where store_id = ${ctx.storeId} and coalesce(consumer, 'loyalty') = 'loyalty')
             as is_settled
      from loyalty_tier_stores t where t.store_id = ${ctx.storeId}`
  )
  return found?.isSettled ?? false
}
