import { type Static, Type } from 'typebox'
import { cancelSubscription, pauseSubscription } from '#billing'
import { internalId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { findSubscription } from '#reports'
import { resumeSubscription } from '#subscriptions'
import type { Surface } from '../surface.ts'
import { callerOf } from './caller.ts'
import { futureOrNull, IsoDate } from './dates.ts'
import { Envelope, envelope } from './envelope.ts'
import { answerOnce } from './idempotency.ts'
import { presentSubscription, SubscriptionBody } from './present-subscription.ts'

/** The spec leaves the unit of a pause open: days. */
const MOST_PAUSE_DAYS = 365

const SubscriptionParams = Type.Object({ id: Type.String({ description: 'a subscription id' }) })

const PauseBody = Type.Object({
  duration: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST_PAUSE_DAYS,
      description: `an integer from 1 to ${MOST_PAUSE_DAYS}: the days until it resumes by itself`
    })
  )
})

const ResumeBody = Type.Object({ next_billing_date: IsoDate() })

const CancelBody = Type.Object({
  reason: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', description: 'a text of 1 to 200 characters' })
  ),
  comment: Type.Optional(Type.String({ maxLength: 1024, description: 'a text of at most 1024 characters' }))
})

/** Spec 1, Endpoints: pause, resume and cancel of a subscription. Each takes effect at once. */
export function registerSubscriptionMoves(rest: Surface): void {
  rest.post(
    '/subscriptions/:id/pause',
    {
      config: { scope: 'write:subscriptions' },
      schema: { params: SubscriptionParams, body: PauseBody, response: { 200: Envelope(SubscriptionBody) } }
    },
    (request, reply) => {
      const { timezone, profile } = callerOf(request)
      const { duration } = request.body
      return answerOnce(request, reply, async (ctx) => {
        // Days of the shop's calendar: a pause over a change of clocks ends at the same hour.
        const resumesAt = duration ? ctx.now.toZonedDateTimeISO(timezone).add({ days: duration }).toInstant() : null
        const { id } = await pauseSubscription(ctx, subscriptionIdOf(request.params), resumesAt, 'api')
        return answerOf(ctx, id, profile)
      })
    }
  )

  rest.post(
    '/subscriptions/:id/resume',
    {
      config: { scope: 'write:subscriptions' },
      schema: { params: SubscriptionParams, body: ResumeBody, response: { 200: Envelope(SubscriptionBody) } }
    },
    (request, reply) => {
      const { timezone, profile } = callerOf(request)
      const { next_billing_date } = request.body
      return answerOnce(request, reply, async (ctx) => {
        const nextBillingAt = futureOrNull('next_billing_date', next_billing_date, timezone, ctx.now)
        const { id } = await resumeSubscription(ctx, subscriptionIdOf(request.params), nextBillingAt, 'api')
        return answerOf(ctx, id, profile)
      })
    }
  )

  rest.post(
    '/subscriptions/:id/cancel',
    {
      config: { scope: 'write:subscriptions' },
      schema: { params: SubscriptionParams, body: CancelBody, response: { 200: Envelope(SubscriptionBody) } }
    },
    (request, reply) => {
      const { profile } = callerOf(request)
      const { reason = 'other', comment = null } = request.body
      return answerOnce(request, reply, async (ctx) => {
        const cancellation = { reason: reason.trim(), comment, by: 'api' as const }
        const { id } = await cancelSubscription(ctx, subscriptionIdOf(request.params), cancellation)
        return answerOf(ctx, id, profile)
      })
    }
  )
}

function subscriptionIdOf({ id: text }: Static<typeof SubscriptionParams>): number {
  const id = internalId('sub', text)
  if (id === null) throw new Refusal('not_found', `There is no subscription ${text.slice(0, 100)}`)
  return id
}

/** The subscription as it is now, read in the transaction that changed it. */
async function answerOf(ctx: Ctx, id: number, profile: ReturnType<typeof callerOf>['profile']) {
  const changed = await findSubscription(ctx.tx, ctx.storeId, id)
  if (!changed) throw new Error(`The subscription ${id} that was just changed is gone`)
  return envelope(presentSubscription(changed, profile))
}
