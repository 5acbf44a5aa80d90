import { decimalOf } from '#kit/money'
import type { Fields } from '../wire/fields.ts'

/** For whom, and with which other discounts. `segmentIds`: of customers; empty for everybody. */
type Common = {
  title: string
  segmentIds: string[]
  combinesWith: { order: boolean; product: boolean; shipping: boolean }
  /** Whether lines of selling plans are reduced too, as they are bought. */
  onSubscriptions: boolean
}

/** A discount that a function of the app computes. */
type AppDiscount = Common & { kind: 'app'; functionId: string; classes: ('PRODUCT' | 'ORDER' | 'SHIPPING')[] }

/** What the platform takes off goods by itself. `percent` has at most two decimals; an amount is per piece. */
type BasicDiscount = Common & {
  kind: 'basic'
  value: { percent: number } | { amountMinor: number }
  items: 'all' | { productIds: string[] } | { collectionIds: string[] }
}

/** Free shipping. `countries`: empty for all. `least`: what the goods in the cart must come to. */
type FreeShippingDiscount = Common & {
  kind: 'free_shipping'
  countries: string[]
  least: { items: number } | { subtotalMinor: number } | null
}

/** An automatic discount as it is to be, which runs from when it was made until it is ended. Ids are the platform's numbers. */
export type ShopDiscount = AppDiscount | BasicDiscount | FreeShippingDiscount

/**
 * An automatic discount on the platform. `discount` is null for one that has what none of ours has, such as an end or a limit of
 * customers.
 */
export type FoundDiscount = {
  id: string
  title: string
  kind: ShopDiscount['kind'] | 'other'
  isActive: boolean
  discount: ShopDiscount | null
  /** What it has now, which an update is to take away. */
  has: { segmentIds: string[]; productIds: string[]; collectionIds: string[] }
}

const KINDS: Record<string, ShopDiscount['kind']> = {
  DiscountAutomaticApp: 'app',
  DiscountAutomaticBasic: 'basic',
  DiscountAutomaticFreeShipping: 'free_shipping'
}

/** Two discounts that do the same, in whichever order their lists are. */
export function isSameDiscount(a: ShopDiscount, b: ShopDiscount | null): boolean {
  return b !== null && comparable(a) === comparable(b)
}

const comparable = (value: unknown): string =>
  JSON.stringify(value, (_key, one: unknown) =>
    Array.isArray(one)
      ? one.toSorted()
      : typeof one === 'object' && one !== null
        ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
        : one
  )

export function readDiscount(node: Fields, currency: string): FoundDiscount {
  const found = node.at('automaticDiscount')
  const kind = KINDS[found.text('__typename')] ?? 'other'
  const has = { segmentIds: [] as string[], productIds: [] as string[], collectionIds: [] as string[] }
  if (kind === 'other') return { id: node.id('id'), title: '', kind, isActive: false, discount: null, has }
  const context = found.at('context')
  has.segmentIds = idsOf(context, 'segments')
  const items = kind === 'basic' ? found.at('customerGets').at('items') : null
  has.productIds = items?.has('products') ? idsOf(items.at('products'), 'nodes') : []
  has.collectionIds = items?.has('collections') ? idsOf(items.at('collections'), 'nodes') : []
  const isActive = found.lower('status') === 'active'
  const isForAll = context.text('__typename') === 'DiscountBuyerSelectionAll'
  const isUsual = !found.has('endsAt') && (isForAll || has.segmentIds.length > 0)
  return {
    id: node.id('id'),
    title: found.text('title'),
    kind,
    isActive,
    discount: isUsual ? readUsual(found, kind, has, currency) : null,
    has
  }
}

function readUsual(
  found: Fields,
  kind: ShopDiscount['kind'],
  has: FoundDiscount['has'],
  currency: string
): ShopDiscount | null {
  const flags = kind === 'basic' ? found.at('customerGets') : found
  if (!flags.flag('appliesOnOneTimePurchase')) return null
  const combines = found.at('combinesWith')
  const common: Common = {
    title: found.text('title'),
    segmentIds: has.segmentIds,
    combinesWith: {
      order: combines.flag('orderDiscounts'),
      product: combines.flag('productDiscounts'),
      shipping: combines.flag('shippingDiscounts')
    },
    onSubscriptions: flags.flag('appliesOnSubscription')
  }
  if (kind === 'app') {
    const classes = found.raw('discountClasses') as AppDiscount['classes']
    return { ...common, kind, functionId: found.at('appDiscountType').text('functionId'), classes }
  }
  const least = leastOf(found.maybeAt('minimumRequirement'), currency)
  if (kind === 'free_shipping') {
    const to = found.at('destinationSelection')
    if (found.has('maximumShippingPrice') || (to.has('includeRestOfWorld') && to.flag('includeRestOfWorld')))
      return null
    return { ...common, kind, least, countries: to.has('countries') ? (to.raw('countries') as string[]) : [] }
  }
  const value = reductionOf(flags.at('value'), currency)
  const items = itemsOf(flags.at('items'), has)
  return value && items && least === null ? { ...common, kind, value, items } : null
}

