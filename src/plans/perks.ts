import { numberOf } from '#kit/money'
import type { FieldProblem } from '#kit/refusal'
import { CREDIT_PAYOUT_TYPES, type CreditPayoutType } from './credit-payout-types.ts'
import { ObjectInput, refuseProblems } from './object-input.ts'
import type { Plan } from './plan.ts'
import type { Perks, Reduction, Scope } from './pricing/perks.ts'

const MAX_STEPS = 20
const MAX_TEXT = 255
const MAX_ITEMS = 1000

/** A requested change: each perk is set, or removed by null; absent perks stay. */
export type PerksChange = {
  [K in keyof Perks]?: Perks[K] | null
} & { storeCredit?: { amountMinor: number | null; type: CreditPayoutType } | null }

const PERKS = ['discount', 'welcome_offer', 'free_shipping', 'store_credit'] as const
const SCOPE = ['applies_to', 'product_ids', 'collection_ids'] as const
const DISCOUNT = ['value', 'type', ...SCOPE, 'steps', 'price_base', 'stack_with_subscriptions'] as const

/** Reads `perks` of a request. Refuses it with all of its problems, each named by its path. */
export function perksFrom(given: unknown, currency: string): PerksChange {
  const problems: FieldProblem[] = []
  const input = new ObjectInput(given, 'perks', PERKS, problems)
  const change: PerksChange = {}
  const isGiven = (key: string) => Object.hasOwn((given ?? {}) as object, key)
  if (isGiven('discount')) change.discount = discountFrom(input, currency)
  if (isGiven('welcome_offer')) change.welcomeOffer = welcomeOfferFrom(input, currency)
  if (isGiven('free_shipping')) change.freeShipping = freeShippingFrom(input, currency)
  if (isGiven('store_credit')) change.storeCredit = storeCreditFrom(input, currency)
  refuseProblems(problems)
  return change
}

/** The perks after a change. Store credit is not one of them: it is stored in the plan and its versions. */
export function changedPerks(perks: Perks, { storeCredit: _, ...change }: PerksChange): Perks {
  const all = { ...perks, ...change }
  return Object.fromEntries(Object.entries(all).filter(([, perk]) => perk != null)) as Perks
}

/** A plan as it would be with a change of its perks as `perksFrom` reads it. */
export const withPerks = (plan: Plan, given: unknown): Plan => ({
  ...plan,
  perks: changedPerks(plan.perks, perksFrom(given, plan.currency))
})

function discountFrom(perks: ObjectInput, currency: string): Perks['discount'] | null {
  const input = perks.part('discount', DISCOUNT)
  if (!input) return null
  const steps = input.parts('steps', ['quantity', 'value', 'type'], MAX_STEPS).map((step) => ({
    step,
    quantity: step.whole('quantity', 1, MAX_STEPS) ?? 0,
    reduction: reductionFrom(step, currency)
  }))
  for (const [i, { step, quantity }] of steps.entries()) {
    const before = steps[i - 1]
    if (before && quantity > 0 && quantity <= before.quantity) {
      step.refuse('quantity', 'must be a larger quantity than the step before')
    }
  }
  return {
    reduction: reductionFrom(input, currency),
    scope: scopeFrom(input),
    steps: steps.map(({ quantity, reduction }) => ({ quantity, ...reduction })),
    priceBase: input.oneOf('price_base', ['original', 'sale'], 'original') ?? 'original',
    stackWithSubscriptions: input.flag('stack_with_subscriptions')
  }
}

function welcomeOfferFrom(perks: ObjectInput, currency: string): Perks['welcomeOffer'] | null {
  const input = perks.part('welcome_offer', ['value', 'type', ...SCOPE])
  return input && { reduction: reductionFrom(input, currency), scope: scopeFrom(input) }
}

