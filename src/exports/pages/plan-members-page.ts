import type { Ctx } from '#kit/postgres'
import { int, nullable, row } from '#kit/postgres'
import { addSectionChanges, findMembersFrom } from '#members'
import type { ExportEndpoint, PageRequest, PlannedPage } from '../endpoint.ts'
import { listPointsColumns } from '../rewards/points-columns.ts'
import { pagePlan } from './page-plan.ts'
import { statementOf } from './statement-of.ts'

const Bounds = row({ first: nullable(int), last: nullable(int) })

/** A page of members by its number: found from the counts of members per section of ids, so that the last page costs what the first does. */
export async function planMembersPage(ctx: Ctx, endpoint: ExportEndpoint, { page }: PageRequest): Promise<PlannedPage> {
  const { pageSize } = endpoint
  await addSectionChanges(ctx)
  const start = await findMembersFrom(ctx, (page - 1) * pageSize)
  const { first, last } =
    start === null ? { first: null, last: null } : await findBounds(ctx, start.fromId, start.skip, pageSize)
  return pagePlan(ctx, endpoint, first === null || last === null ? null : { from: first, through: last }, {
    meta: { current_page: page, per_page: pageSize },
    staysWhile: 'all rows stay',
    more: await listPointsColumns(ctx)
  })
}

/** The first and the last id of a page of members: only a page that is not full is looked at from its end. */
function findBounds(ctx: Ctx, fromId: number, skip: number, limit: number) {
  const members = `select m.id from members m
     where m.store_id = $1 and m.id >= $2 and m.status is not null and m.merged_into is null
     order by m.id`
  return ctx.tx.one(
    Bounds,
    statementOf(
      `select (${members} offset $3 limit 1) as first,
              coalesce((${members} offset $3 + $4 - 1 limit 1), (${members} desc limit 1)) as last`,
      [ctx.storeId, fromId, skip, limit]
    )
  )
}
