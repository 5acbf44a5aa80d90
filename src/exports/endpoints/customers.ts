import type { ExportEndpoint, Scope } from '../endpoint.ts'
import { decimalText, minuteText } from '../format-fields.ts'
import { failuresOfCycle, isFailure, isFinished, oneLine } from './sql-parts.ts'

export const customers: ExportEndpoint = {
  name: 'customers',
  meaning:
    'Every customer that the service has met, with sums over their store credit and their contracts, in ascending order of their internal id. Of a gifted membership the receiver is the customer',
  paging: 'cursor',
  pageSize: 10_000,
  key: ['shopify_customer_gid'],
  filters: ['since_id', 'shopify_customer_gid'],
  customer: 'id',
  source: { table: 'members', alias: 'm', where: 'm.merged_into is null', joins, rowsAbout: 'select id from related' },
  fields: [
    {
      name: 'shopify_customer_gid',
      sql: 'm.platform_customer_id',
      format: 'text',
      meaning: 'The number of the customer on the platform'
    },
    { name: 'customer_email', sql: 'm.email', format: 'text', meaning: 'The e-mail address of the customer' },
    {
      name: 'membership_type',
      sql: `coalesce(case h.status when 'active' then h.type when 'paused' then h.type end,
            case when h.live_products > 0 then 'Product Subscription' else 'PAYG' end)`,
      format: 'text',
      meaning:
        '`VIP` or `Elite` while the membership is active or paused, else `Product Subscription` if one is live, else `PAYG`'
    },
    {
      name: 'current_status',
      sql: 'upper(h.status)',
      format: 'text',
      meaning:
        'The status of the liveliest membership: `ACTIVE` before `PAUSED` before the one that ended last (`CANCELLED`, `FAILED`, `EXPIRED`)'
    },
    {
      name: 'date_paused',
      sql: 'h.paused_at',
      format: 'minute',
      meaning: 'When that membership was paused; empty unless it is paused now'
    },
    {
      name: 'date_of_last_charge',
      sql: 'i.charged_at',
      format: 'minute',
      meaning: 'When store credit was last issued for a membership charge'
    },
    {
      name: 'membership_start_date',
      sql: 'h.began_at',
      format: 'day',
      meaning: 'When the oldest membership began'
    },
    {
      name: 'membership_end_date',
      sql: 'h.ended_at',
      format: 'day',
      meaning: 'When a membership last ended'
    },
    {
      name: 'available_current_balance',
      sql: `greatest(0, coalesce(a.balance_minor, 0) - coalesce(a.reserved_minor, 0) + coalesce(v.lapsed_minor, 0)
            - coalesce(y.due_minor, 0) - coalesce(v.due_minor, 0))`,
      format: 'decimal',
      meaning: 'The store credit that can be spent: the balance less what is reserved and what is about to expire'
    },
    {
      name: 'total_store_credits_charged',
      sql: 'coalesce(a.charged_minor, 0)',
      format: 'decimal',
      meaning:
        'Store credit issued for charges, by churn offers, as loyalty rewards and by imports (types 1, 10, 11, 12)'
    },
    {
      name: 'total_store_credit_used',
      sql: 'coalesce(a.used_minor, 0)',
      format: 'decimal',
      meaning: 'Store credit spent on orders, less what was restored (types 4, 5)'
    },
    {
      name: 'total_store_credit_disputed',
      sql: 'coalesce(a.disputed_minor, 0)',
      format: 'decimal',
      meaning: 'Store credit deducted because orders were disputed (type 13)'
    },
    {
      name: 'total_store_credit_refunded',
      sql: 'coalesce(a.refunded_minor, 0)',
      format: 'decimal',
      meaning: 'Store credit deducted because orders were refunded (type 6)'
    },
    {
      name: 'total_store_credit_forfeit',
      sql: 'coalesce(a.forfeit_minor, 0)',
      format: 'decimal',
      meaning: 'Store credit that was forfeited or expired (types 7, 8)'
    },
    {
      name: 'last_store_forfeit_date',
      sql: 'a.forfeited_at',
      format: 'minute',
      meaning: 'When store credit was last forfeited or expired'
    },
    {
      name: 'store_forfeit_history',
      sql: 'g.forfeits',
      format: 'text',
      meaning: 'These entries, oldest first, one a line: `Y-m-d H:i | amount reason`'
    },
    {
      name: 'total_store_credit_reconciled',
      sql: 'coalesce(a.reconciled_minor, 0)',
      format: 'decimal',
      meaning: 'The sum of manual adjustments, signed (types 2, 3, 9)'
    },
    {
      name: 'last_store_reconciled_date',
      sql: 'a.reconciled_at',
      format: 'minute',
      meaning: 'When store credit was last adjusted by hand'
    },
    {
      name: 'store_reconciled_history',
      sql: 'g.adjustments',
      format: 'text',
      meaning:
        'The manual adjustments, oldest first, one a line: `Y-m-d H:i | amount reason`. Transfers by a merge of customers and corrections against the platform are left out'
    },
    {
      name: 'country_code',
      sql: 'z.country_code',
      format: 'text',
      meaning: 'The country of the newest order with an address'
    },
    { name: 'province', sql: 'z.province', format: 'text', meaning: 'The province or state of that address' },
    {
      name: 'auto_charge_failed',
      sql: 'coalesce(h.charge_failed, false)',
      format: 'boolean',
      meaning: 'Whether the latest finished charge of any contract of the customer failed'
    },
    {
      name: 'failure_reasons',
      sql: 'h.membership_failures',
      format: 'text',
      meaning: 'Of memberships: why the charges of the cycle last attempted failed, one a line; empty once it is paid'
    },
    {
      name: 'cancel_reason',
      sql: "case when h.status not in ('active', 'paused') then h.cancel_reason end",
      format: 'text',
      meaning: 'The reason of the last cancellation of a membership; empty while one is live'
    },
    {
      name: 'ps_failure_reasons',
      sql: 'h.product_failures',
      format: 'text',
      meaning: 'The same as failure_reasons, of product subscriptions'
    },
    {
      name: 'ps_cancel_reason',
      sql: 'case when h.live_products = 0 then h.product_cancel_reason end',
      format: 'text',
      meaning: 'The same as cancel_reason, of product subscriptions'
    },
    {
      name: 'ps_total_contracts',
      sql: 'coalesce(h.products, 0)',
      format: 'integer',
      meaning: 'The number of product subscriptions, also of those that have ended'
    },
    {
      name: 'ps_active_contracts',
      sql: 'coalesce(h.active_products, 0)',
      format: 'integer',
      meaning: 'The number of active product subscriptions'
    },
    {
      name: 'vip_status_history',
      sql: 'n.history',
      format: 'text',
      meaning: 'The changes of status of memberships, oldest first, one a line: `Y-m-d H:i | ACTIVE`'
    }
  ]
}

