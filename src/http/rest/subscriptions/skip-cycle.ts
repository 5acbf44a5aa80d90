import { Type } from 'typebox'
import { skipCycle } from '#lifecycle'
import { SubscriptionBody } from '#resources'
import type { Surface } from '../../shared/surface.ts'
import { Envelope } from '../envelope.ts'
import { changedSubscription, SubscriptionParams } from './one-subscription.ts'

/** POST /subscriptions/{subscription_id}/skip: ours, beside the spec. */
export function skipCycleRoute(rest: Surface): void {
  rest.post(
    '/subscriptions/:subscription_id/skip',
    {
      config: { allow: 'write:subscriptions' },
      schema: {
        operationId: 'skipSubscriptionCycle',
        summary: 'Skip the next cycle',
        description:
          'The next cycle is not billed; the cycle after it keeps its date. Only for an active subscription that is not in its trial and whose current cycle is not being charged and was not declined. A cycle whose charge is on hold until a person decides can be skipped.',
        params: SubscriptionParams,
        body: Type.Object({}),
        response: { 200: Envelope(SubscriptionBody) },
        responseExample: { next_billing_date: '2027-01-15T06:25:00.000Z', updated_at: '2026-11-20T09:00:00.000Z' }
      }
    },
    (request, reply) => changedSubscription(request, reply, (ctx, id, { by }) => skipCycle(ctx, id, by))
  )
}
