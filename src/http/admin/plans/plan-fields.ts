import { type Static, Type } from 'typebox'
import { ACCEPTED_TRIAL_DAYS, MAX_TRIAL_DAYS, PLAN_STATUSES, TRIAL_TYPES } from '#plans'
import { ACCEPTED_COUNTRIES } from '#plans/pricing'
import { amount, inWords, oneOf } from '../fields.ts'

export const INTERVALS = ['day', 'week', 'month', 'year'] as const

export const interval = () => oneOf(INTERVALS, { meaning: 'The unit of a cycle', examples: ['month'] })

export const intervalCount = () =>
  Type.Integer({
    minimum: 1,
    maximum: 28,
    description: 'an integer from 1 to 28',
    meaning: 'How many units a cycle lasts',
    examples: [1]
  })

export const credit = () => amount({ meaning: 'Store credit that each paid cycle issues', examples: ['5.00'] })

export const trialType = () =>
  oneOf(TRIAL_TYPES, {
    description: inWords(TRIAL_TYPES),
    meaning: 'Until when the trial lasts: one interval, or `trial_days`',
    examples: ['days']
  })

export const maxCycles = () =>
  Type.Integer({
    minimum: 1,
    maximum: 1000,
    description: 'an integer from 1 to 1000: how many cycles are paid',
    examples: [12]
  })

/** What a request may set of a plan, both when the plan is made and later. */
export const planSettings = {
  status: Type.Optional(oneOf(PLAN_STATUSES, { meaning: 'Whether it can be joined', examples: ['enabled'] })),
  trial_days: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_TRIAL_DAYS, description: ACCEPTED_TRIAL_DAYS, examples: [14] })
  ),
  trial_price: Type.Optional(
    amount({
      meaning: 'What joining costs in a trial; the price is charged when the trial is over',
      examples: ['1.00']
    })
  ),
  allowed_countries: Type.Optional(
    Type.Array(Type.String({ maxLength: 10 }), {
      maxItems: 250,
      description: ACCEPTED_COUNTRIES,
      meaning: 'Who may join; everybody when it is empty',
      examples: [['US', 'CA']]
    })
  ),
  product_ids: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      maxItems: 250,
      description: 'a list of product ids of the platform, as texts of digits or as global ids',
      meaning: 'Of a plan of products: what is sold under it',
      examples: [['7064055069311']]
    })
  ),
  perks: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'an object with discount, welcome_offer, free_shipping, store_credit',
      meaning: 'What members get. A PATCH sets the perks that it names and removes those that are null',
      examples: [{ discount: { value: 10, type: 'percentage', applies_to: 'all' } }]
    })
  )
}

const settings = Type.Object({
  ...planSettings,
  trial_type: Type.Optional(Type.Union([trialType(), Type.Null()]))
})

/** The settings of a plan as the module `plans` names them. */
export const settingsFrom = (body: Static<typeof settings>) => ({
  status: body.status,
  trialType: body.trial_type,
  trialDays: body.trial_days,
  trialPrice: body.trial_price,
  allowedCountries: body.allowed_countries,
  productIds: body.product_ids,
  perks: body.perks
})
