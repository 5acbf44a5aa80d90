import type { Ctx } from '#kit/postgres'
import type { Vault } from '#kit/secrets'
import type { PlatformGiftCard } from '#platform'
import type { SpendingWay } from '../ways.ts'
import { dueAgain, settled } from './account-ends.ts'
import type { AccountEnd } from './account-queries.ts'
import { newGiftCard, newReference, openCode } from './gift-card-codes.ts'
import { type GiftCard, insertGiftCards, listGiftCards, markGiftCardsSent } from './gift-card-queries.ts'
import { insertPushes } from './push-queries.ts'
import type { Readable } from './read-accounts.ts'
import type { Change, Push } from './send-changes.ts'

/** `from`: when what is recorded began, of `performance.now()`. `maySend`: something may be sent afterwards. */
export type Planning = { vault: Vault; from: number; maxCallMs: number; maySend: boolean }
type Shop = { currency: string; today: string }

/** A call that begins now ends within this; what the platform still does with it, somewhat later. */
const endMs = (maxCallMs: number) => maxCallMs * 1.25
const settleMs = (maxCallMs: number) => Math.ceil(maxCallMs * 1.5)

type Known = Readable & { way: SpendingWay | null; availableMinor: number }
type Move = { amountMinor: number; card: GiftCard | null | 'new' }

/**
 * Records what is to be sent for customers who are known to their end: one push for each, so that credit is never in two places. What is
 * too much somewhere is taken first, then what may have been made is made certain, then what is missing is given.
 */
export async function planChanges(
  ctx: Ctx,
  all: Known[],
  { vault, from, maxCallMs, maySend, currency, today }: Planning & Shop
): Promise<{ changes: Change[]; ends: AccountEnd[] }> {
  const ends: AccountEnd[] = []
  const requests: Change[] = []
  const moves: (Move & { of: Known; isLast: boolean })[] = []
  for (const of of all) {
    const { named, locked, cards, found } = of
    const dead = cards.find(({ id }) => isToClose(found.cards.get(id) ?? null, named.isDeleted, today))
    const [first, ...others] = named.isDeleted ? [] : movesOf(of)
    const full = cards.find(({ id, status, isNotified }) => status === 'active' && !isNotified && found.cards.get(id))
    const base = { ...named, version: locked.version }
    if (!maySend && (dead || first)) ends.push(dueAgain(named.account, locked.version))
    else if (dead) requests.push({ ...base, what: 'close', cardId: dead.id, platformCardId: dead.platformId! })
    else if (first) moves.push({ ...first, of, isLast: others.length === 0 })
    else if (maySend && full && of.availableMinor > 0 && of.way === 'giftcard') {
      requests.push({ ...base, what: 'notify', cardId: full.id, platformCardId: full.platformId! })
    } else ends.push(settled(named.account, locked.version))
  }
  await markGiftCardsSent(
    ctx,
    requests.flatMap((one) => (one.what === 'notify' ? [one.cardId] : [])),
    ctx.now
  )
  const made = await insertMissing(ctx, vault, moves)
  const toSend = moves.map(({ of, amountMinor, card, isLast }) => {
    const { memberId } = of.named.account
    const changed = card === 'new' ? made.get(memberId)! : card
    const isMaking = changed !== null && changed.platformId === null
    const reference = changed === null ? null : isMaking ? changed.reference : newReference()
    return { of, memberId, amountMinor, card: changed, giftCardId: changed?.id ?? null, reference, isLast, isMaking }
  })
  const ids = await insertPushes(ctx, toSend, settleMs(maxCallMs))
  const pushes = toSend.map(({ of, memberId, amountMinor, card, reference, isLast, isMaking }): Push => {
    const code = isMaking && card?.code ? openCode(vault, ctx.storeId, { ...card, code: card.code }) : null
    const base = { ...of.named, version: of.locked.version, amountMinor, currency, isLast: isLast && !isMaking }
    return {
      ...base,
      what: 'push',
      pushId: ids.get(memberId)!,
      endBy: from + endMs(maxCallMs),
      card: card && { id: card.id, platformId: card.platformId, code, reference: reference! }
    }
  })
  return { changes: [...requests, ...pushes], ends }
}

/** A card of somebody who is gone, or that has expired, so that what is on it is on no card. */
const isToClose = (there: PlatformGiftCard | null, isDeleted: boolean, today: string): boolean =>
  there?.isEnabled === true && (isDeleted || (there.expiresOn !== null && there.expiresOn < today))

/** What is to be sent, one after the other. */
function movesOf({ named, found, cards, way, availableMinor }: Known): Move[] {
  const moves: Move[] = []
  if (named.readsAccount) {
    const wanted = way === 'storecredit' ? availableMinor : 0
    moves.push({ amountMinor: wanted - (found.account?.balanceMinor ?? 0), card: null })
  }
  const wanted = way === 'giftcard' ? availableMinor : 0
  for (const card of cards) {
    const there = found.cards.get(card.id) ?? null
    const isInUse = card.status === 'active' || card.status === 'making'
    if (card.status === 'closed') continue
    if (there) moves.push({ amountMinor: (isInUse ? wanted : 0) - there.balanceMinor, card })
    // It may exist. Its code exists once, so asking again makes it, or shows that it is there.
    else if (card.askedMinor !== null) moves.push({ amountMinor: wanted > 0 ? wanted : card.askedMinor, card })
    else if (isInUse) moves.push({ amountMinor: wanted, card })
  }
  const hasOne = cards.some(({ status }) => status === 'active' || status === 'making')
  if (!hasOne) moves.push({ amountMinor: wanted, card: 'new' })
  const rank = ({ amountMinor, card }: Move) =>
    amountMinor < 0 ? 0 : card !== null && card !== 'new' && card.askedMinor !== null ? 1 : 2
  return moves.filter(({ amountMinor }) => amountMinor !== 0).sort((a, b) => rank(a) - rank(b))
}

/** Makes up the cards that customers are to have, by customer. */
async function insertMissing(ctx: Ctx, vault: Vault, moves: (Move & { of: Known })[]): Promise<Map<number, GiftCard>> {
  const memberIds = moves.flatMap(({ of, card }) => (card === 'new' ? [of.named.account.memberId] : []))
  if (memberIds.length === 0) return new Map()
  await insertGiftCards(
    ctx,
    memberIds.map((memberId) => ({
      ...newGiftCard(vault, ctx.storeId),
      memberId,
      status: 'making' as const,
      platformId: null
    }))
  )
  const cards = await listGiftCards(ctx, memberIds)
  return new Map(cards.filter(({ status }) => status === 'making').map((card) => [card.memberId, card]))
}
