import { Type } from 'typebox'
import { analyticsOverview } from '#analytics'
import { internalId } from '#kit/ids'
import { AnalyticsBody } from '#resources'
import { DEFAULT_PERIOD, PERIOD_DAYS, PeriodField, presentAnalytics } from '../../shared/analytics-overview.ts'
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
    async (request) => {
      const { period = DEFAULT_PERIOD, plan_id } = request.query
      const planId = plan_id === undefined ? undefined : internalId('plan', plan_id)
      const { storeId } = storeOf(request)
      const overview = await analyticsOverview(db.direct, storeId, { days: PERIOD_DAYS[period], planId })
      return presentAnalytics(overview, { period, planId: plan_id ?? null })
    }
  )
}
