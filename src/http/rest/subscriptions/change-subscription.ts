import { Type } from 'typebox'
import { changeSubscription } from '#lifecycle'
import { SubscriptionBody } from '#resources'
import { ChangeFields, changeFrom } from '../../shared/subscription-change.ts'
import type { Surface } from '../../shared/surface.ts'
import { Envelope } from '../envelope.ts'
import { changedSubscription, SubscriptionParams } from './one-subscription.ts'

const ChangeBody = Type.Object(
  {
    ...ChangeFields,
    price: Type.Optional(
      Type.Number({
        minimum: 0,
        description: 'a JSON number of 0 or more, with no more decimals than the currency has',
        meaning: 'Price per cycle, in the currency of the subscription',
        examples: [24]
      })
    )
  },
  { minProperties: 1 }
)

/** PATCH /subscriptions/{subscription_id}: ours, since the spec leaves changes open (docs/decisions/0008). */
export function changeSubscriptionRoute(rest: Surface): void {
  rest.patch(
    '/subscriptions/:subscription_id',
    {
      config: { allow: 'write:subscriptions' },
      schema: {
        operationId: 'changeSubscription',
        summary: 'Change a subscription',
        description:
          'A new date takes effect immediately; in a trial it must not be after the end of the trial. Plan, price, interval and payment method take effect with the next cycle: they are first sent to the platform, and are shown as `pending_change` until it has accepted them. Fields that are left out stay as they are.',
        params: SubscriptionParams,
        body: ChangeBody,
        response: { 200: Envelope(SubscriptionBody) },
        responseExample: { next_billing_date: '2026-12-24T05:00:00.000Z', updated_at: '2026-11-20T09:00:00.000Z' }
      }
    },
    (request, reply) =>
      changedSubscription(request, reply, (ctx, id, { caller, by }) =>
        changeSubscription(ctx, id, changeFrom(ctx.now, request.body, caller), by)
      )
  )
}
