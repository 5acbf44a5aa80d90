import { Type } from 'typebox'
import { listActivity } from '#subscriptions'
import { ActivityBody, presentActivity } from '../../shared/activity.ts'
import type { Surface } from '../../shared/surface.ts'
import { PageLimit } from '../fields.ts'
import { readSubscription, SubscriptionParams, subscriptionIdOf } from './one-subscription.ts'

/** GET /stores/{store}/subscriptions/{id}/activity */
export function listActivityRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/subscriptions/:id/activity',
    {
      config: { allow: 'operator' },
      schema: {
        operationId: 'listActivity',
        summary: 'List the activity of a subscription',
        description: 'Everything that happened to the subscription, newest first: what, when and who did it.',
        params: SubscriptionParams,
        querystring: Type.Object({
          limit: PageLimit,
          offset: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: 1_000_000_000,
              default: 0,
              description: 'an integer from 0 to 1000000000',
              meaning: 'Number of entries to skip',
              examples: [0]
            })
          )
        }),
        response: {
          200: Type.Object({
            data: Type.Array(ActivityBody, { description: 'The entries' }),
            total: Type.Integer({ description: 'How many entries there are in all', examples: [1] })
          })
        }
      }
    },
    (request) => {
      const { limit = 50, offset = 0 } = request.query
      return request.inStore(async (ctx) => {
        await readSubscription(ctx, subscriptionIdOf(request))
        const { rows, total } = await listActivity(ctx, subscriptionIdOf(request), { limit, offset })
        return { data: rows.map(presentActivity), total }
      })
    }
  )
}
