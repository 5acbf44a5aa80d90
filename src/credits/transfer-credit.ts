import type { Ctx } from '#kit/postgres'
import { changeCredits, writeAccounts } from './change-credits.ts'
import type { CreditChange } from './credit.ts'
import { nothingElse, openAccounts } from './open-accounts.ts'
import { planAbort } from './plan-reservation.ts'
import { listSpendable, lockAccounts } from './queries.ts'

const MAX_LOTS = 10_000

/**
 * Transfers the credit that a customer can spend to another, after the platform merged the two: it is deducted from one ledger and
 * added to the other, lot by lot with its expiry. Open reservations of the first end: nobody would look for their credit there.
 * `cause` identifies the merge, so that it happens once.
 */
export async function transferCredit(ctx: Ctx, fromMember: number, toMember: number, cause: string): Promise<void> {
  const accounts = await lockAccounts(ctx, [fromMember, toMember])
  if (!accounts.some((account) => account.memberId === fromMember && account.balanceMinor > 0)) return
  await abortReservations(ctx, fromMember)
  const lots = await listSpendable(ctx, [{ memberId: fromMember, most: MAX_LOTS }])
  const changes = lots.flatMap(({ entryId, remainingMinor, expiresAt }): CreditChange[] => {
    if (entryId === null || remainingMinor === null) return []
    const operationId = `${cause}:${entryId}`
    const common = {
      type: 'reconciled' as const,
      reason: 'Customers were merged on the platform',
      mark: 'merge' as const
    }
    return [
      { ...common, memberId: fromMember, amountMinor: -remainingMinor, operationId: `${operationId}:out` },
      { ...common, memberId: toMember, amountMinor: remainingMinor, operationId: `${operationId}:in`, expiresAt }
    ]
  })
  await changeCredits(ctx, changes)
}

async function abortReservations(ctx: Ctx, memberId: number): Promise<void> {
  const { drafts } = await openAccounts(ctx, [{ memberId }], nothingElse)
  for (const draft of drafts.values()) {
    const open = draft.reservations.filter(({ status }) => status === 'reserved')
    for (const reservation of open) planAbort(draft, reservation, 'merged', ctx.now)
    await writeAccounts(ctx, [draft], [])
  }
}
