import { csvLine, escapeFormula, escapeRowText } from '#kit/csv'
import type { Database } from '#kit/postgres'
import { listRefused } from './row-queries.ts'
import { requireImport } from './show-import.ts'

const PAGE = 500

export type ReportFormat = 'csv' | 'ndjson'

/**
 * The report of refused rows, streamed in pieces, with their fields as received. `original` is a row that could not be split into
 * fields. A cell of CSV that a spreadsheet would run has an apostrophe before it, which the import of the file takes away again.
 * Refuses an unknown import.
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
        const fields = columns.map((column) => escapeFormula(input?.[column] ?? ''))
        const why = [String(line), refusalCode, refusalField ?? '', escapeFormula(refusalMessage)]
        return csvLine([...fields, ...why, escapeRowText(original ?? '')])
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
