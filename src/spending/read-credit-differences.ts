import { bool, type Ctx, type Database, int, nullable, row, sql, text } from '#kit/postgres'
import type { Connector, PlatformCreditAccount, PlatformGiftCard, PlatformResult } from '#platform'
import { storeContext } from '#stores'
import { referenceIn } from './platform-account/gift-card-codes.ts'
import { type GiftCard, listGiftCards } from './platform-account/gift-card-queries.ts'
import { listKnownTransactions } from './platform-account/transaction-queries.ts'
import { isAnyOrderWaiting, listChanging } from './waiting-changes.ts'
import { listWays } from './ways.ts'

const Holder = row({
  memberId: int,
  platformId: text,
  mirroredMinor: int,
  hasAccount: bool,
  waits: bool,
  problem: nullable(text),
  leaseToken: int,
  version: int
})
type Holder = ReturnType<typeof Holder>

/** A place on the platform that is not as it is known here. `isOff`: it cannot be spent there any more, and is in use here. */
type Place = { card: string | null; knownMinor: number; thereMinor: number; isOff: boolean }

/** `mayBeOrder`: an order may have moved the credit that is still to be reported. `changeWaits`: what is known here is about to change. */
export type CreditDifference = { memberId: number; places: Place[]; mayBeOrder: boolean; changeWaits: boolean }

/**
 * `compared`: customers whose credit there was looked at. `waiting`: those that are to be compared anyway. `next`: where the next page
 * begins; null at the end.
 */
export type CreditPage = {
  compared: number
  waiting: number
  notShown: number
  differences: CreditDifference[]
  next: number | null
}

type Found = {
  accounts: Map<string, PlatformCreditAccount | null>
  cards: Map<string, PlatformGiftCard>
}

/** What the platform is asked for, both by its numbers. */
export type ReadCredit = {
  accounts: (ids: string[], currency: string) => ReturnType<Connector['storeCredit']['findMany']>
  cards: (ids: string[], currency: string) => ReturnType<Connector['giftCards']['findMany']>
}

/**
 * Compares the accounts and gift cards of a page of customers with what is known of them here, and changes nothing. Customers whose
 * credit cannot be kept there are left out: that is known.
 */
export async function readCreditDifferences(
  db: Database,
  storeId: number,
  { afterId, limit, orderWithin }: { afterId: number; limit: number; orderWithin: Temporal.DurationLike | null },
  read: ReadCredit
): Promise<PlatformResult<CreditPage>> {
  const { listed, cards, currency, ways } = await db.inStore(storeId, async (ctx) => {
    const of = await listHolders(ctx, afterId, limit)
    const ids = of.map(({ memberId }) => memberId)
    const { currency: inCurrency } = await storeContext(ctx)
    return { listed: of, cards: await listGiftCards(ctx, ids), currency: inCurrency, ways: await listWays(ctx, ids) }
  })
  const next = listed.length === limit ? listed.at(-1)!.memberId : null
  const wanted = listed.filter(({ waits, problem }) => !waits && problem === null)
  const withAccount = wanted.filter(({ memberId, hasAccount }) => hasAccount || ways.get(memberId) !== 'giftcard')
  const wantedIds = new Set(wanted.map(({ memberId }) => memberId))
  const cardIds = cards.flatMap((card) => (wantedIds.has(card.memberId) ? (card.platformId ?? []) : []))
  const nothing = <T>(): PlatformResult<Map<string, T>> => ({ ok: true, value: new Map() })
  const accountIds = withAccount.map(({ platformId }) => platformId)
  const accounts =
    accountIds.length > 0 ? await read.accounts(accountIds, currency) : nothing<PlatformCreditAccount | null>()
  if (!accounts.ok) return accounts
  const shown = cardIds.length > 0 ? await read.cards(cardIds, currency) : nothing<PlatformGiftCard>()
  if (!shown.ok) return shown
  const found = { accounts: accounts.value, cards: shown.value }
  const notShown = accountIds.filter((id) => !accounts.value.has(id)).length
  // What is known here is read after the platform: who was worked on in between waits, or has another lease or version by now.
  const compared = await db.inStore(storeId, (ctx) => compareNow(ctx, wanted, found, orderWithin))
  const waiting = listed.filter(({ waits }) => waits).length + wanted.length - compared.compared
  return { ok: true, value: { waiting, notShown, next, ...compared } }
}

