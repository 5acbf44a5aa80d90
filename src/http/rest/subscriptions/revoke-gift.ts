import { Type } from 'typebox'
import { revokeGift } from '#lifecycle'
import { SubscriptionBody } from '#resources'
import type { Surface } from '../../shared/surface.ts'
import { Envelope } from '../envelope.ts'
import { changedSubscription, SubscriptionParams } from './one-subscription.ts'

/** POST /subscriptions/{subscription_id}/ungift: ours, beside the spec. */
export function revokeGiftRoute(rest: Surface): void {
  rest.post(
    '/subscriptions/:subscription_id/ungift',
    {
      config: { allow: 'write:subscriptions' },
      schema: {
        operationId: 'revokeGift',
        summary: 'Revoke a gift',
        description:
          'The customer who pays becomes the member again. Only for an active or paused membership that is a gift.',
        params: SubscriptionParams,
        body: Type.Object({}),
        response: { 200: Envelope(SubscriptionBody) },
        responseExample: { updated_at: '2026-11-20T09:00:00.000Z' }
      }
    },
    (request, reply) => changedSubscription(request, reply, (ctx, id, { by }) => revokeGift(ctx, id, by))
  )
}
