// Sums over /data/members, /customers, /subscriptions and /cancellation-reasons, and the same from the contracts, charges and the ledger.
import { LEDGER } from './credit-sums.ts'
import { amount, month, type Sum } from './sum.ts'

const SHOP = 'shop as (select timezone from stores where store_id = $1)'

/** The memberships and product subscriptions of each customer, counted by status, and how the membership that ended last ended. */
const HELD = `contracts as (
    select s.*, coalesce(s.receiver_member_id, s.member_id) as holder, coalesce(l.type, 'product') as type
      from subscriptions s left join plans l on l.store_id = $1 and l.id = s.plan_id where s.store_id = $1),
  held as (
    select holder, count(*) filter (where type <> 'product' and status = 'active') as active,
           count(*) filter (where type <> 'product' and status = 'paused') as paused,
           bool_or(type = 'elite' and status in ('active', 'paused')) as is_elite,
           count(*) filter (where type = 'product') as products,
           count(*) filter (where type = 'product' and status = 'active') as active_products,
           count(*) filter (where type = 'product' and status in ('active', 'paused')) as live_products
      from contracts group by holder),
  ended as (
    select c.holder, c.status from contracts c where c.type <> 'product' and c.cancelled_at is not null
       and not exists (select from contracts l where l.holder = c.holder and l.type <> 'product'
                          and (l.cancelled_at, l.id) > (c.cancelled_at, c.id)))`

const TOTALS = ['charged', 'used', 'disputed', 'refunded', 'forfeit', 'reconciled', 'available'] as const
const TOTAL_FIELDS: Record<(typeof TOTALS)[number], string> = {
  charged: 'total_store_credits_charged',
  used: 'total_store_credit_used',
  disputed: 'total_store_credit_disputed',
  refunded: 'total_store_credit_refunded',
  forfeit: 'total_store_credit_forfeit',
  reconciled: 'total_store_credit_reconciled',
  available: 'available_current_balance'
}
/** The totals of each customer from the entries, all of them: what is hidden adds up to nothing. */
const FROM_ENTRIES = `totals as (
    select m.platform_customer_id as customer,
           coalesce(sum(e.amount_minor) filter (where e.type = any('{1,10,11,12}')), 0) as charged,
           coalesce(-sum(e.amount_minor) filter (where e.type = any('{4,5}')), 0) as used,
           coalesce(-sum(e.amount_minor) filter (where e.type = 13), 0) as disputed,
           coalesce(-sum(e.amount_minor) filter (where e.type = 6), 0) as refunded,
           coalesce(-sum(e.amount_minor) filter (where e.type = any('{7,8}')), 0) as forfeit,
           coalesce(sum(e.amount_minor) filter (where e.type = any('{2,3,9}')), 0) as reconciled,
           coalesce(sum(e.amount_minor), 0)
             - (select coalesce(sum(r.amount_minor), 0) from credit_reservations r
                 where r.store_id = $1 and r.member_id = m.id and r.status = 'reserved') as available
      from members m left join credit_entries e on e.store_id = $1 and e.member_id = m.id
     where m.store_id = $1 and m.merged_into is null group by m.id, m.platform_customer_id)`

