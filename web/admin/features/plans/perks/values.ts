import type { Perks } from '../queries.ts'

export type PerkName = keyof Perks
export const PERK_NAMES = ['discount', 'welcome_offer', 'free_shipping', 'store_credit'] as const

type Reduction = { type: 'percentage' | 'fixed'; value: string }
type Scope = { applies_to: 'all' | 'product' | 'collection'; product_ids: string[]; collection_ids: string[] }
export type Step = Reduction & { quantity: string }

export type DiscountValues = Reduction &
  Scope & { steps: Step[]; price_base: 'original' | 'sale'; stack_with_subscriptions: boolean }
export type WelcomeOfferValues = Reduction & Scope
export type FreeShippingValues = {
  countries: string[]
  method_name: string
  message: string
  threshold_type: '' | 'items' | 'subtotal'
  threshold_value: string
}

const FIRST_REDUCTION: Reduction = { type: 'percentage', value: '10' }
const EVERYTHING: Scope = { applies_to: 'all', product_ids: [], collection_ids: [] }

const reductionOf = ({ type, value }: { type: Reduction['type']; value: number }): Reduction => ({
  type,
  value: String(value)
})

const scopeOf = ({ applies_to, product_ids, collection_ids }: Scope): Scope => ({
  applies_to,
  product_ids,
  collection_ids
})

export function discountValues(perk: Perks['discount']): DiscountValues {
  if (!perk)
    return { ...FIRST_REDUCTION, ...EVERYTHING, steps: [], price_base: 'original', stack_with_subscriptions: false }
  const { steps, price_base, stack_with_subscriptions } = perk
  return {
    ...reductionOf(perk),
    ...scopeOf(perk),
    steps: steps.map((step) => ({ ...reductionOf(step), quantity: String(step.quantity) })),
    price_base,
    stack_with_subscriptions
  }
}

export const welcomeOfferValues = (perk: Perks['welcome_offer']): WelcomeOfferValues =>
  perk ? { ...reductionOf(perk), ...scopeOf(perk) } : { ...FIRST_REDUCTION, ...EVERYTHING }

export function freeShippingValues(perk: Perks['free_shipping']): FreeShippingValues {
  const { countries = [], method_name, message, threshold } = perk ?? {}
  return {
    countries,
    method_name: method_name ?? '',
    message: message ?? '',
    threshold_type: threshold?.type ?? '',
    threshold_value: threshold ? String(threshold.value) : ''
  }
}

/** Only the ids of what it applies to: others are refused. */
const scopeBody = ({ applies_to, product_ids, collection_ids }: Scope) => ({
  applies_to,
  ...(applies_to === 'product' && { product_ids }),
  ...(applies_to === 'collection' && { collection_ids })
})

const reductionBody = ({ type, value }: Reduction) => ({ type, value: value.trim() })

/** A number where it is one; what else was typed is refused at its field. */
const wholeOr = (text: string) => (/^[0-9]+$/.test(text.trim()) ? Number(text) : text)

export const discountBody = (values: DiscountValues) => ({
  ...reductionBody(values),
  ...scopeBody(values),
  steps: values.steps.map((step) => ({ ...reductionBody(step), quantity: wholeOr(step.quantity) })),
  price_base: values.price_base,
  stack_with_subscriptions: values.stack_with_subscriptions
})

export const welcomeOfferBody = (values: WelcomeOfferValues) => ({ ...reductionBody(values), ...scopeBody(values) })

export const freeShippingBody = (values: FreeShippingValues) => ({
  countries: values.countries,
  method_name: values.method_name.trim() || null,
  message: values.message.trim() || null,
  threshold: values.threshold_type
    ? {
        type: values.threshold_type,
        value: values.threshold_type === 'items' ? wholeOr(values.threshold_value) : values.threshold_value.trim()
      }
    : null
})

/** The field of the form that a path of the API is: `steps.0.value` for `perks.discount.steps[0].value`. */
export const perkField = (perk: PerkName) => (path: string) => {
  const prefix = `perks.${perk}.`
  if (!path.startsWith(prefix)) return null
  const field = path.slice(prefix.length)
  if (field.startsWith('threshold')) return field === 'threshold.type' ? 'threshold_type' : 'threshold_value'
  if (field.startsWith('steps[')) return field.replace(/\[(\d+)\]/, '.$1')
  return field.replace(/\[.*$/, '')
}
