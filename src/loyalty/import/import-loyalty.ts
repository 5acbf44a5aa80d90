import { findNamedCustomers, type InputLine, type RowsFile, readInputs, workOrTry } from '#imports'
import { publicId } from '#kit/ids'
import { type Ctx, type Database, int, row, sql } from '#kit/postgres'
import { enterBirthDates, type LookedUpCustomer, lockMembers } from '#members'
import { importPoints } from '#points'
import { storeContext } from '#stores'
import { LOYALTY_FIELDS, type LoyaltyRow, readLoyaltyRow } from './read-loyalty-row.ts'

/** Rows of one transaction. */
const BATCH = 500
/** So many problems are reported one by one; all are counted. */
const MAX_PROBLEMS = 1000

/** `isDryRun`: nothing is carried out; the report says what an import would do. */
export type LoyaltyFile = RowsFile & { isDryRun: boolean }

type Problem = { field: string | null; message: string }

export type LoyaltyImportReport = {
  rows: number
  /** Rows of which something was new. */
  imported: number
  repeated: number
  refused: number
  points: number
  birthDates: number
  problems: (Problem & { line: number })[]
}

type Outcome = { line: number; points: number; isNew: boolean; hasBirthDate: boolean; problem: Problem | null }

/** What was imported for a customer, or of who was merged into them. */
type Imported = { points: number; lifetimePoints: number }

/**
 * Imports what customers have of loyalty from before: points, which are added once for each customer, and birth dates that are not known. An import that
 * was interrupted is simply repeated. Refuses an invalid header; a row that is wrong does not affect the others.
 */
export async function importLoyalty(db: Database, storeId: number, file: LoyaltyFile): Promise<LoyaltyImportReport> {
  const report: LoyaltyImportReport = {
    rows: 0,
    imported: 0,
    repeated: 0,
    refused: 0,
    points: 0,
    birthDates: 0,
    problems: []
  }
  /** What a dry run would have imported before; a real one finds it in the table. */
  const tried = new Map<number, Imported>()
  for await (const lines of readInputs(file, LOYALTY_FIELDS, BATCH)) {
    const outcomes = await workOrTry(db, storeId, file.isDryRun, (ctx) => importBatch(ctx, lines, file, tried))
    for (const { line, points, isNew, hasBirthDate, problem } of outcomes) {
      report.rows++
      report.points += points
      if (hasBirthDate) report.birthDates++
      if (problem === null) report[isNew ? 'imported' : 'repeated']++
      else {
        report.refused++
        if (report.problems.length < MAX_PROBLEMS) report.problems.push({ line, ...problem })
      }
    }
  }
  return report
}

type Planned = { line: number; memberId: number; row: LoyaltyRow }

async function importBatch(
  ctx: Ctx,
  lines: InputLine[],
  { isDryRun }: LoyaltyFile,
  tried: Map<number, Imported>
): Promise<Outcome[]> {
  const { planned, refused } = await planRows(ctx, lines)
  const memberIds = [...new Set(planned.map(({ memberId }) => memberId))].sort((a, b) => a - b)
  // Of two imports at once, the later sees what the other has added.
  await lockMembers(ctx, memberIds)
  const before = await listImported(ctx, memberIds)
  if (isDryRun) for (const [memberId, one] of tried) if (memberIds.includes(memberId)) before.push({ memberId, ...one })
  const importedOf = Map.groupBy(before, ({ memberId }) => memberId)
  const added = new Map<number, Planned>()
  const outcomes = planned.map((one): Outcome => {
    const { line, memberId, row } = one
    const nothing = { line, points: 0, isNew: false, hasBirthDate: false }
    if (row.lifetimePoints === 0) return { ...nothing, problem: null }
    const imported = [...(importedOf.get(memberId) ?? []), ...(added.has(memberId) ? [added.get(memberId)!.row] : [])]
    if (imported.some((other) => isSame(other, row))) return { ...nothing, problem: null }
    if (imported.length > 0) return { ...nothing, problem: differs(memberId, imported[0]!) }
    added.set(memberId, one)
    return { ...nothing, points: row.points, isNew: true, problem: null }
  })
  await importPoints(
    ctx,
    [...added.values()].map(({ memberId, row: { points, lifetimePoints } }) => ({
      ...{ memberId, points, lifetimePoints, reason: 'import', operationId: operationOf(memberId) }
    }))
  )
  if (isDryRun) for (const [memberId, { row }] of added) tried.set(memberId, row)
  const entered = await enterBirthDatesOf(
    ctx,
    planned.filter((_, i) => outcomes[i]!.problem === null)
  )
  return [
    ...outcomes.map((one) => (entered.has(one.line) ? { ...one, isNew: true, hasBirthDate: true } : one)),
    ...refused
  ].sort((a, b) => a.line - b.line)
}

