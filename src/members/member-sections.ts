import { type Ctx, int, nullable, row, sql } from '#kit/postgres'

/** How many internal ids a section has. The triggers that count members divide by it. */
const SECTION = 4096

/** Until how many changes wait to be added to the counts, it is not worth a statement. */
const ENOUGH_WAITING = 1000

const Found = row({ first: nullable(int), last: nullable(int), waiting: int })

/**
 * The first and the last internal id of a page of members in order of these ids: of the `size` members after the first `skipped`; fewer at
 * the end, and null behind it. The counts per section say where to look, so that every page costs the same.
 */
export async function findMemberRange(
  ctx: Ctx,
  skipped: number,
  size: number
): Promise<{ from: number; through: number } | null> {
  const { first, last, waiting } = await ctx.tx.one(
    Found,
    sql`
    with counted as materialized (
      select section, rows, 0 as waiting from member_sections where store_id = ${ctx.storeId}
      union all
      select section, delta, 1 from member_section_changes where store_id = ${ctx.storeId}),
    summed as (select section, sum(rows) as rows from counted group by section having sum(rows) > 0),
    placed as materialized (
      select section * ${SECTION}::bigint as from_id, rows, (sum(rows) over (order by section) - rows)::bigint as before from summed),
    first as materialized (
      select from_id, ${skipped}::bigint - before as skipped from placed
       where before <= ${skipped} and before + rows > ${skipped} order by from_id limit 1),
    last as materialized (
      select from_id, least(rows, ${skipped}::bigint + ${size}::bigint - before)::bigint - 1 as skipped from placed
       where before < ${skipped}::bigint + ${size}::bigint and exists (select from first) order by from_id desc limit 1)
    select (select m.id from first f cross join lateral (
              select id from members
               where store_id = ${ctx.storeId} and id >= f.from_id and status is not null and merged_into is null
               order by id offset f.skipped limit 1) m) as first,
           (select m.id from last l cross join lateral (
              select id from members
               where store_id = ${ctx.storeId} and id >= l.from_id and status is not null and merged_into is null
               order by id offset l.skipped limit 1) m) as last,
           (select coalesce(sum(waiting), 0)::bigint from counted) as waiting`
  )
  if (waiting > ENOUGH_WAITING) await addSectionChanges(ctx)
  return first === null || last === null ? null : { from: first, through: last }
}

/** Adds what waits to the counts of members per section. Readers see no difference. */
async function addSectionChanges(ctx: Ctx): Promise<void> {
  await ctx.tx.run(sql`
    with added as (delete from member_section_changes where store_id = ${ctx.storeId} returning section, delta)
    insert into member_sections as s (store_id, section, rows)
    select ${ctx.storeId}, section, sum(delta) from added group by section order by section
    on conflict (store_id, section) do update set rows = s.rows + excluded.rows`)
}
