import type { ExportEndpoint, Scope } from '../endpoint.ts'
import { isFailure, isFinished } from './sql-parts.ts'

/** The discount of an active offer is one of those that its contract has. */
const PRICE_WITH_OFFER = `case when o.status = 'active' then
         case when o.type = 'discount_price' then greatest(0, s.price_minor - s.member_discount_minor - s.granted_discount_minor)
              else s.price_minor end end`

export const subscriptions: ExportEndpoint = {
  name: 'subscriptions',
  meaning:
    'Subscription contracts with the customer who pays for them, in ascending order of their internal id; those that have ended stay',
  paging: 'cursor',
  pageSize: 10_000,
  key: ['shopify_contract_id'],
  filters: ['since_id', 'since_date', 'since_updated'],
  date: 'created_at',
  changes: { kind: 'subscription', column: 'created_at' },
  source: {
    table: 'subscriptions',
    alias: 's',
    where: 'true',
    joins,
    rowsAbout: 'select id from subscriptions where store_id = $1 and member_id in (select id from related)'
  },
  fields: [
    {
      name: 'shopify_customer_gid',
      sql: 'm.platform_customer_id',
      format: 'text',
      meaning: 'The number of the customer on the platform'
    },
    { name: 'customer_email', sql: 'm.email', format: 'text', meaning: 'The e-mail address of the customer' },
    {
      name: 'customer_name',
      sql: "nullif(concat_ws(' ', nullif(m.first_name, ''), nullif(m.last_name, '')), '')",
      format: 'text',
      meaning: 'The name of the customer'
    },
    {
      name: 'shopify_contract_id',
      sql: 's.platform_contract_id',
      format: 'text',
      meaning: 'The number of the contract on the platform'
    },
    {
      name: 'status',
      sql: 'upper(s.status)',
      format: 'text',
      meaning: '`ACTIVE`, `PAUSED`, `CANCELLED`, `FAILED` or `EXPIRED`'
    },
    { name: 'type', sql: 's.name', format: 'text', meaning: 'The title of the contract: the name of its plan' },
    {
      name: 'price',
      sql: 's.price_minor',
      format: 'decimal',
      currency: 's.currency',
      meaning: 'The agreed price of a cycle, without the discount of a churn offer'
    },
    { name: 'currency', sql: 's.currency', format: 'text', meaning: 'The code of its currency' },
    { name: 'start_date', sql: 's.created_at', format: 'minute', meaning: 'When the contract was created' },
    {
      name: 'cancelled_date',
      sql: 's.cancelled_at',
      format: 'minute',
      meaning: 'When the contract ended; empty while it lives'
    },
    {
      name: 'last_charge_date',
      sql: 't.completed_at',
      format: 'minute',
      meaning: 'When the latest charge ended, whatever came of it; empty when none ever did'
    },
    {
      name: 'last_charge_status',
      sql: "case when t.is_failed then 'Failed' when t.completed_at is not null then 'Successful' end",
      format: 'text',
      meaning: '`Successful` or `Failed`; empty when it was never charged'
    },
    {
      name: 'next_charge_date',
      sql: ({ zone }) => `case s.status
         when 'active' then s.next_billing_at
         when 'paused' then case when s.resumes_at is not null then
           series_date_after(s.anchor_at, s.anchor_cycle, s.next_cycle, s.interval, s.interval_count, s.resumes_at, ${zone}) end
         end`,
      format: 'minute',
      meaning:
        'When the contract is charged next, also again after a failed charge; of one that is paused until a date, its first billing date after that; empty where no charge is planned: paused without end, ended, or waiting for another payment method'
    },
    {
      name: 'interval_name',
      sql: 'upper(s.interval)',
      format: 'text',
      meaning: 'The unit of the interval between charges: `DAY`, `WEEK`, `MONTH` or `YEAR`'
    },
    {
      name: 'interval_count',
      sql: 's.interval_count',
      format: 'integer',
      meaning: 'How many of these units are between two charges'
    },
    {
      name: 'churn_offer_status',
      sql: "case o.status when 'active' then 'Active' when 'cancelled' then 'Cancelled' end",
      format: 'text',
      meaning:
        'The status of the active churn offer, else of the last one: `Active` or `Cancelled`; empty when there never was one'
    },
    { name: 'offer_type', sql: 'o.type', format: 'text', meaning: 'The type of that offer' },
    {
      name: 'price_with_offer',
      sql: PRICE_WITH_OFFER,
      format: 'decimal',
      currency: 's.currency',
      meaning:
        'What a cycle is charged with the active offer, after all discounts; the price where the offer changes no price, and empty without an active offer'
    },
    {
      name: 'offer_accepted_date',
      sql: 'o.accepted_at',
      format: 'minute',
      meaning: 'When that offer was accepted'
    },
    {
      name: 'offer_cancel_date',
      sql: 'o.ended_at',
      format: 'minute',
      meaning: 'When that offer ended'
    }
  ]
}

function joins({ store }: Scope): string {
  return `cross join lateral (
    select platform_customer_id, email, first_name, last_name from members
     where store_id = ${store} and id = s.member_id limit 1) m
  left join lateral (
    select b.completed_at, ${isFailure('b')} as is_failed from billing_attempts b
     where b.store_id = ${store} and b.subscription_id = s.id and ${isFinished('b')}
     order by b.completed_at desc, b.id desc limit 1) t on true
  left join lateral (
    select c.* from contract_offers c
     where c.store_id = ${store} and c.subscription_id = s.id and c.status <> 'applying'
     order by (c.status = 'active') desc, c.id desc limit 1) o on true`
}
