import { type Static, Type } from 'typebox'
import { internalId } from '#kit/ids'
import { minorOf } from '#kit/money'
import { invalidField, Refusal } from '#kit/refusal'
import { requestChange, rescheduleSubscription, type Wish } from '#subscriptions'
import { A_YEAR_OF_DAYS, futureOrNull, IsoDate } from '../dates.ts'
import type { Surface } from '../surface.ts'
import { actorOf, callerOf } from './caller.ts'
import { Envelope } from './envelope.ts'
import { answerOnce } from './idempotency.ts'
import { SubscriptionBody } from './present-subscription.ts'
import { answerOf, SubscriptionParams, subscriptionIdOf } from './subscription-moves.ts'

const ChangeBody = Type.Object(
  {
    next_billing_date: IsoDate(
      'When to charge next, at most 365 days ahead; later dates are counted from it. A day means midnight in the shop, then and later',
      '2026-12-24'
    ),
    plan_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'the id of a membership plan of this store',
        meaning: 'Its price and interval come along unless they are given too',
        examples: ['plan_2']
      })
    ),
    price: Type.Optional(
      Type.Number({
        minimum: 0,
        description: 'an amount of 0 or more with no more decimals than the currency has',
        meaning: 'What a cycle costs, in the currency of the subscription',
        examples: [24]
      })
    ),
    interval: Type.Optional(
      Type.Union([Type.Literal('day'), Type.Literal('week'), Type.Literal('month'), Type.Literal('year')], {
        description: 'day, week, month or year',
        meaning: 'What a cycle lasts, times `interval_count`',
        examples: ['month']
      })
    ),
    interval_count: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 28,
        description: 'an integer from 1 to 28',
        meaning: 'How many intervals a cycle lasts; 1 where only `interval` is given',
        examples: [1]
      })
    ),
    payment_method_id: Type.Optional(
      Type.String({
        pattern: '^gid://[a-z]{1,20}/CustomerPaymentMethod/[0-9A-Za-z_-]{1,100}$',
        description: 'the global id of a payment method on the platform',
        meaning: 'One of the same customer',
        examples: ['gid://platform/CustomerPaymentMethod/b8d4b7a0c1']
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
        answerExample: { next_billing_date: '2026-12-24T05:00:00.000Z', updated_at: '2026-11-20T09:00:00.000Z' }
      }
    },
    (request, reply) => {
      const caller = callerOf(request)
      const { body, params } = request
      if (Object.keys(body).length === 0) throw nothingGiven()
      return answerOnce(request, reply, async (ctx) => {
        const id = subscriptionIdOf(params)
        const by = actorOf(caller)
        const { timezone, currency, profile } = caller
        const at = futureOrNull('next_billing_date', body.next_billing_date, timezone, ctx.now, A_YEAR_OF_DAYS)
        if (at) await rescheduleSubscription(ctx, id, at, by)
        const wish = wishOf(body, currency)
        if (Object.keys(wish).length > 0) await requestChange(ctx, id, wish, by)
        return answerOf(ctx, id, profile)
      })
    }
  )
}

function wishOf(body: Static<typeof ChangeBody>, currency: string): Wish {
  const { plan_id, price, interval, interval_count, payment_method_id } = body
  return {
    ...(plan_id !== undefined && { planId: planIdOf(plan_id) }),
    ...(price !== undefined && { priceMinor: minorOf(price, currency, 'price') }),
    ...(interval !== undefined && { interval }),
    ...(interval_count !== undefined && { intervalCount: interval_count }),
    ...(payment_method_id !== undefined && { platformPaymentMethodId: payment_method_id })
  }
}

function planIdOf(text: string): number {
  const id = internalId('plan', text)
  if (id === null) throw invalidField('plan_id', 'takes the id of a plan of this store')
  return id
}

const nothingGiven = () =>
  new Refusal('invalid_request', `The body must hold at least one of ${Object.keys(ChangeBody.properties).join(', ')}`)
