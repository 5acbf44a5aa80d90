import type { ExportEndpoint } from '../endpoint.ts'
import { ENTRIES_ABOUT, isShownEntry } from './sql-parts.ts'

export const storeCredits: ExportEndpoint = {
  name: 'store-credits',
  meaning:
    'The ledger of store credit, in ascending order of its internal id. Redemptions that were restored in whole because their order was cancelled are hidden, with what restored them; so a row that was read before can be hidden later',
  paging: 'cursor',
  pageSize: 10_000,
  key: [],
  addsOnly: true,
  filters: ['since_id', 'since_date'],
  date: 'created_at',
  source: {
    table: 'credit_entries',
    alias: 'e',
    where: isShownEntry,
    leavesOut: true,
    joins: ({ store }) => `cross join lateral (
    select platform_customer_id from members where store_id = ${store} and id = e.member_id limit 1) m
  left join lateral (
    select platform_order_id, channel, source_name from orders where store_id = ${store} and id = e.order_id limit 1) o on true`,
    rowsAbout: ENTRIES_ABOUT
  },
  fields: [
    {
      name: 'shopify_customer_gid',
      sql: 'm.platform_customer_id',
      format: 'text',
      meaning: 'The number of the customer on the platform'
    },
    {
      name: 'type',
      sql: 'e.type',
      format: 'integer',
      meaning:
        '1 membership charge, 2 manual add, 3 manual deduct, 4 redemption on an order, 5 redemption restored, 6 refund, 7 forfeit, 8 expired, 9 reconciled, 10 churn offer, 11 loyalty reward, 12 import, 13 dispute'
    },
    { name: 'message', sql: 'e.reason', format: 'text', meaning: 'The description of the entry' },
    { name: 'value', sql: 'e.amount_minor', format: 'decimal', meaning: 'The amount, negative where it was deducted' },
    {
      name: 'redeemed_from_svc',
      sql: 'case when e.type = 4 then -e.amount_minor end',
      format: 'decimal',
      meaning: 'The store credit that was spent on the order; only on redemptions (type 4)'
    },
    {
      name: 'order_gid',
      sql: ({ gid }) => `${gid} || 'Order/' || o.platform_order_id`,
      format: 'text',
      meaning: 'The global id of the order that the entry belongs to'
    },
    { name: 'created_at', sql: 'e.created_at', format: 'day', meaning: 'When the entry was written' },
    {
      name: 'used_in',
      sql: 'case when e.type = 4 then coalesce(o.channel, o.source_name) end',
      format: 'text',
      meaning: 'Where the credit was spent: the sales channel of that order; only on redemptions'
    }
  ]
}
