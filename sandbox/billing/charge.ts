import type { ContractDiscount, ContractLine, ContractTerms } from '../state/contracts.ts'
import type { OrderDiscount } from '../state/orders.ts'

/** What a discount takes off a line. */
export type Allocation = { discountId: string; amountMinor: number }

export type Charge = {
  lines: (ContractLine & { chargedPriceMinor: number; discountMinor: number; allocations: Allocation[] })[]
  discounts: OrderDiscount[]
  /** Discounts that reduced this charge, to count against their limits. */
  usedDiscountIds: string[]
  subtotalMinor: number
  discountMinor: number
  shippingMinor: number
  totalMinor: number
}

/** A line's price in a cycle: the latest price change in effect, or else the price that the app set. */
function priceInCycle(line: ContractLine, cycleIndex: number): number {
  const started = line.cycleDiscounts.filter((change) => change.afterCycle > 0 && change.afterCycle <= cycleIndex)
  return started.sort((a, b) => b.afterCycle - a.afterCycle)[0]?.computedPriceMinor ?? line.priceMinor
}

function isLive(discount: ContractDiscount): boolean {
  if (discount.rejection) return false
  return discount.recurringCycleLimit === null || discount.usageCount < discount.recurringCycleLimit
}

/** The cost of one cycle of a contract after discounts. */
export function chargeOf(
  terms: Pick<ContractTerms, 'lines' | 'discounts' | 'deliveryPriceMinor'>,
  cycleIndex: number
): Charge {
  const lines: Charge['lines'] = terms.lines.map((line) => ({
    ...line,
    chargedPriceMinor: priceInCycle(line, cycleIndex),
    discountMinor: 0,
    allocations: []
  }))
  let shippingMinor = terms.deliveryPriceMinor
  const discounts: OrderDiscount[] = []
  const usedDiscountIds: string[] = []
  for (const discount of terms.discounts.filter(isLive)) {
    let amountMinor = 0
    if (discount.targetType === 'SHIPPING_LINE') {
      amountMinor = shippingMinor
      shippingMinor = 0
    } else {
      amountMinor = takeOff(lines, discount)
    }
    usedDiscountIds.push(discount.id)
    discounts.push({
      code: discount.code ?? null,
      title: discount.title ?? 'Discount',
      amountMinor,
      percentage: discount.percentage
    })
  }
  const linesMinor = lines.reduce((sum, line) => sum + line.chargedPriceMinor * line.quantity, 0)
  const discountMinor = lines.reduce((sum, line) => sum + line.discountMinor, 0)
  const subtotalMinor = linesMinor - discountMinor
  return {
    lines,
    discounts,
    usedDiscountIds,
    subtotalMinor,
    discountMinor,
    shippingMinor,
    totalMinor: subtotalMinor + shippingMinor
  }
}

/** Distributes a discount over its lines and returns the total reduction; no line goes below zero. */
function takeOff(lines: Charge['lines'], discount: ContractDiscount): number {
  const entitled = lines.filter((line) => discount.lineIds === null || discount.lineIds.includes(line.id))
  let left = discount.amountMinor ?? 0
  let taken = 0
  for (const line of entitled) {
    const open = line.chargedPriceMinor * line.quantity - line.discountMinor
    const wanted =
      discount.percentage !== null
        ? Math.round((open * discount.percentage) / 100)
        : discount.appliesOnEachItem
          ? (discount.amountMinor ?? 0) * line.quantity
          : left
    const off = Math.min(open, wanted)
    line.discountMinor += off
    line.allocations.push({ discountId: discount.id, amountMinor: off })
    left -= off
    taken += off
  }
  return taken
}

/** A line's price for the whole quantity after current discounts, and what each takes off, as the API shows it. */
export function discountedLine(
  terms: Pick<ContractTerms, 'lines' | 'discounts'>,
  lineId: string
): { priceMinor: number; allocations: Allocation[] } {
  const charge = chargeOf({ ...terms, deliveryPriceMinor: 0 }, 0)
  const line = charge.lines.find((candidate) => candidate.id === lineId)
  if (!line) return { priceMinor: 0, allocations: [] }
  return { priceMinor: line.chargedPriceMinor * line.quantity - line.discountMinor, allocations: line.allocations }
}
