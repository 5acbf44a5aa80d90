import { Type } from 'typebox'
import { SubscriptionBody } from '#resources'
import { withIdempotency } from '../shared/idempotency.ts'
import { ChangeFields, changeSubscription } from '../shared/subscription-change.ts'
import type { Surface } from '../shared/surface.ts'
import { actorOf, callerOf } from './caller.ts'
import { Envelope } from './envelope.ts'
import { answerOf, SubscriptionParams, subscriptionIdOf } from './subscription-actions.ts'

const ChangeBody = Type.Object(
  {
    ...ChangeFields,
    price: Type.Optional(
      Type.Number({
        minimum: 0,
        description: 'an amount of 0 or more with no more decimals than the currency has',
        meaning: 'What a cycle costs, in the currency of the subscription',
        examples: [24]
      })
    )
  },
  { minProperties: 1 }
)

/** Ours: the contract leaves changes of a subscription open (docs/decisions/0008). */
export function registerChangeSubscription(rest: Surface): void {
  rest.patch(
    '/subscriptions/:subscription_id',
    {
      config: { scope: 'write:subscriptions' },
      schema: {
        operationId: 'changeSubscription',
        summary: 'Change a subscription',
        description:
          'A date holds at once. Plan, price, interval and payment method hold from the next cycle on: they are brought to the platform first, and are shown as `pending_change` until it has them. What is not given stays.',
        params: SubscriptionParams,
        body: ChangeBody,
        response: { 200: Envelope(SubscriptionBody) },
        responseExample: { next_billing_date: '2026-12-24T05:00:00.000Z', updated_at: '2026-11-20T09:00:00.000Z' }
      }
    },
    (request, reply) => {
      const caller = callerOf(request)
      return withIdempotency(request, reply, async (ctx) => {
        const id = subscriptionIdOf(request.params)
        await changeSubscription(ctx, id, request.body, { ...caller, by: actorOf(caller) })
        return answerOf(ctx, id, caller.profile)
      })
    }
  )
}
