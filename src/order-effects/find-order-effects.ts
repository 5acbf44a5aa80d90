import { type Ctx, instant, int, nullable, oneOf, type RowOf, row, sql, text, textList } from '#kit/postgres'

const Classification = row({
  checkoutType: nullable(text),
  orderTag: nullable(text),
  chargeNumber: nullable(int),
  autochargeStatus: nullable(text),
  /** Until when it waits for its contract. */
  waitsUntil: nullable(instant),
  wantedTags: textList
})
const LinkOfOrder = row({
  subscriptionId: int,
  attemptId: nullable(int),
  part: oneOf('trial', 'signup', 'renewal'),
  orderNumber: int
})

const EntryOfOrder = row({
  id: int,
  ledger: oneOf('credit', 'points'),
  memberId: int,
  amount: int,
  shortfall: int,
  reversesId: nullable(int),
  reason: text,
  createdAt: instant
})

/**
 * What kind of order it was, the tags it is to have, the contracts that it belongs to, and the store credit (minor units of the store's
 * currency) and points that it issued, used, lost or got back.
 */
export type OrderEffects = {
  kind: RowOf<typeof Classification> | null
  links: RowOf<typeof LinkOfOrder>[]
  entries: RowOf<typeof EntryOfOrder>[]
}

const CreditOfOrder = row({ orderId: int, usedMinor: int, deductedMinor: int, deductedAt: nullable(instant) })
/**
 * What an order did to the store credit of customers, in minor units of the store's currency: what was redeemed on it and not restored;
 * what its refunds and disputes have taken and not given back, and when the latest such deduction was.
 */
export type OrderCredit = Omit<RowOf<typeof CreditOfOrder>, 'orderId'>

/** By our numbers of the orders; those without entries are left out. */
export async function listOrderCredit(ctx: Ctx, orderIds: number[]): Promise<Map<number, OrderCredit>> {
  const rows = await ctx.tx.many(
    CreditOfOrder,
    sql`
    select order_id, coalesce(sum(-amount_minor) filter (where type in (4, 5)), 0)::bigint as used_minor,
           coalesce(sum(-amount_minor) filter (where type in (6, 13)), 0)::bigint as deducted_minor,
           max(created_at) filter (where type in (6, 13) and amount_minor < 0) as deducted_at
      from credit_entries where store_id = ${ctx.storeId} and order_id = any(${orderIds}::bigint[]) group by order_id`
  )
  return new Map(rows.map(({ orderId, ...credit }) => [orderId, credit]))
}

/** By our number of the order; `kind` is null while nobody has looked at it yet. */
export async function findOrderEffects(ctx: Ctx, orderId: number): Promise<OrderEffects> {
  const kind = await ctx.tx.maybeOne(
    Classification,
    sql`
    select checkout_type, order_tag, charge_number, autocharge_status,
           case when classified_at is null then due_at end as waits_until,
           array(select tag from wanted_tags
                  where store_id = ${ctx.storeId} and kind = 'order' and owner_id = e.order_id and source = 'classification'
                  order by tag) as wanted_tags
      from order_effects e where e.store_id = ${ctx.storeId} and e.order_id = ${orderId}`
  )
  const links = await ctx.tx.many(
    LinkOfOrder,
    sql`
    select subscription_id, attempt_id, part, order_number from order_links
     where store_id = ${ctx.storeId} and order_id = ${orderId} order by subscription_id`
  )
  const entries = await ctx.tx.many(
    EntryOfOrder,
    sql`
    select id, 'credit' as ledger, member_id, amount_minor as amount, shortfall_minor as shortfall, reverses_id, reason, created_at
      from credit_entries where store_id = ${ctx.storeId} and order_id = ${orderId}
    union all
    select id, 'points', member_id, points + pending_points, shortfall_points, reverses_id, reason, created_at
      from points_entries where store_id = ${ctx.storeId} and order_id = ${orderId} and pending_id is null
     order by created_at, ledger, id`
  )
  return { kind, links, entries }
}
