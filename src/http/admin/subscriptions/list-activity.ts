import { Type } from 'typebox'
import { listActivity } from '#subscriptions'
import { ActivityBody, presentActivity } from '../../shared/activity.ts'
import type { Surface } from '../../shared/surface.ts'
import { OffsetPaging, offsetPagingOf, TotalPage } from '../fields.ts'
import { readSubscription, SubscriptionParams, subscriptionIdOf } from './one-subscription.ts'

/** GET /stores/{store}/subscriptions/{id}/activity */
export function listActivityRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/subscriptions/:id/activity',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listActivity',
        summary: 'List the activity of a subscription',
        description: 'Everything that happened to the subscription, newest first: what, when and who did it.',
        params: SubscriptionParams,
        querystring: Type.Object(OffsetPaging),
        response: { 200: TotalPage(ActivityBody, 'The entries') }
      }
    },
    (request) => {
      return request.inStore(async (ctx) => {
        await readSubscription(ctx, subscriptionIdOf(request))
        const { rows, total } = await listActivity(ctx, subscriptionIdOf(request), offsetPagingOf(request.query))
        return { data: rows.map(presentActivity), total }
      })
    }
  )
}
