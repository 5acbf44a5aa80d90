import type { Ctx } from '#kit/postgres'
import { storeContext } from '#stores'
import { writeAccounts } from './change-credits.ts'
import type { Credit, CreditEntry, CreditMark } from './credit.ts'
import { openAccounts } from './open-accounts.ts'
import { availableOf, creditOf, planChange } from './plan-change.ts'
import { listEntriesOf } from './queries.ts'
import { belowReserved, customerDeleted, tooMuchCredit } from './refusals.ts'

export type CreditReconciliation = {
  memberId: number
  /** What the customer really has, with what is reserved, and without credit that is past its date. */
  balanceMinor: number
  reason: string
  operationId: string
  /** `drift`: the difference was found against the platform's own account. */
  mark?: CreditMark | null
}

/**
 * Brings an account to the balance that it should have, by one entry of the difference; none where there is no difference, or the
 * operation has its entry already. Refuses a balance below what is reserved, and a higher one by hand for a customer who is deleted on
 * the platform.
 */
export async function reconcileCredit(
  ctx: Ctx,
  { memberId, balanceMinor, reason, operationId, mark = null }: CreditReconciliation
): Promise<{ entry: CreditEntry | null; credit: Credit }> {
  const wants = [{ memberId, adds: true, spends: Number.MAX_SAFE_INTEGER }]
  const { draftOf, read } = await openAccounts(ctx, wants, () => listEntriesOf(ctx, [operationId]))
  const draft = draftOf(memberId)
  const [before] = read
  if (before) return { entry: before, credit: creditOf(draft) }
  const amountMinor = balanceMinor - (draft.balanceMinor - draft.dueMinor)
  if (-amountMinor > availableOf(draft)) {
    const { currency } = await storeContext(ctx)
    throw belowReserved(balanceMinor, draft.reservedMinor, currency)
  }
  if (amountMinor > 0 && draft.isDeleted && mark === null) throw customerDeleted(draft.memberId)
  const change = { memberId, type: 'reconciled' as const, amountMinor, reason, operationId, mark }
  const planned = amountMinor === 0 ? null : planChange(draft, change, ctx.now)
  if (typeof planned === 'string') throw tooMuchCredit()
  const { entries } = await writeAccounts(ctx, [draft], planned ? [planned] : [])
  return { entry: entries.get(operationId) ?? null, credit: creditOf(draft) }
}
