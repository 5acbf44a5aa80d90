import type { Ctx } from '#kit/postgres'
import { int, nullable, row, sql } from '#kit/postgres'
import { addSectionChanges, findMembersFrom } from '#members'
import type { ExportEndpoint, PageRequest, PlannedPage } from '../endpoint.ts'
import { listPointsColumns } from '../rewards/points-columns.ts'
import { pagePlan } from './page-plan.ts'

const Bounds = row({ first: nullable(int), last: nullable(int) })

/** A page of members by its number: found from the counts of members per section of ids, so that the last page costs what the first does. */
export async function planMembersPage(ctx: Ctx, endpoint: ExportEndpoint, { page }: PageRequest): Promise<PlannedPage> {
  const { pageSize } = endpoint
  await addSectionChanges(ctx)
  const start = await findMembersFrom(ctx, (page - 1) * pageSize)
  const { first, last } =
    start === null
      ? { first: null, last: null }
      : await ctx.tx.one(
          Bounds,
          sql`
          select min(n.id) as first, max(n.id) as last
            from (select m.id from members m
                   where m.store_id = ${ctx.storeId} and m.id >= ${start.fromId} and m.status is not null and m.merged_into is null
                   order by m.id offset ${start.skip} limit ${pageSize}) n`
        )
  return pagePlan(ctx, endpoint, first === null || last === null ? null : { from: first, through: last }, {
    meta: { current_page: page, per_page: pageSize },
    more: await listPointsColumns(ctx)
  })
}
