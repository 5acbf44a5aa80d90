import type { ExportEndpoint } from '../endpoint.ts'

export const members: ExportEndpoint = {
  name: 'members',
  meaning:
    'Members with their balances, in ascending order of their internal id. A customer who never held a membership or a subscription is not among them, nor one whom the platform has merged into another',
  paging: 'page',
  pageSize: 10_000,
  key: ['shopify_customer_gid'],
  filters: ['page'],
  source: {
    table: 'members',
    alias: 'm',
    where: 'm.status is not null and m.merged_into is null',
    joins: ({ store, within }) =>
      `left join credit_accounts a on a.store_id = ${store} and a.member_id = m.id and ${within('a.member_id')}`,
    rowsAbout: 'select id from related'
  },
  fields: [
    {
      name: 'shopify_customer_gid',
      sql: 'm.platform_customer_id',
      format: 'text',
      meaning: 'The number of the customer on the platform'
    },
    { name: 'email', sql: 'm.email', format: 'text', meaning: 'The e-mail address of the customer' },
    {
      name: 'balance_from_svc',
      sql: 'coalesce(a.balance_minor, 0)',
      format: 'decimal',
      meaning: 'The balance of store credit, what is reserved for a checkout included'
    }
  ]
}
