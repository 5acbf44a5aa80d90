import { inProportion, sumOf } from '#kit/money'
import type { OrderLine } from '#platform'

/** What tells how an order was edited. Amounts are minor units. */
export type EditableOrder = {
  totalMinor: number
  subtotalMinor: number | null
  /** Null where no piece of the order is gone. */
  currentTotalMinor: number | null
  lines: OrderLine[]
}

/** An order without what edits have removed and nobody has paid back. */
export type AfterEdits = {
  /** What the order comes to, refunds not subtracted. */
  wholeMinor: number
  /** What each line costs after discounts. */
  lineMinors: number[]
}

/** What a line cost after discounts, as it was ordered. */
export const orderedMinor = ({ priceMinor, quantity, discountMinor }: OrderLine): number =>
  priceMinor * quantity - discountMinor

/**
 * What is left of an order that was edited. Lines keep the pieces that are gone, removed and refunded ones alike: as far as they are more than was
 * paid back, they are removed. The rest is taken back by the refunds, as a share of the whole order.
 */
export function afterEdits(
  { totalMinor, subtotalMinor, currentTotalMinor, lines }: EditableOrder,
  refundedMinor: number
): AfterEdits {
  const ordered = lines.map(orderedMinor)
  const gone = lines.map(({ quantity, currentQuantity = quantity }, i) =>
    inProportion(ordered[i]!, quantity - currentQuantity, quantity)
  )
  const goneMinor = sumOf(gone)
  if (currentTotalMinor === null || goneMinor <= 0) return { wholeMinor: totalMinor, lineMinors: ordered }
  // Whether the total still has what is gone, the subtotal tells.
  const placedMinor = totalMinor + Math.max(0, sumOf(ordered) - (subtotalMinor ?? sumOf(ordered)))
  const removedMinor = Math.max(0, placedMinor - currentTotalMinor - refundedMinor)
  return {
    wholeMinor: placedMinor - removedMinor,
    lineMinors: ordered.map((minor, i) => minor - inProportion(gone[i]!, removedMinor, goneMinor))
  }
}
