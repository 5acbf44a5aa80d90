import type { Ctx } from '#kit/postgres'
import { type CreditOutcome, changeCredits } from './change-credits.ts'
import type { CreditChange, CreditMark, LotPart } from './credit.ts'
import { listEntriesOf, lockAccounts } from './queries.ts'
import { listDeductions, listLotDates, listMembersOfEntries } from './reversal-queries.ts'

type Deduction = Awaited<ReturnType<typeof listDeductions>>[number]
type LotDate = Awaited<ReturnType<typeof listLotDates>>[number]

export type Restoration = {
  /** The deduction that is reversed, and who gets the credit: after a merge of customers not who had it then. */
  entryId: number
  memberId: number
  /** At most what is left of the deduction, which is also the default. */
  amountMinor?: number
  type: 'redemption_restored' | 'refund' | 'dispute' | 'forfeit'
  reason: string
  operationId: string
  mark?: CreditMark | null
  /** Of a refund, dispute or forfeit: its first entry, and what of its shortfall is no longer asked for. */
  takeBackId?: number | null
  droppedMinor?: number
}

/**
 * Gives back what deductions have taken, each by a linked entry: never more than was deducted and not restored yet. Null where
 * nothing is left to restore. A shortfall that is dropped has an entry, also where nothing is given back.
 *
 * The credit returns to the lots that it was spent from, those that expire last first: afterwards they are as if only the rest had
 * been spent. What came from a lot whose date has passed meanwhile gets a lot of its own, for as long as that one had left when it
 * was spent, or when it was reserved: reserved credit outlives its date.
 */
export async function restoreCredit(ctx: Ctx, restorations: Restoration[]): Promise<(CreditOutcome | null)[]> {
  if (restorations.length === 0) return []
  const entryIds = [...new Set(restorations.map(({ entryId }) => entryId))]
  const owners = await listMembersOfEntries(ctx, entryIds)
  await lockAccounts(ctx, [...new Set([...owners, ...restorations.map(({ memberId }) => memberId)])])
  const deductions = new Map((await listDeductions(ctx, entryIds)).map((deduction) => [deduction.id, deduction]))
  const lotIds = [...deductions.values()].flatMap(({ spentLots }) => spentLots ?? [])
  const dates = new Map((await listLotDates(ctx, lotIds)).map((lot) => [lot.id, lot]))
  const repeated = new Set(
    (
      await listEntriesOf(
        ctx,
        restorations.map(({ operationId }) => operationId)
      )
    ).map(({ operationId }) => operationId)
  )

  const changes: CreditChange[] = []
  const indexes = restorations.map(({ entryId, amountMinor, droppedMinor = 0, ...restoration }) => {
    const deduction = deductions.get(entryId)
    if (!deduction) return null
    const left = deduction.deductedMinor - deduction.restoredMinor
    const isRepeated = repeated.has(restoration.operationId)
    // The amount of a repetition does not matter: its entry is there.
    const minor = isRepeated ? 1 : Math.min(amountMinor ?? left, left)
    if (minor <= 0 && droppedMinor === 0) return null
    const { returns, expiresAt } = isRepeated
      ? { returns: [], expiresAt: null }
      : destinationOf(ctx, deduction, minor, restoration.memberId, dates)
    if (!isRepeated) deduction.restoredMinor += minor
    const { orderId } = deduction
    const dropped = droppedMinor > 0 && { shortfallMinor: -droppedMinor }
    const change = { ...restoration, amountMinor: minor, orderId, reversesId: entryId, returns, expiresAt, ...dropped }
    return changes.push(change) - 1
  })
  const outcomes = await changeCredits(ctx, changes)
  return indexes.map((index) => (index === null ? null : outcomes[index]!))
}

/** Where restored credit goes: parts of lots, and the date of the rest, which becomes a lot of the restoring entry. */
function destinationOf(
  ctx: Ctx,
  deduction: Deduction,
  minor: number,
  memberId: number,
  dates: Map<number, LotDate>
): { returns: NonNullable<CreditChange['returns']>; expiresAt: Temporal.Instant | null } {
  const returns: NonNullable<CreditChange['returns']> = []
  const ends: (Temporal.Instant | null)[] = []
  for (const { entryId, minor: part } of partsOf(deduction, minor)) {
    const lot = dates.get(entryId)
    const expiresAt = lot?.expiresAt ?? null
    const isOver = expiresAt !== null && Temporal.Instant.compare(expiresAt, ctx.now) <= 0
    if (lot?.memberId === memberId && !isOver) returns.push({ entryId, minor: part, expiresAt })
    else ends.push(isOver ? ctx.now.add(expiresAt.since(deduction.chosenAt)) : expiresAt)
  }
  const known = returns.reduce((sum, part) => sum + part.minor, 0)
  if (known === minor) return { returns, expiresAt: latest(returns.map(({ expiresAt }) => expiresAt)) }
  return { returns, expiresAt: latest(ends) }
}

/** The parts of lots that an amount was spent from, the last one first, after what was restored before. */
function partsOf({ spentLots, spentMinors, restoredMinor }: Deduction, minor: number): LotPart[] {
  let skipped = restoredMinor
  let wanted = minor
  const parts: LotPart[] = []
  for (let i = (spentLots?.length ?? 0) - 1; i >= 0 && wanted > 0; i--) {
    const spent = spentMinors![i]!
    const before = Math.min(spent, skipped)
    skipped -= before
    const part = Math.min(spent - before, wanted)
    wanted -= part
    if (part > 0) parts.push({ entryId: spentLots![i]!, minor: part })
  }
  return parts
}

/** Null, never, is later than any date; so is nothing known. */
function latest(instants: (Temporal.Instant | null)[]): Temporal.Instant | null {
  if (instants.length === 0) return null
  return instants.reduce((a, b) => (a === null || b === null ? null : Temporal.Instant.compare(a, b) >= 0 ? a : b))
}
