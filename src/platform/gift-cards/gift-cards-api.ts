import { decimalOf } from '#kit/money'
import type { PlatformCreditMove, PlatformCreditTransaction } from '../store-credit/store-credit-api.ts'
import { ofLowPriority, type PlatformClient, type Priority, type SendOptions } from '../wire/client.ts'
import type { Fields } from '../wire/fields.ts'
import { findByIds, notFound } from '../wire/find-by-ids.ts'
import { failed, type PlatformResult, succeeded } from '../wire/outcome.ts'
import { nextCursor, type Page, readPage } from '../wire/pages.ts'
import {
  GiftCardCreate,
  GiftCardCredit,
  GiftCardDeactivate,
  GiftCardDebit,
  GiftCardNotify,
  GiftCardsByIds,
  GiftCardsFound,
  GiftCardTransactions
} from './documents.ts'

/** A gift card. `after` leads to older transactions than these; null where there are none. */
export type PlatformGiftCard = {
  id: string
  balanceMinor: number
  isEnabled: boolean
  /** The last day on which it can be spent, in the shop; null: it does not expire. */
  expiresOn: string | null
  lastCharacters: string
  /** For the shop only. */
  note: string | null
  createdAt: Temporal.Instant
  /** The latest ones, newest first. None names an order. */
  transactions: PlatformCreditTransaction[]
  after: string | null
}

type NewCard = { customerId: string; code: string; amountMinor: number; currency: string; note: string }
type Move = { amountMinor: number; currency: string; note: string }

/**
 * No mutation takes an idempotency key. A code exists once in a shop, also after its card was deactivated, so a card with a code of
 * the caller is made once; credits and debits carry the caller's note.
 */
export type GiftCardsApi = {
  /** By id; leaves out cards that the platform does not have. */
  findMany(ids: string[], currency: string, priority?: Priority): Promise<PlatformResult<Map<string, PlatformGiftCard>>>
  /** Up to 20 cards that match a code. */
  findByCode(code: string, currency: string): Promise<PlatformResult<PlatformGiftCard[]>>
  /** Up to 20 cards of a customer. */
  findOfCustomer(customerId: string, currency: string): Promise<PlatformResult<PlatformGiftCard[]>>
  /** A page of transactions, newest first. */
  listTransactions(
    cardId: string,
    currency: string,
    after: string
  ): Promise<PlatformResult<Page<PlatformCreditTransaction>>>
  /** Makes a card of a customer that does not expire. */
  create(card: NewCard, options?: SendOptions): Promise<PlatformResult<{ id: string; lastCharacters: string }>>
  credit(cardId: string, move: Move, options?: SendOptions): Promise<PlatformResult<PlatformCreditMove>>
  debit(cardId: string, move: Move, options?: SendOptions): Promise<PlatformResult<PlatformCreditMove>>
  /** For ever. */
  deactivate(cardId: string): Promise<PlatformResult<null>>
  /** Has the platform send the card with its code to the customer. */
  notifyCustomer(cardId: string): Promise<PlatformResult<null>>
}

export function createGiftCardsApi(client: PlatformClient): GiftCardsApi {
  const patient = ofLowPriority(client)
  const money = (amountMinor: number, currency: string) => ({
    amount: decimalOf(amountMinor, currency),
    currencyCode: currency
  })
  const found = (query: string, currency: string) =>
    client.query(GiftCardsFound, { query }, (data) =>
      data
        .at('giftCards')
        .list('nodes')
        .map((node) => readCard(node, currency))
    )
  const readMove = (name: string, currency: string) => (payload: Fields) => {
    const moved = payload.at(name)
    const card = moved.at('giftCard')
    return { key: keyOf(moved), accountId: card.id('id'), balanceAfterMinor: card.money('balance', currency) }
  }
  const nothing = () => null
  return {
    findMany: (ids, currency, priority) =>
      findByIds(priority === 'low' ? patient : client, 'GiftCard', GiftCardsByIds, ids, (node) =>
        readCard(node, currency)
      ),
    findByCode: (code, currency) => found(code, currency),
    findOfCustomer: (customerId, currency) => found(`customer_id:${customerId}`, currency),
    async listTransactions(cardId, currency, after) {
      const page = await client.query(GiftCardTransactions, { id: client.gid('GiftCard', cardId), after }, (data) => {
        const owner = data.atIfAny('giftCard')
        return owner && readPage(owner.at('transactions'), (node) => readTransaction(node, currency))
      })
      if (!page.ok) return page
      return page.value ? succeeded(page.value) : failed(notFound('GiftCard', cardId))
    },
    create: ({ customerId, code, amountMinor, currency, note }, options) =>
      client.mutate(
        GiftCardCreate,
        {
          input: {
            customerId: client.gid('Customer', customerId),
            code,
            note,
            initialAmount: money(amountMinor, currency)
          }
        },
        (payload) => {
          const card = payload.at('giftCard')
          return { id: card.id('id'), lastCharacters: card.text('lastCharacters') }
        },
        options
      ),
    credit: (cardId, { amountMinor, currency, note }, options) =>
      client.mutate(
        GiftCardCredit,
        { id: client.gid('GiftCard', cardId), input: { creditAmount: money(amountMinor, currency), note } },
        readMove('giftCardCreditTransaction', currency),
        options
      ),
    debit: (cardId, { amountMinor, currency, note }, options) =>
      client.mutate(
        GiftCardDebit,
        { id: client.gid('GiftCard', cardId), input: { debitAmount: money(amountMinor, currency), note } },
        readMove('giftCardDebitTransaction', currency),
        options
      ),
    deactivate: (cardId) => client.mutate(GiftCardDeactivate, { id: client.gid('GiftCard', cardId) }, nothing),
    notifyCustomer: (cardId) => client.mutate(GiftCardNotify, { id: client.gid('GiftCard', cardId) }, nothing)
  }
}

/** Accounts of store credit count their transactions by themselves. */
const keyOf = (transaction: Fields): string => `gift-${transaction.id('id')}`

function readCard(node: Fields, currency: string): PlatformGiftCard {
  const transactions = node.at('transactions')
  return {
    id: node.id('id'),
    balanceMinor: node.money('balance', currency),
    isEnabled: node.flag('enabled'),
    expiresOn: node.maybeText('expiresOn'),
    lastCharacters: node.text('lastCharacters'),
    note: node.maybeText('note'),
    createdAt: node.instant('createdAt'),
    transactions: transactions.list('nodes').map((one) => readTransaction(one, currency)),
    after: nextCursor(transactions)
  }
}

function readTransaction(node: Fields, currency: string): PlatformCreditTransaction {
  const amountMinor = Math.abs(node.money('amount', currency))
  return {
    key: keyOf(node),
    // Everything but a credit takes from the card, also when it is paid out.
    amountMinor: node.text('__typename') === 'GiftCardCreditTransaction' ? amountMinor : -amountMinor,
    event: 'gift_card',
    isExpiry: false,
    orderId: null,
    orderTransactionId: null,
    note: node.maybeText('note'),
    createdAt: node.instant('processedAt')
  }
}
