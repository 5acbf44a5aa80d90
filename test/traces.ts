import pg from 'pg'

/** Whom a test looks for. */
export type Wanted = { words: string[]; phone: string; numbers: string[] }

/** What is found of somebody in a text: their words in any case, their phone however it is written, their numbers between others. */
export function tracesIn(text: string, { words, phone, numbers }: Wanted): string[] {
  const lower = text.toLowerCase()
  const digits = text.replaceAll(/[-+ ().]/g, '')
  return [
    ...words.filter((word) => lower.includes(word.toLowerCase())),
    ...(digits.includes(phone) ? [phone] : []),
    ...numbers.filter((number) => new RegExp(`(?<![0-9])${number}(?![0-9])`).test(text))
  ]
}

/**
 * Every row of every table of the service, as text, searched: the rows with traces, by table. `only`: of this table. Read without our code, and
 * whatever the tables are.
 */
export async function tracesInDatabase(url: string, wanted: Wanted, only?: string): Promise<Record<string, string[]>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    const { rows: tables } = await client.query<{ name: string }>(
      `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition and ($1::text is null or c.relname = $1)`,
      [only ?? null]
    )
    const found: Record<string, string[]> = {}
    for (const { name } of tables) {
      const { rows } = await client.query<{ text: string }>(`select t::text as text from public."${name}" t`)
      for (const { text } of rows) {
        const traces = tracesIn(text, wanted)
        if (traces.length > 0) (found[name] ??= []).push(`${traces.join(', ')} in ${text.slice(0, 300)}`)
      }
    }
    return found
  } finally {
    await client.end()
  }
}
