import { decimalOf } from '#kit/money'
import { classOf, type Discount } from '../state/discounts.ts'
import type { Api } from '../wire/api.ts'
import { numberIn } from '../wire/gid.ts'
import { amountFrom, moneyV2 } from '../wire/money.ts'

export async function status({ startsAt, endsAt }: Discount, _args: unknown, api: Api): Promise<string> {
  const now = await api.now()
  if (endsAt && Temporal.Instant.compare(endsAt, now) <= 0) return 'EXPIRED'
  return Temporal.Instant.compare(startsAt, now) > 0 ? 'SCHEDULED' : 'ACTIVE'
}

/** A one-line summary: the reduction, what it applies to, and the minimum purchase. */
export function summary({ kind, body }: Discount, _args: unknown, { shop }: Api): string {
  if (kind === 'DiscountCodeFreeShipping') return 'Free shipping on all products • For all countries'
  if (kind === 'DiscountCodeBxgy') return 'Buy one product, get another free'
  const { percentage, discountAmount } = body.customerGets?.value ?? {}
  const off =
    percentage === undefined
      ? `${priceTag(discountAmount?.amount ?? '0', shop.currency)} off`
      : `${Math.round(percentage * 100)}% off`
  const what = body.customerGets?.appliesOnSubscription ? 'products' : 'one-time purchase products'
  const { subtotal, quantity } = body.minimumRequirement ?? {}
  const least = subtotal?.greaterThanOrEqualToSubtotal
    ? ` • Minimum purchase of ${priceTag(subtotal.greaterThanOrEqualToSubtotal, shop.currency)}`
    : quantity?.greaterThanOrEqualToQuantity
      ? ` • Minimum quantity of ${quantity.greaterThanOrEqualToQuantity}`
      : ''
  const once = body.appliesOncePerCustomer ? ' • One use per customer' : ''
  return `${off} ${what}${least}${once}`
}

function priceTag(amount: string, currency: string): string {
  const decimal = decimalOf(amountFrom(amount, currency) ?? 0, currency)
  return ['USD', 'CAD', 'AUD'].includes(currency) ? `$${decimal}` : `${decimal} ${currency}`
}

export function classes({ kind, body }: Discount): string[] {
  if (kind === 'DiscountCodeFreeShipping') return ['SHIPPING']
  if (kind === 'DiscountCodeBxgy') return ['PRODUCT']
  return body.discountClasses ?? [classOf({ kind, body })]
}

export function combinesWith({ body }: Discount) {
  const { orderDiscounts = false, productDiscounts = false, shippingDiscounts = false } = body.combinesWith ?? {}
  return { orderDiscounts, productDiscounts, shippingDiscounts }
}

export async function context({ body }: Discount, _args: unknown, api: Api) {
  const only = body.context?.customers?.add
  if (!only) return { __typename: 'DiscountBuyerSelectionAll', all: 'ALL' }
  return {
    __typename: 'DiscountCustomers',
    customers: await api.load.customer.list(only.map((id) => numberIn(api.shop, 'Customer', id)))
  }
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

export function customerGets({ body }: Discount, _args: unknown, { shop }: Api) {
  const gets = body.customerGets ?? {}
  const { percentage, discountAmount } = gets.value ?? {}
  return {
    appliesOnOneTimePurchase: gets.appliesOnOneTimePurchase ?? true,
    appliesOnSubscription: gets.appliesOnSubscription ?? false,
    items: gets.items?.products
      ? {
          __typename: 'DiscountProducts',
          ids: gets.items.products.productsToAdd ?? [],
          variantIds: gets.items.products.productVariantsToAdd ?? []
        }
      : gets.items?.collections
        ? { __typename: 'DiscountCollections', ids: gets.items.collections.add ?? [] }
        : { __typename: 'AllDiscountItems', allItems: true },
    value:
      percentage === undefined
        ? {
            __typename: 'DiscountAmount',
            amount: moneyV2(amountFrom(discountAmount?.amount ?? '0', shop.currency) ?? 0, shop.currency),
            appliesOnEachItem: discountAmount?.appliesOnEachItem ?? false
          }
        : { __typename: 'DiscountPercentage', percentage }
  }
}
