import { minorOf } from '#kit/money'
import { Refusal } from '#kit/refusal'
import { type Perks, TIERS, type Tier, type TierPlan } from '#plans/pricing'

/** A plan as the app describes it to the shop's storefront and functions, in a metafield of the shop. */
export type PlanSettings = TierPlan & { tier: Tier; productId: string | null }

/** Where the app writes its main plans: VIP, then Elite. */
export const PLAN_SETTINGS = { namespace: 'svc', keys: ['svc_plan_settings', 'svc_plan_settings2'] } as const

/** Where the app lists the products of all its memberships, on a discount that runs its function. */
export const MEMBERSHIP_PRODUCTS = { namespace: 'svc', key: 'svc_membership_products' } as const

type Fields = Record<string, unknown>

/** Reads that list, with the tier of each product; nothing of a text that is none. */
export function membershipProducts(text: string): [string, Tier][] {
  try {
    const fields: Fields | null = JSON.parse(text)
    return TIERS.flatMap((tier) => numbers(fields?.[tier]).map((id): [string, Tier] => [id, tier]))
  } catch (err) {
    if (err instanceof SyntaxError) return []
    throw err
  }
}

/** Reads a metafield of plan settings; null for a plan that is disabled, or a text that is none. */
export function planSettings(text: string, currency: string): PlanSettings | null {
  try {
    const fields: Fields = JSON.parse(text)
    if (!isOn(fields.status)) return null
    const tier = Number(fields.type) === 2 ? 'elite' : 'vip'
    const label = words(fields.tier_name) || words(fields.product_name) || tier
    return { tier, label, perks: perksOf(fields, currency), productId: numbers(fields.product_gid)[0] ?? null }
  } catch (err) {
    // What an app writes is its own affair: a function that cannot read its settings reduces nothing.
    if (err instanceof SyntaxError || err instanceof TypeError || err instanceof Refusal) return null
    throw err
  }
}

/** The product of a plan and the countries in which it is sold, none for everywhere; null for a text that says neither. */
export function soldIn(text: string): { productId: string; countries: string[] } | null {
  try {
    const fields: Fields | null = JSON.parse(text)
    const productId = numbers(fields?.product_gid)[0]
    return productId && fields ? { productId, countries: list(fields.allowed_countries) } : null
  } catch (err) {
    if (err instanceof SyntaxError) return null
    throw err
  }
}

function perksOf(fields: Fields, currency: string): Perks {
  const perks: Perks = {}
  if (isOn(fields.dp)) {
    perks.discount = {
      reduction: reductionOf(fields.dt, fields.dv, currency),
      scope: scopeOf(fields.dat, fields.dproduct, fields.dcollection),
      steps: isOn(fields.ds) ? steps(fields, currency) : [],
      priceBase: Number(fields.dct) === 2 ? 'sale' : 'original',
      stackWithSubscriptions: isOn(fields.stack_with_subs)
    }
  }
  if (isOn(fields.wo)) {
    perks.welcomeOffer = {
      reduction: reductionOf(fields.wo_t, fields.wo_v, currency),
      scope: scopeOf(fields.wo_at, fields.wo_product, fields.wo_collection)
    }
  }
  if (isOn(fields.fs)) {
    const { fs_threshold_type: type, fs_threshold_value: value } = fields
    perks.freeShipping = {
      countries: list(fields.fs_country),
      message: words(fields.fs_message) || null,
      methodName: words(fields.fs_method_name) || null,
      threshold:
        type === 'items'
          ? { type: 'items' as const, items: numberOf(value) }
          : type === 'subtotal'
            ? { type: 'subtotal' as const, amountMinor: minorOf(words(value), currency) }
            : null
    }
  }
  return perks
}

function steps(fields: Fields, currency: string) {
  const given: unknown = typeof fields.ds_info === 'string' ? JSON.parse(fields.ds_info) : fields.ds_info
  if (!Array.isArray(given)) return []
  return given.map(({ quantity, value, type }: Fields) => ({
    quantity: numberOf(quantity),
    ...reductionOf(type ?? fields.dt, value, currency)
  }))
}

function reductionOf(type: unknown, value: unknown, currency: string) {
  return type === 'fixed'
    ? { type: 'fixed' as const, amountMinor: minorOf(words(value), currency) }
    : { type: 'percentage' as const, percent: numberOf(value) }
}

function scopeOf(appliesTo: unknown, products: unknown, collections: unknown) {
  if (appliesTo === 'product') return { appliesTo: 'product' as const, productIds: numbers(products) }
  if (appliesTo === 'collection') return { appliesTo: 'collection' as const, collectionIds: numbers(collections) }
  return { appliesTo: 'all' as const }
}

/** Throws TypeError for a text that is no number from 0 on. */
function numberOf(value: unknown): number {
  const number = Number(words(value) || Number.NaN)
  if (!(number >= 0)) throw new TypeError('no number')
  return number
}

const isOn = (flag: unknown): boolean => Number(flag) === 1
const words = (value: unknown): string => (value === undefined || value === null ? '' : String(value).trim())
const list = (value: unknown): string[] =>
  (Array.isArray(value) ? value.map(words) : words(value).split(',')).map((one) => one.trim()).filter(Boolean)
/** The digits of ids, which may be gids. */
const numbers = (value: unknown): string[] => list(value).map((id) => id.split('/').at(-1)!)
