import { consumer, type StoredFact } from '#kit/outbox'
import { bool, type Ctx, int, row, sql } from '#kit/postgres'
import { membersOfFacts } from '#members'
import { isCreditGateway } from '#platform'
import { markAccountsDue, markKnownAccountsDue } from './platform-account/account-queries.ts'
import { restoreOrders } from './redemptions/restore-orders.ts'
import { settleDiscountedOrders } from './redemptions/settle-orders.ts'
import { scheduleSpendingWalk } from './spending-walks.ts'
import { isMirrored, listWays } from './ways.ts'

/** After these somebody has other credit to spend, or spends it in another way. */
const ENTRY_FACTS = ['store_credit.added', 'store_credit.deducted'] as const
const CREDIT_FACTS = [...ENTRY_FACTS, 'store_credit.reservation_changed'] as const
const MEMBERSHIP_FACTS = ['subscription.created', 'subscription.cancelled', 'subscription.updated'] as const
/** After these credit may have been spent on the platform, or given back there. */
export const ORDER_FACTS = ['order.recorded', 'order.refunded'] as const

/** Of credit from before it was added, the first walk over all customers takes care. */
export const spendingConsumer = consumer(
  'spending',
  [...CREDIT_FACTS, ...MEMBERSHIP_FACTS, ...ORDER_FACTS],
  refreshOfFacts,
  { from: 'now' }
)

async function refreshOfFacts(ctx: Ctx, facts: StoredFact[]): Promise<void> {
  const named = (names: readonly string[]) => facts.filter(({ name }) => names.includes(name))
  await refreshAccounts(ctx, membersOfFacts([...named(CREDIT_FACTS), ...named(MEMBERSHIP_FACTS)]))
  const orders = named(ORDER_FACTS).flatMap(({ refs }) => refs.orderId ?? [])
  await settleDiscountedOrders(ctx, orders)
  await restoreOrders(ctx, [...orders, ...(await listOrdersOfCredit(ctx, named(ENTRY_FACTS)))])
  await markKnownAccountsDue(ctx, await listPayersWithCredit(ctx, orders))
}

/**
 * Has the platform's accounts of these customers compared that have or are to have credit there. Returns how many they are.
 * `isCheck`: because it is time, not because something changed.
 */
export async function refreshAccounts(ctx: Ctx, memberIds: number[], how: { isCheck?: boolean } = {}): Promise<number> {
  if (memberIds.length === 0) return 0
  const holders = await ctx.tx.many(
    row({ memberId: int, isKnown: bool }),
    sql`
    select m.id as member_id, a.member_id is not null as is_known
      from (select distinct id from unnest(${memberIds}::bigint[]) as m(id)) as m
      left join spending_accounts a on a.store_id = ${ctx.storeId} and a.member_id = m.id
     where a.member_id is not null
        or exists (select from credit_accounts c where c.store_id = ${ctx.storeId} and c.member_id = m.id)`
  )
  const ways = await listWays(
    ctx,
    holders.map(({ memberId }) => memberId)
  )
  const mirrored = holders.filter(({ memberId, isKnown }) => isKnown || isMirrored(ways.get(memberId)))
  await markAccountsDue(
    ctx,
    mirrored.map(({ memberId }) => memberId),
    how
  )
  if (mirrored.length > 0) await scheduleSpendingWalk(ctx)
  return mirrored.length
}

/**
 * The orders on which credit was spent, or restored, by the entries of these facts: a reservation may be captured after its order was refunded or
 * cancelled, and the platform gives back what was spent there at its own time.
 */
async function listOrdersOfCredit(ctx: Ctx, facts: StoredFact[]): Promise<number[]> {
  const entryIds = facts.flatMap(({ refs, data }) => (data.includes('"ord_') ? (refs.creditEntryId ?? []) : []))
  if (entryIds.length === 0) return []
  const rows = await ctx.tx.many(
    row({ orderId: int }),
    sql`
    select distinct order_id from credit_entries
     where store_id = ${ctx.storeId} and id = any(${entryIds}::bigint[]) and type in (4, 5) and order_id is not null`
  )
  return rows.map(({ orderId }) => orderId)
}

/** Whose orders are paid with store credit, or by nothing that is known yet. */
async function listPayersWithCredit(ctx: Ctx, orderIds: number[]): Promise<number[]> {
  if (orderIds.length === 0) return []
  const rows = await ctx.tx.many(
    row({ memberId: int }),
    sql`
    select distinct o.member_id from orders o
     where o.store_id = ${ctx.storeId} and o.id = any(${orderIds}::bigint[]) and o.member_id is not null
       and (o.gateway = 'shopify_store_credit'
            or exists (select from order_transactions t
                        where t.store_id = ${ctx.storeId} and t.order_id = o.id and t.gateway = 'shopify_store_credit'))
    union
    -- A gift card may be spent by somebody else.
    select g.member_id from order_transactions t
      join spending_gift_cards g on g.store_id = ${ctx.storeId} and g.platform_gift_card_id = t.gift_card_id
     where t.store_id = ${ctx.storeId} and t.order_id = any(${orderIds}::bigint[])`
  )
  return rows.map(({ memberId }) => memberId)
}

/** Follows payments that the platform reports, by the platform's numbers of their orders: credit was spent or given back. */
export async function applyReportedPayments(
  ctx: Ctx,
  payments: { orderId: string; gateway: string | null }[]
): Promise<void> {
  const ids = payments.flatMap(({ orderId, gateway }) => (gateway && isCreditGateway(gateway) ? [orderId] : []))
  if (ids.length === 0) return
  const rows = await ctx.tx.many(
    row({ memberId: int }),
    sql`
    select distinct member_id from orders
     where store_id = ${ctx.storeId} and platform_order_id = any(${ids}::text[]) and member_id is not null
    union
    select g.member_id from orders o
      join order_transactions t on t.store_id = ${ctx.storeId} and t.order_id = o.id
      join spending_gift_cards g on g.store_id = ${ctx.storeId} and g.platform_gift_card_id = t.gift_card_id
     where o.store_id = ${ctx.storeId} and o.platform_order_id = any(${ids}::text[])`
  )
  await markKnownAccountsDue(
    ctx,
    rows.map(({ memberId }) => memberId)
  )
}
