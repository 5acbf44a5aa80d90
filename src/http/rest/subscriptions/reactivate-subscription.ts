import { Type } from 'typebox'
import { reactivateSubscription } from '#lifecycle'
import { SubscriptionBody } from '#resources'
import type { Surface } from '../../shared/surface.ts'
import { Envelope } from '../envelope.ts'
import { changedSubscription, SubscriptionParams } from './one-subscription.ts'

/** POST /subscriptions/{subscription_id}/reactivate: ours, beside the spec. */
export function reactivateSubscriptionRoute(rest: Surface): void {
  rest.post(
    '/subscriptions/:subscription_id/reactivate',
    {
      config: { allow: 'write:subscriptions' },
      schema: {
        operationId: 'reactivateSubscription',
        summary: 'Reactivate a subscription',
        description:
          'Undoes a cancellation, until `reactivatable_until`. Billing continues at the next date of the schedule. A cycle that was unpaid when the subscription was cancelled is charged one day later, if that cycle has not ended by then.',
        params: SubscriptionParams,
        body: Type.Object({}),
        response: { 200: Envelope(SubscriptionBody) },
        responseExample: { updated_at: '2026-11-20T09:00:00.000Z' }
      }
    },
    (request, reply) => changedSubscription(request, reply, (ctx, id, { by }) => reactivateSubscription(ctx, id, by))
  )
}
