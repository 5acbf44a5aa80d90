import { Type } from 'typebox'
import { pauseSubscription } from '#lifecycle'
import { SubscriptionBody } from '#resources'
import { daysAhead } from '../../shared/dates.ts'
import type { Surface } from '../../shared/surface.ts'
import { Envelope } from '../envelope.ts'
import { changedSubscription, SubscriptionParams } from './one-subscription.ts'

/** The spec leaves the unit of a pause open: days. */
const MAX_PAUSE_DAYS = 365

const PauseBody = Type.Object({
  duration: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAUSE_DAYS,
      description: `an integer from 1 to ${MAX_PAUSE_DAYS} days`,
      meaning: 'Number of days until it resumes automatically; without it the pause has no end',
      examples: [30]
    })
  )
})

/** POST /subscriptions/{subscription_id}/pause (spec 1, Endpoints). */
export function pauseSubscriptionRoute(rest: Surface): void {
  rest.post(
    '/subscriptions/:subscription_id/pause',
    {
      config: { allow: 'write:subscriptions' },
      schema: {
        operationId: 'pauseSubscription',
        summary: 'Pause a subscription',
        description:
          'Takes effect immediately: nothing is billed while the subscription is paused. It resumes automatically after `duration`, or when you resume it. Only an active subscription can be paused.',
        params: SubscriptionParams,
        body: PauseBody,
        response: { 200: Envelope(SubscriptionBody) },
        responseExample: {
          status: 'paused',
          next_billing_date: null,
          paused_at: '2026-11-20T09:00:00.000Z',
          resumes_at: '2026-12-20T09:00:00.000Z',
          updated_at: '2026-11-20T09:00:00.000Z'
        }
      }
    },
    (request, reply) =>
      changedSubscription(request, reply, (ctx, id, { caller, by }) =>
        pauseSubscription(ctx, id, daysAhead(ctx.now, request.body.duration, caller.timezone), by)
      )
  )
}
