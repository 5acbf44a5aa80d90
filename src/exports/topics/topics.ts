import type { Field, Scope, TopicName } from '../endpoint.ts'
import { isShownEntry } from '../endpoints/sql-parts.ts'
import { literal } from '../format-fields.ts'

/** One declaration for each topic of the Collection API. */
export type Topic = {
  name: TopicName
  meaning: string
  fields: readonly Field[]
  /** Everything behind the columns, with the order of the rows. */
  from: (scope: Scope) => string
  /** The column by which rows are put together under its value; left out: the answer is an array. */
  key?: string
}

const CUSTOMER: Field = {
  name: 'shopify_customer_gid',
  sql: 'm.platform_customer_id',
  format: 'text',
  meaning: 'The number of the customer on the platform'
}
const CONTRACT: Field = {
  name: 'contract_id',
  sql: 's.platform_contract_id',
  format: 'integer',
  meaning: 'The number of the contract on the platform'
}

/** Other tables are looked up by key, row after row: a dump begins at once, and its rows need no sorting. */
export const topics: readonly Topic[] = [
  {
    name: 'member',
    meaning: 'Members with their balance of store credit, in ascending order of their internal id',
    fields: [
      CUSTOMER,
      { name: 'email', sql: 'm.email', format: 'text', meaning: 'The e-mail address of the customer' },
      {
        name: 'balance_from_svc',
        sql: 'coalesce(a.balance_minor, 0)',
        format: 'decimal',
        meaning: 'The balance of store credit'
      }
    ],
    from: ({ store }) => `members m
  left join lateral (
    select balance_minor from credit_accounts where store_id = ${store} and member_id = m.id limit 1) a on true
 where m.store_id = ${store} and m.status is not null and m.merged_into is null
 order by m.id`
  },
  {
    name: 'store_credit_history',
    meaning:
      'The entries of store credit of each customer, oldest first, under the number of the customer on the platform; customers in ascending order of their internal id',
    key: 'm.platform_customer_id',
    fields: [
      CUSTOMER,
      { name: 'body', sql: 'e.reason', format: 'text', meaning: 'The description of the entry' },
      {
        name: 'value',
        sql: 'e.amount_minor',
        format: 'decimal',
        meaning: 'The amount, negative where it was deducted'
      },
      { name: 'total', sql: 'e.total_minor', format: 'decimal', meaning: 'The sum of the entries up to this one' },
      {
        name: 'status',
        sql: "case when e.amount_minor > 0 then '0' else '1' end",
        format: 'text',
        meaning: '`0` where credit was added, else `1`'
      },
      { name: 'created_at', sql: 'e.created_at', format: 'minute', meaning: 'When the entry was written' },
      {
        name: 'order_name',
        sql: "case when e.type = 4 then coalesce(o.name, '') end",
        format: 'text',
        optional: true,
        meaning: 'The name of the order; only on redemptions'
      }
    ],
    from: ({ store }) => `(
    select e.member_id, e.position, e.type, e.reason, e.amount_minor, e.created_at, e.order_id,
           sum(e.amount_minor) over (partition by e.member_id order by e.position) as total_minor
      from credit_entries e where e.store_id = ${store} and ${isShownEntry({ store })}) e
  cross join lateral (
    select platform_customer_id from members where store_id = ${store} and id = e.member_id limit 1) m
  left join lateral (
    select name from orders where store_id = ${store} and id = e.order_id limit 1) o on true
 order by e.member_id, e.position`
  },
  {
    name: 'activity_log_m',
    meaning: 'The history of all contracts, in ascending order of the internal id of the entries',
    fields: [
      CUSTOMER,
      CONTRACT,
      { name: 'text', sql: 'a.text', format: 'text', meaning: 'What happened, as a sentence' },
      { name: 'notes', sql: 'a.notes', format: 'text', meaning: 'What a person said about it' },
      {
        name: 'plan_group_name',
        sql: 'coalesce(a.plan_group_name, a.plan_name)',
        format: 'text',
        meaning: 'The name of the tier; of a product plan, the name of the plan'
      },
      { name: 'plan_name', sql: 'a.plan_name', format: 'text', meaning: 'The name of the plan' },
      { name: 'created_at', sql: 'a.occurred_at', format: 'minute', meaning: 'When it happened' }
    ],
    from: ({ store }) => `contract_activities a
  cross join lateral (
    select member_id, platform_contract_id from subscriptions where store_id = ${store} and id = a.subscription_id limit 1) s
  cross join lateral (
    select platform_customer_id from members where store_id = ${store} and id = s.member_id limit 1) m
 where a.store_id = ${store}
 order by a.id`
  },
  {
    name: 'subscription_contract',
    meaning: 'Subscription contracts with the customer who pays for them, in ascending order of their internal id',
    fields: [
      { name: 'created_at', sql: 's.created_at', format: 'minute', meaning: 'When the contract was created' },
      CONTRACT,
      {
        name: 'status',
        sql: 'upper(s.status)',
        format: 'text',
        meaning: '`ACTIVE`, `PAUSED`, `CANCELLED`, `FAILED` or `EXPIRED`'
      },
      {
        name: 'price',
        sql: 's.price_minor',
        format: 'decimal',
        currency: 's.currency',
        meaning: 'The agreed price of a cycle, without the discount of a churn offer'
      },
      { name: 'currency_code', sql: 's.currency', format: 'text', meaning: 'The code of its currency' },
      {
        name: 'price_in_store_currency',
        sql: ({ currency }) => literal(currency),
        format: 'text',
        meaning: 'The code of the currency of the store, whatever the name says'
      },
      { name: 'type', sql: 's.name', format: 'text', meaning: 'The title of the contract: the name of its plan' },
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
        name: 'billing_day',
        sql: `case s.interval when 'week' then to_char(s.anchor_at, 'FMDay')
         when 'day' then null else extract(day from s.anchor_at)::text end`,
        format: 'text',
        meaning: 'The day of the month; the name of the weekday for weeks, empty for days'
      },
      CUSTOMER
    ],
    from: ({ store }) => `subscriptions s
  cross join lateral (
    select platform_customer_id from members where store_id = ${store} and id = s.member_id limit 1) m
 where s.store_id = ${store}
 order by s.id`
  }
]

const byName = new Map(topics.map((topic) => [topic.name, topic]))

export const topicOf = (name: TopicName): Topic => byName.get(name)!
