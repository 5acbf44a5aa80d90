import { Money } from '../wire/document.ts'
import type { Fields } from '../wire/fields.ts'
import { grantKeyOf } from './contract-grants.ts'

/** A discount of a contract. The platform states only the name of a code discount, so those count as no discount here. */
export type ContractDiscount = {
  /** Lower case: line_item or shipping_line. */
  target: string
  /** It is still active and has a limit of cycles. */
  ends: boolean
  /** It is of a grant, and no part of the price. */
  isGranted: boolean
  isActive: boolean
  percentage: number | null
  amountMinor: number
}

export const discountParts = `nodes {
      ... on SubscriptionManualDiscount {
        title targetType recurringCycleLimit usageCount
        value {
          ... on SubscriptionDiscountPercentageValue { percentage }
          ... on SubscriptionDiscountFixedAmountValue { amount { ${Money} } }
        }
      }
    }`

/** Reads `discountParts` of a contract or a draft. Leaves out all but manual discounts. */
export function readDiscounts(connection: Fields, currency: string): ContractDiscount[] {
  return connection
    .list('nodes')
    .filter((node) => node.has('targetType'))
    .map((node) => {
      const limit = node.maybeInt('recurringCycleLimit')
      const isActive = limit === null || node.int('usageCount') < limit
      const value = node.at('value')
      return {
        target: node.lower('targetType'),
        ends: limit !== null && isActive,
        isGranted: grantKeyOf(node.maybeText('title')) !== null,
        isActive,
        percentage: value.maybeInt('percentage'),
        amountMinor: value.has('amount') ? value.money('amount', currency) : 0
      }
    })
}

/** The price of delivery after its present discounts, without those of grants; and what grants take off it besides. */
export function discountedDelivery(
  deliveryMinor: number,
  discounts: ContractDiscount[]
): { priceMinor: number; grantedMinor: number } {
  const present = discounts.filter(({ isActive, target }) => isActive && target === 'shipping_line')
  const after = (some: ContractDiscount[], from: number) =>
    some.reduce((left, { percentage, amountMinor }) => {
      const off = percentage === null ? amountMinor : Math.round((left * percentage) / 100)
      return Math.max(0, left - off)
    }, from)
  const [granted, others] = [true, false].map((isGranted) => present.filter((one) => one.isGranted === isGranted)) as [
    ContractDiscount[],
    ContractDiscount[]
  ]
  const priceMinor = after(others, deliveryMinor)
  return { priceMinor, grantedMinor: priceMinor - after(granted, priceMinor) }
}
