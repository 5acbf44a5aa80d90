import { readFile } from 'node:fs/promises'
import type { Database } from '#kit/postgres'
import { differences, fromBase, fromWarehouse } from './compare-sums.ts'
import { LEDGER } from './credit-sums.ts'
import type { Warehouse } from './duckdb.ts'
import { KINDS, SHOP } from './order-sums.ts'
import { amount, month, type Sum } from './sum.ts'

const EXAMPLES = new URL('../../examples/', import.meta.url)

function ofTypes(...types: number[]): string {
  return `sum(case when e.type in (${types.join(', ')}) then e.amount_minor else 0 end)`
}

/** What both examples have in their table of revenue. */
const revenue = (table: string): Sum => ({
  name: `revenue of the example ${table}`,
  warehouse: `
    select concat_ws(' ', strftime(month, '%Y-%m'), currency, checkout_type) as "of", orders, revenue, tax, store_credit_used,
           refunded_orders
      from ${table}`,
  base: `
    with ${SHOP}, ${KINDS}
    select concat_ws(' ', ${month('k.processed_at')}, k.currency, k.type) as of, count(*) as orders,
           ${amount('sum(k.total_minor)')} as revenue, ${amount('sum(k.tax_minor)')} as tax,
           ${amount('sum(e.used_minor)')} as store_credit_used, count(r.order_id) as refunded_orders
      from kinds k
      left join (select order_id, -sum(amount_minor) as used_minor from credit_entries
                  where store_id = $1 and type in (4, 5) group by order_id) e on e.order_id = k.id
      left join (select distinct order_id from platform_refunds where store_id = $1) r on r.order_id = k.id
     cross join shop
     where k.financial_status <> 'voided' group by 1`
})

const credit: Sum = {
  name: 'credit of the example credit_by_month',
  warehouse: `select strftime(month, '%Y-%m') as "of", * exclude (month) from credit_by_month`,
  base: `
    with ${LEDGER}
    select ${month('e.created_at')} as of, ${amount(ofTypes(1, 10, 11, 12))} as issued, ${amount(`-${ofTypes(4, 5)}`)} as used,
           ${amount(`-${ofTypes(6)}`)} as refunded, ${amount(`-${ofTypes(13)}`)} as disputed,
           ${amount(`-${ofTypes(7)}`)} as forfeited, ${amount(`-${ofTypes(8)}`)} as expired,
           ${amount(ofTypes(2, 3, 9))} as adjusted, ${amount('sum(e.amount_minor)')} as change
      from ledger e cross join shop group by 1`
}

/** Runs examples/duckdb and the model of examples/dbt on the Parquet files of the warehouse, in another schema. Returns what differs in each sum. */
export async function compareExamples(warehouse: Warehouse, db: Database, storeId: number): Promise<string[][]> {
  await warehouse.run('create schema example; use example')
  for (const file of ['revenue', 'credit']) {
    await warehouse.run(await readFile(new URL(`duckdb/${file}.sql`, EXAMPLES), 'utf8'))
  }
  const model = await readFile(new URL('dbt/models/revenue.sql', EXAMPLES), 'utf8')
  // dbt puts the file there that sources.yml names.
  const compiled = model.replace("{{ source('perennial', 'orders') }}", "read_parquet('orders.parquet')")
  await warehouse.run(`create table dbt_revenue as ${compiled}`)
  const found: string[][] = []
  for (const sum of [revenue('revenue_by_month'), revenue('dbt_revenue'), credit]) {
    found.push(differences(sum.name, await fromWarehouse(warehouse, sum), await fromBase(db, storeId, sum)))
  }
  return found
}
