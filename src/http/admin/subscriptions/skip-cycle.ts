import { Type } from 'typebox'
import { skipCycle } from '#lifecycle'
import type { Surface } from '../../shared/surface.ts'
import { changedSubscription, SubscriptionParams } from './one-subscription.ts'
import { SubscriptionBody } from './present-subscription.ts'

/** POST /stores/{store}/subscriptions/{id}/skip */
export function skipCycleRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/subscriptions/:id/skip',
    {
      config: { allow: 'support' },
      schema: {
        operationId: 'skipCycle',
        summary: 'Skip the next cycle',
        description:
          'The next cycle is never billed; the one after it keeps its date. Refused in a trial, which nothing makes longer.',
        params: SubscriptionParams,
        body: Type.Object({}),
        response: { 200: SubscriptionBody }
      }
    },
    (request) => changedSubscription(request, skipCycle)
  )
}
