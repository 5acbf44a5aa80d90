import type { Ctx } from '#kit/postgres'
import { writeAccounts } from './change-credits.ts'
import type { CreditEntry } from './credit.ts'
import { openAccounts } from './open-accounts.ts'
import { availableOf, planChange } from './plan-change.ts'
import { listEntriesOf } from './queries.ts'

export type Forfeit = { memberId: number; reason: string; operationId: string }

/**
 * Takes all credit that members have available. What a reservation holds stays until the reservation ends: it was promised to a
 * checkout. Returns an entry for each who had credit; an operation that has its entry already takes nothing more.
 */
export async function forfeitCredit(ctx: Ctx, forfeits: Forfeit[]): Promise<CreditEntry[]> {
  if (forfeits.length === 0) return []
  const operations = forfeits.map(({ operationId }) => operationId)
  const { drafts, read } = await openAccounts(
    ctx,
    forfeits.map(({ memberId }) => ({ memberId, spends: Number.MAX_SAFE_INTEGER })),
    () => listEntriesOf(ctx, operations)
  )
  const before = new Set(read.map(({ operationId }) => operationId))
  const planned = forfeits.flatMap(({ memberId, reason, operationId }) => {
    const draft = drafts.get(memberId)
    if (!draft || before.has(operationId)) return []
    const amountMinor = -availableOf(draft)
    if (amountMinor === 0) return []
    const entry = planChange(draft, { memberId, type: 'forfeit', amountMinor, reason, operationId }, ctx.now)
    if (typeof entry === 'string') throw new Error(`Credit cannot be forfeited: ${entry}`)
    return [entry]
  })
  const { entries } = await writeAccounts(ctx, [...drafts.values()], planned)
  return planned.map(({ operationId }) => entries.get(operationId)!)
}
