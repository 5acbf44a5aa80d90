import { currencyDecimals } from '#kit/money'
import { invalidField } from '#kit/refusal'
import { orderedMinor } from '#orders'
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
  checkAmounts(order)
  if (given.subtotal_price !== undefined && given.total_price !== undefined) return order
  const { shippingMinor, shippingDiscountMinor = 0, isTaxIncluded, lines: read } = order.details!
  const goodsMinor = read.reduce((sum, one) => sum + orderedMinor(one), 0)
  const totalMinor = goodsMinor + shippingMinor - shippingDiscountMinor + (isTaxIncluded ? 0 : order.taxMinor)
  return {
    ...order,
    totalMinor: given.total_price === undefined ? totalMinor : order.totalMinor,
    details: {
      ...order.details!,
      subtotalMinor: given.subtotal_price === undefined ? goodsMinor : order.details!.subtotalMinor
    }
  }
}

/** What an order may come to, in units of its currency, and how many pieces a line may have. */
const MAX_UNITS = 1_000_000_000
const MAX_PIECES = 1_000_000

/** Refuses what no shop sells: numbers that cannot be counted exactly, and amounts below zero. */
function checkAmounts({ currency, totalMinor, taxMinor, details }: PlatformOrder): void {
  const { lines, subtotalMinor, shippingMinor, shippingDiscountMinor = 0 } = details!
  const mostMinor = MAX_UNITS * 10 ** currencyDecimals(currency)
  const isAmount = (minor: number, most = mostMinor) => minor >= 0 && minor <= most
  const check = (isRight: boolean, field: string, accepted: string) => {
    if (!isRight) throw invalidField(`platform_order.${field}`, `must be ${accepted}`)
  }
  const amount = `an amount from 0 to ${MAX_UNITS}`
  for (const [i, line] of lines.entries()) {
    const { quantity, priceMinor, discountMinor } = line
    check(quantity >= 0 && quantity <= MAX_PIECES, `line_items.${i}.quantity`, `a whole number from 0 to ${MAX_PIECES}`)
    check(isAmount(priceMinor), `line_items.${i}.price`, amount)
    // Divided, since the product may be beyond 2^53.
    check(
      quantity === 0 || priceMinor <= mostMinor / quantity,
      `line_items.${i}.price`,
      `at most ${MAX_UNITS} for all pieces of the line`
    )
    check(
      isAmount(discountMinor, priceMinor * quantity),
      `line_items.${i}.discount_allocations`,
      'amounts from 0, together at most the price of the line'
    )
  }
  const goodsMinor = lines.reduce((sum, line) => sum + orderedMinor(line), 0)
  check(isAmount(goodsMinor), 'line_items', `lines that come to at most ${MAX_UNITS} together`)
  check(isAmount(subtotalMinor), 'subtotal_price', amount)
  check(isAmount(totalMinor), 'total_price', amount)
  check(isAmount(taxMinor), 'total_tax', amount)
  check(isAmount(shippingMinor), 'total_shipping_price_set', amount)
  check(
    isAmount(shippingDiscountMinor, shippingMinor),
    'shipping_lines',
    'lines with discounts of at most the shipping'
  )
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
