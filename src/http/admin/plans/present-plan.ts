import { type Static, type TSchema, Type } from 'typebox'
import { isoOf } from '#kit/clock'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { PLAN_STATUSES, PLAN_TYPES, type Plan, type PlanVersion, presentPerks, TRIAL_TYPES } from '#plans'
import { OrNull, Timestamp } from '#resources'
import { oneOf } from '../fields.ts'
import { PerksBody } from './perks-body.ts'
import { INTERVALS } from './plan-fields.ts'
import { APPLY_TO } from './version-fields.ts'

const describe = <T extends TSchema>(schema: T, description: string): T => ({ ...schema, description })

const EXAMPLE = {
  id: 'plan_3',
  name: 'VIP',
  type: 'vip',
  status: 'enabled',
  tier: 'VIP',
  price: 29,
  currency: 'EUR',
  interval: 'month',
  interval_count: 1,
  max_cycles: null,
  trial_type: null,
  trial_days: 0,
  trial_price: null,
  credit: 0,
  allowed_countries: [],
  perks: { discount: null, welcome_offer: null, free_shipping: null, store_credit: null },
  version: 1,
  product_ids: ['7064055069311'],
  selling_plan_id: '4161306897',
  created_at: '2027-01-31T09:00:00.000Z'
}

export const PlanBody = Type.Object(
  {
    id: Type.String({ description: 'The id of the plan, `plan_3`' }),
    name: Type.String({ description: 'Its name' }),
    type: oneOf(PLAN_TYPES, { description: 'A membership, or a subscription of products' }),
    status: oneOf(PLAN_STATUSES, { description: 'Whether it can be joined' }),
    tier: describe(OrNull(Type.String()), 'The tier that it gives; null for a plan of products'),
    price: Type.Number({ description: 'The price of a cycle' }),
    currency: Type.String({ description: 'The currency of its amounts' }),
    interval: oneOf(INTERVALS, { description: 'The unit of a cycle' }),
    interval_count: Type.Integer({ description: 'How many units a cycle lasts' }),
    max_cycles: describe(OrNull(Type.Integer()), 'After how many paid cycles it ends; null for never'),
    trial_type: describe(OrNull(oneOf(TRIAL_TYPES)), 'Until when a trial lasts; null for no trial'),
    trial_days: Type.Integer({ description: 'How many days, where the trial is a number of days' }),
    trial_price: describe(OrNull(Type.Number()), 'What joining costs in place of the price; null for no trial'),
    credit: Type.Number({ description: 'Store credit for each paid cycle' }),
    allowed_countries: Type.Array(Type.String(), { description: 'Who may join; empty for everybody' }),
    perks: describe(PerksBody, 'What members get'),
    version: Type.Integer({ description: 'The version that is on sale' }),
    product_ids: Type.Array(Type.String(), { description: "The platform's products that are sold under it" }),
    selling_plan_id: Type.String({ description: "The platform's number of its selling plan" }),
    created_at: Timestamp('When it was made')
  },
  { title: 'Plan', description: 'A plan that customers join.', examples: [EXAMPLE] }
)

const VersionBody = Type.Object({
  version: Type.Integer({ description: 'Its number' }),
  price: Type.Number({ description: 'The price of a cycle' }),
  interval: oneOf(INTERVALS, { description: 'The unit of a cycle' }),
  interval_count: Type.Integer({ description: 'How many units a cycle lasts' }),
  credit: Type.Number({ description: 'Store credit for each paid cycle' }),
  apply_to: oneOf(APPLY_TO, {
    description:
      'Whom it was made for: `new`, `list_price` or `all`; `running` is one for all of before there was a choice'
  }),
  created_at: Timestamp('When it was put on sale')
})

export const PlanWithVersionsBody = Type.Object(
  {
    ...PlanBody.properties,
    versions: Type.Array(VersionBody, { description: 'Every version, newest first' })
  },
  {
    title: 'PlanWithVersions',
    description: 'A plan with the versions of its price.',
    examples: [
      {
        ...EXAMPLE,
        versions: [
          {
            version: 1,
            price: 29,
            interval: 'month',
            interval_count: 1,
            credit: 0,
            apply_to: 'new',
            created_at: '2027-01-31T09:00:00.000Z'
          }
        ]
      }
    ]
  }
)

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