/** The status that a contract had after an entry of its history. */
const statusAfter = (alias: string) => `case ${alias}.kind
               when 'created' then upper(coalesce(${alias}.refs ->> 'status', 'active'))
               when 'imported' then upper(coalesce(${alias}.refs ->> 'status', 'active'))
               when 'resumed' then 'ACTIVE' when 'reactivated' then 'ACTIVE' else upper(${alias}.kind) end`

/** The contracts `c` that the customers of the page hold: of a gift, its receiver does. */
function fromHeldContracts({ store, within }: Scope): string {
  const columns =
    'c.id, c.status, c.plan_id, c.created_at, c.cancelled_at, c.paused_at, c.cancel_reason, c.cancel_comment'
  return `from (
        select c.member_id as holder_id, ${columns} from subscriptions c
         where c.store_id = ${store} and c.receiver_member_id is null and ${within('c.member_id')}
        union all
        select c.receiver_member_id as holder_id, ${columns} from subscriptions c
         where c.store_id = ${store} and ${within('c.receiver_member_id')}) c`
}

/**
 * A reservation whose time is over reserves nothing, also before it is ended; but while refunds and disputes wait for what it holds, they get that
 * first, and it counts as reserved until they have it.
 *
 * What belongs to a customer is read for all customers of the page at once, by the range of their ids; where only the newest of many rows
 * is shown, it is looked up by key. A contract without a plan of ours counts as a product subscription.
 */
