import { type Static, type TSchema, Type } from 'typebox'
import { isoOf } from '#kit/clock'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import {
  ACCEPTED_COUNTRIES,
  ACCEPTED_TRIAL_DAYS,
  CREDIT_PAYOUT_TYPES,
  MAX_TRIAL_DAYS,
  PLAN_STATUSES,
  PLAN_TYPES,
  type Plan,
  type PlanVersion,
  presentPerks,
  TRIAL_TYPES
} from '#plans'
import { OrNull } from '../shared/response-fields.ts'
import { amount, StoreParams, text } from './fields.ts'

export const PlanParams = Type.Object({
  ...StoreParams.properties,
  plan: Type.String({ description: 'a plan id such as plan_3' })
})

const word = <const T extends readonly string[]>(words: T, description = inWords(words)) =>
  Type.Unsafe<T[number]>(
    Type.Union(
      words.map((each) => Type.Literal(each)),
      { description }
    )
  )

const inWords = (words: readonly string[]) => `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`

const interval = () => word(['day', 'week', 'month', 'year'] as const)
const intervalCount = () => Type.Integer({ minimum: 1, maximum: 28, description: 'an integer from 1 to 28' })
const maxCycles = () =>
  Type.Integer({ minimum: 1, maximum: 1000, description: 'an integer from 1 to 1000: how many cycles are paid' })

/** What a request may say of a plan's settings, when it is made and later. */
const Settings = {
  status: Type.Optional(word(PLAN_STATUSES)),
  trial_days: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_TRIAL_DAYS, description: ACCEPTED_TRIAL_DAYS })),
  trial_price: Type.Optional(amount()),
  allowed_countries: Type.Optional(
    Type.Array(Type.String({ maxLength: 10 }), { maxItems: 250, description: ACCEPTED_COUNTRIES })
  ),
  product_ids: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      maxItems: 250,
      description: 'a list of product ids of the platform, as texts of digits or as global ids'
    })
  ),
  perks: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'an object with discount, welcome_offer, free_shipping, store_credit'
    })
  )
}
const trialType = word(TRIAL_TYPES, `${inWords(TRIAL_TYPES)}: until when the trial lasts`)

export const NewPlanBody = Type.Object({
  name: text(100),
  type: word(PLAN_TYPES),
  price: amount(),
  interval: interval(),
  interval_count: Type.Optional(intervalCount()),
  tier: Type.Optional(text(100, 'a text of 1 to 31 characters')),
  trial_type: Type.Optional(trialType),
  credit: Type.Optional(amount()),
  max_cycles: Type.Optional(maxCycles()),
  ...Settings
})

/** What stands in contracts, orders and tags, and was told to receivers. */
export const UNCHANGED = ['name', 'tier', 'type'] as const
const kept = (field: (typeof UNCHANGED)[number]) =>
  Type.Optional(
    Type.Never({
      description: `no change: a plan keeps its ${field}; make another one, and bring subscriptions to that`
    })
  )

export const ChangedPlanBody = Type.Object({
  name: kept('name'),
  tier: kept('tier'),
  type: kept('type'),
  trial_type: Type.Optional(
    Type.Union([trialType, Type.Null()], { description: `${inWords(TRIAL_TYPES)}; or null for no trial` })
  ),
  max_cycles: Type.Optional(
    Type.Union([maxCycles(), Type.Null()], { description: 'an integer from 1 to 1000, or null for no end' })
  ),
  ...Settings
})

export const NewVersionBody = Type.Object({
  price: Type.Optional(amount()),
  interval: Type.Optional(interval()),
  interval_count: Type.Optional(intervalCount()),
  credit: Type.Optional(amount()),
  apply_to: word(['new', 'running'] as const, 'new (who joins from now on) or running (also who has joined)')
})

const says = <T extends TSchema>(schema: T, description: string): T => ({ ...schema, description })
const strings = (description: string) => Type.Array(Type.String(), { description })

