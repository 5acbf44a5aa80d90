import type { Ctx } from '#kit/postgres'
import { addLot, append } from './draft.ts'
import { openAccounts } from './open-accounts.ts'
import type { PointsCause, PointsEntry } from './points.ts'
import { listOperations } from './queries.ts'
import { writePoints } from './write-points.ts'

/** Points that somebody has from before: what can be spent of them, and all that were ever earned. */
export type ImportedPoints = PointsCause & { points: number; lifetimePoints: number }

/** Adds points that customers bring with them; they have no date. Returns the entries; a repeated operation has none. */
export async function importPoints(ctx: Ctx, imports: ImportedPoints[]): Promise<PointsEntry[]> {
  if (imports.length === 0) return []
  const { drafts, entries, draftOf } = await openAccounts(
    ctx,
    imports.map(({ memberId }) => ({ memberId, adds: true }))
  )
  const operationIds = imports.map(({ operationId }) => operationId)
  const done = await listOperations(ctx, operationIds)
  for (const { points, lifetimePoints, ...cause } of imports) {
    if (done.has(cause.operationId)) continue
    done.add(cause.operationId)
    const draft = draftOf(cause.memberId)
    if (points > 0) addLot(draft, points, { operationId: cause.operationId, expiresAt: null })
    append(draft, 'adjusted', cause, { points, lifetimePoints })
  }
  const asked = new Set(operationIds)
  return (await writePoints(ctx, drafts, entries)).filter(({ operationId }) => asked.has(operationId))
}
