import { listAvailableCredit } from '#credits'
import { isoOrNull } from '#kit/clock'
import { type Ctx, type Database, instant, int, nullable, row, sql, text } from '#kit/postgres'
import type { Connector, PlatformResult } from '#platform'
import { storeContext } from '#stores'
import { gatherMergedCredit } from './gather-merged-credit.ts'
import { listAccountOwners } from './platform-account/account-queries.ts'
import { type GiftCard, listGiftCards } from './platform-account/gift-card-queries.ts'
import { restoreOrdersOf } from './redemptions/restore-orders.ts'
import { refreshAccounts } from './refresh-accounts.ts'
import { walkSpendingNow } from './spending-walks.ts'
import { isMirrored, listWays, type SpendingWay } from './ways.ts'

/**
 * A customer's credit here and on the platform. `platformMinor`, `isInStep` and the balance of the card: null where the platform could not
 * be read or does not show the customer. `waits`: from when on (store time) the account is to be compared. `problem`: why it cannot be as it should be.
 */
export type ComparedCredit = {
  way: SpendingWay | null
  availableMinor: number
  platformMinor: number | null
  /** Whether the platform has what it should: all that is available where the way is mirrored, else nothing. */
  isInStep: boolean | null
  card: {
    lastCharacters: string
    balanceMinor: number | null
    createdAt: Temporal.Instant
    notifiedAt: Temporal.Instant | null
  } | null
  waits: string | null
  problem: string | null
}

/**
 * Has the account of one customer compared with the platform now and put right, or those of all customers with credit; and restores what their
 * cancelled and refunded orders should have given back, and moves what merged customers still have to those who were kept.
 */
export async function reconcileWithPlatform(ctx: Ctx, memberId: number | null): Promise<void> {
  if (memberId === null) return walkSpendingNow(ctx)
  await gatherMergedCredit(ctx, [memberId])
  await refreshAccounts(ctx, [memberId])
  await restoreOrdersOf(ctx, [memberId])
}

/** What comparing the accounts of all customers has come to so far. */
export type ReconciledAccounts = {
  /** That are kept on the platform. */
  accounts: number
  /** Of those, the ones that are still to be compared. */
  waiting: number
  /** Entries of what somebody else had changed on the platform, and their sum. */
  drift: { entries: number; minor: number }
}

/** Where the ledger ends now: what is entered later has higher ids, as far as its account is locked later. */
export async function endOfLedger(ctx: Ctx): Promise<number> {
  const { id } = await ctx.tx.one(
    row({ id: int }),
    sql`select coalesce(max(id), 0) as id from credit_entries where store_id = ${ctx.storeId}`
  )
  return id
}

/** What has become of `reconcileWithPlatform` for all customers, when the ledger ended at `since`. */
export async function countReconciled(ctx: Ctx, since: number): Promise<ReconciledAccounts> {
  const { accounts, waiting } = await ctx.tx.one(
    row({ accounts: int, waiting: int }),
    sql`
    select count(*) as accounts,
           -- Until the walk has passed them, all of them wait.
           count(*) filter (where a.due_at is not null or w.next_at <= ${ctx.now} and a.member_id > w.after_id)
             as waiting
      from spending_accounts a left join spending_walks w on w.store_id = ${ctx.storeId}
     where a.store_id = ${ctx.storeId}`
  )
  const drift = await ctx.tx.one(
    row({ entries: int, minor: int }),
    sql`
    select count(*) as entries, coalesce(sum(amount_minor), 0)::bigint as minor from credit_entries
     where store_id = ${ctx.storeId} and id > ${since} and type = 9 and mark = 'drift'`
  )
  return { accounts, waiting, drift }
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
  const platformMinor = found.ok ? found.value.inAllMinor : null
  const wantedMinor = isMirrored(way ?? undefined) ? availableMinor : 0
  const card = cards.find(({ status }) => status === 'active')
  return {
    way,
    availableMinor,
    platformMinor,
    isInStep: platformMinor === null ? null : platformMinor === wantedMinor,
    card: card
      ? {
          lastCharacters: card.lastCharacters,
          balanceMinor: found.ok ? (found.value.cardsMinor.get(card.platformId!) ?? null) : null,
          createdAt: card.createdAt,
          notifiedAt: card.notifiedAt
        }
      : null,
    waits: isoOrNull(state?.dueAt ?? null),
    problem: state?.problem ?? state?.lastError ?? (found.ok ? null : found.failure.message)
  }
}

/** What a customer has on the platform in all, null where it does not show the customer; and on each card, by its number. */
async function readBalance(
  { storeCredit, giftCards }: Connector,
  of: { platformId: string; currency: string; way: SpendingWay | null; cards: GiftCard[] }
): Promise<PlatformResult<{ inAllMinor: number | null; cardsMinor: Map<string, number> }>> {
  const { platformId, currency, way } = of
  const ids = of.cards.flatMap((card) => card.platformId ?? [])
  const onCards = ids.length === 0 ? null : await giftCards.findMany(ids, currency)
  if (onCards && !onCards.ok) return onCards
  const cardsMinor = new Map([...(onCards?.value ?? [])].map(([id, { balanceMinor }]) => [id, balanceMinor]))
  const onCardsMinor = [...cardsMinor.values()].reduce((sum, minor) => sum + minor, 0)
  if (way === 'giftcard') return { ok: true, value: { inAllMinor: onCardsMinor, cardsMinor } }
  const found = await storeCredit.findMany([platformId], currency)
  if (!found.ok) return found
  const account = found.value.has(platformId) ? (found.value.get(platformId)?.balanceMinor ?? 0) : null
  return { ok: true, value: { inAllMinor: account === null ? null : account + onCardsMinor, cardsMinor } }
}