function joins(scope: Scope): string {
  const { store, now, within } = scope
  const line = (alias: string) =>
    `${minuteText(`${alias}.created_at`)} || ' | ' || ${decimalText(`${alias}.amount_minor`, scope)} || ' ' || ${oneLine(`${alias}.reason`)}`
  return `left join credit_accounts a on a.store_id = ${store} and a.member_id = m.id and ${within('a.member_id')}
  left join (
    select l.member_id, sum(l.remaining_minor - l.reserved_minor) as due_minor from credit_lots l
     where l.store_id = ${store} and ${within('l.member_id')} and l.expires_at <= ${now}
     group by l.member_id) y on y.member_id = m.id
  left join (
    select t.member_id, sum(t.amount_minor) as lapsed_minor,
           coalesce(sum((select sum(held.minor) from unnest(t.lots, t.minors) as held(entry_id, minor)
                          cross join lateral (
                            select from credit_lots l
                             where l.store_id = ${store} and l.entry_id = held.entry_id and l.expires_at <= ${now} limit 1) l)), 0)
             as due_minor
      from credit_reservations t
     where t.store_id = ${store} and ${within('t.member_id')} and t.status = 'reserved' and t.expires_at <= ${now}
       and not exists (
         select from credit_entries w
          where w.store_id = ${store} and w.member_id = t.member_id and w.held_by is not null and t.id = any(w.held_by) offset 0)
     group by t.member_id) v on v.member_id = m.id
  left join (
    select e.member_id,
           string_agg(${line('e')}, E'\\n' order by e.position) filter (where e.type in (7, 8)) as forfeits,
           string_agg(${line('e')}, E'\\n' order by e.position)
             filter (where e.type in (2, 3) or e.type = 9 and e.mark is null) as adjustments
      from credit_entries e
     where e.store_id = ${store} and ${within('e.member_id')} and e.type in (2, 3, 7, 8, 9)
     group by e.member_id) g on g.member_id = m.id
  left join lateral (
    select e.created_at as charged_at from credit_entries e
     where a.entries > 0 and e.store_id = ${store} and e.member_id = m.id and e.type = 1
     order by e.created_at desc limit 1) i on true
  left join lateral (
    select o.country_code, o.province from orders o
     where o.store_id = ${store} and o.member_id = m.id and (o.country_code is not null or o.province is not null)
     order by o.processed_at desc, o.id desc limit 1) z on true
  left join (
    select s.holder_id,
           min(s.created_at) filter (where s.is_membership) as began_at,
           max(s.cancelled_at) filter (where s.is_membership) as ended_at,
           (array_agg(s.status order by s.rank, s.cancelled_at desc, s.id desc) filter (where s.is_membership))[1] as status,
           (array_agg(s.type order by s.rank, s.cancelled_at desc, s.type desc, s.id desc) filter (where s.is_membership))[1]
             as type,
           (array_agg(s.paused_at order by s.rank, s.cancelled_at desc, s.id desc) filter (where s.is_membership))[1]
             as paused_at,
           (array_agg(s.reason order by s.cancelled_at desc, s.id desc) filter (where s.is_membership and s.is_cancelled))[1]
             as cancel_reason,
           (array_agg(s.reason order by s.cancelled_at desc, s.id desc) filter (where not s.is_membership and s.is_cancelled))[1]
             as product_cancel_reason,
           count(*) filter (where not s.is_membership) as products,
           count(*) filter (where not s.is_membership and s.status = 'active') as active_products,
           count(*) filter (where not s.is_membership and s.rank < 3) as live_products,
           (array_agg(s.charge_failed order by s.charged_at desc, s.attempt_id desc)
              filter (where s.attempt_id is not null))[1] as charge_failed,
           (array_agg(s.failures order by s.charged_at desc, s.attempt_id desc)
              filter (where s.attempt_id is not null and s.is_membership))[1] as membership_failures,
           (array_agg(s.failures order by s.charged_at desc, s.attempt_id desc)
              filter (where s.attempt_id is not null and not s.is_membership))[1] as product_failures
      from (
        select c.holder_id, c.id, c.status, c.created_at, c.cancelled_at, c.paused_at,
               case p.type when 'vip' then 'VIP' when 'elite' then 'Elite' end as type,
               coalesce(p.type in ('vip', 'elite'), false) as is_membership, c.status in ('cancelled', 'failed') as is_cancelled,
               case c.status when 'active' then 1 when 'paused' then 2 else 3 end as rank,
               case when c.cancel_reason = 'other' then coalesce(nullif(c.cancel_comment, ''), 'other') else c.cancel_reason end
                 as reason,
               t.id as attempt_id, t.completed_at as charged_at, t.is_failed as charge_failed,
               case when t.is_failed and not t.is_paid then ${failuresOfCycle(store, 't')} end as failures
          ${fromHeldContracts(scope)}
          left join plans p on p.store_id = ${store} and p.id = c.plan_id
          left join lateral (
            select b.id, b.completed_at, b.subscription_id, b.cycle_index, ${isFailure('b')} as is_failed,
                   exists (select from billing_attempts w
                            where w.store_id = ${store} and w.subscription_id = b.subscription_id
                              and w.cycle_index = b.cycle_index
                              and (w.status = 'success' or w.late_success_at is not null)) as is_paid
              from billing_attempts b
             where b.store_id = ${store} and b.subscription_id = c.id and ${isFinished('b')}
             order by b.completed_at desc, b.id desc limit 1) t on true) s
     group by s.holder_id) h on h.holder_id = m.id
  left join (
    select c.holder_id,
           string_agg(${minuteText('w.occurred_at')} || ' | ' || ${statusAfter('w')}, E'\\n' order by w.occurred_at, w.id) as history
      ${fromHeldContracts(scope)}
      join plans p on p.store_id = ${store} and p.id = c.plan_id and p.type in ('vip', 'elite')
      cross join lateral (
        select r.id, r.kind, r.refs, r.occurred_at from contract_activities r
         where r.store_id = ${store} and r.subscription_id = c.id
           and r.kind in ('created', 'imported', 'paused', 'resumed', 'reactivated', 'cancelled', 'expired', 'failed') offset 0) w
     group by c.holder_id) n on n.holder_id = m.id`
}
