import { Type } from 'typebox'
import { resumeSubscription } from '#lifecycle'
import { SubscriptionBody } from '#resources'
import { futureOrNull, IsoDate } from '../../shared/dates.ts'
import type { Surface } from '../../shared/surface.ts'
import { Envelope } from '../envelope.ts'
import { changedSubscription, SubscriptionParams } from './one-subscription.ts'

const ResumeBody = Type.Object({
  next_billing_date: IsoDate(
    'When to charge next, instead of the next date of the schedule; later billing dates follow from it. A date without a time means midnight in the time zone of the shop',
    '2030-01-15'
  )
})

/** POST /subscriptions/{subscription_id}/resume (spec 1, Endpoints). */
export function resumeSubscriptionRoute(rest: Surface): void {
  rest.post(
    '/subscriptions/:subscription_id/resume',
    {
      config: { allow: 'write:subscriptions' },
      schema: {
        operationId: 'resumeSubscription',
        summary: 'Resume a subscription',
        description:
          'Ends a pause immediately. Billing continues at the next date of the schedule, or at the given date, which must not be after the end of a running trial. Without a date, a cycle that was unpaid when the pause began is charged one day later, if that cycle has not ended by then. Nothing is charged immediately.',
        params: SubscriptionParams,
        body: ResumeBody,
        response: { 200: Envelope(SubscriptionBody) },
        responseExample: { next_billing_date: '2030-01-15T05:00:00.000Z', updated_at: '2026-11-27T09:00:00.000Z' }
      }
    },
    (request, reply) =>
      changedSubscription(request, reply, (ctx, id, { caller, by }) => {
        const { next_billing_date } = request.body
        const nextBillingAt = futureOrNull('next_billing_date', next_billing_date, caller.timezone, ctx.now)
        return resumeSubscription(ctx, id, nextBillingAt, by)
      })
  )
}
