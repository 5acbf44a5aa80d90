// Sums over /data/orders, and the same from orders, contracts, charges and the ledger, without what the service derives of an order.
import { amount, month, type Sum } from './sum.ts'

/**
 * What kind each order was: of the contracts that it began or renewed a membership counts first; without one, whether its customer held
 * an active membership when it was placed.
 */
export const KINDS = `parts as (
    select origin_order_id as order_id, plan_id, case when trial_ends_at is null then 'began' else 'tried' end as part
      from subscriptions where store_id = $1 and origin_order_id is not null
     union all
    select a.order_id, s.plan_id, 'renewed'
      from billing_attempts a join subscriptions s on s.store_id = a.store_id and s.id = a.subscription_id
     where a.store_id = $1 and a.order_id is not null),
  plan_parts as (
    select p.order_id,
           min(p.part) filter (where l.type in ('vip', 'elite')) as membership,
           min(p.part) filter (where l.type = 'product' or l.type is null) as product
      from parts p left join plans l on l.store_id = $1 and l.id = p.plan_id
     group by p.order_id),
  spans as (
    select s.member_id, a.kind in ('created', 'resumed', 'reactivated') as is_active, a.at as begins,
           lead(a.at, 1, 'infinity') over (partition by s.id order by a.at, a.id) as ends
      from subscriptions s
      join plans l on l.store_id = $1 and l.id = s.plan_id and l.type <> 'product'
      join (select subscription_id, id, kind, occurred_at as at from contract_activities
             where store_id = $1 and kind in ('resumed', 'reactivated', 'paused', 'cancelled', 'failed', 'expired')
             union all
            select id, 0, 'created', created_at from subscriptions where store_id = $1) a on a.subscription_id = s.id
     where s.store_id = $1),
  kinds as (
    select o.*,
           case t.membership when 'tried' then 'trial fee' when 'began' then 'New-vip' when 'renewed' then 'recharge'
             else case t.product when 'renewed' then 'SubsProd-Recharge' when 'began' then 'New-SubsProd' else '' end end as tag,
           case when t.membership is not null then 'VIP' when t.product is not null then 'Product Subscription'
                when exists (select from spans p where p.member_id = o.member_id and p.is_active
                                and p.begins <= o.processed_at and o.processed_at < p.ends) then 'VIP'
                else 'PAYG' end as type
      from orders o left join plan_parts t on t.order_id = o.id
     where o.store_id = $1)`

export const SHOP = 'shop as (select timezone, currency from stores where store_id = $1)'

