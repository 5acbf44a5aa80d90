import type { Perks, Tier, TierPlan } from '../../../src/plans/pricing/index.ts'
import { type Exchange, reductionMinor, thresholdMinor, Unreadable } from './money.ts'

/** A main plan as the service has written it to the shop. */
export type MainPlan = TierPlan & { productId: string | null }

type Fields = Record<string, unknown>
type Reduction = NonNullable<Perks['welcomeOffer']>['reduction']
type Scope = NonNullable<Perks['welcomeOffer']>['scope']

/** Reads `svc_plan_settings` or `svc_plan_settings2`. Null for a plan that is disabled; throws Unreadable for what is none. */
export function planOf(json: unknown, tier: Tier, exchange: Exchange): MainPlan | null {
  if (typeof json !== 'object' || json === null) return null
  const fields = json as Fields
  if (!isOn(fields.status)) return null
  const label = text(fields.tier_name) || text(fields.plan_name) || tier
  return { label, perks: perksOf(fields, exchange), productId: text(fields.product_gid) || null }
}

function perksOf(fields: Fields, exchange: Exchange): Perks {
  const perks: Perks = {}
  if (isOn(fields.dp)) {
    perks.discount = {
      reduction: reductionOf(fields.dt, fields.dv, exchange),
      scope: scopeOf(fields.dat, fields.dproduct, fields.dcollection),
      steps: isOn(fields.ds) ? stepsOf(fields.ds_info, exchange) : [],
      priceBase: Number(fields.dct) === 1 ? 'original' : 'sale',
      stackWithSubscriptions: isOn(fields.stack_with_subs)
    }
  }
  if (isOn(fields.wo)) {
    perks.welcomeOffer = {
      reduction: reductionOf(fields.wo_t, fields.wo_v, exchange),
      scope: scopeOf(fields.wo_at, fields.wo_product, fields.wo_collection)
    }
  }
  if (isOn(fields.fs)) {
    const { fs_threshold_type: type, fs_threshold_value: value } = fields
    const countries = text(fields.fs_country)
    perks.freeShipping = {
      countries: countries === '' ? [] : countries.split(','),
      message: text(fields.fs_message) || null,
      methodName: text(fields.fs_method_name) || null,
      threshold:
        type === 'items'
          ? { type, items: numberOf(value) }
          : type === 'subtotal'
            ? { type, amountMinor: thresholdMinor(text(value), exchange) }
            : null
    }
  }
  return perks
}

function reductionOf(type: unknown, value: unknown, exchange: Exchange): Reduction {
  if (type === 'fixed') return { type, amountMinor: reductionMinor(text(value), exchange) }
  if (type === 'percentage') return { type, percent: numberOf(value) }
  throw new Unreadable()
}

function scopeOf(appliesTo: unknown, products: unknown, collections: unknown): Scope {
  if (appliesTo === 'all') return { appliesTo }
  if (appliesTo === 'product') return { appliesTo, productIds: listOf(products) }
  if (appliesTo === 'collection') return { appliesTo, collectionIds: listOf(collections) }
  // Without a scope nothing is meant, rather than everything.
  throw new Unreadable()
}

const stepsOf = (steps: unknown, exchange: Exchange) =>
  (Array.isArray(steps) ? (steps as Fields[]) : []).map(({ quantity, value, type }) => ({
    quantity: numberOf(quantity),
    ...reductionOf(type, value, exchange)
  }))

function numberOf(value: unknown): number {
  const number = value === '' || value === null ? Number.NaN : Number(value)
  if (!(number >= 0)) throw new Unreadable()
  return number
}

/** The numbers of a tier's products in `svc_membership_products`. */
export const productsOf = (json: unknown, tier: Tier): string[] =>
  typeof json === 'object' && json !== null ? listOf((json as Fields)[tier]) : []

/** A flag however it was written: 0 or 1, "0" or "1", true or false. */
export const isOn = (flag: unknown): boolean => flag === true || flag === 'true' || flag === 1 || flag === '1'

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])
