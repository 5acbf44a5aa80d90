import type { Ctx } from '#kit/postgres'
import { append } from './draft.ts'
import { ALL, openAccounts } from './open-accounts.ts'
import { deleteUnusedAccounts } from './queries.ts'
import { writePoints } from './write-points.ts'

/**
 * Transfers all points of a customer to another, after the platform merged the two: what can be spent with its dates, what is pending, and
 * all that was ever earned. `cause` identifies the merge: it happens once.
 */
export async function transferPoints(ctx: Ctx, fromMember: number, toMember: number, cause: string): Promise<void> {
  // An account that the first does not have yet may be being made by somebody who has not seen the merge: it is made here, which waits for them.
  const { drafts, entries } = await openAccounts(ctx, [
    { memberId: fromMember, isOwn: true, adds: true, takes: ALL },
    { memberId: toMember, isOwn: true, adds: true }
  ])
  const from = drafts.find(({ memberId }) => memberId === fromMember)!
  const to = drafts.find(({ memberId }) => memberId === toMember)!
  const { balance: points, pendingPoints, lifetimePoints } = from
  if (points > 0 || pendingPoints > 0 || lifetimePoints > 0) {
    const reason = 'Customers were merged on the platform'
    const less = { points: -points, pendingPoints: -pendingPoints, lifetimePoints: -lifetimePoints }
    append(from, 'adjusted', { reason, operationId: `${cause}:out` }, less)
    append(to, 'adjusted', { reason, operationId: `${cause}:in` }, { points, pendingPoints, lifetimePoints })
    // A lot stays that of the entry which made it, whoever has it now.
    to.lots.push(...from.lots.map((lot) => ({ ...lot, isChanged: true })))
    to.pending.push(...from.pending.map((one) => ({ ...one, isChanged: true })))
    from.lots = []
    from.pending = []
  }
  await writePoints(ctx, drafts, entries)
  if (points === 0 && pendingPoints === 0 && lifetimePoints === 0)
    await deleteUnusedAccounts(ctx, [fromMember, toMember])
}