export const customerSums: Sum[] = [
  {
    name: 'rows of each endpoint',
    warehouse: [
      'members',
      'credits_history',
      'orders',
      'customers',
      'subscriptions',
      'cancellation_reasons',
      'store_credits'
    ]
      .map((table) => `select '${table}' as "of", count(*) as rows from ${table}`)
      .join(' union all '),
    base: `
      with ${LEDGER}
      select 'members' as of, count(distinct m.id) as rows
        from members m join subscriptions s on s.store_id = $1 and coalesce(s.receiver_member_id, s.member_id) = m.id
       where m.store_id = $1 and m.merged_into is null
      union all select 'credits_history', count(*) from ledger
      union all select 'store_credits', count(*) from ledger
      union all select 'orders', count(*) from orders where store_id = $1
      union all select 'customers', count(*) from members where store_id = $1 and merged_into is null
      union all select 'subscriptions', count(*) from subscriptions where store_id = $1
      union all select 'cancellation_reasons', count(*) from subscriptions where store_id = $1 and status in ('cancelled', 'failed')`
  },
  {
    name: 'members by status and membership',
    warehouse: `
      select concat_ws(' ', coalesce(nullif(c.current_status, ''), 'without'), c.membership_type) as "of", count(*) as members
        from members m join customers c using (shopify_customer_gid) group by all`,
    base: `
      with ${HELD}
      select concat_ws(' ', case when h.active > 0 then 'ACTIVE' when h.paused > 0 then 'PAUSED' else coalesce(upper(e.status), 'without') end,
               case when h.active + h.paused > 0 then case when h.is_elite then 'Elite' else 'VIP' end
                    when h.live_products > 0 then 'Product Subscription' else 'PAYG' end) as of,
             count(*) as members
        from held h left join ended e on e.holder = h.holder group by 1`
  },
  {
    name: 'customers with a product subscription',
    warehouse: `
      select ps_total_contracts as "of", count(*) as customers, sum(ps_active_contracts) as active from customers group by all`,
    base: `
      with ${HELD}
      select coalesce(h.products, 0)::text as of, count(*) as customers, coalesce(sum(h.active_products), 0) as active
        from members m left join held h on h.holder = m.id where m.store_id = $1 and m.merged_into is null group by 1`
  },
  {
    name: 'credit totals of all customers',
    warehouse: `
      select 'all' as "of", ${TOTALS.map((total) => `sum(${TOTAL_FIELDS[total]}) as ${total}`).join(', ')} from customers`,
    base: `
      with ${FROM_ENTRIES}
      select 'all' as of, ${TOTALS.map((total) => `${amount(`sum(${total})`)} as ${total}`).join(', ')} from totals`
  },
  {
    name: 'credit totals of each customer',
    warehouse: `
      select shopify_customer_gid as "of", ${TOTALS.map((total) => `sum(${TOTAL_FIELDS[total]}) as ${total}`).join(', ')}
        from customers group by all`,
    base: `
      with ${FROM_ENTRIES}
      select customer as of, ${TOTALS.map((total) => `${amount(total)} as ${total}`).join(', ')} from totals`
  },
  {
    name: 'subscriptions by status and plan',
    warehouse: `
      select concat_ws(' ', status, type, currency) as "of", count(*) as subscriptions, sum(price) as price
        from subscriptions group by all`,
    base: `
      select concat_ws(' ', upper(s.status), l.name, l.currency) as of, count(*) as subscriptions, ${amount('sum(s.price_minor)')} as price
        from subscriptions s join plans l on l.store_id = $1 and l.id = s.plan_id where s.store_id = $1 group by 1`
  },
  {
    name: 'subscriptions by the month in which they began and ended',
    warehouse: `
      select concat_ws(' to ', strftime(start_date, '%Y-%m'), strftime(cancelled_date, '%Y-%m')) as "of", count(*) as subscriptions
        from subscriptions group by all`,
    base: `
      with ${SHOP}
      select concat_ws(' to ', ${month('s.created_at')}, ${month('s.cancelled_at')}) as of, count(*) as subscriptions
        from subscriptions s cross join shop where s.store_id = $1 group by 1`
  },
  {
    name: 'subscriptions by what came of their last charge',
    warehouse: `
      select concat_ws(' ', strftime(last_charge_date, '%Y-%m'), last_charge_status) as "of", count(*) as subscriptions
        from subscriptions group by all`,
    base: `
      with ${SHOP}, charges as (
        select subscription_id, completed_at, status, late_success_at,
               row_number() over (partition by subscription_id order by completed_at desc, id desc) as nth
          from billing_attempts where store_id = $1 and status <> 'pending' and coalesce(error_code, '') not in ('voided', 'superseded'))
      select concat_ws(' ', ${month('c.completed_at')},
               case when c.status = 'failed' and c.late_success_at is null then 'Failed' when c.status is null then '' else 'Successful' end) as of,
             count(*) as subscriptions
        from subscriptions s left join charges c on c.subscription_id = s.id and c.nth = 1 cross join shop
       where s.store_id = $1 group by 1`
  },
  {
    name: 'cancellations by month, plan and reason',
    warehouse: `
      select concat_ws(' ', strftime(cancel_date, '%Y-%m'), subscription_plan_name, cancel_reason) as "of", count(*) as cancellations
        from cancellation_reasons group by all`,
    // Nobody takes a cancellation back in the simulated store: each is the end of its contract.
    base: `
      with ${SHOP}
      select concat_ws(' ', ${month('s.cancelled_at')}, coalesce(l.tier_name, l.name),
               case s.cancel_reason when 'other' then coalesce(s.cancel_comment, 'other') else s.cancel_reason end) as of, count(*) as cancellations
        from subscriptions s join plans l on l.store_id = $1 and l.id = s.plan_id cross join shop
       where s.store_id = $1 and s.status in ('cancelled', 'failed') group by 1`
  }
]
