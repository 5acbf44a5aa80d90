import type { ExportEndpoint, Scope } from '../endpoint.ts'
import { isCreditCode, isFailure, oneLine } from './sql-parts.ts'

export const orders: ExportEndpoint = {
  name: 'orders',
  meaning: 'Orders of the shop, also those of customers without a membership, in ascending order of their internal id',
  paging: 'cursor',
  pageSize: 10_000,
  key: ['order_id'],
  filters: ['since_id', 'since_date', 'since_updated', 'shopify_customer_gid'],
  customer: 'member_id',
  date: 'processed_at',
  changes: { kind: 'order', column: 'updated_at' },
  source: {
    table: 'orders',
    alias: 'o',
    where: 'true',
    joins,
    rowsAbout: `select id from orders where store_id = $1 and member_id in (select id from related)
      union select id from given_orders`
  },
  fields: [
    {
      name: 'shopify_customer_gid',
      sql: 'm.platform_customer_id',
      format: 'text',
      meaning: 'The number of the customer on the platform'
    },
    {
      name: 'customer_email',
      sql: 'coalesce(o.email, m.email)',
      format: 'text',
      meaning: 'The e-mail address of the order, else that of the customer'
    },
    {
      name: 'customer_name',
      sql: "coalesce(o.customer_name, nullif(concat_ws(' ', nullif(m.first_name, ''), nullif(m.last_name, '')), ''))",
      format: 'text',
      meaning: 'The name on the billing address, else on the shipping address, else of the customer'
    },
    {
      name: 'order_id',
      sql: ({ gid }) => `${gid} || 'Order/' || o.platform_order_id`,
      format: 'text',
      meaning: 'The global id of the order on the platform'
    },
    { name: 'order_name', sql: 'o.name', format: 'text', meaning: 'The name of the order, such as `#1001`' },
    { name: 'order_date', sql: 'o.processed_at', format: 'minute', meaning: 'When the order was placed' },
    {
      name: 'financial_status',
      sql: 'o.financial_status',
      format: 'text',
      meaning: 'The payment status on the platform, in lower case: `paid`, `refunded`, `partially_refunded` and so on'
    },
    {
      name: 'payment_gateway',
      sql: 'o.gateway',
      format: 'text',
      meaning: 'The first gateway that is neither store credit nor a gift card, else the first'
    },
    { name: 'refund_date', sql: 'r.refunded_at', format: 'minute', meaning: 'When the latest refund was made' },
    {
      name: 'customer_first_order_date',
      sql: 'f.first_at',
      format: 'minute',
      meaning: 'When the customer placed their first order that was not cancelled, as far as orders are known now'
    },
    {
      name: 'customer_first_vip_order_date',
      sql: 'f.membership_at',
      format: 'minute',
      meaning: 'When the customer placed their first order of a membership'
    },
    {
      name: 'customer_first_recharge_order_date',
      sql: 'f.membership_renewal_at',
      format: 'minute',
      meaning: 'When the first renewal of a membership of the customer was charged'
    },
    {
      name: 'checkout_type',
      sql: 'x.checkout_type',
      format: 'text',
      meaning: '`VIP`, `Product Subscription` or `PAYG`; empty while the order waits for its contract'
    },
    {
      name: 'checkout_type_first_order',
      sql: 'f.checkout_type',
      format: 'text',
      meaning: "The checkout type of the customer's first order"
    },
    {
      name: 'revenue',
      sql: 'o.total_minor',
      format: 'decimal',
      currency: 'o.currency',
      meaning: 'The total as placed; refunds are not subtracted'
    },
    { name: 'tax', sql: 'o.tax_minor', format: 'decimal', currency: 'o.currency', meaning: 'The tax of the total' },
    { name: 'currency', sql: 'o.currency', format: 'text', meaning: 'The code of the currency of the order' },
    {
      name: 'order_tag',
      sql: 'x.order_tag',
      format: 'text',
      meaning:
        '`New-vip`, `recharge`, `trial fee`, `New-SubsProd` or `SubsProd-Recharge`; empty for an order of no contract'
    },
    {
      name: 'coupon_code',
      sql: `coalesce(p.codes, case when o.coupons is null then (
        select string_agg(g.code, ',' order by g.at) from unnest(o.discount_codes) with ordinality as g(code, at)
         where not ${isCreditCode('g.code')}) end)`,
      format: 'text',
      meaning: 'The discount codes of the order joined by commas; those that spend store credit are left out'
    },
    {
      name: 'coupon_code_amount',
      sql: 'p.amount_minor',
      format: 'decimal',
      currency: 'o.currency',
      meaning: 'What these codes took off; empty without one'
    },
    {
      name: 'store_credit_used',
      sql: 'coalesce(c.used_minor, 0)',
      format: 'decimal',
      meaning: 'Store credit that was spent on the order and not restored'
    },
    {
      name: 'autocharge_status',
      sql: 'x.autocharge_status',
      format: 'text',
      meaning: 'Of renewals: `Dispute` unless it is won or prevented, else `refunded` or `voided`'
    },
    {
      name: 'dispute_status',
      sql: 'd.status',
      format: 'text',
      meaning: 'The status of the newest dispute, inquiries included; empty when there never was one'
    },
    { name: 'dispute_initiated_date', sql: 'd.initiated_at', format: 'minute', meaning: 'When that dispute began' },
    {
      name: 'dispute_last_updated_date',
      sql: 'd.reported_at',
      format: 'minute',
      meaning: 'When the platform last reported a change of that dispute'
    },
    { name: 'dispute_reason', sql: 'd.reason', format: 'text', meaning: 'The reason of that dispute' },
    {
      name: 'brand',
      sql: 'o.brand',
      format: 'text',
      meaning: "The brand in the order's attributes, else the store's default brand"
    },
    {
      name: 'store_credit_deducted',
      sql: 'case when c.deducted_at is not null then c.deducted_minor end',
      format: 'decimal',
      meaning:
        'Store credit that was deducted because of this order, less what was given back; empty when none ever was'
    },
    {
      name: 'deduction_date',
      sql: 'c.deducted_at',
      format: 'minute',
      meaning: 'When the latest of these deductions was made'
    },
    {
      name: 'sales_channel',
      sql: 'coalesce(o.channel, o.source_name)',
      format: 'text',
      meaning: "The name of the app that placed the order, else the platform's name of the source"
    },
    {
      name: 'auto_charge_failed_count',
      sql: 'coalesce(b.failures, 0)',
      format: 'integer',
      meaning: 'How many charges of the cycle that this order paid had failed'
    },
    {
      name: 'auto_charge_failure_reasons',
      sql: 'b.reasons',
      format: 'text',
      meaning: 'Why they failed, oldest first, separated by newlines'
    },
    {
      name: 'customer_first_ps_order_date',
      sql: 'f.product_at',
      format: 'minute',
      meaning: 'When the customer placed their first order of a product subscription'
    },
    {
      name: 'customer_first_ps_recharge_order_date',
      sql: 'f.product_renewal_at',
      format: 'minute',
      meaning: 'When the first renewal of a product subscription of the customer was charged'
    },
    {
      name: 'country_code',
      sql: 'o.country_code',
      format: 'text',
      meaning: 'The code of the country of the shipping address; of the billing address where nothing is shipped'
    },
    {
      name: 'province',
      sql: 'o.province',
      format: 'text',
      meaning: 'The province or state of that address, as the platform has it'
    }
  ]
}

