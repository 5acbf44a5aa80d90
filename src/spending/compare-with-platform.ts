import { listAvailableCredit } from '#credits'
import { isoOrNull } from '#kit/clock'
import { type Ctx, type Database, instant, nullable, row, sql, text } from '#kit/postgres'
import type { Connector, PlatformResult } from '#platform'
import { storeContext } from '#stores'
import { listAccountOwners } from './platform-account/account-queries.ts'
import { type GiftCard, listGiftCards } from './platform-account/gift-card-queries.ts'
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
  const { currency, platformId, way, cards } = await db.inStore(storeId, async (ctx) => ({
    currency: (await storeContext(ctx)).currency,
    platformId: (await listAccountOwners(ctx, [memberId])).get(memberId)!.platformId,
    way: (await listWays(ctx, [memberId])).get(memberId) ?? null,
    cards: (await listGiftCards(ctx, [memberId])).filter(({ status }) => status !== 'closed')
  }))
  const found = await readBalance(await connectorOf(storeId), { platformId, currency, way, cards })
  const { availableMinor, state } = await db.inStore(storeId, async (ctx) => ({
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
    platformMinor: found.ok ? found.value : null,
    waits: isoOrNull(state?.dueAt ?? null),
    problem: state?.problem ?? state?.lastError ?? (found.ok ? null : found.failure.message)
  }
}

/** What a customer has on the platform in all; null where it does not show the customer. */
async function readBalance(
  { storeCredit, giftCards }: Connector,
  of: { platformId: string; currency: string; way: SpendingWay | null; cards: GiftCard[] }
): Promise<PlatformResult<number | null>> {
  const { platformId, currency, way } = of
  const ids = of.cards.flatMap((card) => card.platformId ?? [])
  const onCards = ids.length === 0 ? null : await giftCards.findMany(ids, currency)
  if (onCards && !onCards.ok) return onCards
  const cardsMinor = [...(onCards?.value.values() ?? [])].reduce((sum, { balanceMinor }) => sum + balanceMinor, 0)
  if (way === 'giftcard') return { ok: true, value: cardsMinor }
  const found = await storeCredit.findMany([platformId], currency)
  if (!found.ok) return found
  if (!found.value.has(platformId)) return { ok: true, value: null }
  return { ok: true, value: cardsMinor + (found.value.get(platformId)?.balanceMinor ?? 0) }
}
