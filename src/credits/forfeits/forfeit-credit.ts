import type { Ctx } from '#kit/postgres'
import { writeAccounts } from '../change-credits.ts'
import type { CreditEntry } from '../credit.ts'
import { openAccounts } from '../open-accounts.ts'
import { availableOf, planChange } from '../plan-change.ts'
import { listEntriesOf } from '../queries.ts'

export type Forfeit = {
  memberId: number
  reason: string
  operationId: string
  /** The operation that earlier versions made of the same cause: what it took, and nobody gave back, counts as taken. */
  formerId?: string
}

/**
 * Takes all credit that members have available. What a reservation holds was promised to a checkout: it is the shortfall of the entry, and is taken
 * as far as the reservation gives it back. Returns an entry for each who had credit; an operation that has its entry already takes
 * nothing more.
 */
export async function forfeitCredit(ctx: Ctx, forfeits: Forfeit[]): Promise<CreditEntry[]> {
  if (forfeits.length === 0) return []
  const operations = forfeits.flatMap(({ operationId, formerId }) =>
    formerId === undefined ? operationId : [operationId, formerId, undoneOf(formerId)]
  )
  const { drafts, draftOf, read } = await openAccounts(
    ctx,
    forfeits.map(({ memberId }) => ({ memberId, spends: Number.MAX_SAFE_INTEGER })),
    () => listEntriesOf(ctx, operations)
  )
  const before = new Set(read.map(({ operationId }) => operationId))
  const isTaken = (former: string) => before.has(former) && !before.has(undoneOf(former))
  const planned = forfeits.flatMap(({ memberId, reason, operationId, formerId }) => {
    const draft = draftOf(memberId)
    if (before.has(operationId) || (formerId !== undefined && isTaken(formerId))) return []
    const amountMinor = -(availableOf(draft) + draft.reservedMinor)
    if (amountMinor === 0) return []
    const change = { memberId, type: 'forfeit', amountMinor, reason, operationId, isCapped: true } as const
    const entry = planChange(draft, change, ctx.now)
    if (typeof entry === 'string') throw new Error(`Credit cannot be forfeited: ${entry}`)
    return [entry]
  })
  const { entries } = await writeAccounts(ctx, drafts, planned)
  return planned.map(({ operationId }) => entries.get(operationId)!)
}

/** The operation that gives back a forfeit. */
export const undoneOf = (operationId: string): string => `undone:${operationId}`