function leastOf(least: Fields | null, currency: string): FreeShippingDiscount['least'] {
  if (least?.has('greaterThanOrEqualToSubtotal')) {
    return { subtotalMinor: least.at('greaterThanOrEqualToSubtotal').amount('amount', currency) }
  }
  if (!least?.has('greaterThanOrEqualToQuantity')) return null
  return { items: Number(least.digits('greaterThanOrEqualToQuantity')) }
}

function reductionOf(value: Fields, currency: string): BasicDiscount['value'] | null {
  // The platform has a share of 1, with four decimals at most in ours.
  if (value.has('percentage')) return { percent: Math.round(value.number('percentage') * 10_000) / 100 }
  if (!value.has('amount') || !value.flag('appliesOnEachItem')) return null
  return { amountMinor: value.at('amount').amount('amount', currency) }
}

function itemsOf(items: Fields, { productIds, collectionIds }: FoundDiscount['has']): BasicDiscount['items'] | null {
  if (items.has('allItems')) return 'all'
  if (items.has('collections')) return { collectionIds }
  if (!items.has('products') || items.at('products').at('pageInfo').flag('hasNextPage')) return null
  return items.at('productVariants').list('nodes').length > 0 ? null : { productIds }
}

const idsOf = (fields: Fields, key: string): string[] =>
  fields.has(key) ? fields.list(key).map((one) => one.id('id')) : []

type GidOf = (type: string, id: string) => string

/** A discount as input for the platform; `found`: what is there now, of which an update takes away what is not wanted. */
export function inputOf(
  wanted: ShopDiscount,
  { gid, currency, found }: { gid: GidOf; currency: string; found: FoundDiscount | null }
): Record<string, unknown> {
  const { title, combinesWith, onSubscriptions, segmentIds } = wanted
  const applies = { appliesOnOneTimePurchase: true, appliesOnSubscription: onSubscriptions }
  const others = (had: string[], wants: string[]) => had.filter((id) => !wants.includes(id))
  const gids = (type: string, ids: string[]) => ids.map((id) => gid(type, id))
  const common = {
    title,
    combinesWith: {
      orderDiscounts: combinesWith.order,
      productDiscounts: combinesWith.product,
      shippingDiscounts: combinesWith.shipping
    },
    context:
      segmentIds.length === 0
        ? { all: 'ALL' }
        : {
            customerSegments: {
              add: gids('Segment', segmentIds),
              ...(found && { remove: gids('Segment', others(found.has.segmentIds, segmentIds)) })
            }
          },
    ...(found && { endsAt: null })
  }
  if (wanted.kind === 'app') {
    return { ...common, ...applies, functionId: wanted.functionId, discountClasses: wanted.classes }
  }
  if (wanted.kind === 'free_shipping') {
    const { countries, least } = wanted
    return {
      ...common,
      ...applies,
      destination: countries.length === 0 ? { all: true } : { countries: { add: countries } },
      minimumRequirement:
        least === null
          ? null
          : 'items' in least
            ? { quantity: { greaterThanOrEqualToQuantity: String(least.items) } }
            : { subtotal: { greaterThanOrEqualToSubtotal: decimalOf(least.subtotalMinor, currency) } },
      ...(found && { maximumShippingPrice: null })
    }
  }
  const { value, items } = wanted
  return {
    ...common,
    ...(found && { minimumRequirement: null }),
    customerGets: {
      ...applies,
      value:
        'percent' in value
          ? // A share of 1: 12.34 % is 0.1234, without what binary numbers add to it.
            { percentage: Number((value.percent / 100).toFixed(4)) }
          : { discountAmount: { amount: decimalOf(value.amountMinor, currency), appliesOnEachItem: true } },
      items:
        items === 'all'
          ? { all: true }
          : 'productIds' in items
            ? {
                products: {
                  productsToAdd: gids('Product', items.productIds),
                  ...(found && { productsToRemove: gids('Product', others(found.has.productIds, items.productIds)) })
                }
              }
            : {
                collections: {
                  add: gids('Collection', items.collectionIds),
                  ...(found && { remove: gids('Collection', others(found.has.collectionIds, items.collectionIds)) })
                }
              }
    }
  }
}
