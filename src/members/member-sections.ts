import { type Ctx, int, row, sql } from '#kit/postgres'

/** How many internal ids a section has. The triggers that count members divide by it. */
const SECTION = 4096

/** Adds what waits to the counts of members per section. Readers see no difference. */
export async function addSectionChanges(ctx: Ctx): Promise<void> {
  await ctx.tx.run(sql`
    with added as (delete from member_section_changes where store_id = ${ctx.storeId} returning section, delta)
    insert into member_sections as s (store_id, section, rows)
    select ${ctx.storeId}, section, sum(delta) from added group by section order by section
    on conflict (store_id, section) do update set rows = s.rows + excluded.rows`)
}

/**
 * Where the member after the first `skipped` is, in order of internal ids: from which id on, and how many members more to skip
 * there. Null: there are no more members.
 */
export async function findMembersFrom(ctx: Ctx, skipped: number): Promise<{ fromId: number; skip: number } | null> {
  const found = await ctx.tx.maybeOne(
    row({ section: int, before: int }),
    sql`
    with counted as (
      select section, rows from member_sections where store_id = ${ctx.storeId}
      union all
      select section, delta from member_section_changes where store_id = ${ctx.storeId}),
    summed as (select section, sum(rows) as rows from counted group by section),
    placed as (select section, rows, (sum(rows) over (order by section) - rows)::bigint as before from summed)
    select section, before from placed
     where before <= ${skipped} and before + rows > ${skipped} order by section limit 1`
  )
  return found && { fromId: found.section * SECTION, skip: skipped - found.before }
}
