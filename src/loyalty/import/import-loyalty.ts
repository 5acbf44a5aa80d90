import { findNamedCustomers, type InputLine, type RowsFile, readInputs, workOrTry } from '#imports'
import { publicId } from '#kit/ids'
import { type Ctx, type Database, int, row, sql } from '#kit/postgres'
import { enterBirthDates, type LookedUpCustomer, lockMembers } from '#members'
import { importPoints } from '#points'
import { storeContext } from '#stores'
import { grantTiers } from '../customer-tiers/grant-tiers.ts'
import { listEverGranted } from '../customer-tiers/granted-tier-queries.ts'
import type { LoyaltyTier } from '../tiers/tier.ts'
import { listTiers } from '../tiers/tier-queries.ts'
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
  /** Customers who were given a tier. */
  tiers: number
  birthDates: number
  problems: (Problem & { line: number })[]
}

type Outcome = {
  line: number
  points: number
  isNew: boolean
  hasTier: boolean
  hasBirthDate: boolean
  problem: Problem | null
}

/** What was imported for a customer, or of who was merged into them. */
type Imported = { points: number; lifetimePoints: number }

/** What customers have had by an import before: points, and the ids of tiers. */
type Known = { points: Map<number, Imported[]>; tiers: Map<number, number[]> }

const nothingKnown = (): Known => ({ points: new Map(), tiers: new Map() })

/**
 * Imports what customers have of loyalty from before: points, which are added once for each customer, tiers, which hold to their first review, and
 * birth dates that are not known. An import that was interrupted is simply repeated. Refuses an invalid header; a row that is wrong does not affect
 * the others.
 */
