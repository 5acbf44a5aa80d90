import { bool, type Ctx, type Database, int, nullable, row, sql } from '#kit/postgres'
import { BLOCK, readSpan } from './event-span.ts'

/** How many blocks one transaction counts, so that none takes long. */
const MAX_BLOCKS = 200

/**
 * Counts the blocks of facts that are full, of every store: from them the list of events knows its total without reading them. It
 * is exact without them, but slower the more of them are not counted. A store that another process is counting is left out.
 * Returns how many blocks were counted.
 */
export async function rollUpEventCounts(db: Database, maxBlocks = MAX_BLOCKS): Promise<number> {
  const stores = await db.inInstallation((tx) =>
    tx.many(
      row({ storeId: int }),
      sql`
      select c.store_id
        from fact_consumers c left join event_count_marks m on m.store_id = c.store_id
       where c.consumer = 'webhooks' and c.furthest >= coalesce(m.counted_to, 0) + ${BLOCK}::bigint`
    )
  )
  let counted = 0
  for (const { storeId } of stores) {
    for (let blocks = maxBlocks; blocks === maxBlocks; counted += blocks) {
      blocks = await db.inStore(storeId, (ctx) => countBlocks(ctx, maxBlocks))
    }
  }
  return counted
}

async function countBlocks(ctx: Ctx, maxBlocks: number): Promise<number> {
  const { isMine } = await ctx.tx.one(
    row({ isMine: bool }),
    sql`select pg_try_advisory_xact_lock(hashtextextended('event counts', ${ctx.storeId})) as is_mine`
  )
  if (!isMine) return 0
  const { start, end, countedTo } = await readSpan(ctx)
  // Counting begins with the first block that has facts, and goes on with the next one that has.
  const from = floor(Math.min(end, (await nextPosition(ctx, countedTo ?? start)) - 1))
  const to = Math.min(floor(end), from + maxBlocks * BLOCK)
  if (to <= from) return 0
  await insertCounts(ctx, from, to)
  await ctx.tx.run(sql`
    insert into event_count_marks (store_id, counted_to) values (${ctx.storeId}, ${to})
    on conflict (store_id) do update set counted_to = excluded.counted_to`)
  await removeOldCounts(ctx, Math.ceil(start / BLOCK) * BLOCK)
  return (to - from) / BLOCK
}

/** Positions may be left out, after a restore by the million: blocks without facts need no rows. */
async function nextPosition(ctx: Ctx, after: number): Promise<number> {
  const { next } = await ctx.tx.one(
    row({ next: nullable(int) }),
    sql`select min(position) as next from facts where store_id = ${ctx.storeId} and position > ${after}`
  )
  return next ?? Number.MAX_SAFE_INTEGER
}

const floor = (position: number) => Math.floor(position / BLOCK) * BLOCK

async function insertCounts(ctx: Ctx, from: number, to: number): Promise<void> {
  await ctx.tx.run(sql`
    insert into event_counts (store_id, name, counted_to, through)
    select ${ctx.storeId}, b.name, b.counted_to, b.through
      from (select g.name, g.counted_to, coalesce(p.through, 0) + sum(g.facts) over (partition by g.name order by g.counted_to)
                     as through
              from (select name, ((position - 1) / ${BLOCK}::bigint + 1) * ${BLOCK}::bigint as counted_to, count(*) as facts
                      from facts
                     where store_id = ${ctx.storeId} and position > ${from} and position <= ${to} group by 1, 2) g
              left join lateral (
                   select through from event_counts
                    where store_id = ${ctx.storeId} and name = g.name order by counted_to desc limit 1) p on true
            offset 0) b
    on conflict (store_id, name, counted_to) do nothing`)
}

/** Of each name the last row up to where facts are kept stays: what follows is counted from it. */
async function removeOldCounts(ctx: Ctx, kept: number): Promise<void> {
  await ctx.tx.run(sql`
    delete from event_counts c
     where c.store_id = ${ctx.storeId} and c.counted_to < ${kept}
       and exists (select from event_counts l
                    where l.store_id = ${ctx.storeId} and l.name = c.name and l.counted_to > c.counted_to
                      and l.counted_to <= ${kept})`)
}