export const orderSums: Sum[] = [
  {
    name: 'orders, revenue and tax by month and checkout type',
    warehouse: `
      select concat_ws(' ', strftime(order_date, '%Y-%m'), currency, checkout_type) as "of",
             count(*) as orders, sum(revenue) as revenue, sum(tax) as tax
        from orders group by all`,
    base: `
      with ${SHOP}, ${KINDS}
      select concat_ws(' ', ${month('k.processed_at')}, k.currency, k.type) as of, count(*) as orders,
             ${amount('sum(k.total_minor)')} as revenue, ${amount('sum(k.tax_minor)')} as tax
        from kinds k cross join shop group by 1`
  },
  {
    name: 'orders and revenue by month and tag',
    warehouse: `
      select concat_ws(' ', strftime(order_date, '%Y-%m'), order_tag) as "of", count(*) as orders, sum(revenue) as revenue
        from orders group by all`,
    base: `
      with ${SHOP}, ${KINDS}
      select concat_ws(' ', ${month('k.processed_at')}, k.tag) as of, count(*) as orders,
             ${amount('sum(k.total_minor)')} as revenue
        from kinds k cross join shop group by 1`
  },
  {
    name: 'orders and revenue by payment status',
    warehouse: `
      select financial_status as "of", count(*) as orders, sum(revenue) as revenue, count(refund_date) as refunded
        from orders group by all`,
    base: `
      select o.financial_status as of, count(*) as orders, ${amount('sum(o.total_minor)')} as revenue,
             count(*) filter (where o.id in (select order_id from platform_refunds where store_id = $1)) as refunded
        from orders o where o.store_id = $1 group by 1`
  },
  {
    name: 'refunded orders by the month of the last refund',
    warehouse: `
      select strftime(refund_date, '%Y-%m') as "of", count(*) as orders from orders where refund_date is not null group by all`,
    base: `
      with ${SHOP}, newest as (
        select refunded_at, row_number() over (partition by order_id order by refunded_at desc) as nth
          from platform_refunds where store_id = $1)
      select ${month('n.refunded_at')} as of, count(*) as orders from newest n cross join shop where n.nth = 1 group by 1`
  },
  {
    name: 'store credit used on orders and taken back because of them, by month of the order',
    warehouse: `
      select strftime(order_date, '%Y-%m') as "of", sum(store_credit_used) as used,
             sum(coalesce(store_credit_deducted, 0)) as deducted, count(store_credit_deducted) as with_deduction
        from orders group by all`,
    base: `
      with ${SHOP}, booked as (
        select o.processed_at, e.id, e.type, e.amount_minor, e.order_id
          from orders o left join credit_entries e on e.store_id = $1 and e.order_id = o.id
         where o.store_id = $1)
      select ${month('b.processed_at')} as of,
             ${amount('-sum(b.amount_minor) filter (where b.type = 4 or b.type = 5)')} as used,
             ${amount('-sum(b.amount_minor) filter (where b.type = 6 or b.type = 13)')} as deducted,
             count(distinct b.order_id) filter (where (b.type = 6 or b.type = 13) and b.amount_minor < 0) as with_deduction
        from booked b cross join shop group by 1`
  },
  {
    name: 'orders and revenue of each customer',
    warehouse: `
      select shopify_customer_gid as "of", count(*) as orders, sum(revenue) as spent, sum(tax) as tax from orders group by all`,
    base: `
      select coalesce(m.platform_customer_id, '') as of, count(*) as orders, ${amount('sum(o.total_minor)')} as spent,
             ${amount('sum(o.tax_minor)')} as tax
        from orders o left join members m on m.store_id = $1 and m.id = o.member_id where o.store_id = $1 group by 1`
  },
  {
    name: 'customers by the month and the checkout type of their first order',
    warehouse: `
      select concat_ws(' ', strftime(customer_first_order_date, '%Y-%m'), checkout_type_first_order) as "of",
             count(distinct shopify_customer_gid) as customers
        from orders where customer_first_order_date is not null group by all`,
    base: `
      with ${SHOP}, ${KINDS}, numbered as (
        select *, row_number() over (partition by member_id order by processed_at, id) as nth from kinds where cancelled_at is null)
      select concat_ws(' ', ${month('n.processed_at')}, n.type) as of, count(*) as customers
        from numbered n cross join shop where n.nth = 1 group by 1`
  },
  {
    name: 'disputes by status and month',
    warehouse: `
      select concat_ws(' ', strftime(dispute_initiated_date, '%Y-%m'), dispute_status) as "of", count(*) as orders,
             sum(revenue) as revenue
        from orders where dispute_status <> '' group by all`,
    base: `
      with ${SHOP}
      select concat_ws(' ', ${month('d.initiated_at')}, d.status) as of, count(*) as orders,
             ${amount('sum(o.total_minor)')} as revenue
        from order_disputes d join orders o on o.store_id = $1 and o.id = d.order_id cross join shop
       where d.store_id = $1
         and not exists (select from order_disputes l where l.store_id = $1 and l.order_id = d.order_id
                            and (l.initiated_at, l.id) > (d.initiated_at, d.id))
       group by 1`
  },
  {
    name: 'failed charges before renewals, by month of the renewal',
    warehouse: `
      select strftime(order_date, '%Y-%m') as "of", sum(auto_charge_failed_count) as failures
        from orders where order_tag in ('recharge', 'SubsProd-Recharge') group by all`,
    base: `
      with ${SHOP}
      select ${month('o.processed_at')} as of, count(f.id) as failures
        from billing_attempts a
        join orders o on o.store_id = $1 and o.id = a.order_id
        left join billing_attempts f on f.store_id = $1 and f.subscription_id = a.subscription_id and f.cycle_index = a.cycle_index
               and f.status = 'failed' and f.late_success_at is null
       cross join shop
       where a.store_id = $1 group by 1`
  }
]
