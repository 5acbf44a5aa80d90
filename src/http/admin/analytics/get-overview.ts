import { Type } from 'typebox'
import { AnalyticsBody } from '#resources'
import { PeriodField, readOverview } from '../../shared/analytics-overview.ts'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { text } from '../fields.ts'
import { StoreParams, storeOf } from '../store.ts'

/** GET /stores/{store}/analytics */
export function getOverviewRoute(admin: Surface, { db }: AdminDeps): void {
  admin.get(
    '/stores/:store/analytics',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'getOverview',
        summary: 'Read the metrics',
        description:
          'Metrics of the last days up to today, and of the same number of days before, as `GET /analytics/overview` of the API has them. An unknown plan has zeros.',
        params: StoreParams,
        querystring: Type.Object({
          period: PeriodField,
          plan_id: Type.Optional(text(200, 'a plan id', { meaning: 'Only this plan', examples: ['plan_1'] }))
        }),
        response: { 200: AnalyticsBody }
      }
    },
    (request) => readOverview(db.direct, storeOf(request).storeId, request.query)
  )
}
