import type { OrderCause } from '../causes/cause.ts'

/** Whether an order is a paid renewal of such a contract of which something is left after refunds and disputes. */
export function isRenewal(order: OrderCause, isMeant: (renewal: OrderCause['renewals'][number]) => boolean): boolean {
  const { minor, wholeMinor } = order.takenBack
  return order.isPaid && (wholeMinor === 0 || minor < wholeMinor) && order.renewals.some(isMeant)
}
