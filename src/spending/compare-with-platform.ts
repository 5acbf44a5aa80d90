import { listAvailableCredit } from '#credits'
import { isoOrNull } from '#kit/clock'
import { type Ctx, type Database, instant, nullable, row, sql, text } from '#kit/postgres'
import type { Connector } from '#platform'
import { storeContext } from '#stores'
import { listAccountOwners } from './platform-account/account-queries.ts'
import { refreshAccounts } from './refresh-accounts.ts'
import { walkSpendingNow } from './spending-walks.ts'
import { listWays, type SpendingWay } from './ways.ts'

/**
 * A customer's credit here and on the platform. `platformMinor`: null where the platform could not be read or does not show the customer.
 * `waits`: since when the account is to be compared. `problem`: why it cannot be as it should be.
 */
export type ComparedCredit = {
  way: SpendingWay | null
  availableMinor: number
  platformMinor: number | null
  waits: string | null
  problem: string | null
}

/** Has the account of one customer compared with the platform now and put right, or those of all customers with credit. */
export async function reconcileWithPlatform(ctx: Ctx, memberId: number | null): Promise<void> {
  if (memberId === null) return walkSpendingNow(ctx)
  await refreshAccounts(ctx, [memberId])
}

/** Reads what a customer can spend here and has on the platform. Changes nothing. */
export async function compareWithPlatform(
  { db, connectorOf }: { db: Database; connectorOf: (storeId: number) => Promise<Connector> },
  storeId: number,
  memberId: number
): Promise<ComparedCredit> {
  const { currency, platformId } = await db.inStore(storeId, async (ctx) => ({
    currency: (await storeContext(ctx)).currency,
    platformId: (await listAccountOwners(ctx, [memberId])).get(memberId)!.platformId
  }))
  const found = await (await connectorOf(storeId)).storeCredit.findMany([platformId], currency)
  const isShown = found.ok && found.value.has(platformId)
  const { way, availableMinor, state } = await db.inStore(storeId, async (ctx) => ({
    way: (await listWays(ctx, [memberId])).get(memberId) ?? null,
    availableMinor: (await listAvailableCredit(ctx, [memberId])).get(memberId) ?? 0,
    state: await ctx.tx.maybeOne(
      row({ dueAt: nullable(instant), problem: nullable(text), lastError: nullable(text) }),
      sql`select due_at, problem, last_error from spending_accounts
           where store_id = ${ctx.storeId} and member_id = ${memberId}`
    )
  }))
  return {
    way,
    availableMinor,
    platformMinor: isShown ? (found.value.get(platformId)?.balanceMinor ?? 0) : null,
    waits: isoOrNull(state?.dueAt ?? null),
    problem: state?.problem ?? state?.lastError ?? (found.ok ? null : found.failure.message)
  }
}