/**
 * What belongs to an order is read for all orders of the page at once, by the range of their ids; what belongs to its customer is looked
 * up by key.
 */
function joins({ store, within }: Scope): string {
  return `left join order_effects x on x.store_id = ${store} and x.order_id = o.id and ${within('x.order_id')}
  left join lateral (
    select platform_customer_id, email, first_name, last_name from members
     where store_id = ${store} and id = o.member_id limit 1) m on true
  left join lateral (
    select first_at, membership_at, membership_renewal_at, product_at, product_renewal_at, checkout_type from first_orders
     where store_id = ${store} and member_id = o.member_id limit 1) f on true
  left join (
    select order_id, max(refunded_at) as refunded_at from platform_refunds
     where store_id = ${store} and ${within('order_id')} group by order_id) r on r.order_id = o.id
  left join (
    select distinct on (order_id) order_id, status, initiated_at, reported_at, reason from order_disputes
     where store_id = ${store} and ${within('order_id')}
     order by order_id, initiated_at desc, id desc) d on d.order_id = o.id
  left join (
    select order_id,
           -sum(amount_minor) filter (where type in (4, 5)) as used_minor,
           -sum(amount_minor) filter (where type in (6, 13)) as deducted_minor,
           max(created_at) filter (where type in (6, 13) and amount_minor < 0) as deducted_at
      from credit_entries where store_id = ${store} and ${within('order_id')} group by order_id) c on c.order_id = o.id
  left join lateral (
    select string_agg(u.code, ',' order by u.at) as codes, sum(u.minor) as amount_minor
      from rows from (jsonb_to_recordset(o.coupons) as (code text, "amountMinor" bigint))
        with ordinality as u(code, minor, at)
     where o.coupons <> '[]' and not ${isCreditCode('u.code')}) p on true
  left join (
    select l.order_id, count(*) as failures,
           string_agg(${oneLine('coalesce(t.error_message, t.error_code)')}, E'\\n' order by t.completed_at, t.id) as reasons
      from order_links l
      cross join lateral (
        select subscription_id, cycle_index from billing_attempts
         where store_id = ${store} and id = l.attempt_id limit 1) w
      cross join lateral (
        select q.id, q.completed_at, q.error_message, q.error_code from billing_attempts q
         where q.store_id = ${store} and q.subscription_id = w.subscription_id and q.cycle_index = w.cycle_index
           and ${isFailure('q')} offset 0) t
     where l.store_id = ${store} and ${within('l.order_id')} and l.attempt_id is not null
     group by l.order_id) b on b.order_id = o.id`
}
