import type { ExportEndpoint } from '../endpoint.ts'
import { ENTRIES_ABOUT, isShownEntry } from './sql-parts.ts'

export const creditsHistory: ExportEndpoint = {
  name: 'credits-history',
  meaning:
    'The history of store credit, newest first. Redemptions that were restored in whole because their order was cancelled are hidden, with what restored them',
  paging: 'page',
  pageSize: 1000,
  key: [],
  filters: ['page', 'shopify_customer_gid'],
  source: {
    table: 'credit_entries',
    alias: 'e',
    where: isShownEntry,
    leavesOut: true,
    joins: ({ store }) => `cross join lateral (
    select platform_customer_id from members where store_id = ${store} and id = e.member_id limit 1) m
  left join lateral (
    select name from orders where store_id = ${store} and id = e.order_id limit 1) o on true`,
    rowsAbout: ENTRIES_ABOUT
  },
  fields: [
    {
      name: 'shopify_customer_gid',
      sql: 'm.platform_customer_id',
      format: 'text',
      meaning: 'The number of the customer on the platform'
    },
    { name: 'body', sql: 'e.reason', format: 'text', meaning: 'The description of the entry' },
    { name: 'value', sql: 'e.amount_minor', format: 'decimal', meaning: 'The amount, negative where it was deducted' },
    { name: 'unit', sql: "'money'", format: 'text', meaning: 'The unit of the value: always `money`' },
    {
      name: 'status',
      sql: 'case when e.amount_minor > 0 then 0 else 1 end',
      format: 'integer',
      meaning: '0 where credit was added, else 1'
    },
    { name: 'created_at', sql: 'e.created_at', format: 'minute', meaning: 'When the entry was written' },
    {
      name: 'order_name',
      sql: "case when e.type = 4 then coalesce(o.name, '') end",
      format: 'text',
      optional: true,
      meaning: 'The name of the order; only on redemptions'
    }
  ]
}
