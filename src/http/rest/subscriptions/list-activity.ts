import { Type } from 'typebox'
import { listActivity, subscriptionNotFound } from '#subscriptions'
import { findSubscription } from '#views'
import { ActivityBody, presentActivity } from '../../shared/activity.ts'
import type { Surface } from '../../shared/surface.ts'
import { callerOf } from '../caller.ts'
import type { RestDeps } from '../deps.ts'
import { Envelope, PagingFields, pageEnvelope, pagingOf } from '../envelope.ts'
import { SubscriptionParams, subscriptionIdOf } from './one-subscription.ts'

/** GET /subscriptions/{subscription_id}/activity: ours, beside the spec. */
export function listActivityRoute(rest: Surface, { db }: RestDeps): void {
  rest.get(
    '/subscriptions/:subscription_id/activity',
    {
      config: { allow: 'read:subscriptions' },
      schema: {
        operationId: 'listSubscriptionActivity',
        summary: 'List the activity of a subscription',
        description: 'Everything that happened to the subscription, newest first: what, when and who did it.',
        params: SubscriptionParams,
        querystring: Type.Object(PagingFields),
        response: { 200: Envelope(Type.Array(ActivityBody)) }
      }
    },
    async (request) => {
      const { storeId } = callerOf(request)
      const id = subscriptionIdOf(request)
      if (!(await findSubscription(db.direct, storeId, id))) throw subscriptionNotFound(id)
      const paging = pagingOf(request.query)
      const { rows, total } = await request.inStore((ctx) => listActivity(ctx, id, paging))
      return pageEnvelope(rows.map(presentActivity), total, paging)
    }
  )
}
