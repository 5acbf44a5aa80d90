import { Type } from 'typebox'
import { listSubscriptions, queryFields, readFilters, subscriptionFilters } from '#views'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { NOTHING, OffsetPaging, offsetPagingOf, TotalPage } from '../fields.ts'
import { requestStoreOf, StoreParams, storeOf } from '../store.ts'
import { presentSubscription, SubscriptionBody } from './present-subscription.ts'

/** GET /stores/{store}/subscriptions */
export function listSubscriptionsRoute(admin: Surface, { db }: AdminDeps): void {
  admin.get(
    '/stores/:store/subscriptions',
    {
      config: { allow: 'operator' },
      schema: {
        operationId: 'listSubscriptions',
        summary: 'List subscriptions',
        description:
          'Newest `created_at` first; with equal times the higher id first. The filter `status` counts failed and expired ones as cancelled.',
        params: StoreParams,
        querystring: Type.Object({ ...OffsetPaging, ...queryFields(subscriptionFilters) }),
        response: { 200: TotalPage(SubscriptionBody, 'The subscriptions') }
      }
    },
    async (request) => {
      const filters = readFilters(subscriptionFilters, request.query, requestStoreOf(request))
      const { rows, total } = filters
        ? await listSubscriptions(db.direct, storeOf(request).storeId, { ...filters, ...offsetPagingOf(request.query) })
        : NOTHING
      return { data: rows.map(presentSubscription), total }
    }
  )
}
