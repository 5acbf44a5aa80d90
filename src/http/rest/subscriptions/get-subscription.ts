import { internalId } from '#kit/ids'
import { SubscriptionBody } from '#resources'
import { findSubscription } from '#views'
import { noSuch } from '../../shared/path-ids.ts'
import type { Surface } from '../../shared/surface.ts'
import { callerOf } from '../caller.ts'
import type { RestDeps } from '../deps.ts'
import { Envelope, envelope } from '../envelope.ts'
import { presentSubscription } from '../present-subscription.ts'
import { SubscriptionParams } from './one-subscription.ts'

/** GET /subscriptions/{subscription_id} (spec 1, Endpoints). */
export function getSubscriptionRoute(rest: Surface, { db }: RestDeps): void {
  rest.get(
    '/subscriptions/:subscription_id',
    {
      config: { allow: 'read:subscriptions' },
      schema: {
        operationId: 'getSubscription',
        summary: 'Read a subscription',
        description: 'One subscription by id.',
        params: SubscriptionParams,
        response: { 200: Envelope(SubscriptionBody) }
      }
    },
    async (request) => {
      const { storeId, profile } = callerOf(request)
      const id = internalId('sub', request.params.subscription_id)
      const subscription = id === null ? null : await findSubscription(db.direct, storeId, id)
      if (!subscription) throw noSuch('sub', request.params.subscription_id)
      return envelope(presentSubscription(subscription, profile))
    }
  )
}
