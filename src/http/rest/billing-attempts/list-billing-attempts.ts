import { Type } from 'typebox'
import { BillingAttemptBody } from '#resources'
import { billingAttemptFilters, listBillingAttempts, queryFields, readFilters } from '#views'
import type { Surface } from '../../shared/surface.ts'
import { callerOf } from '../caller.ts'
import type { RestDeps } from '../deps.ts'
import { Envelope, NOTHING, PagingFields, pageEnvelope, pagingOf } from '../envelope.ts'
import { presentBillingAttempt } from '../present-billing-attempt.ts'

/** GET /billing-attempts (spec 1, Endpoints). */
export function listBillingAttemptsRoute(rest: Surface, { db }: RestDeps): void {
  rest.get(
    '/billing-attempts',
    {
      config: { allow: 'read:billing' },
      schema: {
        operationId: 'listBillingAttempts',
        summary: 'List billing attempts',
        description:
          'Newest `date` first; with equal times the higher id first. The first payment of a membership is a checkout on the platform, not a billing attempt.',
        querystring: Type.Object({ ...PagingFields, ...queryFields(billingAttemptFilters) }),
        response: { 200: Envelope(Type.Array(BillingAttemptBody)) }
      }
    },
    async (request) => {
      const caller = callerOf(request)
      const paging = pagingOf(request.query)
      const filters = readFilters(billingAttemptFilters, request.query, caller)
      const { rows, total } = filters
        ? await listBillingAttempts(db.direct, caller.storeId, { ...filters, ...paging })
        : NOTHING
      return pageEnvelope(
        rows.map((attempt) => presentBillingAttempt(attempt, caller.profile)),
        total,
        paging
      )
    }
  )
}
