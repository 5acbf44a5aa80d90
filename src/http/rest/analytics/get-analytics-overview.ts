import { Type } from 'typebox'
import { analyticsOverview } from '#analytics'
import { internalId } from '#kit/ids'
import { AnalyticsBody, PeriodBody } from '#resources'
import type { Surface } from '../../shared/surface.ts'
import { callerOf } from '../caller.ts'
import type { RestDeps } from '../deps.ts'
import { Envelope, envelope } from '../envelope.ts'
import { idField } from '../fields.ts'
import { presentAnalytics } from '../present-analytics.ts'

const DAYS = { '7d': 7, '30d': 30, '90d': 90, '365d': 365 } as const

/** The spec names the four periods and no default. */
const DEFAULT_PERIOD = '30d'

/** GET /analytics/overview (spec 1, Endpoints). */
export function getAnalyticsOverviewRoute(rest: Surface, { db }: RestDeps): void {
  rest.get(
    '/analytics/overview',
    {
      config: { allow: 'read:analytics' },
      schema: {
        operationId: 'getAnalyticsOverview',
        summary: 'Read the overview',
        description:
          'Metrics of the last days up to today, and of the same number of days before. They include every change up to now. An unknown plan has zeros.',
        querystring: Type.Object({
          period: Type.Optional(
            Type.Union(PeriodBody.anyOf, {
              description: '7d, 30d, 90d or 365d',
              meaning: 'Number of days, including today',
              default: DEFAULT_PERIOD
            })
          ),
          plan_id: idField('a plan id', { meaning: 'Only this plan', examples: ['plan_1'] })
        }),
        response: { 200: Envelope(AnalyticsBody) }
      }
    },
    async (request) => {
      const { storeId } = callerOf(request)
      const { period = DEFAULT_PERIOD, plan_id } = request.query
      const planId = plan_id === undefined ? undefined : internalId('plan', plan_id)
      const overview = await analyticsOverview(db.direct, storeId, { days: DAYS[period], planId })
      return envelope(presentAnalytics(overview, { period, planId: plan_id ?? null }))
    }
  )
}
