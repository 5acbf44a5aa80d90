import { inProportion } from '#kit/money'
import { bool, type Ctx, instant, int, json, nullable, type RowOf, row, sql, text } from '#kit/postgres'
import { listPlans, type Plan } from '#plans'
import type { OrderLine } from '#platform'
import { storeContext } from '#stores'
import type { OrderCause } from '../causes/cause.ts'
import { countDeeds } from './count-deeds.ts'

/** What is known of an order besides what the platform reports. */
export type EarningOrder = {
  orderId: number
  /** What refunds and disputes take of it, in minor units. */
  takenBack: OrderCause['takenBack']
  /** What store credit has paid. */
  creditMinor: number
  /** The plans of the contracts of which it is a renewal; null: a plan that is none of ours. */
  renewedPlans: (number | null)[]
}

const PlacedOrder = row({
  id: int,
  memberId: int,
  processedAt: instant,
  currency: text,
  isPaid: bool,
  totalMinor: int,
  taxMinor: int,
  subtotalMinor: int,
  shippingMinor: int,
  lines: json<OrderLine[]>()
})
type PlacedOrder = RowOf<typeof PlacedOrder>

/**
 * Counts orders by the rules of loyalty as they are now, and gives or takes back what follows. An order of nobody, of another currency than the shop's, or of
 * which the lines are not known yet counts nothing. Returns what was counted, by the number of its order.
 */
export async function earnForOrders(ctx: Ctx, orders: EarningOrder[]): Promise<Map<number, OrderCause>> {
  if (orders.length === 0 || !(await hasRules(ctx))) return new Map()
  const placed = await listPlaced(
    ctx,
    orders.map(({ orderId }) => orderId)
  )
  const [{ currency }, plans] = [await storeContext(ctx), await listPlans(ctx)]
  const known = new Map(orders.map((one) => [one.orderId, one]))
  const causes = new Map(placed.map((order) => [order.id, causeOf(order, known.get(order.id)!, plans, currency)]))
  await countDeeds(
    ctx,
    placed.map((order) => ({
      memberId: order.memberId,
      cause: causes.get(order.id)!,
      key: `order:${order.id}`,
      at: order.processedAt,
      orderId: order.id,
      ruleId: null
    }))
  )
  return causes
}

/** Most stores have none: their orders cost one look. */
async function hasRules(ctx: Ctx): Promise<boolean> {
  const found = await ctx.tx.maybeOne(
    row({ id: nullable(int) }),
    sql`select id from loyalty_rules where store_id = ${ctx.storeId} limit 1`
  )
  return found !== null
}

function listPlaced(ctx: Ctx, orderIds: number[]): Promise<PlacedOrder[]> {
  return ctx.tx.many(
    PlacedOrder,
    sql`
    select id, member_id, processed_at, currency,
           financial_status in ('paid', 'partially_refunded', 'refunded') and cancelled_at is null as is_paid, total_minor, tax_minor,
           coalesce(subtotal_minor, 0) as subtotal_minor,
           coalesce(shipping_minor, 0) - coalesce(shipping_discount_minor, 0) as shipping_minor, lines
      from orders
     where store_id = ${ctx.storeId} and id = any(${orderIds}::bigint[]) and member_id is not null and lines is not null
     order by processed_at, id`
  )
}

function causeOf(order: PlacedOrder, known: EarningOrder, plans: Plan[], currency: string): OrderCause {
  const fees = new Set(plans.flatMap(({ platformProductId }) => platformProductId ?? []))
  const lines = order.lines.filter(({ productId }) => productId === null || !fees.has(productId))
  return {
    kind: 'order',
    orderId: order.id,
    lines: lines.map((line) => ({ productId: line.productId, netMinor: netMinor(line, order) })),
    creditMinor: known.creditMinor,
    isPaid: order.isPaid && order.currency === currency,
    takenBack: known.takenBack,
    renewals: known.renewedPlans.map((planId) => renewalOf(plans.find(({ id }) => id === planId)))
  }
}

/** What a line cost after discounts, without tax: where prices include it, its share of the tax of the order is taken off. */
function netMinor({ priceMinor, quantity, discountMinor }: OrderLine, order: PlacedOrder): number {
  const gross = priceMinor * quantity - discountMinor
  const { totalMinor, taxMinor, subtotalMinor, shippingMinor } = order
  const isTaxIncluded = totalMinor < subtotalMinor + shippingMinor + taxMinor
  return isTaxIncluded ? gross - inProportion(taxMinor, gross, subtotalMinor + shippingMinor) : gross
}

const renewalOf = (plan: Plan | undefined): OrderCause['renewals'][number] => ({
  isMembership: plan !== undefined && plan.type !== 'product',
  planGroupId: plan?.platformSellingPlanGroupId ?? null,
  sellingPlanId: plan?.platformSellingPlanId ?? null
})
