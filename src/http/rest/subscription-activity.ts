import { Type } from 'typebox'
import type { Database } from '#kit/postgres'
import { listActivity, subscriptionNotFound } from '#subscriptions'
import { findSubscription } from '#views'
import { ActivityBody, presentActivity } from '../shared/activity.ts'
import type { Surface } from '../shared/surface.ts'
import { callerOf } from './caller.ts'
import { Envelope, PagingFields, pageEnvelope, pagingOf } from './envelope.ts'
import { SubscriptionParams, subscriptionIdOf } from './subscription-actions.ts'

/** What happened to a subscription, and by whom. */
export function registerSubscriptionActivity(rest: Surface, db: Database): void {
  rest.get(
    '/subscriptions/:subscription_id/activity',
    {
      config: { scope: 'read:subscriptions' },
      schema: {
        operationId: 'listSubscriptionActivity',
        summary: 'Read the history of a subscription',
        description: 'Everything that happened to it, newest first: what, when, and by whom.',
        params: SubscriptionParams,
        querystring: Type.Object(PagingFields),
        response: { 200: Envelope(Type.Array(ActivityBody)) }
      }
    },
    async (request) => {
      const { storeId } = callerOf(request)
      const id = subscriptionIdOf(request.params)
      if (!(await findSubscription(db.direct, storeId, id))) throw subscriptionNotFound(id)
      const paging = pagingOf(request.query)
      const { rows, total } = await request.inStore((ctx) => listActivity(ctx, id, paging))
      return pageEnvelope(rows.map(presentActivity), total, paging)
    }
  )
}
