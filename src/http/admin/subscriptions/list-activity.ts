import { Type } from 'typebox'
import { listActivity } from '#subscriptions'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { OffsetPaging, offsetPagingOf, TotalPage } from '../fields.ts'
import { storeOf } from '../store.ts'
import { readSubscription, SubscriptionParams, subscriptionIdOf } from './one-subscription.ts'
import { NamedActivityBody, presentActivities } from './present-activity.ts'

/** GET /stores/{store}/subscriptions/{id}/activity */
export function listActivityRoute(admin: Surface, { db }: AdminDeps): void {
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
        response: { 200: TotalPage(NamedActivityBody, 'The entries') }
      }
    },
    async (request) => {
      const { rows, total } = await request.inStore(async (ctx) => {
        await readSubscription(ctx, subscriptionIdOf(request))
        return listActivity(ctx, subscriptionIdOf(request), offsetPagingOf(request.query))
      })
      return { data: await presentActivities(db, storeOf(request), rows), total }
    }
  )
}