function freeShippingFrom(perks: ObjectInput, currency: string): Perks['freeShipping'] | null {
  const input = perks.part('free_shipping', ['countries', 'message', 'method_name', 'threshold'])
  if (!input) return null
  const threshold = input.part('threshold', ['type', 'value'])
  const type = threshold?.oneOf('type', ['items', 'subtotal'])
  return {
    countries: input.countries('countries'),
    message: input.text('message', MAX_TEXT),
    methodName: input.text('method_name', MAX_TEXT),
    threshold:
      type === 'items'
        ? { type, items: threshold!.whole('value', 1, MAX_ITEMS) ?? 1 }
        : type === 'subtotal'
          ? { type, amountMinor: threshold!.amount('value', currency) ?? 1 }
          : null
  }
}

/** `amount` may be omitted if only the type changes. */
function storeCreditFrom(perks: ObjectInput, currency: string): PerksChange['storeCredit'] {
  const input = perks.part('store_credit', ['amount', 'type'])
  if (!input) return null
  const type = input.oneOf('type', CREDIT_PAYOUT_TYPES, 'storecredit') ?? 'storecredit'
  return { type, amountMinor: input.has('amount') ? input.amount('amount', currency) : null }
}

/** If the input has a problem, a placeholder is returned, which is never used since the request is refused. */
function reductionFrom(input: ObjectInput, currency: string): Reduction {
  const type = input.oneOf('type', ['percentage', 'fixed'])
  if (type === 'fixed') return { type, amountMinor: input.amount('value', currency) ?? 0 }
  const percent = type === 'percentage' ? input.percent('value') : null
  return { type: 'percentage', percent: percent ?? 0 }
}

function scopeFrom(input: ObjectInput): Scope {
  const appliesTo = input.oneOf('applies_to', ['all', 'product', 'collection'], 'all')
  const productIds = input.ids('product_ids', 'Product')
  const collectionIds = input.ids('collection_ids', 'Collection')
  for (const [scope, key, ids] of [
    ['product', 'product_ids', productIds],
    ['collection', 'collection_ids', collectionIds]
  ] as const) {
    if (appliesTo === scope && ids.length === 0)
      input.refuse(key, `must have at least one id where applies_to is ${scope}`)
    if (appliesTo !== scope && ids.length > 0) input.refuse(key, `is accepted only where applies_to is ${scope}`)
  }
  if (appliesTo === 'product') return { appliesTo, productIds }
  if (appliesTo === 'collection') return { appliesTo, collectionIds }
  return { appliesTo: 'all' }
}

/** Perks in the format of requests: the result can be sent back unchanged. */
export function presentPerks(
  { discount, welcomeOffer, freeShipping }: Perks,
  credit: { creditMinor: number; creditType: CreditPayoutType },
  currency: string
) {
  const money = (minor: number) => numberOf(minor, currency)
  const reduced = (r: Reduction) => ({ value: r.type === 'fixed' ? money(r.amountMinor) : r.percent, type: r.type })
  const scoped = (scope: Scope) => ({
    applies_to: scope.appliesTo,
    product_ids: scope.appliesTo === 'product' ? scope.productIds : [],
    collection_ids: scope.appliesTo === 'collection' ? scope.collectionIds : []
  })
  const threshold = freeShipping?.threshold
  return {
    discount: discount
      ? {
          ...reduced(discount.reduction),
          ...scoped(discount.scope),
          steps: discount.steps.map((step) => ({ quantity: step.quantity, ...reduced(step) })),
          price_base: discount.priceBase,
          stack_with_subscriptions: discount.stackWithSubscriptions
        }
      : null,
    welcome_offer: welcomeOffer ? { ...reduced(welcomeOffer.reduction), ...scoped(welcomeOffer.scope) } : null,
    free_shipping: freeShipping
      ? {
          countries: freeShipping.countries,
          message: freeShipping.message,
          method_name: freeShipping.methodName,
          threshold: threshold
            ? {
                type: threshold.type,
                value: threshold.type === 'items' ? threshold.items : money(threshold.amountMinor)
              }
            : null
        }
      : null,
    store_credit: credit.creditMinor > 0 ? { amount: money(credit.creditMinor), type: credit.creditType } : null
  }
}
