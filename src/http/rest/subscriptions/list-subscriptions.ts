import { Type } from 'typebox'
import { SubscriptionBody } from '#resources'
import { listSubscriptions, queryFields, readFilters, subscriptionFilters } from '#views'
import type { Surface } from '../../shared/surface.ts'
import { callerOf } from '../caller.ts'
import type { RestDeps } from '../deps.ts'
import { Envelope, NOTHING, PagingFields, pageEnvelope, pagingOf } from '../envelope.ts'
import { presentSubscription } from '../present-subscription.ts'

/** GET /subscriptions (spec 1, Endpoints). */
export function listSubscriptionsRoute(rest: Surface, { db }: RestDeps): void {
  rest.get(
    '/subscriptions',
    {
      config: { allow: 'read:subscriptions' },
      schema: {
        operationId: 'listSubscriptions',
        summary: 'List subscriptions',
        description: 'Newest `created_at` first; with equal times the higher id first.',
        querystring: Type.Object({ ...PagingFields, ...queryFields(subscriptionFilters) }),
        response: { 200: Envelope(Type.Array(SubscriptionBody)) }
      }
    },
    async (request) => {
      const caller = callerOf(request)
      const paging = pagingOf(request.query)
      const filters = readFilters(subscriptionFilters, request.query, caller)
      const { rows, total } = filters
        ? await listSubscriptions(db.direct, caller.storeId, { ...filters, ...paging })
        : NOTHING
      return pageEnvelope(
        rows.map((subscription) => presentSubscription(subscription, caller.profile)),
        total,
        paging
      )
    }
  )
}
