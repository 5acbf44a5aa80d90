import pg from 'pg'
import { copyOut } from '#kit/postgres'
import { RowChecksum } from '../src/backup/row-checksum.ts'
import { copyOutOf, listTables, ONE_TEXT } from '../src/backup/tables.ts'

/** Every table of a database with the number of its rows and their checksum. */
export async function contentOf(url: string): Promise<Record<string, [rows: number, checksum: string]>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`begin; ${ONE_TEXT}`)
    const content: Record<string, [number, string]> = {}
    for (const table of await listTables(client, ['public', 'sandbox'])) {
      const checksum = new RowChecksum()
      for await (const rows of copyOut(client, copyOutOf(table))) for (const row of rows) checksum.add(row)
      content[`${table.schema}.${table.name}`] = [checksum.rows, checksum.digest()]
    }
    return content
  } finally {
    await client.end()
  }
}
