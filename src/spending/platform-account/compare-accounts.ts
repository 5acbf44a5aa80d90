import { listAvailableCredit } from '#credits'
import { earliest } from '#kit/clock'
import type { Ctx } from '#kit/postgres'
import { walkOrdersNow } from '#orders'
import type { PlatformCreditAccount, PlatformCreditTransaction } from '#platform'
import { storeContext } from '#stores'
import { listWays } from '../ways.ts'
import { awaitOrder, dueAgain, endOfFailure, endOfTry, restUntilSettled, settled } from './account-ends.ts'
import { type AccountEnd, closeAccounts, endAccounts, type LockedAccount } from './account-queries.ts'
import { applyTransactions } from './apply-transactions.ts'
import { referenceIn } from './gift-card-codes.ts'
import {
  closeGiftCards,
  eraseGiftCards,
  type GiftCard,
  insertGiftCards,
  listGiftCards,
  listOpenPayments,
  markGiftCardsMade
} from './gift-card-queries.ts'
import { judgeCardTransactions } from './judge-card-transactions.ts'
import { isLate, judgeTransactions } from './judge-transactions.ts'
import { type Planning, planChanges } from './plan-changes.ts'
import { endPushes, listPushes } from './push-queries.ts'
import type { Found, Named, ReadAccount, Readable } from './read-accounts.ts'
import type { Change } from './send-changes.ts'
import {
  type AddedUp,
  type JudgedTransaction,
  listKnownTransactions,
  listOrderIds,
  recordTransactions
} from './transaction-queries.ts'

/** An order that the platform's account names, and that it does not show for so long (store time), is left out. */
const ORDER_WITHIN = { hours: 2 }
/** The orders are read at once; what none of them reports for so long (store time) was no order. */
const PAYMENT_WITHIN = { minutes: 3 }

/** Orders that an account names, and that nobody has reported yet. */
export type Missing = Named & { version: number; orderIds: string[] }
export type Next = { changes: Change[]; missing: Missing[] }

/** Applies what is new in what was read, and records what is to be sent. */
export async function recordReads(
  ctx: Ctx,
  ended: ReadAccount[],
  locked: Map<number, LockedAccount>,
  planning: Planning
): Promise<Next> {
  const ends: AccountEnd[] = []
  const readable: Readable[] = []
  const held = ended.filter(({ named }) => locked.has(named.account.memberId))
  const cards = Map.groupBy(
    await listGiftCards(
      ctx,
      held.map(({ named }) => named.account.memberId)
    ),
    ({ memberId }) => memberId
  )
  for (const { named, found } of held) {
    const { account, platformId } = named
    const state = locked.get(account.memberId)!
    if (!found.ok) ends.push(endOfFailure(account, state.version, found.failure))
    else if (found.value) {
      // After a merge somebody else may have a card that was read.
      const mine = (cards.get(account.memberId) ?? []).filter(({ id }) => found.value!.cards.has(id))
      readable.push({ named, locked: state, found: found.value, cards: mine })
    } else {
      const problem = `The platform does not show the customer ${platformId}`
      ends.push({ ...settled(account, state.version), problem })
    }
  }
  const { ends: compared, ...next } = await compare(ctx, readable, planning)
  await endAccounts(ctx, [...ends, ...compared])
  return next
}

/** An account or a card, with what nobody here knows yet of it, oldest first. */
type Compared = {
  card: GiftCard | null
  id: string
  there: { balanceMinor: number; transactions: PlatformCreditTransaction[] }
  news: PlatformCreditTransaction[]
  mirroredMinor: number
}

