import { type Ctx, int, intList, nullable, row, sql, waitForWriters } from '#kit/postgres'

/** A mark is at every n-th entry of a store's ledger. */
export const MARKED = 1000

/** How many entries are counted for marks in one statement. */
const AT_ONCE = 200_000

/** Until how many entries behind the last mark new ones are not worth their statements. */
const ENOUGH = 2 * MARKED

/** How long it is waited for writers, until the end of the ledger is settled; it is no harm if it is not. */
const WRITERS_MS = 50

/**
 * Sets marks up to the end of the ledger. A mark never moves: entries are only added, above those of which every transaction that could
 * write a smaller id has ended.
 */
export async function extendMarks(ctx: Ctx): Promise<void> {
  const last = await lastMark(ctx)
  const { ids } = await ctx.tx.one(
    row({ ids: nullable(intList) }),
    sql`
    select array_agg(id) as ids from (
      select id from credit_entries where store_id = ${ctx.storeId} and id > ${last.entryId} order by id offset ${ENOUGH} limit 1) e`
  )
  if (ids === null) return
  const { newest } = await ctx.tx.one(
    row({ newest: int }),
    sql`select max(id) as newest from credit_entries where store_id = ${ctx.storeId}`
  )
  if (!(await waitForWriters(ctx, 'credit_entries', WRITERS_MS))) return
  for (let from = last; ; ) {
    const set = await setMarks(ctx, from, newest)
    if (set === null) return
    from = set
  }
}

type Mark = { rank: number; entryId: number }

async function lastMark(ctx: Ctx): Promise<Mark> {
  const found = await ctx.tx.maybeOne(
    row({ rank: int, entryId: int }),
    sql`select rank, entry_id from export_marks where store_id = ${ctx.storeId} order by rank desc limit 1`
  )
  return found ?? { rank: 0, entryId: 0 }
}

/** Sets the marks of the next entries up to `newest`; returns the last of them, or null when there are no more. */
async function setMarks(ctx: Ctx, from: Mark, newest: number): Promise<Mark | null> {
  const marks = await ctx.tx.many(
    row({ rank: int, entryId: int }),
    sql`
    select ${from.rank}::bigint + n.at as rank, n.id as entry_id
      from (select e.id, row_number() over (order by e.id) as at
              from (select id from credit_entries
                     where store_id = ${ctx.storeId} and id > ${from.entryId} and id <= ${newest}
                     order by id limit ${AT_ONCE}) e) n
     where n.at % ${MARKED} = 0 order by n.at`
  )
  if (marks.length === 0) return null
  await ctx.tx.run(sql`
    insert into export_marks (store_id, rank, entry_id)
    select ${ctx.storeId}, t.rank, t.entry_id
      from unnest(${marks.map((m) => m.rank)}::bigint[], ${marks.map((m) => m.entryId)}::bigint[]) as t(rank, entry_id)
     order by t.rank
    on conflict (store_id, rank) do nothing`)
  return marks.at(-1)!
}

/** The ids of all marks, oldest first. */
export async function listMarks(ctx: Ctx): Promise<number[]> {
  const { ids } = await ctx.tx.one(
    row({ ids: nullable(intList) }),
    sql`select array_agg(entry_id order by rank) as ids from export_marks where store_id = ${ctx.storeId}`
  )
  return ids ?? []
}
