import { changeCredits } from '#credits'
import { type Ctx, type Database, int, nullable, row, sql, text } from '#kit/postgres'
import { storeContext } from '#stores'
import type { RowRefusal } from '../import.ts'
import { columnsOf } from '../intake/columns-of.ts'
import { parseCsvInput, parseJsonInput } from '../intake/parse-input.ts'
import { type FileRecord, readCsvRecords, readLines } from '../intake/read-records.ts'
import { badHeader } from '../refusals.ts'
import { CREDIT_FIELDS, type CreditRow, readCreditRow } from './read-credit-row.ts'

/** Rows of one transaction. */
const BATCH = 500
/** So many problems are reported one by one; all are counted. */
const MAX_PROBLEMS = 1000
const KNOWN = new Set<string>(CREDIT_FIELDS)

export type CreditFile = {
  format: 'csv' | 'ndjson'
  stream: AsyncIterable<Buffer>
  /** Identifies the file: with the line it names the credit of a row without `external_id`. */
  name: string
  /** Carries nothing out: the report says what an import would do. */
  isDryRun: boolean
}

type CreditProblem = { line: number; field: string | null; message: string }
export type CreditImportReport = {
  rows: number
  added: number
  repeated: number
  refused: number
  amountMinor: number
  problems: CreditProblem[]
}

type Line = { line: number } & ({ row: CreditRow; refusal: null } | { row: null; refusal: RowRefusal })

/** Thrown to undo what a dry run has done. */
class Undo extends Error {}

/**
 * Adds the store credit of a file, row by row as entries of type import. A row is imported once: its `external_id`, or without one
 * the file and the line, is the operation of its entry. So an import that was interrupted is simply repeated. Refuses an invalid
 * header; a row that is wrong does not affect the others.
 */
export async function importCredits(db: Database, storeId: number, file: CreditFile): Promise<CreditImportReport> {
  const report: CreditImportReport = { rows: 0, added: 0, repeated: 0, refused: 0, amountMinor: 0, problems: [] }
  /** What a dry run would have added before; a real one finds it in the table. */
  const seen = new Map<string, { memberId: number; amountMinor: number }>()
  let columns: string[] | null = file.format === 'csv' ? null : [...CREDIT_FIELDS]
  let batch: FileRecord[] = []
  const flush = async () => {
    const records = batch
    batch = []
    if (records.length === 0) return
    await inBatch(db, storeId, file, async (ctx) => importBatch(ctx, file, columns!, records, seen), report)
  }
  for await (const records of file.format === 'csv' ? readCsvRecords(file.stream) : readLines(file.stream)) {
    for (const record of records) {
      if (columns === null) columns = columnsOf(record, CREDIT_FIELDS)
      else batch.push(record)
      if (batch.length === BATCH) await flush()
    }
  }
  if (columns === null) throw badHeader('is missing: the file is empty')
  await flush()
  return report
}

async function inBatch(
  db: Database,
  storeId: number,
  { isDryRun }: CreditFile,
  work: (ctx: Ctx) => Promise<Outcome[]>,
  report: CreditImportReport
): Promise<void> {
  let outcomes: Outcome[] = []
  try {
    await db.inStore(storeId, async (ctx) => {
      outcomes = await work(ctx)
      if (isDryRun) throw new Undo()
    })
  } catch (err) {
    if (!(err instanceof Undo)) throw err
  }
  for (const { line, addedMinor, problem } of outcomes) {
    report.rows++
    if (problem) {
      report.refused++
      if (report.problems.length < MAX_PROBLEMS) report.problems.push({ line, ...problem })
    } else if (addedMinor === null) report.repeated++
    else {
      report.added++
      report.amountMinor += addedMinor
    }
  }
}

/** `addedMinor`: null where the row was imported before. */
type Outcome = { line: number; addedMinor: number | null; problem: Omit<CreditProblem, 'line'> | null }

async function importBatch(
  ctx: Ctx,
  file: CreditFile,
  columns: string[],
  records: FileRecord[],
  seen: Map<string, { memberId: number; amountMinor: number }>
): Promise<Outcome[]> {
  const { currency, timezone } = await storeContext(ctx)
  const lines = records.map((record): Line => {
    const read = file.format === 'csv' ? parseCsvInput(record, columns) : parseJsonInput(record, KNOWN)
    if (read.input === null) return { line: record.line, row: null, refusal: read.refusal }
    return { line: record.line, ...readCreditRow(read.input, { now: ctx.now, timezone, currency }) }
  })
  const customers = await findCustomers(
    ctx,
    lines.flatMap((line) => line.row ?? [])
  )
  const planned = lines.map((line) => {
    if (!line.row) return { line: line.line, problem: { field: line.refusal.field, message: line.refusal.message } }
    const found = customers(line.row)
    if (typeof found !== 'number') return { line: line.line, problem: found }
    const { amountMinor, expiresAt, reason, externalId } = line.row
    const operationId = externalId === null ? `import:${file.name}:${line.line}` : `import:id:${externalId}`
    return {
      line: line.line,
      change: { memberId: found, type: 'import' as const, amountMinor, reason, operationId, expiresAt }
    }
  })
  const outcomes = (
    await changeCredits(
      ctx,
      planned.flatMap(({ change }) => change ?? [])
    )
  ).values()
  return planned.map(({ line, problem, change }): Outcome => {
    if (!change) return { line, addedMinor: null, problem: problem! }
    const { refusal, entry, isRepeated } = { isRepeated: false, ...outcomes.next().value! }
    if (refusal) return { line, addedMinor: null, problem: { field: null, message: refusal.message } }
    const before = isRepeated ? entry! : seen.get(change.operationId)
    if (file.isDryRun && !before) seen.set(change.operationId, change)
    if (!before) return { line, addedMinor: change.amountMinor, problem: null }
    if (before.amountMinor === change.amountMinor) return { line, addedMinor: null, problem: null }
    const message = 'external_id was imported before with another amount'
    return { line, addedMinor: null, problem: { field: 'external_id', message } }
  })
}

/** Our numbers of the customers of rows, by the platform's number first, then by address. */
async function findCustomers(ctx: Ctx, rows: CreditRow[]) {
  const found = await ctx.tx.many(
    row({ id: int, platformCustomerId: text, email: nullable(text) }),
    sql`
    select id, platform_customer_id, lower(email) as email from members
     where store_id = ${ctx.storeId} and platform_customer_id = any(${rows.flatMap((r) => r.customerId ?? [])}::text[])
       and merged_into is null
    union
    select id, platform_customer_id, lower(email) from members
     where store_id = ${ctx.storeId} and lower(email) = any(${rows.flatMap((r) => r.email ?? [])}::text[])
       and merged_into is null and platform_deleted_at is null`
  )
  const byNumber = new Map(found.map(({ platformCustomerId, id }) => [platformCustomerId, id]))
  const byEmail = Map.groupBy(found, ({ email }) => email)
  return ({ customerId, email }: CreditRow): number | Omit<CreditProblem, 'line'> => {
    if (customerId !== null) {
      return byNumber.get(customerId) ?? { field: 'customer_id', message: 'There is no customer with this number' }
    }
    const [one, another] = byEmail.get(email) ?? []
    if (!one) return { field: 'email', message: 'There is no customer with this address' }
    if (another) return { field: 'email', message: 'Several customers have this address; give customer_id' }
    return one.id
  }
}