async function compare(ctx: Ctx, readable: Readable[], planning: Planning): Promise<Next & { ends: AccountEnd[] }> {
  if (readable.length === 0) return { changes: [], missing: [], ends: [] }
  await followCards(ctx, readable)
  const [all, strayed] = [readable.filter(({ found }) => found.strays.length === 0), readable.filter(hasStrays)]
  const memberIds = all.map(({ named }) => named.account.memberId)
  const transactions = all.flatMap(({ found: { account, cards } }) =>
    [account, ...cards.values()].flatMap((one) => one?.transactions ?? [])
  )
  const known = await listKnownTransactions(
    ctx,
    transactions.map(({ key }) => key)
  )
  const orders = await listOrderIds(
    ctx,
    transactions.flatMap(({ key, orderId }) => (known.has(key) ? [] : (orderId ?? [])))
  )
  const cardIds = all.flatMap(({ cards }) => cards.map(({ id }) => id))
  const pushes = Map.groupBy(await listPushes(ctx, memberIds, cardIds), ({ memberId }) => memberId)
  const platformCardIds = all.flatMap(({ found }) => [...found.cards.values()].flatMap((one) => one?.id ?? []))
  const payments = Map.groupBy(await listOpenPayments(ctx, platformCardIds), ({ cardId }) => cardId)

  // Cards that were found are read as those that were known.
  const ends = strayed.map(({ named, locked }) => dueAgain(named.account, locked.version))
  const added: AddedUp[] = []
  const judged: JudgedTransaction[] = []
  const unseen: number[] = []
  const missing: Missing[] = []
  const whole: Readable[] = []
  let isPaymentMissing = false
  for (const one of all) {
    const { named, locked } = one
    const { memberId } = named.account
    const since = locked.orderAwaitedSince
    const places = placesOf(one, known)
    if (places.some(({ mirroredMinor, news, there }) => mirroredMinor + sumOf(news) !== there.balanceMinor)) {
      const error = 'The transactions of the account do not add up to its balance'
      ends.push(endOfTry(named.account, locked.version, error))
      continue
    }
    const mine = pushes.get(memberId) ?? []
    const seen = new Set<number | null>()
    let isOrderWaiting = false
    let awaitedUntil: Temporal.Instant | null = null
    for (const { card, id, there, news } of places) {
      const ofPlace = mine.filter(({ giftCardId }) => giftCardId === (card?.id ?? null))
      let isWaiting: boolean
      let ofMine: JudgedTransaction[]
      if (card === null) {
        const upTo = upToUnknownOrder(news, orders, lateBefore(ctx, since, ORDER_WITHIN))
        isWaiting = upTo.isWaiting
        isOrderWaiting ||= isWaiting
        const { isRestored } = locked
        const [open, given] = [ofPlace.find(({ isOpen }) => isOpen) ?? null, ofPlace.filter(({ isOpen }) => !isOpen)]
        ofMine = judgeTransactions(upTo.taken, { open, unseen: given, isRestored }).map((j) => {
          const orderId = orders.get(j.transaction.orderId ?? '') ?? null
          return { ...j, memberId, orderId, giftCardId: null, orderTransactionId: null }
        })
      } else {
        const byReference = ofPlace.map((push) => ({ ...push, isMaking: push.reference === card.reference }))
        const of = judgeCardTransactions(news, {
          pushes: byReference,
          payments: payments.get(id) ?? [],
          lateBefore: lateBefore(ctx, since, PAYMENT_WITHIN)
        })
        isWaiting = of.waiting !== null
        if (of.waiting) {
          const until = laterOf(since ?? ctx.now, of.waiting.createdAt).add(PAYMENT_WITHIN)
          awaitedUntil = earliest(awaitedUntil, until)
        }
        ofMine = of.judged.map((j) => ({ ...j, memberId, giftCardId: card.id }))
      }
      judged.push(...ofMine)
      for (const { pushId } of ofMine) seen.add(pushId)
      if (id !== '' && (ofMine.length > 0 || !isWaiting)) {
        const lastKey = isWaiting ? ofMine.at(-1)!.transaction.key : (there.transactions[0]?.key ?? null)
        const addedMinor = sumOf(ofMine.map(({ transaction }) => transaction))
        added.push({ memberId, giftCardId: card?.id ?? null, accountId: id, addedMinor, lastKey })
      }
    }
    const open = mine.filter((push) => push.isOpen && !seen.has(push.id))
    const unknown = places.flatMap(({ news }) =>
      news.flatMap(({ orderId }) => (orderId !== null && !orders.has(orderId) ? [orderId] : []))
    )
    if (isOrderWaiting) {
      missing.push({ ...named, version: locked.version, orderIds: [...new Set(unknown)].slice(0, 10) })
    } else if (awaitedUntil) {
      isPaymentMissing ||= since === null
      const error = 'No order is known that has moved the credit of the gift card'
      ends.push(awaitOrder(named.account, locked.version, awaitedUntil, error))
    } else if (open.some(({ isSettled }) => !isSettled)) {
      ends.push(restUntilSettled(named.account, locked.version, planning.maxCallMs))
    } else whole.push(one)
    unseen.push(...open.flatMap(({ id, isSettled }) => (isSettled ? [id] : [])))
  }
  await endPushes(ctx, unseen, 'unseen')
  await endPushes(
    ctx,
    judged.flatMap(({ pushId }) => pushId ?? []),
    'done'
  )
  await recordTransactions(ctx, judged, added)
  await applyTransactions(ctx, judged)
  if (isPaymentMissing) await walkOrdersNow(ctx)
  const gone = whole.filter(({ named, found }) => named.isDeleted && !isAnyOpen(found))
  const goneIds = gone.map(({ named }) => named.account.memberId)
  await closeAccounts(ctx, goneIds)
  if (goneIds.length > 0) await eraseGiftCards(ctx, goneIds)
  const there = whole.filter((one) => !gone.includes(one))
  const { currency, timezone } = await storeContext(ctx)
  const ways = await listWays(ctx, memberIds)
  const available = await listAvailableCredit(ctx, memberIds)
  const planned = await planChanges(
    ctx,
    there.map((one) => {
      const { memberId } = one.named.account
      return { ...one, way: ways.get(memberId) ?? null, availableMinor: available.get(memberId) ?? 0 }
    }),
    { ...planning, currency, today: ctx.now.toZonedDateTimeISO(timezone).toPlainDate().toString() }
  )
  const ofGone = gone.map(({ named, locked }) => settled(named.account, locked.version))
  return { changes: planned.changes, missing, ends: [...ends, ...ofGone, ...planned.ends] }
}