function listHolders(ctx: Ctx, afterId: number, limit: number): Promise<Holder[]> {
  return ctx.tx.many(
    Holder,
    sql`
    select a.member_id, m.platform_customer_id as platform_id, a.mirrored_minor, a.platform_account_id is not null as has_account,
           a.due_at is not null as waits, a.problem, a.lease_token, a.version
      from spending_accounts a join members m on m.store_id = ${ctx.storeId} and m.id = a.member_id
     where a.store_id = ${ctx.storeId} and a.member_id > ${afterId} and m.platform_deleted_at is null
     order by a.member_id limit ${limit}`
  )
}

async function compareNow(
  ctx: Ctx,
  asked: Holder[],
  found: Found,
  orderWithin: Temporal.DurationLike | null
): Promise<Pick<CreditPage, 'compared' | 'differences'>> {
  const now = new Map((await listHoldersNow(ctx, asked)).map((one) => [one.memberId, one]))
  const same = asked.filter((one) => {
    const state = now.get(one.memberId)
    return state && !state.waits && state.leaseToken === one.leaseToken && state.version === one.version
  })
  const memberIds = same.map(({ memberId }) => memberId)
  const cards = Map.groupBy(await listGiftCards(ctx, memberIds), ({ memberId }) => memberId)
  const differing = same.flatMap((holder) => {
    const places = placesOf(holder, cards.get(holder.memberId) ?? [], found)
    return places.length > 0 ? [{ holder, places }] : []
  })
  if (differing.length === 0) return { compared: same.length, differences: [] }
  const known = await listKnownTransactions(
    ctx,
    differing.flatMap(({ places }) => places.flatMap(({ transactions }) => transactions.map(({ key }) => key)))
  )
  const ordersWait = await isAnyOrderWaiting(ctx)
  const changing = await listChanging(
    ctx,
    differing.map(({ holder }) => holder.memberId)
  )
  const since = orderWithin && ctx.now.subtract(orderWithin)
  const differences = differing.map(({ holder: { memberId }, places }): CreditDifference => {
    const ofOrders = places.flatMap(({ card, transactions }) =>
      transactions.filter(
        ({ key, note, orderId, event }) =>
          !known.has(key) &&
          (card === null ? orderId !== null || event.startsWith('order_') : referenceIn(note) === null)
      )
    )
    const isNew = ofOrders.some(
      ({ createdAt }) => ordersWait || (since !== null && Temporal.Instant.compare(createdAt, since) > 0)
    )
    return { memberId, places, mayBeOrder: isNew, changeWaits: changing.has(memberId) }
  })
  return { compared: same.length, differences }
}

/** Where a customer has something else than what is known here, with the latest transactions there. */
function placesOf(holder: Holder, cards: GiftCard[], found: Found) {
  const account = found.accounts.get(holder.platformId)
  const ofAccount = {
    card: null as string | null,
    knownMinor: holder.mirroredMinor,
    thereMinor: account?.balanceMinor ?? 0,
    isOff: false,
    transactions: account?.transactions ?? []
  }
  const ofCards = cards.flatMap(({ platformId, lastCharacters, mirroredMinor, status }) => {
    if (platformId === null) return []
    const there = found.cards.get(platformId)
    if (!there && status === 'closed') return []
    return [
      {
        card: lastCharacters,
        knownMinor: mirroredMinor,
        thereMinor: there?.balanceMinor ?? 0,
        isOff: status !== 'closed' && !there?.isEnabled,
        transactions: there?.transactions ?? []
      }
    ]
  })
  const all = account === undefined ? ofCards : [ofAccount, ...ofCards]
  return all.filter(({ knownMinor, thereMinor, isOff }) => isOff || knownMinor !== thereMinor)
}

function listHoldersNow(ctx: Ctx, asked: Holder[]) {
  return ctx.tx.many(
    row({ memberId: int, waits: bool, leaseToken: int, version: int }),
    sql`
    select member_id, due_at is not null as waits, lease_token, version from spending_accounts
     where store_id = ${ctx.storeId} and member_id = any(${asked.map(({ memberId }) => memberId)}::bigint[])`
  )
}
