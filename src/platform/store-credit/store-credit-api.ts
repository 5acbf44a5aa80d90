import { decimalOf } from '#kit/money'
import { ofLowPriority, type PlatformClient, type Priority, type SendOptions } from '../wire/client.ts'
import type { Fields } from '../wire/fields.ts'
import { findByIds, notFound, notReadable } from '../wire/find-by-ids.ts'
import { failed, type PlatformResult, succeeded } from '../wire/outcome.ts'
import { nextCursor, type Page, readPage } from '../wire/pages.ts'
import { CreditAccountCredit, CreditAccountDebit, CreditAccounts, CreditTransactions } from './documents.ts'

/** What moved the credit of an account. Signed: a debit is below zero. */
export type PlatformCreditTransaction = {
  /** Its number; of an expiry, which has none, `expiry-` and the number of the credit that expired. */
  key: string
  amountMinor: number
  /** In lower case: `adjustment`, `order_payment`, `order_refund`, … New ones may appear. */
  event: string
  isExpiry: boolean
  /** The order and its transaction that moved it. */
  orderId: string | null
  orderTransactionId: string | null
  /** Of a gift card's transaction: what its maker wrote. */
  note?: string | null
  createdAt: Temporal.Instant
}

/** A customer's account in one currency. `after` leads to older transactions than these; null where there are none. */
export type PlatformCreditAccount = {
  id: string
  balanceMinor: number
  /** The latest ones, newest first. */
  transactions: PlatformCreditTransaction[]
  after: string | null
}

/** What a credit or debit came to. */
export type PlatformCreditMove = { key: string; accountId: string; balanceAfterMinor: number }

/** Neither `credit` nor `debit` takes an idempotency key: after a lost answer the account is read before anything is repeated. */
export type StoreCreditApi = {
  /** By customer; null for one who has no account in the currency. Leaves out customers that the platform does not have. */
  findMany(
    customerIds: string[],
    currency: string,
    priority?: Priority
  ): Promise<PlatformResult<Map<string, PlatformCreditAccount | null>>>
  /** A page of transactions, newest first. */
  listTransactions(
    accountId: string,
    currency: string,
    after: string
  ): Promise<PlatformResult<Page<PlatformCreditTransaction>>>
  /** Adds credit without an expiry; the customer's first opens the account. */
  credit(
    customerId: string,
    amountMinor: number,
    currency: string,
    options?: SendOptions
  ): Promise<PlatformResult<PlatformCreditMove>>
  debit(
    customerId: string,
    amountMinor: number,
    currency: string,
    options?: SendOptions
  ): Promise<PlatformResult<PlatformCreditMove>>
}

export function createStoreCreditApi(client: PlatformClient): StoreCreditApi {
  const patient = ofLowPriority(client)
  const money = (amountMinor: number, currency: string) => ({
    amount: decimalOf(amountMinor, currency),
    currencyCode: currency
  })
  const readMove = (currency: string) => (payload: Fields) => {
    const moved = payload.at('storeCreditAccountTransaction')
    return {
      key: moved.id('id'),
      accountId: moved.at('account').id('id'),
      balanceAfterMinor: moved.money('balanceAfterTransaction', currency)
    }
  }
  return {
    async findMany(customerIds, currency, priority) {
      const found = await findByIds(
        priority === 'low' ? patient : client,
        'Customer',
        CreditAccounts,
        customerIds,
        (node) => ({
          id: node.id('id'),
          account: node.isWithheld('storeCreditAccounts') ? ('withheld' as const) : readAccount(node, currency)
        }),
        { variables: { currency: `currency_code:${currency}` } }
      )
      if (!found.ok) return found
      const accounts = new Map<string, PlatformCreditAccount | null>()
      for (const [id, { account }] of found.value) {
        // An account that we may not read is not an absent one.
        if (account === 'withheld') return failed(notReadable('StoreCreditAccount'))
        accounts.set(id, account)
      }
      return succeeded(accounts)
    },
    async listTransactions(accountId, currency, after) {
      const page = await client.query(
        CreditTransactions,
        { id: client.gid('StoreCreditAccount', accountId), after },
        (data) => {
          const owner = data.atIfAny('storeCreditAccount')
          return owner && readPage(owner.at('transactions'), (node) => readTransaction(node, currency))
        }
      )
      if (!page.ok) return page
      return page.value ? succeeded(page.value) : failed(notFound('StoreCreditAccount', accountId))
    },
    credit: (customerId, amountMinor, currency, options) =>
      client.mutate(
        CreditAccountCredit,
        { id: client.gid('Customer', customerId), input: { creditAmount: money(amountMinor, currency) } },
        readMove(currency),
        options
      ),
    debit: (customerId, amountMinor, currency, options) =>
      client.mutate(
        CreditAccountDebit,
        { id: client.gid('Customer', customerId), input: { debitAmount: money(amountMinor, currency) } },
        readMove(currency),
        options
      )
  }
}

function readAccount(node: Fields, currency: string): PlatformCreditAccount | null {
  const [account] = node.at('storeCreditAccounts').list('nodes')
  if (!account) return null
  const transactions = account.at('transactions')
  return {
    id: account.id('id'),
    balanceMinor: account.money('balance', currency),
    transactions: transactions.list('nodes').map((one) => readTransaction(one, currency)),
    after: nextCursor(transactions)
  }
}

function readTransaction(node: Fields, currency: string): PlatformCreditTransaction {
  const type = node.text('__typename')
  const isExpiry = type === 'StoreCreditAccountExpirationTransaction'
  const amountMinor = Math.abs(node.money('amount', currency))
  const origin = node.maybeAt('origin')
  const isDeduction = isExpiry || type === 'StoreCreditAccountDebitTransaction'
  return {
    key: isExpiry ? `expiry-${node.at('creditTransaction').id('id')}` : node.id('id'),
    amountMinor: isDeduction ? -amountMinor : amountMinor,
    event: node.lower('event'),
    isExpiry,
    orderId: origin?.maybeAt('order')?.id('id') ?? null,
    orderTransactionId: origin?.maybeId('id') ?? null,
    createdAt: node.instant('createdAt')
  }
}
