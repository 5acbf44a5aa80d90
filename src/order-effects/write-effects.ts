import { dueQuery } from '#kit/engines'
import { type Ctx, directSql, int, row, sql } from '#kit/postgres'

/** What is stored of an order. `version`: of the row that was read; null in the classification: the order waits for its contract. */
export type OrderEffect = {
  orderId: number
  version: number
  dueAt: Temporal.Instant | null
  classifiedAt: Temporal.Instant | null
  activeTierName: string | null
  checkoutType: string | null
  orderTag: string | null
  chargeNumber: number | null
  autochargeStatus: string | null
}

/** A request to look at an order again that came since it was read stays. */
export async function writeEffects(ctx: Ctx, effects: OrderEffect[]): Promise<void> {
  if (effects.length === 0) return
  await ctx.tx.run(sql`
    insert into order_effects as e (store_id, order_id, seen_at, due_at, classified_at, active_tier_name, checkout_type, order_tag,
      charge_number, autocharge_status, changed_at, version)
    select ${ctx.storeId}, t.order_id, ${ctx.now}, t.due_at, t.classified_at, t.active_tier_name, t.checkout_type, t.order_tag,
           t.charge_number, t.autocharge_status, ${ctx.now}, t.version
      from unnest(${effects.map((e) => e.orderId)}::bigint[], ${effects.map((e) => e.dueAt)}::timestamptz[],
                  ${effects.map((e) => e.classifiedAt)}::timestamptz[], ${effects.map((e) => e.activeTierName)}::text[],
                  ${effects.map((e) => e.checkoutType)}::text[], ${effects.map((e) => e.orderTag)}::text[],
                  ${effects.map((e) => e.chargeNumber)}::integer[], ${effects.map((e) => e.autochargeStatus)}::text[],
                  ${effects.map((e) => e.version)}::integer[])
             as t(order_id, due_at, classified_at, active_tier_name, checkout_type, order_tag, charge_number, autocharge_status,
                  version)
     order by t.order_id
    on conflict (store_id, order_id) do update
      set due_at = case when e.version = excluded.version then excluded.due_at else e.due_at end,
          classified_at = excluded.classified_at, active_tier_name = excluded.active_tier_name,
          changed_at = case when (e.checkout_type, e.order_tag, e.charge_number, e.autocharge_status)
                                 is distinct from (excluded.checkout_type, excluded.order_tag, excluded.charge_number,
                                                   excluded.autocharge_status)
                            then excluded.changed_at else e.changed_at end,
          checkout_type = excluded.checkout_type, order_tag = excluded.order_tag, charge_number = excluded.charge_number,
          autocharge_status = excluded.autocharge_status`)
}

/** Who placed these orders, each customer once. */
export async function listMembersOf(ctx: Ctx, orderIds: number[]): Promise<number[]> {
  const rows = await ctx.tx.many(
    row({ memberId: int }),
    sql`
    select distinct member_id from orders
     where store_id = ${ctx.storeId} and id = any(${orderIds}::bigint[]) and member_id is not null order by member_id`
  )
  return rows.map(({ memberId }) => memberId)
}

/**
 * Has the orders looked at again that new contracts may belong to or say something about: those that their customers, givers and receivers,
 * have placed since each began, and the order that began it.
 */
export async function requestOrdersOfContracts(ctx: Ctx, subscriptionIds: number[]): Promise<void> {
  if (subscriptionIds.length === 0) return
  await ctx.tx.run(sql`
    insert into order_effects as e (store_id, order_id, seen_at, due_at, changed_at)
    select ${ctx.storeId}, t.id, ${ctx.now}, ${ctx.now}, ${ctx.now}
      from (select distinct o.id
              from subscriptions s
              join orders o on o.store_id = ${ctx.storeId} and o.member_id in (s.member_id, s.receiver_member_id)
               and (o.processed_at >= s.created_at or o.id = s.origin_order_id
                    or o.lines @> jsonb_build_array(jsonb_build_object('contractId', s.platform_contract_id)))
             where s.store_id = ${ctx.storeId} and s.id = any(${subscriptionIds}::bigint[])
             order by o.id offset 0) t
    on conflict (store_id, order_id) do update set due_at = excluded.due_at, version = e.version + 1`)
}

/** Has these orders looked at again. */
export async function requestOrders(ctx: Ctx, orderIds: number[]): Promise<void> {
  if (orderIds.length === 0) return
  await ctx.tx.run(sql`
    insert into order_effects as e (store_id, order_id, seen_at, due_at, changed_at)
    select ${ctx.storeId}, t.id, ${ctx.now}, ${ctx.now}, ${ctx.now}
      from (select distinct id from unnest(${orderIds}::bigint[]) as o(id) order by id) t
    on conflict (store_id, order_id) do update set due_at = excluded.due_at, version = e.version + 1`)
}

/** The orders that are to be looked at now, those that wait longest first. */
export async function listDueOrders(ctx: Ctx, most: number): Promise<number[]> {
  const rows = await ctx.tx.many(
    row({ orderId: int }),
    sql`
    select order_id from order_effects where store_id = ${ctx.storeId} and due_at <= ${ctx.now}
     order by due_at, order_id limit ${most}`
  )
  return rows.map(({ orderId }) => orderId)
}

export const dueOrders = dueQuery(
  'order_effects_due',
  `select d.store_id, min(d.due_at) as due_at
     from (select e.store_id, min(e.due_at) as due_at
             from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
             join order_effects e on e.store_id = s.store_id and e.due_at <= s.until
            group by e.store_id
           union all
           select t.store_id, t.orders_due_at
             from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
             join loyalty_tier_stores t on t.store_id = s.store_id and t.orders_due_at <= s.until) d
    group by d.store_id`
)

export const nextDueOrder = directSql<[storeId: number]>(
  'order_effects_next_due',
  `select least((select min(due_at) from order_effects where store_id = $1 and due_at is not null),
                (select orders_due_at from loyalty_tier_stores where store_id = $1)) as at`
)
