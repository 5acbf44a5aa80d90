import type {
  Connector,
  PlatformCreditAccount,
  PlatformCreditTransaction,
  PlatformGiftCard,
  PlatformResult
} from '#platform'
import type { SpendingWay } from '../ways.ts'
import type { ClaimedAccount, LockedAccount } from './account-queries.ts'
import { noteOf, referenceIn } from './gift-card-codes.ts'
import type { GiftCard } from './gift-card-queries.ts'
import { openingOf } from './judge-card-transactions.ts'

/** Pages of transactions that are read of an account or a card at most. */
const MAX_PAGES = 200
/** A card whose first credit came so soon after it was made with it. */
const OPENING_MS = 60_000

/** A customer with credit on the platform, and what is known of it. `code`: of a card whose number there is not known. */
export type Named = {
  account: ClaimedAccount
  platformId: string
  isDeleted: boolean
  way: SpendingWay | null
  readsAccount: boolean
  cards: (GiftCard & { openCode: string | null })[]
}
/** What is there: of cards, by our number; `strays` are ours that we do not know, after a restore from a backup. */
export type Found = {
  account: PlatformCreditAccount | null
  cards: Map<number, PlatformGiftCard | null>
  strays: PlatformGiftCard[]
}
/** What was read of a customer, and what of it is known here. */
export type Readable = { named: Named; locked: LockedAccount; found: Found; cards: GiftCard[] }
export type ReadAccount = { step: 'read'; named: Named; found: PlatformResult<Found | null> }

type Calls = Pick<Connector, 'storeCredit' | 'giftCards'>
type Listed = { transactions: PlatformCreditTransaction[]; after: string | null }

/** Reads accounts and gift cards, each on to the last transaction that is known. Null: the platform does not show the customer. */
export async function readAccounts(
  { storeCredit, giftCards }: Calls,
  portion: Named[],
  currency: string,
  priority: 'normal' | 'low'
): Promise<ReadAccount[]> {
  const ids = portion.flatMap(({ isDeleted, readsAccount, platformId }) =>
    readsAccount && !isDeleted ? [platformId] : []
  )
  const cardIds = portion.flatMap(({ cards }) => cards.flatMap(({ platformId }) => platformId ?? []))
  const nothing = <T>() => succeeded(new Map<string, T>())
  const [accounts, shown] = await Promise.all([
    ids.length === 0 ? nothing<PlatformCreditAccount | null>() : storeCredit.findMany(ids, currency, priority),
    cardIds.length === 0 ? nothing<PlatformGiftCard>() : giftCards.findMany(cardIds, currency, priority)
  ])
  return Promise.all(
    portion.map(async (named): Promise<ReadAccount> => {
      const found: Found = { account: null, cards: new Map(), strays: [] }
      const done = (): ReadAccount => ({ step: 'read', named, found: succeeded(found) })
      if (named.readsAccount && !named.isDeleted) {
        if (!accounts.ok) return { step: 'read', named, found: accounts }
        if (!accounts.value.has(named.platformId)) return { step: 'read', named, found: succeeded(null) }
        const account = accounts.value.get(named.platformId) ?? null
        const whole =
          account &&
          (await withEarlier(account, named.account.lastKey, (after) =>
            storeCredit.listTransactions(account.id, currency, after)
          ))
        if (whole && !whole.ok) return { step: 'read', named, found: whole }
        found.account = whole?.value ?? null
      }
      for (const card of named.cards) {
        const read = await readCard(giftCards, card, shown, currency)
        if (!read.ok) return { step: 'read', named, found: read }
        found.cards.set(card.id, read.value)
      }
      if (named.account.isRestored && !named.isDeleted && named.way === 'giftcard') {
        const all = await giftCards.findOfCustomer(named.platformId, currency)
        if (!all.ok) return { step: 'read', named, found: all }
        const known = new Set([...found.cards.values()].map((one) => one?.id))
        found.strays = all.value.filter(({ id, note }) => !known.has(id) && referenceIn(note) !== null)
      }
      return done()
    })
  )
}

async function readCard(
  giftCards: Calls['giftCards'],
  card: Named['cards'][number],
  shown: PlatformResult<Map<string, PlatformGiftCard>>,
  currency: string
): Promise<PlatformResult<PlatformGiftCard | null>> {
  let there: PlatformGiftCard | null = null
  if (card.platformId !== null) {
    if (!shown.ok) return shown
    there = shown.value.get(card.platformId) ?? null
  } else if (card.askedMinor !== null && card.openCode !== null) {
    const found = await giftCards.findByCode(card.openCode, currency)
    if (!found.ok) return found
    there = found.value.find(({ note }) => note === noteOf(card.reference)) ?? null
  }
  if (there === null) return succeeded(null)
  const { id } = there
  const whole = await withEarlier(there, card.lastKey, (after) => giftCards.listTransactions(id, currency, after))
  return whole.ok ? succeeded(withOpening(whole.value)) : whole
}

/**
 * The amount that a card was made with counts as its first transaction. Where the platform lists it as one, that has the card's note.
 */
function withOpening(card: PlatformGiftCard): PlatformGiftCard {
  if (card.after !== null) return card
  const { id, createdAt, note, balanceMinor, transactions } = card
  const amountMinor = balanceMinor - transactions.reduce((sum, one) => sum + one.amountMinor, 0)
  if (amountMinor !== 0) {
    const common = { event: 'opening', isExpiry: false, orderId: null, orderTransactionId: null }
    return { ...card, transactions: [...transactions, { ...common, key: openingOf(id), amountMinor, createdAt, note }] }
  }
  const first = transactions.at(-1)
  const isOpening = first && first.createdAt.epochMilliseconds - createdAt.epochMilliseconds < OPENING_MS
  if (!isOpening || first.amountMinor < 0 || first.note) return card
  return { ...card, transactions: [...transactions.slice(0, -1), { ...first, note }] }
}

/** Reads on until a transaction that is known. */
async function withEarlier<T extends Listed>(
  read: T,
  lastKey: string | null,
  list: (after: string) => Promise<PlatformResult<{ items: PlatformCreditTransaction[]; after: string | null }>>
): Promise<PlatformResult<T>> {
  const transactions = [...read.transactions]
  let { after } = read
  for (let page = 0; after !== null && page < MAX_PAGES; page++) {
    if (transactions.some(({ key }) => key === lastKey)) break
    const earlier = await list(after)
    if (!earlier.ok) return earlier
    transactions.push(...earlier.value.items)
    after = earlier.value.after
  }
  return succeeded({ ...read, transactions, after })
}

const succeeded = <T>(value: T): PlatformResult<T> => ({ ok: true, value })
