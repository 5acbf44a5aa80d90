import { listAvailableCredit } from '#credits'
import { isoOrNull } from '#kit/clock'
import { bool, type Ctx, type Database, instant, int, nullable, row, sql, text } from '#kit/postgres'
import type { Connector, PlatformResult } from '#platform'
import { storeContext } from '#stores'
import { gatherMergedCredit } from './gather-merged-credit.ts'
import { listAccountOwners } from './platform-account/account-queries.ts'
import { type GiftCard, listGiftCards } from './platform-account/gift-card-queries.ts'
import { restoreOrdersOf } from './redemptions/restore-orders.ts'
import { refreshAccounts } from './refresh-accounts.ts'
import { walkSpendingNow } from './spending-walks.ts'
import { listChanging } from './waiting-changes.ts'
import { listWays, type SpendingWay } from './ways.ts'

/**
 * A customer's credit here and on the platform. `platformMinor`, `isInStep` and the balance of the card: null where the platform could not
 * be read or does not show the customer. `waits`: from when on (store time) the account is to be compared; now, where that is under way or an
 * event is still to be handled that has it compared. `problem`: why it is not as it should be.
 */
export type ComparedCredit = {
  way: SpendingWay | null
  availableMinor: number
  platformMinor: number | null
  /** Whether the platform has what it should, where it can be spent: all that is available where the way is mirrored, else nothing. */
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
 * Has the account of one customer compared with the platform now and corrected, or those of all customers with credit; and restores what their
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
  const { currency, today, platformId, way, cards, before } = await db.inStore(storeId, async (ctx) => {
    const { currency: inCurrency, timezone } = await storeContext(ctx)
    return {
      currency: inCurrency,
      today: ctx.now.toZonedDateTimeISO(timezone).toPlainDate().toString(),
      platformId: (await listAccountOwners(ctx, [memberId])).get(memberId)!.platformId,
      way: (await listWays(ctx, [memberId])).get(memberId) ?? null,
      cards: (await listGiftCards(ctx, [memberId])).filter(({ status }) => status !== 'closed'),
      before: await findState(ctx, memberId)
    }
  })
  const found = await readBalance(await connectorOf(storeId), {
    platformId,
    currency,
    way,
    cards,
    today,
    hasAccount: before?.hasAccount ?? false
  })
  const { availableMinor, state, isChanging, now } = await db.inStore(storeId, async (ctx) => ({
    availableMinor: (await listAvailableCredit(ctx, [memberId])).get(memberId) ?? 0,
    state: await findState(ctx, memberId),
    isChanging: (await listChanging(ctx, [memberId])).has(memberId),
    now: ctx.now
  }))
  // Somebody worked on it while the platform was read.
  const hasMoved = before?.leaseToken !== state?.leaseToken || before?.version !== state?.version
  const there =
    found.ok && found.value.accountMinor !== null ? { ...found.value, accountMinor: found.value.accountMinor } : null
  const wantedMinor = (place: SpendingWay) => (way === place ? availableMinor : 0)
  const card = cards.find(({ status }) => status === 'active')
  const isDead = way === 'giftcard' && card !== undefined && found.ok && !found.value.spendable.has(card.platformId!)
  return {
    way,
    availableMinor,
    platformMinor: there && there.accountMinor + there.onCardsMinor,
    isInStep:
      there &&
      there.accountMinor === wantedMinor('storecredit') &&
      there.onCardsMinor === wantedMinor('giftcard') &&
      !isDead,
    card: card
      ? {
          lastCharacters: card.lastCharacters,
          balanceMinor: found.ok ? (found.value.cardsMinor.get(card.platformId!) ?? null) : null,
          createdAt: card.createdAt,
          notifiedAt: card.notifiedAt
        }
      : null,
    waits: isoOrNull(state?.dueAt ?? (isChanging || hasMoved ? now : null)),
    problem:
      state?.problem ??
      state?.lastError ??
      (isDead
        ? `The gift card ${card.lastCharacters} cannot be used any more; comparing the account replaces it`
        : null) ??
      (found.ok ? null : found.failure.message)
  }
}

function findState(ctx: Ctx, memberId: number) {
  return ctx.tx.maybeOne(
    row({
      dueAt: nullable(instant),
      problem: nullable(text),
      lastError: nullable(text),
      leaseToken: int,
      version: int,
      hasAccount: bool
    }),
    sql`select due_at, problem, last_error, lease_token, version, platform_account_id is not null as has_account
          from spending_accounts
         where store_id = ${ctx.storeId} and member_id = ${memberId}`
  )
}

type Balance = {
  /** Null: the platform does not show the customer. */
  accountMinor: number | null
  onCardsMinor: number
  /** By the number of the card there. */
  cardsMinor: Map<string, number>
  /** The cards that can be spent. */
  spendable: Set<string>
}

/** What a customer has on the platform. `today`: in the shop. */
async function readBalance(
  { storeCredit, giftCards }: Connector,
  of: {
    platformId: string
    currency: string
    way: SpendingWay | null
    cards: GiftCard[]
    today: string
    hasAccount: boolean
  }
): Promise<PlatformResult<Balance>> {
  const { platformId, currency, way } = of
  const ids = of.cards.flatMap((card) => card.platformId ?? [])
  const onCards = ids.length === 0 ? null : await giftCards.findMany(ids, currency)
  if (onCards && !onCards.ok) return onCards
  const cardsMinor = new Map([...(onCards?.value ?? [])].map(([id, { balanceMinor }]) => [id, balanceMinor]))
  const onCardsMinor = [...cardsMinor.values()].reduce((sum, minor) => sum + minor, 0)
  const spendable = new Set(
    [...(onCards?.value.values() ?? [])].flatMap(({ id, isEnabled, expiresOn }) =>
      isEnabled && (expiresOn === null || expiresOn >= of.today) ? id : []
    )
  )
  const ofCards = { onCardsMinor, cardsMinor, spendable }
  if (way === 'giftcard' && !of.hasAccount) return { ok: true, value: { accountMinor: 0, ...ofCards } }
  const found = await storeCredit.findMany([platformId], currency)
  if (!found.ok) return found
  const accountMinor = found.value.has(platformId) ? (found.value.get(platformId)?.balanceMinor ?? 0) : null
  return { ok: true, value: { accountMinor, ...ofCards } }
}
