import { bool, type Ctx, instant, int, json, nullable, type RowOf, row, sql, text } from '#kit/postgres'
import type { EditableOrder } from '#orders'
import type { DisputeState } from './disputes.ts'

const OrderState = row({
  id: int,
  memberId: nullable(int),
  processedAt: instant,
  financialStatus: text,
  totalMinor: int,
  currency: text,
  /** Where pieces of it are gone. Null also where it was cancelled, which is no edit. */
  edits: nullable(json<Omit<EditableOrder, 'totalMinor'>>()),
  attributes: nullable(json<{ name: string; value: string }[]>()),
  /** It has the tag of gifts that go with an order. */
  hasGiftTag: bool,
  /** A line was sold with a selling plan or belongs to a contract, or the platform placed it for one. */
  isOfContract: bool,
  refunds: json<{ at: string; minor: number; id: string }[]>(),
  disputes: json<DisputeState[]>(),
  creditRedeemedMinor: int,
  creditRestoredMinor: int,
  seenAt: nullable(instant),
  dueAt: nullable(instant),
  version: nullable(int),
  classifiedAt: nullable(instant),
  activeTierName: nullable(text),
  checkoutType: nullable(text),
  orderTag: nullable(text),
  chargeNumber: nullable(int),
  autochargeStatus: nullable(text)
})

/** An order with what its kind follows from, and what was found of it before: null where it is new here. */
export type OrderState = RowOf<typeof OrderState>

/**
 * The orders as they are now, in order of id. Credit counts as redeemed from the ledger; where that has no entry yet, from the payments
 * with the platform's store credit.
 */
export function readOrders(ctx: Ctx, orderIds: number[]): Promise<OrderState[]> {
  return ctx.tx.many(
    OrderState,
    sql`
    select o.id, o.member_id, o.processed_at, o.financial_status, o.total_minor, o.currency, o.attributes,
           case when o.current_total_minor is not null and o.cancelled_at is null then
             jsonb_build_object('subtotalMinor', o.subtotal_minor, 'currentTotalMinor', o.current_total_minor, 'lines', o.lines)
           end as edits,
           coalesce(o.source_name like 'subscription_contract%', false)
             or exists (select from jsonb_array_elements(o.lines) l
                         where l ->> 'sellingPlanId' is not null or l ->> 'contractId' is not null) as is_of_contract,
           coalesce(o.attributes @> '[{"name": "mystery_gift"}]', false) and exists (
             select from wanted_tags
              where store_id = ${ctx.storeId} and kind = 'order' and owner_id = o.id and source = 'classification'
                and tag_key = 'mystery_gift') as has_gift_tag,
           (select coalesce(jsonb_agg(jsonb_build_object('at', refunded_at, 'minor', amount_minor, 'id', platform_refund_id)
                                     order by refunded_at, id), '[]')
              from platform_refunds where store_id = ${ctx.storeId} and order_id = o.id) as refunds,
           (select coalesce(jsonb_agg(jsonb_build_object('id', d.platform_dispute_id, 'type', d.type, 'status', d.status,
                                                       'amountMinor', d.amount_minor, 'currency', d.currency,
                                                       'initiatedAt', d.initiated_at, 'isProtected', f.is_protected)
                                     order by d.initiated_at, d.id), '[]')
              from order_disputes d
              left join followed_disputes f on f.store_id = ${ctx.storeId} and f.platform_dispute_id = d.platform_dispute_id
             where d.store_id = ${ctx.storeId} and d.order_id = o.id) as disputes,
           greatest(c.redeemed, t.redeemed) as credit_redeemed_minor, greatest(c.restored, t.restored) as credit_restored_minor,
           e.seen_at, e.due_at, e.version, e.classified_at, e.active_tier_name, e.checkout_type, e.order_tag, e.charge_number,
           e.autocharge_status
      from orders o
      left join order_effects e on e.store_id = ${ctx.storeId} and e.order_id = o.id
     cross join lateral (
       select coalesce(sum(-amount_minor) filter (where type = 4), 0)::bigint as redeemed,
              coalesce(sum(amount_minor) filter (where type = 5), 0)::bigint as restored
         from credit_entries where store_id = ${ctx.storeId} and order_id = o.id and type in (4, 5)) c
     cross join lateral (
       select coalesce(sum(amount_minor) filter (where kind in ('sale', 'capture')), 0)::bigint as redeemed,
              coalesce(sum(amount_minor) filter (where kind = 'refund'), 0)::bigint as restored
         from order_transactions
        where store_id = ${ctx.storeId} and order_id = o.id and status = 'success' and gateway = 'shopify_store_credit') t
     where o.store_id = ${ctx.storeId} and o.id = any(${orderIds}::bigint[])
     order by o.id`
  )
}
