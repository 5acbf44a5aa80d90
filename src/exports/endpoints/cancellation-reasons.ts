import type { ExportEndpoint } from '../endpoint.ts'

export const cancellationReasons: ExportEndpoint = {
  name: 'cancellation-reasons',
  meaning:
    'Contracts that were cancelled, or failed after their last retry, with the reason, in ascending order of the internal id of the event. A cancellation that was taken back stays; contracts that have expired are not among them',
  paging: 'cursor',
  pageSize: 10_000,
  key: [],
  addsOnly: true,
  filters: ['since_id', 'since_date'],
  date: 'occurred_at',
  source: {
    table: 'contract_activities',
    alias: 'a',
    where: "a.kind in ('cancelled', 'failed')",
    joins: ({ store }) => `cross join lateral (
    select member_id from subscriptions where store_id = ${store} and id = a.subscription_id limit 1) s
  cross join lateral (
    select platform_customer_id, email from members where store_id = ${store} and id = s.member_id limit 1) m`,
    rowsAbout: `select a.id from contract_activities a
      join subscriptions s on s.store_id = $1 and s.id = a.subscription_id and s.member_id in (select id from related)
     where a.store_id = $1 and a.kind in ('cancelled', 'failed')`
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
      name: 'subscription_plan_name',
      sql: 'coalesce(a.plan_group_name, a.plan_name)',
      format: 'text',
      meaning: 'The name of the tier; of a product plan, the name of the plan'
    },
    { name: 'cancel_date', sql: 'a.occurred_at', format: 'minute', meaning: 'When it was cancelled' },
    {
      name: 'cancel_reason',
      sql: "case when a.refs ->> 'reason' = 'other' then coalesce(a.notes, 'other') else a.refs ->> 'reason' end",
      format: 'text',
      meaning: 'The alias of the reason, or what the customer typed where that is `other`'
    }
  ]
}
