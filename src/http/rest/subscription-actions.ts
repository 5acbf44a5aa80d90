import { type Static, Type } from 'typebox'
import { cancelSubscription, pauseSubscription, skipCycle } from '#billing'
import { internalId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { reactivateSubscription, resumeSubscription } from '#lifecycle'
import { SubscriptionBody } from '#resources'
import { findSubscription } from '#views'
import { futureOrNull, IsoDate } from '../shared/dates.ts'
import { withIdempotency } from '../shared/idempotency.ts'
import type { Surface } from '../shared/surface.ts'
import { actorOf, callerOf } from './caller.ts'
import { Envelope, envelope } from './envelope.ts'
import { presentSubscription } from './present-subscription.ts'

/** The spec leaves the unit of a pause open: days. */
const MAX_PAUSE_DAYS = 365

export const SubscriptionParams = Type.Object({
  subscription_id: Type.String({ description: 'a subscription id', examples: ['sub_24'] })
})

const PauseBody = Type.Object({
  duration: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAUSE_DAYS,
      description: `an integer from 1 to ${MAX_PAUSE_DAYS}: the days until it resumes by itself`,
      meaning: 'How long; without it the pause has no end',
      examples: [30]
    })
  )
})

const ResumeBody = Type.Object({
  next_billing_date: IsoDate(
    'When to charge next, in place of the next date of the schedule; later dates are counted from it. A day means midnight in the shop, then and later',
    '2030-01-15'
  )
})

const CancelBody = Type.Object({
  reason: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: '\\S',
      description: 'a text of 1 to 200 characters',
      meaning: 'Why, for reports and events; `other` without it',
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

/** Spec 1, Endpoints: pause, resume and cancel of a subscription; skip and reactivate are ours. Each takes effect at once. */
export function registerSubscriptionActions(rest: Surface): void {
  rest.post(
    '/subscriptions/:subscription_id/pause',
    {
      config: { scope: 'write:subscriptions' },
      schema: {
        operationId: 'pauseSubscription',
        summary: 'Pause a subscription',
        description:
          'Takes effect at once: nothing is billed while it is paused. It resumes by itself when `duration` is over, or when it is resumed. Only an active one can be paused.',
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
    (request, reply) => {
      const caller = callerOf(request)
      const { timezone, profile } = caller
      const { duration } = request.body
      return withIdempotency(request, reply, async (ctx) => {
        // Days of the shop's calendar: a pause over a change of clocks ends at the same hour.
        const resumesAt = duration ? ctx.now.toZonedDateTimeISO(timezone).add({ days: duration }).toInstant() : null
        const { id } = await pauseSubscription(ctx, subscriptionIdOf(request.params), resumesAt, actorOf(caller))
        return answerOf(ctx, id, profile)
      })
    }
  )

  rest.post(
    '/subscriptions/:subscription_id/resume',
    {
      config: { scope: 'write:subscriptions' },
      schema: {
        operationId: 'resumeSubscription',
        summary: 'Resume a subscription',
        description:
          'Ends a pause at once. It is billed again from the next date of its schedule, or from the date given. Without a date, a cycle that was unpaid when the pause began is due a day later, if its time still runs then. Nothing is charged at once by itself.',
        params: SubscriptionParams,
        body: ResumeBody,
        response: { 200: Envelope(SubscriptionBody) },
        responseExample: { next_billing_date: '2030-01-15T05:00:00.000Z', updated_at: '2026-11-27T09:00:00.000Z' }
      }
    },
    (request, reply) => {
      const caller = callerOf(request)
      const { timezone, profile } = caller
      const { next_billing_date } = request.body
      return withIdempotency(request, reply, async (ctx) => {
        const nextBillingAt = futureOrNull('next_billing_date', next_billing_date, timezone, ctx.now)
        const { id } = await resumeSubscription(ctx, subscriptionIdOf(request.params), nextBillingAt, actorOf(caller))
        return answerOf(ctx, id, profile)
      })
    }
  )

  rest.post(
    '/subscriptions/:subscription_id/cancel',
    {
      config: { scope: 'write:subscriptions' },
      schema: {
        operationId: 'cancelSubscription',
        summary: 'Cancel a subscription',
        description:
          'Ends it at once. Until `reactivatable_until` that can be taken back. Attempts that were not sent to the platform yet end as `voided`, announced retries are called off. How an attempt ends that the platform already has is for the platform to say.',
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
      const caller = callerOf(request)
      const { profile } = caller
      const { reason = 'other', comment = null } = request.body
      return withIdempotency(request, reply, async (ctx) => {
        const cancellation = { reason: reason.trim(), comment, by: actorOf(caller) }
        const { id } = await cancelSubscription(ctx, subscriptionIdOf(request.params), cancellation)
        return answerOf(ctx, id, profile)
      })
    }
  )

  const move = (
    name: 'skip' | 'reactivate',
    schema: { operationId: string; summary: string; description: string; responseExample: Record<string, unknown> },
    act: typeof skipCycle
  ) =>
    rest.post(
      `/subscriptions/:subscription_id/${name}`,
      {
        config: { scope: 'write:subscriptions' },
        schema: {
          ...schema,
          params: SubscriptionParams,
          body: Type.Object({}),
          response: { 200: Envelope(SubscriptionBody) }
        }
      },
      (request, reply) => {
        const caller = callerOf(request)
        return withIdempotency(request, reply, async (ctx) => {
          const { id } = await act(ctx, subscriptionIdOf(request.params), actorOf(caller))
          return answerOf(ctx, id, caller.profile)
        })
      }
    )

  move(
    'skip',
    {
      operationId: 'skipSubscriptionCycle',
      summary: 'Skip the next cycle',
      description:
        'The next cycle is never billed; the one after it keeps its date. Only an active one whose present cycle is not being charged and was not declined; one whose charge is held for a person can be skipped.',
      responseExample: { next_billing_date: '2027-01-15T06:25:00.000Z', updated_at: '2026-11-20T09:00:00.000Z' }
    },
    skipCycle
  )
  move(
    'reactivate',
    {
      operationId: 'reactivateSubscription',
      summary: 'Take a cancellation back',
      description:
        'Possible until `reactivatable_until`. It is billed again from the next date of its schedule. A cycle that was unpaid when it was cancelled is due a day later, if its time still runs then.',
      responseExample: { updated_at: '2026-11-20T09:00:00.000Z' }
    },
    reactivateSubscription
  )
}

export function subscriptionIdOf({ subscription_id: text }: Static<typeof SubscriptionParams>): number {
  const id = internalId('sub', text)
  if (id === null) throw new Refusal('not_found', `There is no subscription ${text.slice(0, 100)}`)
  return id
}

/** The subscription as it is now, read in the transaction that changed it. */
export async function answerOf(ctx: Ctx, id: number, profile: ReturnType<typeof callerOf>['profile']) {
  const changed = await findSubscription(ctx.tx, ctx.storeId, id)
  if (!changed) throw new Error(`The subscription ${id} that was just changed is gone`)
  return envelope(presentSubscription(changed, profile))
}
