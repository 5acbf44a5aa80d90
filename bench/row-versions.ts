import type { Client } from 'pg'

/**
 * The number of a store's rows in each table, and the sum of the transactions that wrote them: what is written again, added or deleted
 * changes it. The counters of PostgreSQL's statistics come seconds late, so that they may hide what was just written.
 */
export async function rowVersions(client: Client, tables: readonly string[], storeId: number): Promise<string> {
  const found: string[] = []
  for (const table of tables) {
    const { rows } = await client.query(
      `select count(*) || ' rows, ' || coalesce(sum(xmin::text::bigint), 0) as versions from ${table} where store_id = $1`,
      [storeId]
    )
    found.push(`${table}: ${rows[0].versions}`)
  }
  return found.join('; ')
}