const hasStrays = ({ found }: Readable) => found.strays.length > 0

const isAnyOpen = ({ cards }: Found) => [...cards.values()].some((card) => card?.isEnabled)

/** Takes over which cards exist by now, which are ours although nobody here knows them, and which cannot be spent any more. */
async function followCards(ctx: Ctx, all: Readable[]): Promise<void> {
  const made: { cardId: number; platformId: string }[] = []
  const closed: number[] = []
  for (const { cards, found } of all) {
    for (const card of cards) {
      const there = found.cards.get(card.id) ?? null
      if (there && card.platformId === null) {
        made.push({ cardId: card.id, platformId: there.id })
        card.platformId = there.id
        if (card.status === 'making') card.status = 'active'
      }
      const isGone = there === null && card.platformId !== null
      if (card.status !== 'closed' && (isGone || there?.isEnabled === false)) {
        closed.push(card.id)
        card.status = 'closed'
      }
    }
  }
  await markGiftCardsMade(ctx, made)
  await closeGiftCards(ctx, closed)
  for (const { named, cards, found } of all) {
    const { strays } = found
    if (strays.length === 0) continue
    let hasOne = cards.some(({ status }) => status === 'making' || status === 'active')
    const { memberId } = named.account
    await insertGiftCards(
      ctx,
      strays.map(({ id, lastCharacters, note, isEnabled }) => {
        const status = hasOne || !isEnabled ? ('spare' as const) : ('active' as const)
        hasOne ||= isEnabled
        return { memberId, status, code: null, lastCharacters, reference: referenceIn(note)!, platformId: id }
      })
    )
  }
}

function placesOf({ named, locked, found, cards }: Readable, known: Set<string>): Compared[] {
  const newsOf = (transactions: PlatformCreditTransaction[]) =>
    transactions.filter(({ key }) => !known.has(key)).reverse()
  const none: Pick<PlatformCreditAccount, 'balanceMinor' | 'transactions'> = { balanceMinor: 0, transactions: [] }
  const { account } = found
  const ofAccount: Compared[] =
    named.readsAccount && !named.isDeleted
      ? [
          {
            card: null,
            id: account?.id ?? '',
            there: account ?? none,
            news: newsOf(account?.transactions ?? []),
            mirroredMinor: locked.mirroredMinor
          }
        ]
      : []
  const ofCards = cards.flatMap((card): Compared[] => {
    const there = found.cards.get(card.id)
    if (!there) return []
    return [{ card, id: there.id, there, news: newsOf(there.transactions), mirroredMinor: card.mirroredMinor }]
  })
  return [...ofAccount, ...ofCards]
}

const sumOf = (transactions: PlatformCreditTransaction[]) =>
  transactions.reduce((sum, { amountMinor }) => sum + amountMinor, 0)

/** The transactions before the first one of an order that is not known here, and that is still waited for. */
function upToUnknownOrder(
  news: PlatformCreditTransaction[],
  orders: Map<string, number>,
  before: Temporal.Instant | null
) {
  const end = news.findIndex((one) => one.orderId !== null && !orders.has(one.orderId) && !isLate(one, before))
  return { taken: end < 0 ? news : news.slice(0, end), isWaiting: end >= 0 }
}

/** From when transactions are whose orders are not waited for any more: they were looked for so long, and are as old. */
function lateBefore(
  { now }: Ctx,
  since: Temporal.Instant | null,
  within: Temporal.DurationLike
): Temporal.Instant | null {
  const before = now.subtract(within)
  return since !== null && Temporal.Instant.compare(since, before) <= 0 ? before : null
}

const laterOf = (a: Temporal.Instant, b: Temporal.Instant) => (Temporal.Instant.compare(a, b) > 0 ? a : b)