export async function importLoyalty(db: Database, storeId: number, file: LoyaltyFile): Promise<LoyaltyImportReport> {
  const report: LoyaltyImportReport = {
    rows: 0,
    imported: 0,
    repeated: 0,
    refused: 0,
    points: 0,
    tiers: 0,
    birthDates: 0,
    problems: []
  }
  // What a dry run would have imported before; a real one finds it in the tables.
  const tried = nothingKnown()
  for await (const lines of readInputs(file, LOYALTY_FIELDS, BATCH)) {
    const outcomes = await workOrTry(db, storeId, file.isDryRun, (ctx) => importBatch(ctx, lines, file, tried))
    for (const { line, points, isNew, hasTier, hasBirthDate, problem } of outcomes) {
      report.rows++
      report.points += points
      if (hasTier) report.tiers++
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

/** `tier`: the one that the row names. */
type Planned = { line: number; memberId: number; row: LoyaltyRow; tier: LoyaltyTier | null }

async function importBatch(ctx: Ctx, lines: InputLine[], { isDryRun }: LoyaltyFile, tried: Known): Promise<Outcome[]> {
  const tiers = await listTiers(ctx)
  const { planned, refused } = await planRows(ctx, lines, tiers)
  const memberIds = [...new Set(planned.map(({ memberId }) => memberId))].sort((a, b) => a - b)
  // Of two imports at once, the later sees what the other has added.
  await lockMembers(ctx, memberIds)
  const known = isDryRun ? tried : nothingKnown()
  for (const { memberId, ...one } of await listImported(ctx, memberIds)) addTo(known.points, memberId, one)
  for (const { memberId, tierId } of await listEverGranted(ctx, memberIds)) addTo(known.tiers, memberId, tierId)
  const [newPoints, newTiers]: [Planned[], (Planned & { tier: LoyaltyTier })[]] = [[], []]
  const outcomes = planned.map((one): Outcome => {
    const { line, memberId, row, tier } = one
    const [points, granted] = [known.points.get(memberId) ?? [], known.tiers.get(memberId) ?? []]
    const problem = differs(one, { points, granted, tiers })
    const hasPoints = problem === null && row.lifetimePoints > 0 && points.length === 0
    const hasTier = problem === null && tier !== null && granted.length === 0
    if (hasPoints) {
      newPoints.push(one)
      addTo(known.points, memberId, row)
    }
    if (hasTier) {
      newTiers.push({ ...one, tier })
      addTo(known.tiers, memberId, tier.id)
    }
    const isNew = hasPoints || hasTier
    return { line, points: hasPoints ? row.points : 0, isNew, hasTier, hasBirthDate: false, problem }
  })
  await importPoints(
    ctx,
    newPoints.map(({ memberId, row: { points, lifetimePoints } }) => ({
      ...{ memberId, points, lifetimePoints, reason: 'import', operationId: operationOf(memberId) }
    }))
  )
  await grantTiers(ctx, newTiers, tiers)
  const entered = await enterBirthDatesOf(
    ctx,
    planned.filter((_, i) => outcomes[i]!.problem === null)
  )
  return [
    ...outcomes.map((one) => (entered.has(one.line) ? { ...one, isNew: true, hasBirthDate: true } : one)),
    ...refused
  ].sort((a, b) => a.line - b.line)
}

function addTo<T>(lists: Map<number, T[]>, key: number, one: T): void {
  lists.set(key, [...(lists.get(key) ?? []), one])
}

/** Rows with whom they name, and those that cannot be imported. */
async function planRows(
  ctx: Ctx,
  lines: InputLine[],
  tiers: LoyaltyTier[]
): Promise<{ planned: Planned[]; refused: Outcome[] }> {
  const facts = { now: ctx.now, ...(await storeContext(ctx)) }
  const refused: Outcome[] = []
  const refuse = (line: number, problem: Problem) =>
    refused.push({ line, points: 0, isNew: false, hasTier: false, hasBirthDate: false, problem })
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
    const tier = row.tier === null ? null : activeTier(tiers, row.tier)
    const wrong = problem ?? whyNot(found, row, tier, tiers)
    if (wrong === null) return [{ line, memberId: found!.id, row, tier }]
    refuse(line, wrong)
    return []
  })
  return { planned, refused }
}

function whyNot(
  { isDeleted }: LookedUpCustomer,
  row: LoyaltyRow,
  tier: LoyaltyTier | null,
  tiers: LoyaltyTier[]
): Problem | null {
  if (isDeleted) return { field: 'customer_id', message: 'The customer was deleted on the platform' }
  if (row.tier === null || tier !== null) return null
  const names = tiers.flatMap(({ isActive, name }) => (isActive ? name : []))
  const known = names.length === 0 ? 'it has none' : `${names.slice(0, 10).join(', ')}${names.length > 10 ? ' …' : ''}`
  return { field: 'tier', message: `tier must be the name of an active tier of the store: ${known}` }
}

/** Capitals do not matter, as in the names of tiers. */
const activeTier = (tiers: LoyaltyTier[], name: string): LoyaltyTier | null =>
  tiers.find((one) => one.isActive && one.name.toLowerCase() === name.toLowerCase()) ?? null

const operationOf = (memberId: number) => `loyalty-import:${memberId}`

/** Why a row contradicts what its customer has had by an import before; null: it does not. */
function differs(
  { memberId, row, tier }: Planned,
  { points, granted, tiers }: { points: Imported[]; granted: number[]; tiers: LoyaltyTier[] }
): Problem | null {
  const customer = publicId('cust', memberId)
  const isSame = (other: Imported) => other.points === row.points && other.lifetimePoints === row.lifetimePoints
  if (row.lifetimePoints > 0 && points.length > 0 && !points.some(isSame)) {
    const { points: before, lifetimePoints } = points[0]!
    const message = `${customer} has had points by an import before: ${before}, and ${lifetimePoints} in all; they are not imported again`
    return { field: 'points', message }
  }
  if (tier !== null && granted.length > 0 && !granted.includes(tier.id)) {
    const name = tiers.find(({ id }) => id === granted[0])?.name
    return {
      field: 'tier',
      message: `${customer} has had a tier by an import before: ${name}; it is not imported again`
    }
  }
  return null
}

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
