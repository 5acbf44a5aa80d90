import { Type } from 'typebox'
import { listSubscriptions, listUnpaidCycles, queryFields, readFilters, subscriptionFilters } from '#views'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { NOTHING, OffsetPaging, offsetPagingOf, oneOf, TotalPage } from '../fields.ts'
import { requestStoreOf, StoreParams, storeOf } from '../store.ts'
import { presentSubscription, SubscriptionBody } from './present-subscription.ts'

const Status = oneOf(['active', 'paused', 'cancelled', 'failed', 'expired'], {
  meaning: 'Subscriptions with this status; `cancelled` for all that have ended'
})

/** GET /stores/{store}/subscriptions */
export function listSubscriptionsRoute(admin: Surface, { db }: AdminDeps): void {
  admin.get(
    '/stores/:store/subscriptions',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listSubscriptions',
        summary: 'List subscriptions',
        description:
          'Newest `created_at` first; with equal times the higher id first. The filter `status` counts failed and expired ones as cancelled too.',
        params: StoreParams,
        querystring: Type.Object({
          ...OffsetPaging,
          ...queryFields(subscriptionFilters),
          status: Type.Optional(Status)
        }),
        response: { 200: TotalPage(SubscriptionBody, 'The subscriptions') }
      }
    },
    async (request) => {
      const { status, ...query } = request.query
      const endedAs = status === 'failed' || status === 'expired' ? status : undefined
      const asked = endedAs ? query : { ...query, status }
      const filters = readFilters(subscriptionFilters, asked, requestStoreOf(request))
      const paging = offsetPagingOf(request.query)
      const { rows, total } = filters
        ? await listSubscriptions(db.direct, storeOf(request).storeId, { ...filters, endedAs, ...paging })
        : NOTHING
      const ids = rows.map(({ id }) => id)
      const unpaid = await request.inStore((ctx) => listUnpaidCycles(ctx, ids))
      return { data: rows.map((view) => presentSubscription(view, unpaid.get(view.id))), total }
    }
  )
}
