import { Type } from 'typebox'
import { AnalyticsBody } from '#resources'
import { PeriodField, readOverview } from '../../shared/analytics-overview.ts'
import type { Surface } from '../../shared/surface.ts'
import { callerOf } from '../caller.ts'
import type { RestDeps } from '../deps.ts'
import { Envelope, envelope } from '../envelope.ts'
import { idField } from '../fields.ts'

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
          period: PeriodField,
          plan_id: idField('a plan id', { meaning: 'Only this plan', examples: ['plan_1'] })
        }),
        response: { 200: Envelope(AnalyticsBody) }
      }
    },
    async (request) => envelope(await readOverview(db.direct, callerOf(request).storeId, request.query))
  )
}
