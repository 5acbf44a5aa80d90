import type { Ctx } from '#kit/postgres'
import { ALL, openAccounts } from './open-accounts.ts'
import type { PointsCause, PointsEntry } from './points.ts'
import { type EntryToReverse, listEntriesToReverse, listOperations, listSpentLots } from './queries.ts'
import { issuedPoints, isUndoing, restoreSpent, takeBack } from './undo.ts'
import { writePoints } from './write-points.ts'

/** An entry that is to be undone. */
export type PointsReversal = Omit<PointsCause, 'memberId' | 'orderId'> & { entryId: number }

/**
 * Undoes entries of this store: takes back what is left of points that were issued, at most the balance, with the rest as the shortfall of the entry;
 * gives back points that were spent, to the lots that they came from. What is undone already stays so. Where refunds and disputes have taken all of an
 * entry, one that moves nothing says that they give nothing of it back any more. Returns the entries.
 */
export async function reversePoints(ctx: Ctx, reversals: PointsReversal[]): Promise<PointsEntry[]> {
  if (reversals.length === 0) return []
  const entryIds = reversals.map(({ entryId }) => entryId)
  const first = await listEntriesToReverse(ctx, entryIds)
  const found = first.filter(({ id }) => entryIds.includes(id))
  const lots = await listSpentLots(ctx, [...new Set(found.flatMap(({ spentLots }) => spentLots ?? []))])
  const { drafts, entries, draftOf } = await openAccounts(
    ctx,
    found.map(({ id, memberId, points, pendingPoints, spentLots }) => ({
      ...{ memberId, adds: true, takes: points + pendingPoints > 0 ? ALL : 0 },
      lotsOf: [id, ...(spentLots ?? []).map((one) => lots.get(one)!.lotId)]
    }))
  )
  // Read again behind the locks: somebody else may have undone them meanwhile.
  const rows = await listEntriesToReverse(ctx, entryIds)
  const operationIds = reversals.map(({ operationId }) => operationId)
  const done = await listOperations(ctx, operationIds)
  for (const { entryId, ...given } of reversals) {
    const entry = rows.find(({ id }) => id === entryId)
    if (!entry || done.has(given.operationId)) continue
    const cause = { ...given, orderId: entry.orderId }
    done.add(cause.operationId)
    const reversing = rows.filter(({ reversesId }) => reversesId === entryId)
    const undone = reversing.reduce((sum, one) => sum + askedBy(one), 0)
    const draft = draftOf(entry.memberId)
    const whole = issuedPoints(entry)
    if (whole < 0) {
      if (undone === 0) restoreSpent(draft, entry, lots, cause, ctx.now)
    } else if (whole > 0 && !reversing.some(isUndoing)) {
      const earnedBy = rows.find(({ pendingId }) => pendingId === entryId) ?? null
      takeBack(draft, { entry, earnedBy }, whole - undone, cause, { reversal: null, reversedPoints: whole })
    }
  }
  const asked = new Set(operationIds)
  return (await writePoints(ctx, drafts, entries)).filter(({ operationId }) => asked.has(operationId))
}

/** How much a reversal has asked for. */
const askedBy = ({ points, pendingPoints, shortfallPoints }: EntryToReverse) => shortfallPoints - points - pendingPoints
