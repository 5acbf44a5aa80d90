import { type Static, Type } from 'typebox'
import { internalId } from '#kit/ids'
import { minorOf } from '#kit/money'
import { invalidBody, invalidField } from '#kit/refusal'
import type { SubscriptionChange } from '#lifecycle'
import { A_YEAR_OF_DAYS, futureOrNull, IsoDate } from './dates.ts'

/** What can be changed of a subscription. The direct API and the admin API accept the same, except how a price is written. */
export const ChangeFields = {
  next_billing_date: IsoDate(
    'When to charge next, at most 365 days ahead; later billing dates follow from it. A date without a time means midnight in the time zone of the shop',
    '2026-12-24'
  ),
  plan_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'the id of a membership plan of this store',
      meaning: 'The subscription gets the price and interval of the plan unless they are given too',
      examples: ['plan_2']
    })
  ),
  interval: Type.Optional(
    Type.Union([Type.Literal('day'), Type.Literal('week'), Type.Literal('month'), Type.Literal('year')], {
      description: 'day, week, month or year',
      meaning: 'The unit of a billing cycle; `interval_count` says how many',
      examples: ['month']
    })
  ),
  interval_count: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 28,
      description: 'an integer from 1 to 28',
      meaning: 'Number of intervals per billing cycle; 1 if only `interval` is given',
      examples: [1]
    })
  ),
  payment_method_id: Type.Optional(
    Type.String({
      pattern: '^gid://[a-z]{1,20}/CustomerPaymentMethod/[0-9A-Za-z_-]{1,100}$',
      description: 'the global id of a payment method on the platform',
      meaning: 'A payment method of the same customer',
      examples: ['gid://platform/CustomerPaymentMethod/b8d4b7a0c1']
    })
  )
}

const fields = Type.Object(ChangeFields)
type ChangeBody = Static<typeof fields> & { price?: string | number }

/** The change that a body asks for. Refuses an empty body and what cannot be read. */
export function changeFrom(
  now: Temporal.Instant,
  body: ChangeBody,
  { timezone, currency }: { timezone: string; currency: string }
): SubscriptionChange {
  if (Object.keys(body).length === 0) throw nothingGiven()
  const { plan_id, price, interval, interval_count, payment_method_id, next_billing_date } = body
  const nextBillingAt = futureOrNull('next_billing_date', next_billing_date, timezone, now, A_YEAR_OF_DAYS)
  return {
    ...(nextBillingAt && { nextBillingAt }),
    ...(plan_id !== undefined && { planId: planIdOf(plan_id) }),
    ...(price !== undefined && { priceMinor: priceOf(price, currency) }),
    ...(interval !== undefined && { interval }),
    ...(interval_count !== undefined && { intervalCount: interval_count }),
    ...(payment_method_id !== undefined && { platformPaymentMethodId: payment_method_id })
  }
}

/** The price of a cycle in minor units. Refuses a negative price. */
export function priceOf(price: string | number, currency: string): number {
  const priceMinor = minorOf(price, currency, 'price')
  if (priceMinor < 0) throw invalidField('price', 'must be an amount of 0 or more')
  return priceMinor
}

function planIdOf(text: string): number {
  const id = internalId('plan', text)
  if (id === null) throw invalidField('plan_id', 'must be the id of a plan of this store', 'not_found')
  return id
}

const nothingGiven = () =>
  invalidBody(`must hold at least one of ${[...Object.keys(ChangeFields), 'price'].sort().join(', ')}`, 'required')
