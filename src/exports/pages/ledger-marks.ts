import { takeUncountedEntries } from '#credits'
import { bool, type Ctx, int, nullable, row, sql, waitForWriters } from '#kit/postgres'

/** A mark is at every n-th entry of a store's ledger. */
const MARKED = 1000

/** How many entries are counted for marks in one statement. */
const AT_ONCE = 200_000

/** Until how many entries behind the last mark new ones are not worth their statements. */
export const ENOUGH_UNMARKED = 2 * MARKED

/** Until how many hidden entries that the marks have not counted are not worth theirs. */
export const ENOUGH_UNCOUNTED = 1000

/** More entries than this behind the last mark are not counted for a page. */
export const MAX_UNMARKED = 100_000

/** How long it is waited for writers, until the end of the ledger is settled; it is no harm if it is not, except where marks are far behind. */
const WRITERS_MS = 50
const WRITERS_MS_FAR_BEHIND = 3_000

/**
 * Counts into the marks the hidden entries that wait for it, and sets marks up to the end of the ledger. A mark never moves: entries are
 * only added, above those of which every transaction that could write a smaller id has ended. While another transaction does this it is
 * left to that one. Before and after, pages are the same.
 */
export async function bringMarksUpToDate(ctx: Ctx): Promise<void> {
  const { mine } = await ctx.tx.one(
    row({ mine: int }),
    sql`select pg_try_advisory_xact_lock(hashtextextended('export_marks', ${ctx.storeId}::bigint))::int as mine`
  )
  if (mine === 0) return
  await countHidden(ctx)
  await extendMarks(ctx)
}

/** Each mark gets as many more as there are up to it: an entry that has a mark comes before its mark. */
async function countHidden(ctx: Ctx): Promise<void> {
  const counted = await takeUncountedEntries(ctx)
  if (counted.length === 0) return
  await ctx.tx.run(sql`
    with placed as (
      select rank, count(*) filter (where rank is null) over (order by entry_id, rank nulls first rows unbounded preceding) as more
        from (select entry_id, null::bigint as rank from unnest(${counted}::bigint[]) as t(entry_id)
              union all
              select entry_id, rank from export_marks where store_id = ${ctx.storeId} and hidden is not null) p)
    update export_marks m set hidden = m.hidden + p.more
      from placed p where m.store_id = ${ctx.storeId} and m.rank = p.rank and p.more > 0`)
}

async function extendMarks(ctx: Ctx): Promise<void> {
  const last = await lastMark(ctx)
  const { newest, isFarBehind } = await ctx.tx.one(
    row({ newest: nullable(int), isFarBehind: bool }),
    sql`
    select (select max(id) from credit_entries where store_id = ${ctx.storeId} and id > ${last.entryId}) as newest,
           exists (select from credit_entries
                    where store_id = ${ctx.storeId} and id > ${last.entryId} offset ${MAX_UNMARKED}) as is_far_behind`
  )
  const waitMs = isFarBehind ? WRITERS_MS_FAR_BEHIND : WRITERS_MS
  if (newest === null || !(await waitForWriters(ctx, 'credit_entries', waitMs))) return
  for (let from = last; ; ) {
    const set = await setMarks(ctx, from, newest)
    if (set === null) return
    from = set
  }
}

const Mark = row({ rank: int, entryId: int, hidden: int })
type Mark = { rank: number; entryId: number; hidden: number }

async function lastMark(ctx: Ctx): Promise<Mark> {
  const found = await ctx.tx.maybeOne(
    Mark,
    sql`
    select rank, entry_id, hidden from export_marks
     where store_id = ${ctx.storeId} and hidden is not null order by rank desc limit 1`
  )
  return found ?? { rank: 0, entryId: 0, hidden: 0 }
}

/** Sets the marks of the next entries up to `newest`; returns the last of them, or null when there are no more. */
function setMarks(ctx: Ctx, from: Mark, newest: number): Promise<Mark | null> {
  return ctx.tx.maybeOne(
    Mark,
    sql`
    with entries as (
      select e.id, h.entry_id is not null as is_hidden
        from (select id from credit_entries
               where store_id = ${ctx.storeId} and id > ${from.entryId} and id <= ${newest}
               order by id limit ${AT_ONCE}) e
        left join (select entry_id from hidden_credit_entries
                    where store_id = ${ctx.storeId} and entry_id > ${from.entryId} and entry_id <= ${newest} and is_counted
                   offset 0) h on h.entry_id = e.id),
    numbered as (
      select id, row_number() over up_to_it as at, count(*) filter (where is_hidden) over up_to_it as hidden
        from entries window up_to_it as (order by id rows unbounded preceding)),
    set as (
      insert into export_marks as m (store_id, rank, entry_id, hidden)
      select ${ctx.storeId}, ${from.rank}::bigint + at, id, ${from.hidden}::bigint + hidden
        from numbered where at % ${MARKED} = 0 order by at
      on conflict (store_id, rank) do update set hidden = excluded.hidden where m.hidden is null
      returning m.rank, m.entry_id, m.hidden)
    select rank, entry_id, hidden from set order by rank desc limit 1`
  )
}
