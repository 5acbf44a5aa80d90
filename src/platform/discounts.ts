import type { Fields } from './fields.ts'
import { money } from './read-answers.ts'

/** A discount of a contract. One by a code is told by its name alone, and takes nothing off here. */
export type ContractDiscount = {
  /** Lower case: line_item or shipping_line. */
  target: string
  /** It is not used up, and will be some day. */
  ends: boolean
  isLive: boolean
  percentage: number | null
  amountMinor: number
}

/** The answer to the discounts of a contract or a draft; discounts of other kinds than the manual ones are left out. */
export function readDiscounts(connection: Fields, currency: string): ContractDiscount[] {
  return connection
    .list('nodes')
    .filter((node) => node.has('targetType'))
    .map((node) => {
      const limit = node.maybeInt('recurringCycleLimit')
      const isLive = limit === null || node.int('usageCount') < limit
      const amount = node.at('value').maybeAt('amount')
      return {
        target: node.lower('targetType'),
        ends: limit !== null && isLive,
        isLive,
        percentage: node.at('value').maybeInt('percentage'),
        amountMinor: amount ? money(amount, currency) : 0
      }
    })
}

/** What delivery costs with what is taken off it now. */
export function discountedDelivery(deliveryMinor: number, discounts: ContractDiscount[]): number {
  return discounts
    .filter(({ isLive, target }) => isLive && target === 'shipping_line')
    .reduce((left, { percentage, amountMinor }) => {
      const off = percentage === null ? amountMinor : Math.round((left * percentage) / 100)
      return Math.max(0, left - off)
    }, deliveryMinor)
}
