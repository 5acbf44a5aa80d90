import { Type } from 'typebox'
import { billingAttemptFilters, listBillingAttempts, queryFields, readFilters } from '#views'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { NOTHING, OffsetPaging, offsetPagingOf, TotalPage } from '../fields.ts'
import { requestStoreOf, StoreParams, storeOf } from '../store.ts'
import { BillingAttemptBody, presentBillingAttempt } from './present-billing-attempt.ts'

/** GET /stores/{store}/billing-attempts */
export function listBillingAttemptsRoute(admin: Surface, { db }: AdminDeps): void {
  admin.get(
    '/stores/:store/billing-attempts',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listBillingAttempts',
        summary: 'List billing attempts',
        description:
          'Newest `date` first; with equal dates the higher id first. The first payment is the checkout, which is not a billing attempt.',
        params: StoreParams,
        querystring: Type.Object({ ...OffsetPaging, ...queryFields(billingAttemptFilters) }),
        response: { 200: TotalPage(BillingAttemptBody, 'The attempts') }
      }
    },
    async (request) => {
      const filters = readFilters(billingAttemptFilters, request.query, requestStoreOf(request))
      const { rows, total } = filters
        ? await listBillingAttempts(db.direct, storeOf(request).storeId, {
            ...filters,
            ...offsetPagingOf(request.query)
          })
        : NOTHING
      return { data: rows.map(presentBillingAttempt), total }
    }
  )
}
