import { type Ctx, sentTogether } from '#kit/postgres'
import { findMemberRange } from '#members'
import { storeContext } from '#stores'
import type { ExportEndpoint, PageRequest, PlannedPage } from '../endpoint.ts'
import { listPointsColumns } from '../rewards/points-columns.ts'
import { pagePlan } from './page-plan.ts'

/** A page of members by its number. The last page costs what the first does. */
export async function planMembersPage(ctx: Ctx, endpoint: ExportEndpoint, { page }: PageRequest): Promise<PlannedPage> {
  const { pageSize } = endpoint
  const [range, more] = await sentTogether(
    findMemberRange(ctx, (page - 1) * pageSize, pageSize),
    listPointsColumns(ctx),
    storeContext(ctx)
  )
  return pagePlan(ctx, endpoint, range, {
    meta: { current_page: page, per_page: pageSize },
    staysWhile: 'all rows stay',
    more
  })
}
