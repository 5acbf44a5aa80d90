import { decimalOf } from '#kit/money'
import { type Discount, type DiscountBody, type DiscountItems, sortOf } from '../../state/discounts/discounts.ts'
import type { Api } from '../../wire/api.ts'
import { numberIn } from '../../wire/gid.ts'
import { amountFrom, moneyV2 } from '../../wire/money.ts'

export async function status({ startsAt, endsAt }: Discount, _args: unknown, api: Api): Promise<string> {
  const now = await api.now()
  if (endsAt && Temporal.Instant.compare(endsAt, now) <= 0) return 'EXPIRED'
  return Temporal.Instant.compare(startsAt, now) > 0 ? 'SCHEDULED' : 'ACTIVE'
}

/** The reduction and what it applies to. */
export function shortSummary({ kind, body }: Discount, _args: unknown, { shop }: Api): string {
  const sort = sortOf({ kind })
  if (sort === 'FreeShipping') return 'Free shipping on all products'
  if (sort === 'Bxgy') return 'Buy one product, get another free'
  const { percentage, discountAmount } = body.customerGets?.value ?? {}
  const off =
    percentage == null
      ? `${priceTag(discountAmount?.amount ?? '0', shop.currency)} off`
      : `${Math.round(percentage * 100)}% off`
  return `${off} ${body.customerGets?.appliesOnSubscription ? 'products' : 'one-time purchase products'}`
}

/** A one-line summary: the reduction, what it applies to, and the minimum purchase. */
export function summary(discount: Discount, args: unknown, api: Api): string {
  const { kind, body } = discount
  const start = shortSummary(discount, args, api)
  const { destination } = body
  const where = destination?.countries ? `${destination.countries.add?.length ?? 0} countries` : 'all countries'
  const to = sortOf({ kind }) === 'FreeShipping' ? ` • For ${where}` : ''
  const { subtotal, quantity } = body.minimumRequirement ?? {}
  const least = subtotal?.greaterThanOrEqualToSubtotal
    ? ` • Minimum purchase of ${priceTag(subtotal.greaterThanOrEqualToSubtotal, api.shop.currency)}`
    : quantity?.greaterThanOrEqualToQuantity
      ? ` • Minimum quantity of ${quantity.greaterThanOrEqualToQuantity}`
      : ''
  const once = body.appliesOncePerCustomer ? ' • One use per customer' : ''
  return `${start}${to}${least}${once}`
}

function priceTag(amount: string, currency: string): string {
  const decimal = decimalOf(amountFrom(amount, currency) ?? 0, currency)
  return ['USD', 'CAD', 'AUD'].includes(currency) ? `$${decimal}` : `${decimal} ${currency}`
}

export function combinesWith({ body }: Discount) {
  const { orderDiscounts, productDiscounts, shippingDiscounts } = body.combinesWith ?? {}
  return {
    orderDiscounts: orderDiscounts ?? false,
    productDiscounts: productDiscounts ?? false,
    shippingDiscounts: shippingDiscounts ?? false
  }
}

export async function context({ body }: Discount, _args: unknown, api: Api) {
  const { customers, customerSegments } = body.context ?? {}
  if (customers?.add) {
    const ids = customers.add.map((id) => numberIn(api.shop, 'Customer', id))
    return { __typename: 'DiscountCustomers', customers: await api.load.customer.list(ids) }
  }
  if (customerSegments?.add) {
    const ids = customerSegments.add.map((id) => numberIn(api.shop, 'Segment', id))
    return { __typename: 'DiscountCustomerSegments', segments: await api.load.segment.list(ids) }
  }
  return { __typename: 'DiscountBuyerSelectionAll', all: 'ALL' }
}

/** The older words for the context. */
export async function customerSelection(discount: Discount, args: unknown, api: Api) {
  const found = await context(discount, args, api)
  return 'all' in found ? { __typename: 'DiscountCustomerAll', allCustomers: true } : found
}

export function minimumRequirement({ body }: Discount, _args: unknown, { shop }: Api) {
  const { subtotal, quantity } = body.minimumRequirement ?? {}
  if (subtotal?.greaterThanOrEqualToSubtotal) {
    const amountMinor = amountFrom(subtotal.greaterThanOrEqualToSubtotal, shop.currency) ?? 0
    const least = moneyV2(amountMinor, shop.currency)
    return { __typename: 'DiscountMinimumSubtotal', greaterThanOrEqualToSubtotal: least }
  }
  const least = quantity?.greaterThanOrEqualToQuantity
  return least ? { __typename: 'DiscountMinimumQuantity', greaterThanOrEqualToQuantity: least } : null
}

export function customerGets({ body }: Discount, _args: unknown, api: Api) {
  const gets = body.customerGets ?? {}
  return {
    appliesOnOneTimePurchase: gets.appliesOnOneTimePurchase ?? true,
    appliesOnSubscription: gets.appliesOnSubscription ?? false,
    items: itemsShown(gets.items),
    value: valueShown(gets.value ?? {}, api)
  }
}

export function customerBuys({ body }: Discount, _args: unknown, { shop }: Api) {
  const { value, items, isOneTimePurchase, isSubscription } = body.customerBuys ?? {}
  return {
    isOneTimePurchase: isOneTimePurchase ?? true,
    isSubscription: isSubscription ?? false,
    items: itemsShown(items),
    value: value?.amount
      ? { __typename: 'DiscountPurchaseAmount', amount: value.amount, currency: shop.currency }
      : { __typename: 'DiscountQuantity', quantity: value?.quantity ?? '1' }
  }
}

function itemsShown(items: DiscountItems | null | undefined) {
  const { products, collections } = items ?? {}
  if (products) {
    const { productsToAdd, productVariantsToAdd } = products
    return { __typename: 'DiscountProducts', ids: productsToAdd ?? [], variantIds: productVariantsToAdd ?? [] }
  }
  return collections
    ? { __typename: 'DiscountCollections', ids: collections.add ?? [] }
    : { __typename: 'AllDiscountItems', allItems: true }
}

function valueShown(
  { percentage, discountAmount, discountOnQuantity }: NonNullable<NonNullable<DiscountBody['customerGets']>['value']>,
  { shop: { currency } }: Api
) {
  const amount = (given: string | null | undefined, appliesOnEachItem: boolean) => ({
    __typename: 'DiscountAmount',
    amount: moneyV2(amountFrom(given ?? '0', currency) ?? 0, currency),
    appliesOnEachItem
  })
  if (discountOnQuantity) {
    const { quantity, effect } = discountOnQuantity
    return {
      __typename: 'DiscountOnQuantity',
      quantity: { __typename: 'DiscountQuantity', quantity: quantity ?? '1' },
      effect:
        effect?.percentage == null
          ? amount(effect?.amount, false)
          : { __typename: 'DiscountPercentage', percentage: effect.percentage }
    }
  }
  if (percentage != null) return { __typename: 'DiscountPercentage', percentage }
  return amount(discountAmount?.amount, discountAmount?.appliesOnEachItem ?? false)
}

export function destinationSelection({ body }: Discount) {
  const { countries } = body.destination ?? {}
  if (!countries) return { __typename: 'DiscountCountryAll', allCountries: true }
  const { add, includeRestOfWorld } = countries
  return { __typename: 'DiscountCountries', countries: add ?? [], includeRestOfWorld: includeRestOfWorld ?? false }
}
