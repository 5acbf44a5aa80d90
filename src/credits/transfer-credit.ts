import type { Ctx } from '#kit/postgres'
import { changeCredits, writeAccounts } from './change-credits.ts'
import type { CreditChange } from './credit.ts'
import { nothingElse, openAccounts } from './open-accounts.ts'
import { planAbort } from './plan-reservation.ts'
import { type Account, deleteEmptyAccount, insertMissingAccounts, listSpendable, lockAccounts } from './queries.ts'

const MAX_LOTS = 10_000

/**
 * Transfers the credit that a customer can spend to another, after the platform merged the two: it is deducted from one ledger and
 * added to the other, lot by lot with its expiry. Open reservations of the first end: nobody would look for their credit there.
 * `cause` identifies the merge, so that it happens once.
 */
export async function transferCredit(ctx: Ctx, fromMember: number, toMember: number, cause: string): Promise<void> {
  const account = await lockFrom(ctx, fromMember, toMember)
  if (account.balanceMinor === 0) return
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
      { ...common, memberId: fromMember, amountMinor: -remainingMinor, operationId: `${operationId}:out`, isOwn: true },
      { ...common, memberId: toMember, amountMinor: remainingMinor, operationId: `${operationId}:in`, expiresAt }
    ]
  })
  await changeCredits(ctx, changes)
}

/**
 * Locks both accounts. One that the first does not have yet may be being made by somebody who has not seen the merge: it is made here, which
 * waits for them, and is removed again where they did not come first. Whoever comes later sees the merge.
 */
async function lockFrom(ctx: Ctx, fromMember: number, toMember: number): Promise<Pick<Account, 'balanceMinor'>> {
  const accounts = await lockAccounts(ctx, [fromMember, toMember])
  const before = accounts.find(({ memberId }) => memberId === fromMember)
  if (before) return before
  await insertMissingAccounts(ctx, [fromMember])
  const [made] = await lockAccounts(ctx, [fromMember])
  if (made!.entries === 0) await deleteEmptyAccount(ctx, fromMember)
  return made!
}

async function abortReservations(ctx: Ctx, memberId: number): Promise<void> {
  const { drafts } = await openAccounts(ctx, [{ memberId, isOwn: true }], nothingElse)
  for (const draft of drafts) {
    const open = draft.reservations.filter(({ status }) => status === 'reserved')
    for (const reservation of open) planAbort(draft, reservation, 'merged', ctx.now)
    await writeAccounts(ctx, [draft], [])
  }
}
