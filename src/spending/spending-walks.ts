import { dueQuery } from '#kit/engines'
import { type Ctx, directSql, int, row, sql } from '#kit/postgres'

const EVERY_HOURS = 24

/** Begins the schedule of a store with its first account. */
export async function scheduleSpendingWalk(ctx: Ctx): Promise<void> {
  await ctx.tx.run(sql`
    insert into spending_walks (store_id, next_at)
    values (${ctx.storeId}, statement_timestamp() + ${EVERY_HOURS} * (0.9 + 0.2 * random()) * interval '1 hour')
    on conflict (store_id) do nothing`)
}

/** Has all customers with credit compared now. A walk that is under way goes on. */
export async function walkSpendingNow(ctx: Ctx): Promise<void> {
  await scheduleSpendingWalk(ctx)
  await ctx.tx.run(sql`update spending_walks set next_at = statement_timestamp() where store_id = ${ctx.storeId}`)
}

/** The next page of members with credit, here or on the platform; null where it is not time, or another node has the walk. */
export async function takeWalkPage(ctx: Ctx, most: number): Promise<number[] | null> {
  const walk = await ctx.tx.maybeOne(
    row({ afterId: int }),
    sql`
    select after_id from spending_walks
     where store_id = ${ctx.storeId} and next_at <= statement_timestamp() for update skip locked`
  )
  if (!walk) return null
  const rows = await ctx.tx.many(
    row({ memberId: int }),
    sql`
    select member_id from (
      (select member_id from credit_accounts
        where store_id = ${ctx.storeId} and member_id > ${walk.afterId} order by member_id limit ${most})
      union
      (select member_id from spending_accounts
        where store_id = ${ctx.storeId} and member_id > ${walk.afterId} order by member_id limit ${most})) as m
     order by member_id limit ${most}`
  )
  return rows.map(({ memberId }) => memberId)
}

/** Moves the walk behind its page; at the end the next one is a day later. */
export async function moveWalk(ctx: Ctx, afterId: number | null): Promise<void> {
  // A tenth earlier or later, so that stores that were connected together do not stay together.
  const minutes = Math.round(EVERY_HOURS * 60 * (0.9 + 0.2 * Math.random()))
  const now = Temporal.Instant.fromEpochMilliseconds(ctx.realNowMs)
  const finishedAt = afterId === null ? now : null
  await ctx.tx.run(sql`
    update spending_walks
       set after_id = ${afterId ?? 0}, finished_at = coalesce(${finishedAt}, finished_at),
           next_at = coalesce(${finishedAt?.add({ minutes }) ?? null}, next_at)
     where store_id = ${ctx.storeId}`)
}

export const dueSpendingWalks = dueQuery(
  'spending_walks_due',
  `select w.store_id, w.next_at as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join spending_walks w on w.store_id = s.store_id and w.next_at <= s.until`
)

/** As of reconciliations: schedules are real time, so in a store whose clock is stopped that is now or never. */
export const nextSpendingWalkAt = directSql<[storeId: number]>(
  'next_spending_walk_at',
  `select case when w.next_at <= statement_timestamp()
               then date_trunc('milliseconds', coalesce(s.clock_at, statement_timestamp())) end as at
     from spending_walks w join stores s on s.store_id = $1
    where w.store_id = $1`
)
