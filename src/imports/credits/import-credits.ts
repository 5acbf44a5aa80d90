import { type CreditChange, changeCredits } from '#credits'
import { publicId } from '#kit/ids'
import { decimalOf } from '#kit/money'
import type { Ctx, Database } from '#kit/postgres'
import { followMerges } from '#members'
import { storeContext } from '#stores'
import type { RowRefusal } from '../import.ts'
import { findNamedCustomers } from '../intake/find-named-customers.ts'
import { type InputLine, type RowsFile, readInputs } from '../intake/read-inputs.ts'
import { workOrTry } from '../intake/work-or-try.ts'
import { CREDIT_FIELDS, type CreditRow, readCreditRow } from './read-credit-row.ts'

/** Rows of one transaction. */
const BATCH = 500
/** So many problems are reported one by one; all are counted. */
const MAX_PROBLEMS = 1000

export type CreditFile = RowsFile & {
  /** Identifies the file: with the line it names the credit of a row without `external_id`. Null: such rows are refused. */
  name: string | null
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

/** What an import has added, or would add. */
type Imported = Pick<CreditChange, 'memberId' | 'amountMinor' | 'reason'> & { expiresAt: Temporal.Instant | null }

/**
 * Adds the store credit of a file, row by row as entries of type import. A row is imported once: its `external_id`, or without one
 * the file and the line, is the operation of its entry. So an import that was interrupted is simply repeated. Refuses an invalid
 * header; a row that is wrong does not affect the others.
 */
export async function importCredits(db: Database, storeId: number, file: CreditFile): Promise<CreditImportReport> {
  const report: CreditImportReport = { rows: 0, added: 0, repeated: 0, refused: 0, amountMinor: 0, problems: [] }
  /** What a dry run would have added before; a real one finds it in the table. */
  const seen = new Map<string, Imported>()
  for await (const lines of readInputs(file, CREDIT_FIELDS, BATCH)) {
    const outcomes = await workOrTry(db, storeId, file.isDryRun, (ctx) => importBatch(ctx, file, lines, seen))
    addTo(report, outcomes)
  }
  return report
}

function addTo(report: CreditImportReport, outcomes: Outcome[]): void {
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

/** Sent again, such a row would add its credit again. */
const UNNAMED = {
  field: 'external_id',
  message: 'external_id must be given, or the SHA-256 of the file with the request: a row must not be imported twice'
}

/** `addedMinor`: null where the row was imported before. */
type Outcome = { line: number; addedMinor: number | null; problem: Omit<CreditProblem, 'line'> | null }

async function importBatch(
  ctx: Ctx,
  file: CreditFile,
  inputs: InputLine[],
  seen: Map<string, Imported>
): Promise<Outcome[]> {
  const { currency, timezone } = await storeContext(ctx)
  const lines = inputs.map(({ line, input, refusal }): Line => {
    if (input === null) return { line, row: null, refusal }
    return { line, ...readCreditRow(input, { now: ctx.now, timezone, currency }) }
  })
  const customers = (
    await findNamedCustomers(
      ctx,
      lines.flatMap((line) => line.row ?? [])
    )
  ).values()
  const planned = lines.map((line) => {
    if (!line.row) return { line: line.line, problem: { field: line.refusal.field, message: line.refusal.message } }
    const { found, problem } = customers.next().value!
    if (found === null) return { line: line.line, problem }
    const { amountMinor, expiresAt, reason, externalId } = line.row
    if (externalId === null && file.name === null) return { line: line.line, problem: UNNAMED }
    const operationId = externalId === null ? `import:${file.name}:${line.line}` : `import:id:${externalId}`
    const change = { memberId: found.id, type: 'import' as const, amountMinor, reason, operationId, expiresAt }
    return { line: line.line, change, isNamed: externalId !== null }
  })
  const changes = planned.flatMap(({ change }) => change ?? [])
  const outcomes = await changeCredits(ctx, changes)
  // Credit that was imported before may have moved with its customer since.
  const keptOf = await followMerges(
    ctx,
    [...outcomes.flatMap(({ entry }) => entry ?? []), ...changes].map(({ memberId }) => memberId)
  )
  const following = outcomes.values()
  return planned.map(({ line, problem, change, isNamed }): Outcome => {
    if (!change) return { line, addedMinor: null, problem: problem! }
    const { refusal, entry, isRepeated } = { isRepeated: false, ...following.next().value! }
    if (refusal) {
      return { line, addedMinor: null, problem: { field: refusal.details[0]?.field ?? null, message: refusal.message } }
    }
    const before = isRepeated ? entry! : seen.get(change.operationId)
    if (file.isDryRun && !before) seen.set(change.operationId, change)
    if (!before) return { line, addedMinor: change.amountMinor, problem: null }
    const ofKept = (one: Imported) => ({ ...one, memberId: keptOf.get(one.memberId) ?? one.memberId })
    return { line, addedMinor: null, problem: isNamed ? differenceOf(ofKept(before), ofKept(change), currency) : null }
  })
}

/** An `external_id` that comes again must come with the same: what it was used for, and what is different now. Null where nothing is. */
function differenceOf(before: Imported, now: Imported, currency: string): Omit<CreditProblem, 'line'> | null {
  const other = [
    before.memberId !== now.memberId && 'customer',
    before.amountMinor !== now.amountMinor && 'amount',
    before.expiresAt?.epochMilliseconds !== now.expiresAt?.epochMilliseconds && 'expires_at',
    before.reason !== now.reason && 'reason'
  ].filter((word) => word !== false)
  if (other.length === 0) return null
  const until = before.expiresAt === null ? 'without expires_at' : `expires_at ${before.expiresAt}`
  const message =
    `external_id was imported before, for ${publicId('cust', before.memberId)}: ${decimalOf(before.amountMinor, currency)} ${currency}, ` +
    `${until}, reason "${before.reason}"; this row has another ${other.join(', ')}`
  return { field: 'external_id', message }
}
