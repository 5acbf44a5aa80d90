import { Type } from 'typebox'
import { reactivateSubscription } from '#lifecycle'
import type { Surface } from '../../shared/surface.ts'
import { changedSubscription, SubscriptionParams } from './one-subscription.ts'
import { SubscriptionBody } from './present-subscription.ts'

/** POST /stores/{store}/subscriptions/{id}/reactivate */
export function reactivateSubscriptionRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/subscriptions/:id/reactivate',
    {
      config: { allow: 'support' },
      schema: {
        operationId: 'reactivateSubscription',
        summary: 'Reactivate a subscription',
        description:
          'Undoes a cancellation, until `reactivatable_until`. Billing continues at the next date of the schedule.',
        params: SubscriptionParams,
        body: Type.Object({}),
        response: { 200: SubscriptionBody }
      }
    },
    (request) => changedSubscription(request, reactivateSubscription)
  )
}
