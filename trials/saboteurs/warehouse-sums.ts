import { type Edit, type Saboteur, slice } from './saboteur.ts'

/** `sum`: the name of the sum that has to be different. */
const noticedIn = (sum: string, edit: Edit): Saboteur => ({
  trial: 'warehouse-sums',
  run: slice('warehouse-sums-trial'),
  trialThen: { failsWith: `${sum} (parquet): ` },
  edits: [edit]
})

export const warehouseSumsSaboteurs: Record<string, Saboteur> = {
  'a page of the Data API leaves out its last row': noticedIn('rows of each endpoint', {
    file: 'src/exports/pages/plan-cursor-page.ts',
    from: '{ from: after + 1, through: last }',
    to: '{ from: after + 1, through: last - 1 }'
  }),
  'an export leaves out the last row of each page': noticedIn('rows of each endpoint', {
    file: 'src/cli/data/export-rows.ts',
    from: 'file.append(page.data)',
    to: 'file.append(page.data.slice(0, -1))'
  }),
  'dates of the Data API are in UTC': noticedIn('orders, revenue and tax by month and checkout type', {
    file: 'src/exports/bytes/run-export.ts',
    from: 'const { storeId, timeZone } = this.#plan',
    to: "const { storeId, timeZone } = { ...this.#plan, timeZone: 'UTC' }"
  }),
  'refunds are subtracted from revenue': noticedIn('orders, revenue and tax by month and checkout type', {
    file: 'src/exports/endpoints/orders.ts',
    from: "sql: 'o.total_minor',",
    to: "sql: 'o.total_minor - o.refunded_minor',"
  }),
  'an amount in Parquet has one digit after its point': noticedIn(
    'orders, revenue and tax by month and checkout type',
    {
      file: 'src/cli/data/write-parquet.ts',
      from: "part.padEnd(SCALE, '0')",
      to: "part.slice(0, 1).padEnd(SCALE, '0')"
    }
  ),
  'what was restored counts as used on an order': noticedIn(
    'store credit used on orders and taken back because of them, by month of the order',
    {
      file: 'src/exports/endpoints/orders.ts',
      from: 'filter (where type in (4, 5)) as used_minor',
      to: 'filter (where type = 4) as used_minor'
    }
  ),
  'forfeited credit is shown as expired': noticedIn('entries of credit by type', {
    file: 'src/exports/endpoints/store-credits.ts',
    from: "sql: 'e.type',",
    to: "sql: 'case e.type when 7 then 8 else e.type end',"
  }),
  'redemptions of cancelled orders are shown': noticedIn('entries of credit by type', {
    file: 'src/exports/endpoints/store-credits.ts',
    from: 'where: isShownEntry,',
    to: "where: 'true',"
  }),
  'credit that is held for a checkout can be spent': noticedIn('credit totals of all customers', {
    file: 'src/exports/endpoints/customers.ts',
    from: '- coalesce(a.reserved_minor, 0) + coalesce(v.lapsed_minor, 0)',
    to: '+ coalesce(v.lapsed_minor, 0)'
  }),
  'somebody whose membership is paused is active': noticedIn('members by status and membership', {
    file: 'src/exports/endpoints/customers.ts',
    from: "sql: 'upper(h.status)',",
    to: `sql: "case h.status when 'paused' then 'ACTIVE' else upper(h.status) end",`
  }),
  'customers who were merged into others are rows of their own': noticedIn('rows of each endpoint', {
    file: 'src/exports/endpoints/customers.ts',
    from: "where: 'm.merged_into is null'",
    to: "where: 'true'"
  }),
  'a contract that expired counts as cancelled': noticedIn('cancellations by month, plan and reason', {
    file: 'src/exports/endpoints/cancellation-reasons.ts',
    from: `where: "a.kind in ('cancelled', 'failed')"`,
    to: `where: "a.kind in ('cancelled', 'failed', 'expired')"`
  })
}
