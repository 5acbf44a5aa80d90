import { Type } from 'typebox'
import { cancelSubscription } from '#lifecycle'
import { notBlank } from '../../shared/not-blank.ts'
import type { Surface } from '../../shared/surface.ts'
import { text } from '../fields.ts'
import { changedSubscription, SubscriptionParams } from './one-subscription.ts'
import { SubscriptionBody } from './present-subscription.ts'

const CancelBody = Type.Object({
  reason: Type.Optional(
    notBlank(200, { meaning: 'The reason, for reports and events; `other` by default', examples: ['too_expensive'] })
  ),
  comment: Type.Optional(text(1024, undefined, { meaning: "The customer's own words", examples: ['We are moving.'] }))
})

/** POST /stores/{store}/subscriptions/{id}/cancel */
export function cancelSubscriptionRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/subscriptions/:id/cancel',
    {
      config: { allow: 'support' },
      schema: {
        operationId: 'cancelSubscription',
        summary: 'Cancel a subscription',
        description:
          'Ends it at once. The cancellation can be taken back until `reactivatable_until`. Attempts that were not sent to the platform end as `voided`.',
        params: SubscriptionParams,
        body: CancelBody,
        response: { 200: SubscriptionBody }
      }
    },
    (request) => {
      const { reason = 'other', comment = null } = request.body
      return changedSubscription(request, (ctx, id, by) =>
        cancelSubscription(ctx, id, { reason: reason.trim(), comment, by })
      )
    }
  )
}
