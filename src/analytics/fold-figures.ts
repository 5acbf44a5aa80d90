import type { Engine } from '#kit/engine'
import { type Ctx, type Database, directSql, int, row, sql } from '#kit/postgres'

/** Changes that may wait unfolded in a store: readers add them up, which costs them next to nothing. */
const MAY_WAIT = 200
const BATCH = 5_000

const Count = row({ count: int })

const waiting = directSql<[storeId: number]>(
  'figures_waiting',
  `select count(*) as count from (select from figure_changes where store_id = $1 limit ${MAY_WAIT + 1}) as changes`
)

/**
 * Folds what the writes appended into the figures of days, whenever enough has gathered. Nothing waits for it: readers
 * see every commit at once, folded or not.
 */
export function createFiguresEngine({ db }: { db: Database }): Engine {
  return {
    name: 'figures',
    async nextDueAt(storeId) {
      const { count } = await db.direct.one(Count, waiting(storeId))
      return count > MAY_WAIT ? LONG_AGO : null
    },
    runOnce: (storeId) => db.inStore(storeId, foldFigures)
  }
}

/** Due whatever the store's clock says: figures have no date of their own. */
const LONG_AGO = Temporal.Instant.fromEpochMilliseconds(0)

/** Moves up to a batch of changes into the figures of their days and into the totals, and tells how many. */
export async function foldFigures(ctx: Ctx): Promise<number> {
  // One at a time per store, or two would wait for each other's rows in turn.
  await ctx.tx.run(sql`select pg_advisory_xact_lock(hashtextextended('figures', ${ctx.storeId}))`)
  const { count } = await ctx.tx.one(
    Count,
    sql`
    with taken as (
      delete from figure_changes
       where store_id = ${ctx.storeId}
         and id in (select id from figure_changes where store_id = ${ctx.storeId} order by id limit ${BATCH})
      returning plan_id, day, figure, detail, amount),
    moved as (
      select f.plan_id, t.day, t.figure, t.detail, sum(t.amount) as amount
        from taken t cross join lateral (select 0::bigint as plan_id union all select t.plan_id where t.plan_id is not null) f
       group by f.plan_id, t.day, t.figure, t.detail having sum(t.amount) <> 0),
    days as (
      insert into daily_figures (store_id, plan_id, day, figure, detail, amount)
      select ${ctx.storeId}, plan_id, day, figure, detail, amount from moved
      on conflict (store_id, plan_id, day, figure, detail) do update set amount = daily_figures.amount + excluded.amount),
    totals as (
      insert into figure_totals (store_id, plan_id, figure, detail, amount)
      select ${ctx.storeId}, plan_id, figure, detail, sum(amount) from moved group by plan_id, figure, detail
      on conflict (store_id, plan_id, figure, detail) do update set amount = figure_totals.amount + excluded.amount)
    select count(*) as count from taken`
  )
  return count
}