/** Rows with whom they name, and those that cannot be imported. */
async function planRows(ctx: Ctx, lines: InputLine[]): Promise<{ planned: Planned[]; refused: Outcome[] }> {
  const facts = { now: ctx.now, ...(await storeContext(ctx)) }
  const refused: Outcome[] = []
  const refuse = (line: number, problem: Problem) =>
    refused.push({ line, points: 0, isNew: false, hasBirthDate: false, problem })
  const readable = lines.flatMap(({ line, input, refusal }) => {
    const read = input === null ? { row: null, refusal } : readLoyaltyRow(input, facts)
    if (read.row !== null) return [{ line, row: read.row }]
    refuse(line, { field: read.refusal.field, message: read.refusal.message })
    return []
  })
  const named = await findNamedCustomers(
    ctx,
    readable.map(({ row }) => row)
  )
  const planned = readable.flatMap(({ line, row }, i) => {
    const { found, problem } = named[i]!
    const wrong = problem ?? whyNot(found, row)
    if (wrong === null) return [{ line, memberId: found!.id, row }]
    refuse(line, wrong)
    return []
  })
  return { planned, refused }
}

function whyNot({ isDeleted }: LookedUpCustomer, { tier }: LoyaltyRow): Problem | null {
  if (isDeleted) {
    return { field: 'customer_id', message: 'The customer was deleted on the platform' }
  }
  if (tier === null) return null
  return {
    field: 'tier',
    message: 'tier must be empty: customers enter tiers by what they earn and spend, not by a file'
  }
}

const operationOf = (memberId: number) => `loyalty-import:${memberId}`

const isSame = (a: Imported, b: Imported) => a.points === b.points && a.lifetimePoints === b.lifetimePoints

const differs = (memberId: number, { points, lifetimePoints }: Imported): Problem => ({
  field: 'points',
  message: `${publicId('cust', memberId)} has had points by an import before: ${points}, and ${lifetimePoints} in all; they are not imported again`
})

/** What was imported before, also for customers who were merged into these. */
function listImported(ctx: Ctx, memberIds: number[]): Promise<(Imported & { memberId: number })[]> {
  return ctx.tx.many(
    row({ memberId: int, points: int, lifetimePoints: int }),
    sql`
    select coalesce(m.merged_into, m.id) as member_id, e.points, e.lifetime_points
      from members m
      join points_entries e on e.store_id = ${ctx.storeId} and e.operation_id = 'loyalty-import:' || m.id
     where m.store_id = ${ctx.storeId} and (m.id = any(${memberIds}::bigint[]) or m.merged_into = any(${memberIds}::bigint[]))
     order by e.id`
  )
}

/** Enters the birth dates that are not known; returns the lines whose were. */
async function enterBirthDatesOf(ctx: Ctx, planned: Planned[]): Promise<Set<number>> {
  const first = new Map<number, { line: number; birthDate: Temporal.PlainDate }>()
  for (const { line, memberId, row } of planned) {
    if (row.birthDate !== null && !first.has(memberId)) first.set(memberId, { line, birthDate: row.birthDate })
  }
  const entered = await enterBirthDates(
    ctx,
    [...first].map(([memberId, { birthDate }]) => ({ memberId, birthDate }))
  )
  return new Set([...entered].map((memberId) => first.get(memberId)!.line))
}
