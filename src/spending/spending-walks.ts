import { dueQuery } from '#kit/engines'
import { type Ctx, directSql, int, row, sql } from '#kit/postgres'

const EVERY_HOURS = 24
/** A tenth earlier or later, so that stores that were connected together do not stay together. */
const SPREAD = 0.1

/** Begins the schedule of a store, by its clock, with its first account. */
export async function scheduleSpendingWalk(ctx: Ctx): Promise<void> {
  const { later, exactly } = nextTimes(ctx)
  await ctx.tx.run(sql`
    insert into spending_walks (store_id, next_at)
    select ${ctx.storeId}, case when clock_at is null then ${later}::timestamptz else ${exactly}::timestamptz end
      from stores where store_id = ${ctx.storeId}
    on conflict (store_id) do nothing`)
}

/** When the next walk is: `exactly` a day later under a test clock, whose times are exact. */
function nextTimes({ now }: Ctx) {
  const seconds = Math.round(EVERY_HOURS * 3600 * (1 - SPREAD + 2 * SPREAD * Math.random()))
  return { later: now.add({ seconds }), exactly: now.add({ hours: EVERY_HOURS }) }
}

/** Has all customers with credit compared now. A walk that is under way goes on. */
export async function walkSpendingNow(ctx: Ctx): Promise<void> {
  await scheduleSpendingWalk(ctx)
  await ctx.tx.run(sql`update spending_walks set next_at = ${ctx.now} where store_id = ${ctx.storeId}`)
}

/** The next page of members with credit, here or on the platform; null where it is not time, or another node has the walk. */
export async function takeWalkPage(ctx: Ctx, most: number): Promise<number[] | null> {
  const walk = await ctx.tx.maybeOne(
    row({ afterId: int }),
    sql`
    select after_id from spending_walks
     where store_id = ${ctx.storeId} and next_at <= ${ctx.now} for update skip locked`
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
  if (afterId !== null) {
    await ctx.tx.run(sql`update spending_walks set after_id = ${afterId} where store_id = ${ctx.storeId}`)
    return
  }
  const { later, exactly } = nextTimes(ctx)
  await ctx.tx.run(sql`
    update spending_walks w
       set after_id = 0, finished_at = ${ctx.now},
           next_at = case when s.clock_at is null then ${later}::timestamptz else ${exactly}::timestamptz end
      from stores s where s.store_id = ${ctx.storeId} and w.store_id = ${ctx.storeId}`)
}

export const dueSpendingWalks = dueQuery(
  'spending_walks_due',
  `select w.store_id, w.next_at as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join spending_walks w on w.store_id = s.store_id and w.next_at <= s.until`
)

export const nextSpendingWalkAt = directSql<[storeId: number]>(
  'next_spending_walk_at',
  `select next_at as at from spending_walks where store_id = $1`
)
