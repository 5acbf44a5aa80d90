import { record } from '#kit/outbox'
import { type Ctx, instant, int, nullable, type RowOf, row, sql, text } from '#kit/postgres'
import { firstOrdersChanged } from './events/first-orders-changed.ts'

const FirstOrders = row({
  memberId: int,
  firstAt: instant,
  membershipAt: nullable(instant),
  membershipRenewalAt: nullable(instant),
  productAt: nullable(instant),
  productRenewalAt: nullable(instant),
  checkoutType: nullable(text)
})
/** When a customer ordered first, and what kind of checkout the first order was. */
export type FirstOrders = RowOf<typeof FirstOrders>

/**
 * Derives when these customers ordered first from all of their orders, so that it is right whichever became known first, was cancelled,
 * or came with a merge of customers. Cancelled orders count in none of the dates. What stays as it is, is not written.
 */
export async function refreshFirstOrders(ctx: Ctx, memberIds: number[]): Promise<void> {
  if (memberIds.length === 0) return
  const known = new Map((await listFirstOrders(ctx, memberIds)).map((one) => [one.memberId, one]))
  const now = await deriveFirstOrders(ctx, memberIds)
  const left = new Set(now.map(({ memberId }) => memberId))
  const gone = [...known.keys()].filter((memberId) => !left.has(memberId))
  if (gone.length > 0) {
    await ctx.tx.run(
      sql`delete from first_orders where store_id = ${ctx.storeId} and member_id = any(${gone}::bigint[])`
    )
  }
  const changed = now.filter((one) => JSON.stringify(one) !== JSON.stringify(known.get(one.memberId)))
  if (changed.length > 0) await writeFirstOrders(ctx, changed)
  const others = [...gone, ...changed.map(({ memberId }) => memberId)]
  if (others.length > 0) await record(ctx, ...others.map(firstOrdersChanged))
}

export function listFirstOrders(ctx: Ctx, memberIds: number[]): Promise<FirstOrders[]> {
  return ctx.tx.many(
    FirstOrders,
    sql`
    select member_id, first_at, membership_at, membership_renewal_at, product_at, product_renewal_at, checkout_type
      from first_orders where store_id = ${ctx.storeId} and member_id = any(${memberIds}::bigint[])`
  )
}

function deriveFirstOrders(ctx: Ctx, memberIds: number[]): Promise<FirstOrders[]> {
  return ctx.tx.many(
    FirstOrders,
    sql`
    with placed as (
      select id, member_id, processed_at from orders
       where store_id = ${ctx.storeId} and member_id = any(${memberIds}::bigint[]) and cancelled_at is null),
    linked as (
      select o.id, bool_or(l.tier_name is not null) as is_membership, bool_or(l.tier_name is null) as is_product,
             bool_or(l.tier_name is not null and l.part = 'renewal') as is_membership_renewal,
             bool_or(l.tier_name is null and l.part = 'renewal') as is_product_renewal
        from placed o join order_links l on l.store_id = ${ctx.storeId} and l.order_id = o.id
       group by o.id)
    select o.member_id, min(o.processed_at) as first_at,
           min(o.processed_at) filter (where l.is_membership) as membership_at,
           min(o.processed_at) filter (where l.is_membership_renewal) as membership_renewal_at,
           min(o.processed_at) filter (where l.is_product) as product_at,
           min(o.processed_at) filter (where l.is_product_renewal) as product_renewal_at,
           (array_agg(e.checkout_type order by o.processed_at, o.id))[1] as checkout_type
      from placed o
      left join linked l on l.id = o.id
      left join order_effects e on e.store_id = ${ctx.storeId} and e.order_id = o.id
     group by o.member_id
     order by o.member_id`
  )
}

async function writeFirstOrders(ctx: Ctx, rows: FirstOrders[]): Promise<void> {
  await ctx.tx.run(sql`
    insert into first_orders (store_id, member_id, first_at, membership_at, membership_renewal_at, product_at, product_renewal_at,
      checkout_type, changed_at)
    select ${ctx.storeId}, t.member_id, t.first_at, t.membership_at, t.membership_renewal_at, t.product_at, t.product_renewal_at,
           t.checkout_type, ${ctx.now}
      from unnest(${rows.map((r) => r.memberId)}::bigint[], ${rows.map((r) => r.firstAt)}::timestamptz[],
                  ${rows.map((r) => r.membershipAt)}::timestamptz[], ${rows.map((r) => r.membershipRenewalAt)}::timestamptz[],
                  ${rows.map((r) => r.productAt)}::timestamptz[], ${rows.map((r) => r.productRenewalAt)}::timestamptz[],
                  ${rows.map((r) => r.checkoutType)}::text[])
             as t(member_id, first_at, membership_at, membership_renewal_at, product_at, product_renewal_at, checkout_type)
     order by t.member_id
    on conflict (store_id, member_id) do update
      set first_at = excluded.first_at, membership_at = excluded.membership_at,
          membership_renewal_at = excluded.membership_renewal_at, product_at = excluded.product_at,
          product_renewal_at = excluded.product_renewal_at, checkout_type = excluded.checkout_type,
          changed_at = excluded.changed_at`)
}
