import type { Database } from '#kit/postgres'
import { listRefused } from './row-queries.ts'
import { requireImport } from './show-import.ts'

const PAGE = 500

export type ReportFormat = 'csv' | 'ndjson'

/**
 * The report of refused rows, piece by piece, with their fields as they came. `original` is a row that could not be taken apart
 * into fields. Refuses when there is no such import.
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
        const reported = { line, code: refusalCode, field: refusalField, message: refusalMessage, row: input, original }
        return `${JSON.stringify(reported)}\n`
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

/** A spreadsheet takes what begins so for a formula, and carries it out: an apostrophe keeps it text. */
function csvCell(value: string): string {
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
