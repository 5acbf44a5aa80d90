import { Type } from 'typebox'
import { cancelSubscription } from '#lifecycle'
import { SubscriptionBody } from '#resources'
import { notBlank } from '../../shared/not-blank.ts'
import type { Surface } from '../../shared/surface.ts'
import { Envelope } from '../envelope.ts'
import { changedSubscription, SubscriptionParams } from './one-subscription.ts'

const CancelBody = Type.Object({
  reason: Type.Optional(
    notBlank(200, {
      meaning: 'The reason, for reports and events; `other` by default',
      examples: ['too_expensive']
    })
  ),
  comment: Type.Optional(
    Type.String({
      maxLength: 1024,
      description: 'a text of at most 1024 characters',
      meaning: "The customer's own words",
      examples: ['We are moving abroad.']
    })
  )
})

/** POST /subscriptions/{subscription_id}/cancel (spec 1, Endpoints). */
export function cancelSubscriptionRoute(rest: Surface): void {
  rest.post(
    '/subscriptions/:subscription_id/cancel',
    {
      config: { allow: 'write:subscriptions' },
      schema: {
        operationId: 'cancelSubscription',
        summary: 'Cancel a subscription',
        description:
          'Ends the subscription immediately. The cancellation can be undone until `reactivatable_until`. Billing attempts that were not sent to the platform yet become `voided`, and scheduled retries are cancelled. The platform still decides the outcome of an attempt that it already has.',
        params: SubscriptionParams,
        body: CancelBody,
        response: { 200: Envelope(SubscriptionBody) },
        responseExample: {
          status: 'cancelled',
          next_billing_date: null,
          cancelled_at: '2026-11-20T09:00:00.000Z',
          cancel_reason: 'too_expensive',
          reactivatable_until: '2026-11-21T09:00:00.000Z',
          updated_at: '2026-11-20T09:00:00.000Z'
        }
      }
    },
    (request, reply) => {
      const { reason = 'other', comment = null } = request.body
      return changedSubscription(request, reply, (ctx, id, { by }) =>
        cancelSubscription(ctx, id, { reason: reason.trim(), comment, by })
      )
    }
  )
}
