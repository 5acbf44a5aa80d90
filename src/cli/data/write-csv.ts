import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { csvLine } from '#kit/csv'
import type { Row } from './endpoint.ts'
import { readPart } from './part-file.ts'

const ROWS_AT_ONCE = 1_000

/** Writes the rows of a part file as CSV (RFC 4180, UTF-8) with a header. A field that a row does not have is an empty cell. */
export async function writeCsv(part: string, path: string, columns: readonly string[]): Promise<void> {
  const cell = (row: Row) => (name: string) => String(row[name] ?? '')
  async function* text() {
    yield csvLine(columns)
    for await (const rows of readPart(part, ROWS_AT_ONCE)) {
      yield rows.map((row) => csvLine(columns.map(cell(row)))).join('')
    }
  }
  await pipeline(Readable.from(text()), createWriteStream(path, { flush: true }))
}
