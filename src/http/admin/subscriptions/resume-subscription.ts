import { Type } from 'typebox'
import { resumeSubscription } from '#lifecycle'
import { futureOrNull, IsoDate } from '../../shared/dates.ts'
import type { Surface } from '../../shared/surface.ts'
import { storeOf } from '../store.ts'
import { changedSubscription, SubscriptionParams } from './one-subscription.ts'
import { SubscriptionBody } from './present-subscription.ts'

const ResumeBody = Type.Object({
  next_billing_date: IsoDate('When to charge next, in place of the next date of the schedule', '2030-01-15')
})

/** POST /stores/{store}/subscriptions/{id}/resume */
export function resumeSubscriptionRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/subscriptions/:id/resume',
    {
      config: { allow: 'support' },
      schema: {
        operationId: 'resumeSubscription',
        summary: 'Resume a subscription',
        description:
          'Ends a pause. It is billed again from the next date of its schedule, or from the date that is given. Nothing is charged at once by itself.',
        params: SubscriptionParams,
        body: ResumeBody,
        response: { 200: SubscriptionBody }
      }
    },
    (request) =>
      changedSubscription(request, (ctx, id, by) => {
        const { timezone } = storeOf(request)
        const nextBillingAt = futureOrNull('next_billing_date', request.body.next_billing_date, timezone, ctx.now)
        return resumeSubscription(ctx, id, nextBillingAt, by)
      })
  )
}
