import { inProportion } from '#kit/money'
import { bool, type Ctx, instant, int, json, nullable, type RowOf, row, sql, text } from '#kit/postgres'
import { afterEdits } from '#orders'
import { listPlans, type Plan } from '#plans'
import type { OrderLine } from '#platform'
import { storeContext } from '#stores'
import type { OrderCause } from '../causes/cause.ts'
import { keptMinor } from '../causes/order-amounts.ts'
import { keepCollectionsOfOrders, type ProductCollections } from '../collections/collections-of-orders.ts'
import { recordSpending } from '../customer-tiers/record-spending.ts'
import { countDeeds } from './count-deeds.ts'

/** What is known of an order besides what the platform reports. */
export type EarningOrder = {
  orderId: number
  /** What was paid back of it, in minor units. */
  refundedMinor: number
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
  /** Null where the platform has not said so. */
  isTaxIncluded: nullable(bool),
  subtotalMinor: int,
  shippingMinor: int,
  currentTotalMinor: nullable(int),
  lines: json<OrderLine[]>()
})
export type PlacedOrder = RowOf<typeof PlacedOrder>

/**
 * Counts orders by the rules of loyalty as they are now, and gives or takes back what follows; and what of them counts for tiers. An order of
 * nobody, of another currency than the shop's, or of which the lines are not known yet counts nothing. Its products are in those collections in
 * which they were when it counted first. Returns what was counted, by the number of its order.
 */
export async function earnForOrders(ctx: Ctx, orders: EarningOrder[]): Promise<Map<number, OrderCause>> {
  if (orders.length === 0) return new Map()
  const { hasRules, hasTiers } = await findWhatCounts(ctx)
  if (!hasRules && !hasTiers) return new Map()
  const placed = await listPlaced(
    ctx,
    orders.map(({ orderId }) => orderId)
  )
  const [{ currency }, plans] = [await storeContext(ctx), await listPlans(ctx)]
  const known = new Map(orders.map((one) => [one.orderId, one]))
  // Tiers count all goods: only rules are limited to collections.
  const limited = hasRules ? placed.filter((order) => isCounted(order, currency)) : []
  const collections = await keepCollectionsOfOrders(
    ctx,
    limited.map(({ id, lines }) => ({ id, productIds: productsOf(lines) }))
  )
  const causes = placed.map((order) => ({
    order,
    cause: causeOf(order, known.get(order.id)!, {
      plans,
      currency,
      collectionsOf: collections.of.get(order.id) ?? new Map(),
      unread: collections.unread
    })
  }))
  if (hasRules) {
    await countDeeds(
      ctx,
      causes.map(({ order: { id: orderId, memberId, processedAt: at }, cause }) => ({
        ...{ memberId, cause, key: `order:${orderId}`, at, orderId, ruleId: null }
      }))
    )
  }
  if (hasTiers) {
    await recordSpending(
      ctx,
      causes.map(({ order: { id: orderId, memberId, processedAt: at }, cause }) => ({
        ...{ orderId, memberId, keptMinor: keptMinor(cause, ALL_GOODS), at }
      }))
    )
  }
  return new Map(causes.map(({ order, cause }) => [order.id, cause]))
}

const ALL_GOODS = { product_ids: [], collection_ids: [] }

/** Most stores have neither: their orders cost one look. */
function findWhatCounts(ctx: Ctx): Promise<{ hasRules: boolean; hasTiers: boolean }> {
  return ctx.tx.one(
    row({ hasRules: bool, hasTiers: bool }),
    sql`
    select exists (select from loyalty_rules where store_id = ${ctx.storeId}) as has_rules,
           exists (select from loyalty_tiers where store_id = ${ctx.storeId}) as has_tiers`
  )
}

function listPlaced(ctx: Ctx, orderIds: number[]): Promise<PlacedOrder[]> {
  return ctx.tx.many(
    PlacedOrder,
    sql`
    select id, member_id, processed_at, currency,
           financial_status in ('paid', 'partially_refunded', 'refunded') and cancelled_at is null as is_paid, total_minor, tax_minor,
           is_tax_included, current_total_minor, coalesce(subtotal_minor, 0) as subtotal_minor,
           coalesce(shipping_minor, 0) - coalesce(shipping_discount_minor, 0) as shipping_minor, lines
      from orders
     where store_id = ${ctx.storeId} and id = any(${orderIds}::bigint[]) and member_id is not null and lines is not null
     order by processed_at, id`
  )
}

export const productsOf = (lines: OrderLine[]) => [...new Set(lines.flatMap(({ productId }) => productId ?? []))]

/** Whether anything of an order counts: it is paid, in the currency of the shop. */
const isCounted = (order: Pick<PlacedOrder, 'isPaid' | 'currency'>, currency: string) =>
  order.isPaid && order.currency === currency

/** What is known of the shop when an order is counted. */
type Shop = { plans: Plan[]; currency: string; collectionsOf: ProductCollections; unread: ReadonlySet<string> }

/** What rules may count of an order. */
export function causeOf(
  order: PlacedOrder,
  known: EarningOrder,
  { plans, currency, collectionsOf, unread }: Shop
): OrderCause {
  const fees = new Set(plans.flatMap(({ platformProductId }) => platformProductId ?? []))
  const { lineMinors } = afterEdits(order, known.refundedMinor)
  const isGoods = ({ productId, isGiftCard }: OrderLine) => !isGiftCard && (productId === null || !fees.has(productId))
  return {
    kind: 'order',
    orderId: order.id,
    lines: order.lines.flatMap((line, i) =>
      isGoods(line)
        ? {
            productId: line.productId,
            collectionIds: (line.productId !== null && collectionsOf.get(line.productId)) || [],
            netMinor: netMinor(lineMinors[i]!, order)
          }
        : []
    ),
    unread,
    creditMinor: known.creditMinor,
    isPaid: isCounted(order, currency),
    takenBack: known.takenBack,
    renewals: known.renewedPlans.map((planId) => renewalOf(plans.find(({ id }) => id === planId)))
  }
}

/** What a line costs without tax: where prices include it, its share of the tax of the order is taken off, at most all of it. */
const netMinor = (lineMinor: number, order: PlacedOrder): number => {
  const grossMinor = order.subtotalMinor + order.shippingMinor
  const ofTaxMinor = isTaxIncluded(order) ? inProportion(order.taxMinor, lineMinor, grossMinor) : 0
  // After an edit the platform may say a tax that was of more.
  return Math.max(0, lineMinor - ofTaxMinor)
}

/** Where the platform has not said so, the total tells, as long as it has no tip and no duties. */
const isTaxIncluded = ({ isTaxIncluded: said, totalMinor, taxMinor, subtotalMinor, shippingMinor }: PlacedOrder) =>
  said ?? totalMinor < subtotalMinor + shippingMinor + taxMinor

const renewalOf = (plan: Plan | undefined): OrderCause['renewals'][number] => ({
  isMembership: plan !== undefined && plan.type !== 'product',
  planGroupId: plan?.platformSellingPlanGroupId ?? null,
  sellingPlanId: plan?.platformSellingPlanId ?? null
})
