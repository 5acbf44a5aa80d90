import { type Database, row, sql, text, textList } from '#kit/postgres'

/** Tables that change independently of the requests, with the reason. */
const NOT_COMPARED: Record<string, string> = {
  rate_windows: 'each call is counted there',
  api_requests: 'each call that was refused is kept there',
  api_keys: 'each call records the last use of the key',
  list_changes: 'an engine moves them into list_blocks later',
  list_blocks: 'derived from list_changes by an engine',
  rollup_marks: 'the progress of engines',
  metric_changes: 'an engine rolls them up later',
  daily_metrics: 'derived from metric_changes by an engine',
  daily_cancellations: 'derived from metric_changes by an engine',
  metric_totals: 'derived from metric_changes by an engine'
}

/** The tables whose rows belong to a store and are compared, the sandbox's included. */
export async function storeTables(db: Database): Promise<string[]> {
  const { tables } = await db.inInstallation((tx) =>
    tx.one(
      row({ tables: textList }),
      sql`
      select array_agg(c.table_schema || '.' || c.table_name order by c.table_name) as tables
        from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
       where c.table_schema = 'public' and c.column_name = 'store_id' and t.table_type = 'BASE TABLE'
         and c.table_name <> all(${Object.keys(NOT_COMPARED)})`
    )
  )
  return tables
}

/** All rows of a store, as one digest per table. */
export async function storeContent(db: Database, tables: string[], storeId: number): Promise<Record<string, string>> {
  const digests = await db.inInstallation((tx) =>
    tx.many(row({ name: text, digest: text }), {
      name: 'content_of_store',
      text: tables
        .map(
          (name) =>
            `select '${name}' as name, md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as digest from ${name} t where store_id = $1`
        )
        .join(' union all '),
      values: [storeId]
    })
  )
  return Object.fromEntries(digests.map(({ name, digest }) => [name, digest]))
}
