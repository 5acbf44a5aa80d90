import { minorOf } from '#kit/money'
import { invalidField } from '#kit/refusal'
import { idOf } from './object-input.ts'
import type { Plan } from './plan.ts'
import { ACCEPTED_COUNTRIES, isCountry } from './pricing/index.ts'

/** `<tier>-Recharge` is an order tag (spec 3), and the platform limits tags to 40 characters. */
const MAX_TIER = 40 - '-Recharge'.length
const MAX_PRODUCTS = 250

export const MAX_TRIAL_DAYS = 365
export const ACCEPTED_TRIAL_DAYS = `a whole number from 1 to ${MAX_TRIAL_DAYS}, or 0, without trial_type, for no trial of days`

export function wholeFrom(field: string, value: number, low: number, high: number): number {
  if (Number.isInteger(value) && value >= low && value <= high) return value
  throw invalidField(field, `must be a whole number from ${low} to ${high}`)
}

/** An amount of 0 or more, in minor units. */
export function amountFrom(field: string, value: string | number, currency: string): number {
  const minor = minorOf(value, currency, field)
  if (minor < 0) throw invalidField(field, 'must be an amount of 0 or more')
  return minor
}

export function nameFrom(given: string): string {
  const name = given.trim()
  if (name.length < 1 || name.length > 100) throw invalidField('name', 'must have 1 to 100 characters')
  return name
}

/** The tier of a membership, by default the plan's name; null for a product plan. */
export function tierFrom(given: string | undefined, { type, name }: Pick<Plan, 'type' | 'name'>): string | null {
  if (type === 'product') {
    if (given === undefined) return null
    throw invalidField('tier', 'is accepted only for a membership: a product plan gives no tier')
  }
  const tier = (given ?? name).trim()
  if (tier.length < 1 || tier.length > MAX_TIER) {
    throw invalidField(
      'tier',
      `must have 1 to ${MAX_TIER} characters${given === undefined ? ', and the name has more' : ''}`
    )
  }
  if (tier.includes(',')) {
    throw invalidField(
      'tier',
      `must have no comma${given === undefined ? ', and the name has one' : ': it becomes an order tag'}`
    )
  }
  return tier
}

export function countriesFrom(given: string[]): string[] {
  const unknown = given.find((code) => !isCountry(code))
  if (unknown !== undefined)
    throw invalidField('allowed_countries', `must be ${ACCEPTED_COUNTRIES}; ${JSON.stringify(unknown)} is not one`)
  return [...new Set(given)]
}

/** The ids of the products that a product plan sells, as digits; none for a membership, which has its own product. */
export function productsFrom(given: string[] | undefined, type: Plan['type']): string[] {
  if (type !== 'product') {
    if (given === undefined) return []
    throw invalidField('product_ids', 'is accepted only for a product plan: a membership has a product of its own')
  }
  const ids = (given ?? []).map((id) => idOf(id, 'Product'))
  if (ids.length < 1 || ids.length > MAX_PRODUCTS || ids.includes(null)) {
    const accepts = `1 to ${MAX_PRODUCTS} product ids of the platform, as texts of digits or as global ids`
    throw invalidField('product_ids', `must be ${accepts}`)
  }
  return [...new Set(ids.filter((id) => id !== null))]
}

export type TrialInput = {
  trialType?: Plan['trialType']
  trialDays?: number
  /** Decimal, in the store's currency. */
  trialPrice?: string | number
}
type Trial = Pick<Plan, 'trialType' | 'trialDays' | 'trialPriceMinor'>
export const NO_TRIAL: Trial = { trialType: null, trialDays: 0, trialPriceMinor: 0 }

/** The trial after a change; omitted fields stay. `trialDays` alone sets a trial of days, and 0 removes it. */
export function trialFrom(input: TrialInput, before: Trial, priceMinor: number, currency: string): Trial {
  const trialType = trialTypeFrom(input, before)
  if (trialType !== 'days' && (input.trialDays ?? 0) !== 0) {
    throw invalidField('trial_days', 'is accepted only where trial_type is days')
  }
  const days = input.trialDays ?? before.trialDays
  if (trialType === 'days' && !(Number.isInteger(days) && days >= 1 && days <= MAX_TRIAL_DAYS)) {
    throw invalidField('trial_days', `must be ${ACCEPTED_TRIAL_DAYS}`)
  }
  const trialDays = trialType === 'days' ? days : 0
  if (trialType === null) {
    if (input.trialPrice === undefined || amountFrom('trial_price', input.trialPrice, currency) === 0) return NO_TRIAL
    throw invalidField('trial_price', 'is accepted only with a trial_type')
  }
  const { trialPrice } = input
  const trialPriceMinor =
    trialPrice === undefined ? before.trialPriceMinor : amountFrom('trial_price', trialPrice, currency)
  if (trialPriceMinor > priceMinor) throw invalidField('trial_price', "must be an amount up to the plan's price")
  return { trialType, trialDays, trialPriceMinor }
}

function trialTypeFrom({ trialType, trialDays }: TrialInput, before: Trial): Plan['trialType'] {
  if (trialType !== undefined) return trialType
  if (trialDays === undefined) return before.trialType
  if (trialDays === 0) return before.trialType === 'days' ? null : before.trialType
  return before.trialType ?? 'days'
}
