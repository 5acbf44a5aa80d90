import { invalidField } from '#kit/refusal'
import { MalformedPayload, type PlatformOrder, parseOrderPayload } from '#platform'

/** What is not needed to know what an order earns. */
const COMMON = { id: 1, name: 'preview', order_number: 1, total_price: '0.00', payment_gateway_names: [] }

/**
 * Reads an order as the platform sends it (`orders/create`). Only `currency` and `line_items` with their `price` and `quantity` are needed; what is
 * left out of the rest counts as none. Refuses anything else with the field.
 */
export function readOrderToPreview(given: Record<string, unknown>, now: Temporal.Instant): PlatformOrder {
  const { line_items: items } = given
  if (!Array.isArray(items) || items.length === 0) {
    throw invalidField('platform_order.line_items', 'must be a list with at least one line of the order')
  }
  const times = { created_at: now.toString(), updated_at: now.toString() }
  const lines = items.map((line, i) =>
    typeof line === 'object' && line !== null ? { id: i + 1, product_id: null, variant_id: null, ...line } : line
  )
  const order = parsed({ ...COMMON, ...times, ...given, line_items: lines })
  if (given.subtotal_price !== undefined && given.total_price !== undefined) return order
  const goodsMinor = order.details!.lines.reduce(
    (sum, one) => sum + one.priceMinor * one.quantity - one.discountMinor,
    0
  )
  const { shippingMinor, shippingDiscountMinor = 0 } = order.details!
  const totalMinor = goodsMinor + shippingMinor - shippingDiscountMinor + order.taxMinor
  return {
    ...order,
    totalMinor: given.total_price === undefined ? totalMinor : order.totalMinor,
    details: {
      ...order.details!,
      subtotalMinor: given.subtotal_price === undefined ? goodsMinor : order.details!.subtotalMinor
    }
  }
}

function parsed(payload: object): PlatformOrder {
  try {
    return parseOrderPayload(payload)
  } catch (err) {
    if (!(err instanceof MalformedPayload)) throw err
    const field = err.field.replace(/^order\b/, 'platform_order')
    throw invalidField(field, err.message.slice(err.field.length).trim())
  }
}
