import pg from 'pg'
import { copyOut } from '#kit/postgres'
import { copyOutOf, listTables } from '../src/backup/tables.ts'

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

/** A dump of every table of the service, as COPY writes it, searched row by row: the rows with traces, by table. */
export async function tracesInDatabase(url: string, wanted: Wanted): Promise<Record<string, string[]>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    const found: Record<string, string[]> = {}
    for (const table of await listTables(client, ['public'])) {
      for await (const rows of copyOut(client, copyOutOf(table))) {
        for (const row of rows) {
          const text = row.toString()
          const traces = tracesIn(text, wanted)
          // A partition is its table.
          const name = table.partitionOf?.parent ?? table.name
          if (traces.length > 0) (found[name] ??= []).push(`${traces.join(', ')} in ${text.slice(0, 300)}`)
        }
      }
    }
    return found
  } finally {
    await client.end()
  }
}
