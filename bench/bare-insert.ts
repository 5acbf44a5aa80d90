import type { Client } from 'pg'

type Copied = { table: string; names: string[]; types: string[]; lastId: bigint }

/**
 * A bare client that copies tables' rows of a store into empty tables of the same shape and with the same indexes, in batches: what is
 * the least that writing them costs, without a check, a lock, a read or a parse. `copyNew` reads the rows that came since its last call
 * (by their ids; of a table without ids all rows, so once only), and returns the function that writes them; only that is to be measured.
 */
export async function bareInsert(
  client: Client,
  { tables, storeId, batch }: { tables: readonly string[]; storeId: number; batch: number }
): Promise<{ copyNew(): Promise<() => Promise<void>> }> {
  const copied: Copied[] = []
  for (const table of tables) {
    await client.query(
      `create table bare_${table} (like ${table} including defaults including constraints including indexes)`
    )
    const { rows } = await client.query(
      `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
        where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
      [table]
    )
    copied.push({ table, names: rows.map(({ name }) => name), types: rows.map(({ type }) => type), lastId: 0n })
  }

  const insertOf = ({ table, names, types }: Copied, rows: string[][]) => ({
    name: `bare ${table}`,
    text: `insert into bare_${table} (${names.join(', ')})
           select ${types.map((type, i) => `t.c${i}::${type}`).join(', ')}
             from unnest(${types.map((_, i) => `$${i + 1}::text[]`).join(', ')}) as t(${types.map((_, i) => `c${i}`).join(', ')})`,
    values: types.map((_, i) => rows.map((row) => row[i]))
  })

  return {
    async copyNew() {
      const statements: ReturnType<typeof insertOf>[] = []
      for (const one of copied) {
        const id = one.names.indexOf('id')
        const { rows } = await client.query({
          text: `select ${one.names.map((name) => `${name}::text`).join(', ')} from ${one.table} t
                  where store_id = ${storeId} ${id < 0 ? '' : `and id > ${one.lastId}`} order by ${id < 0 ? 't.ctid' : 't.id'}`,
          rowMode: 'array'
        })
        if (id >= 0 && rows.length > 0) one.lastId = BigInt(rows.at(-1)![id])
        for (let from = 0; from < rows.length; from += batch)
          statements.push(insertOf(one, rows.slice(from, from + batch)))
      }
      return async () => {
        for (const statement of statements) await client.query(statement)
      }
    }
  }
}
