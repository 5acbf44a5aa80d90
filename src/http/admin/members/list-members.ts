import { Type } from 'typebox'
import { listAccounts } from '#members'
import { listFirstOrders } from '#order-effects'
import { seesAllOrders } from '#stores'
import { listMembers, listMembersWhoOwe, memberFilters, queryFields, readFilters } from '#views'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { NOTHING, OffsetPaging, offsetPagingOf, TotalPage } from '../fields.ts'
import { requestStoreOf, StoreParams, storeOf } from '../store.ts'
import { MemberBody, presentMember } from './present-member.ts'

/** GET /stores/{store}/members */
export function listMembersRoute(admin: Surface, { db }: AdminDeps): void {
  admin.get(
    '/stores/:store/members',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listMembers',
        summary: 'List members',
        description:
          'Customers who hold or held a membership or a subscription. Newest `created_at` first; with equal times the higher id first.',
        params: StoreParams,
        querystring: Type.Object({ ...OffsetPaging, ...queryFields(memberFilters) }),
        response: { 200: TotalPage(MemberBody, 'The members') }
      }
    },
    async (request) => {
      const filters = readFilters(memberFilters, request.query, requestStoreOf(request))
      const { rows, total } = filters
        ? await listMembers(db.direct, storeOf(request).storeId, { ...filters, ...offsetPagingOf(request.query) })
        : NOTHING
      const ids = rows.map(({ id }) => id)
      const [firsts, accounts, owing, seesAll] = await request.inStore(async (ctx) => [
        await listFirstOrders(ctx, ids),
        await listAccounts(ctx, ids),
        await listMembersWhoOwe(ctx, ids),
        await seesAllOrders(ctx)
      ])
      const firstOf = new Map(firsts.map((first) => [first.memberId, first]))
      const accountOf = new Map(accounts.map((account) => [account.memberId, account]))
      const data = rows.map((view) =>
        presentMember(view, {
          first: firstOf.get(view.id) ?? null,
          account: accountOf.get(view.id) ?? null,
          owes: owing.has(view.id),
          seesAllOrders: seesAll
        })
      )
      return { data, total }
    }
  )
}