const Reduced = {
  value: Type.Number({ description: 'a percentage, or an amount in the currency of the plan' }),
  type: says(word(['percentage', 'fixed'] as const), 'what `value` is')
}
const Scoped = {
  applies_to: says(word(['all', 'collection', 'product'] as const), 'what it is taken off'),
  product_ids: strings('products, where it applies to some'),
  collection_ids: strings('collections, where it applies to some')
}
const PerksBody = Type.Object({
  discount: says(
    OrNull(
      Type.Object({
        ...Reduced,
        ...Scoped,
        steps: Type.Array(
          Type.Object({ quantity: Type.Integer({ description: 'from so many pieces on' }), ...Reduced }),
          {
            description: 'other values from a quantity on; the highest that is reached counts'
          }
        ),
        price_base: says(
          word(['original', 'sale'] as const),
          'off the compare-at price where there is one, or the sale price'
        ),
        stack_with_subscriptions: Type.Boolean({
          description: 'beside the discount of a subscription, on recurring charges'
        })
      })
    ),
    "members' prices; null: none"
  ),
  welcome_offer: says(
    OrNull(Type.Object({ ...Reduced, ...Scoped })),
    'off the cheapest product of the first membership order; null: none'
  ),
  free_shipping: says(
    OrNull(
      Type.Object({
        countries: strings('where to; empty: everywhere'),
        message: says(OrNull(Type.String()), 'what the checkout says of it'),
        method_name: says(OrNull(Type.String()), 'the one shipping method that is free; null: every one'),
        threshold: says(
          OrNull(
            Type.Object({
              type: says(word(['items', 'subtotal'] as const), 'what of the cart counts'),
              value: Type.Number({ description: 'how many items, or which subtotal' })
            })
          ),
          'what a cart must hold; null: anything'
        )
      })
    ),
    'free shipping; null: none'
  ),
  store_credit: says(
    OrNull(
      Type.Object({
        amount: Type.Number({ description: 'for each paid cycle' }),
        type: says(word(CREDIT_PAYOUT_TYPES), 'as what it is given')
      })
    ),
    'store credit; null: none'
  )
})

export const PlanBody = Type.Object({
  id: Type.String({ description: 'the id of the plan' }),
  name: Type.String({ description: 'what it is called' }),
  type: says(word(PLAN_TYPES), 'a membership, or a subscription of products'),
  status: says(word(PLAN_STATUSES), 'whether it takes new joins'),
  tier: says(OrNull(Type.String()), 'the tier that it gives; null for a product plan'),
  price: Type.Number({ description: 'of a cycle' }),
  currency: Type.String({ description: 'the currency of its amounts' }),
  interval: says(interval(), 'the unit of a cycle'),
  interval_count: Type.Integer({ description: 'how many units a cycle lasts' }),
  max_cycles: says(OrNull(Type.Integer()), 'after how many paid cycles it ends; null: never'),
  trial_type: says(OrNull(word(TRIAL_TYPES)), 'until when a trial lasts; null: no trial'),
  trial_days: Type.Integer({ description: 'how many days, where the trial is a number of them' }),
  trial_price: says(OrNull(Type.Number()), 'what joining costs in place of the price; null: no trial'),
  credit: Type.Number({ description: 'store credit for each paid cycle' }),
  allowed_countries: strings('who may join; empty: everybody'),
  perks: says(PerksBody, 'what members get'),
  version: Type.Integer({ description: 'the version that is on sale' }),
  product_ids: strings("the platform's products that are sold under it"),
  selling_plan_id: Type.String({ description: "the platform's number of its selling plan" }),
  created_at: Type.String({ description: 'when it was made' })
})

export const PlanWithVersionsBody = Type.Object({
  ...PlanBody.properties,
  versions: Type.Array(
    Type.Object({
      version: Type.Integer({ description: 'its number' }),
      price: Type.Number({ description: 'of a cycle' }),
      interval: says(interval(), 'the unit of a cycle'),
      interval_count: Type.Integer({ description: 'how many units a cycle lasts' }),
      credit: Type.Number({ description: 'store credit for each paid cycle' }),
      apply_to: says(word(['new', 'running'] as const), 'whom it was made for'),
      created_at: Type.String({ description: 'since when it is on sale' })
    }),
    { description: 'every version, newest first' }
  )
})

export function presentPlan(plan: Plan): Static<typeof PlanBody> {
  return {
    id: publicId('plan', plan.id),
    name: plan.name,
    type: plan.type,
    status: plan.status,
    tier: plan.tierName,
    price: numberOf(plan.priceMinor, plan.currency),
    currency: plan.currency,
    interval: plan.interval,
    interval_count: plan.intervalCount,
    max_cycles: plan.maxCycles,
    trial_type: plan.trialType,
    trial_days: plan.trialDays,
    trial_price: plan.trialType && numberOf(plan.trialPriceMinor, plan.currency),
    credit: numberOf(plan.creditMinor, plan.currency),
    allowed_countries: plan.allowedCountries,
    perks: presentPerks(plan.perks, plan, plan.currency),
    version: plan.currentVersion,
    product_ids: plan.productIds,
    selling_plan_id: plan.platformSellingPlanId,
    created_at: isoOf(plan.createdAt)
  }
}

export function presentPlanWithVersions(plan: Plan, versions: PlanVersion[]): Static<typeof PlanWithVersionsBody> {
  return {
    ...presentPlan(plan),
    versions: versions.map((version) => ({
      version: version.version,
      price: numberOf(version.priceMinor, plan.currency),
      interval: version.interval,
      interval_count: version.intervalCount,
      credit: numberOf(version.creditMinor, plan.currency),
      apply_to: version.appliesTo,
      created_at: isoOf(version.createdAt)
    }))
  }
}
