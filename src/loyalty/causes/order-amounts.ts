import { inProportion } from '#kit/money'
import type { OrderCause } from './cause.ts'

/** The products and collections to which a rule is limited; none for all. */
export type Scope = { product_ids: string[]; collection_ids: string[] }

/**
 * What of an order counts, in minor units: the subtotal after discounts, without tax, shipping, gift cards, the membership's fee and what
 * store credit paid. Of a part of the products credit has paid its share. Nothing of an order that is not paid.
 */
export function eligibleMinor(
  order: OrderCause,
  { product_ids: productIds, collection_ids: collectionIds }: Scope
): number {
  if (!order.isPaid) return 0
  const sum = (lines: OrderCause['lines']) => lines.reduce((total, { netMinor }) => total + netMinor, 0)
  const all = sum(order.lines)
  const isForAll = productIds.length + collectionIds.length === 0
  const chosen = isForAll
    ? all
    : sum(
        order.lines.filter(
          (line) => isAmong(productIds, line.productId) || line.collectionIds.some((id) => collectionIds.includes(id))
        )
      )
  const credit = Math.min(order.creditMinor, all)
  return chosen - inProportion(chosen, credit, all)
}

/** The same without what refunds and disputes took back. */
export function keptMinor(order: OrderCause, scope: Scope): number {
  const { minor, wholeMinor } = order.takenBack
  const eligible = eligibleMinor(order, scope)
  return eligible - inProportion(eligible, minor, wholeMinor)
}

/** Whether an order counts as a purchase: something of it is left, and as much as is asked for. */
export const isPurchase = (order: OrderCause, scope: Scope, leastMinor: number): boolean =>
  keptMinor(order, scope) >= Math.max(1, leastMinor)

/** Whether a rule with this scope waits with an order, until the products of its collections are known. */
export const waitsForCollections = (
  { isPaid, unread }: Pick<OrderCause, 'isPaid' | 'unread'>,
  { collection_ids: collectionIds }: Scope
): boolean => isPaid && unread.size > 0 && collectionIds.some((id) => unread.has(id))

const isAmong = (ids: string[], id: string | null) => id !== null && ids.includes(id)
