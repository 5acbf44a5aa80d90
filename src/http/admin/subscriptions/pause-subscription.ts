import { Type } from 'typebox'
import { pauseSubscription } from '#lifecycle'
import { daysAhead } from '../../shared/dates.ts'
import type { Surface } from '../../shared/surface.ts'
import { storeOf } from '../store.ts'
import { changedSubscription, SubscriptionParams } from './one-subscription.ts'
import { SubscriptionBody } from './present-subscription.ts'

/** How long a pause lasts. */
export const Days = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 365,
    description: 'an integer from 1 to 365, in days',
    meaning: 'Number of days until it resumes automatically; without it the pause has no end',
    examples: [30]
  })
)

const PauseBody = Type.Object({ duration: Days })

/** POST /stores/{store}/subscriptions/{id}/pause */
export function pauseSubscriptionRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/subscriptions/:id/pause',
    {
      config: { allow: 'support' },
      schema: {
        operationId: 'pauseSubscription',
        summary: 'Pause a subscription',
        description: 'Nothing is billed while it is paused. Only an active one can be paused.',
        params: SubscriptionParams,
        body: PauseBody,
        response: { 200: SubscriptionBody }
      }
    },
    (request) =>
      changedSubscription(request, (ctx, id, by) =>
        pauseSubscription(ctx, id, daysAhead(ctx.now, request.body.duration, storeOf(request).timezone), by)
      )
  )
}
