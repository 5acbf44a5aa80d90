import { dueQuery, type Engine, nextDueBy } from '#kit/engines'
import { type Ctx, type Database, day, directSql, int, oneOf, row, sql } from '#kit/postgres'
import { storeContext } from '#stores'
import { countDeeds } from './count-deeds.ts'
import { findNextOccasion, listAnniversaries, listBirthdays } from './occasion-queries.ts'

const BATCH = 500

const Occasions = row({ nextDay: day, occasion: oneOf('birthday', 'anniversary'), afterId: int })

/**
 * Counts birthdays and anniversaries of memberships as their day begins in the shop, by the store's clock. Days that were missed follow one by
 * one; days on which there is nothing are left out.
 */
export function createLoyaltyOccasionEngine({ db }: { db: Database }): Engine {
  return {
    name: 'loyalty-occasions',
    stage: 'others',
    due: dueOccasions,
    ...nextDueBy(db, nextOccasion),
    runOnce: (storeId) => db.inStore(storeId, countOccasions)
  }
}

/** Begins with the next day of the shop. Where it has begun and waits for a later day, it looks at that one too. */
export async function beginOccasions(ctx: Ctx): Promise<void> {
  const { tomorrow, dueAt } = await tomorrowOf(ctx)
  await ctx.tx.run(sql`
    insert into loyalty_occasions as o (store_id, next_day, due_at) values (${ctx.storeId}, ${tomorrow}, ${dueAt})
    on conflict (store_id) do update
      set next_day = least(o.next_day, excluded.next_day), due_at = least(o.due_at, excluded.due_at)`)
}

/** A customer has another birth date, or became a member: the next day may be an occasion of theirs. */
export async function recheckOccasions(ctx: Ctx): Promise<void> {
  const { tomorrow, dueAt } = await tomorrowOf(ctx)
  await ctx.tx.run(sql`
    update loyalty_occasions set next_day = ${tomorrow}, due_at = ${dueAt}
     where store_id = ${ctx.storeId} and next_day > ${tomorrow}`)
}

async function tomorrowOf(ctx: Ctx): Promise<{ tomorrow: Temporal.PlainDate; dueAt: Temporal.Instant }> {
  const { timezone } = await storeContext(ctx)
  const tomorrow = ctx.now.toZonedDateTimeISO(timezone).toPlainDate().add({ days: 1 })
  return { tomorrow, dueAt: beginOf(tomorrow, timezone) }
}

const beginOf = (date: Temporal.PlainDate, timezone: string) => date.toZonedDateTime(timezone).toInstant()

/** One batch of the next day. Returns how many customers it was, or 1 where a part of the day is over. */
async function countOccasions(ctx: Ctx): Promise<number> {
  const due = await ctx.tx.maybeOne(
    Occasions,
    sql`
    select next_day, occasion, after_id from loyalty_occasions
     where store_id = ${ctx.storeId} and due_at <= ${ctx.now} for update skip locked`
  )
  if (!due) return 0
  const { timezone } = await storeContext(ctx)
  const { nextDay, occasion, afterId } = due
  const at = beginOf(nextDay, timezone)
  if (Temporal.Instant.compare(at, ctx.now) > 0) return goOn(ctx, due, at)
  const list = occasion === 'birthday' ? listBirthdays : listAnniversaries
  const memberIds = await list(ctx, nextDay, { afterId, limit: BATCH, timezone })
  await countDeeds(
    ctx,
    memberIds.map((memberId) => ({
      ...{ memberId, cause: { kind: 'occasion', occasion }, key: `${occasion}:${nextDay.year}` },
      ...{ at, orderId: null, ruleId: null }
    }))
  )
  if (memberIds.length === BATCH) await goOn(ctx, { ...due, afterId: memberIds.at(-1)! }, at)
  else if (occasion === 'birthday') await goOn(ctx, { nextDay, occasion: 'anniversary', afterId: 0 }, at)
  else {
    const following = await findNextOccasion(ctx, nextDay.add({ days: 1 }))
    await goOn(ctx, { nextDay: following, occasion: 'birthday', afterId: 0 }, beginOf(following, timezone))
  }
  return Math.max(1, memberIds.length)
}

async function goOn(
  ctx: Ctx,
  { nextDay, occasion, afterId }: { nextDay: Temporal.PlainDate; occasion: string; afterId: number },
  dueAt: Temporal.Instant
): Promise<number> {
  await ctx.tx.run(sql`
    update loyalty_occasions set next_day = ${nextDay}, occasion = ${occasion}, after_id = ${afterId}, due_at = ${dueAt}
     where store_id = ${ctx.storeId}`)
  return 1
}

const dueOccasions = dueQuery(
  'loyalty_occasions_due',
  `select o.store_id, o.due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join loyalty_occasions o on o.store_id = s.store_id and o.due_at <= s.until`
)

const nextOccasion = directSql<[storeId: number]>(
  'loyalty_occasions_next',
  'select due_at as at from loyalty_occasions where store_id = $1'
)
