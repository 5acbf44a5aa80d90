import type { Surface } from '../../shared/surface.ts'
import { readSubscription, SubscriptionParams, subscriptionIdOf } from './one-subscription.ts'
import { SubscriptionBody } from './present-subscription.ts'

/** GET /stores/{store}/subscriptions/{id} */
export function getSubscriptionRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/subscriptions/:id',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'getSubscription',
        summary: 'Read a subscription',
        description: 'One subscription. Its `status` is one of all five; the REST API shows three.',
        params: SubscriptionParams,
        response: { 200: SubscriptionBody }
      }
    },
    (request) => request.inStore((ctx) => readSubscription(ctx, subscriptionIdOf(request)))
  )
}
