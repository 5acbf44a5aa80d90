import type { Database } from '#kit/postgres'
import { listRefused } from './row-queries.ts'
import { requireImport } from './show-import.ts'

const PAGE = 500

export type ReportFormat = 'csv' | 'ndjson'

/**
 * The report of refused rows, streamed in pieces, with their fields as received. `original` is a row that could not be split into
 * fields. Refuses an unknown import.
 */
export async function refusedRowsReport(
  db: Database,
  storeId: number,
  id: number,
  format: ReportFormat
): Promise<AsyncGenerator<string>> {
  const { columns } = await db.inStore(storeId, (ctx) => requireImport(ctx, id))
  return format === 'csv' ? csvReport(db, storeId, id, columns) : ndjsonReport(db, storeId, id)
}

async function* ndjsonReport(db: Database, storeId: number, id: number) {
  for await (const rows of pagesOf(db, storeId, id)) {
    yield rows
      .map(({ line, input, original, refusalCode, refusalField, refusalMessage }) => {
        const entry = { line, code: refusalCode, field: refusalField, message: refusalMessage, row: input, original }
        return `${JSON.stringify(entry)}\n`
      })
      .join('')
  }
}

async function* csvReport(db: Database, storeId: number, id: number, columns: string[]) {
  yield csvLine([...columns, 'line', 'code', 'field', 'message', 'original'])
  for await (const rows of pagesOf(db, storeId, id)) {
    yield rows
      .map(({ line, input, original, refusalCode, refusalField, refusalMessage }) => {
        const fields = columns.map((column) => input?.[column] ?? '')
        return csvLine([...fields, String(line), refusalCode, refusalField ?? '', refusalMessage, original ?? ''])
      })
      .join('')
  }
}

async function* pagesOf(db: Database, storeId: number, id: number) {
  for (let after = 0; ; ) {
    const from = after
    const rows = await db.inStore(storeId, (ctx) => listRefused(ctx, id, from, PAGE))
    if (rows.length > 0) yield rows
    if (rows.length < PAGE) return
    after = rows.at(-1)!.line
  }
}

function csvLine(cells: string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

/** A spreadsheet would run a cell that starts like a formula; a leading apostrophe makes it text. */
function csvCell(value: string): string {
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
