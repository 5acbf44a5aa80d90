import type { Client } from 'pg'

/**
 * Copies tables' rows of a store into empty tables of the same shape and with the same indexes, in batches: what is the least that writing
 * them costs, without a check, a lock, a read or a parse. The rows are read back first; only the returned function writes.
 */
export async function bareInsert(
  client: Client,
  { tables, storeId, batch }: { tables: readonly string[]; storeId: number; batch: number }
): Promise<() => Promise<void>> {
  const batches: { text: string; values: unknown[] }[] = []
  for (const table of tables) {
    await client.query(
      `create table bare_${table} (like ${table} including defaults including constraints including indexes)`
    )
    const { rows: columns } = await client.query(
      `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
        where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
      [table]
    )
    const names = columns.map(({ name }) => name).join(', ')
    const { rows } = await client.query({
      text: `select ${columns.map(({ name }) => `${name}::text`).join(', ')} from ${table} where store_id = ${storeId} order by ctid`,
      rowMode: 'array'
    })
    for (let from = 0; from < rows.length; from += batch) {
      const some = rows.slice(from, from + batch)
      batches.push({
        text: `insert into bare_${table} (${names})
               select ${columns.map(({ type }, i) => `t.c${i}::${type}`).join(', ')}
                 from unnest(${columns.map((_, i) => `$${i + 1}::text[]`).join(', ')}) as t(${columns.map((_, i) => `c${i}`).join(', ')})`,
        values: columns.map((_, i) => some.map((one) => one[i]))
      })
    }
  }
  return async () => {
    for (const { text, values } of batches) await client.query(text, values)
  }
}
