import { GraphQLError } from 'graphql'
import { isCurrency } from '#kit/money'
import {
  type CreditAccount,
  type CreditTransaction,
  listCreditTransactions,
  moveCredit,
  openCreditAccount
} from '../state/credit.ts'
import type { Customer } from '../state/customers.ts'
import type { Api, Resolvers } from '../wire/api.ts'
import { type PageArgs, pageOf } from '../wire/connections.ts'
import { invalidId, isNumericId, numberIn, parseGid } from '../wire/gid.ts'
import { amountFrom, moneyV2 } from '../wire/money.ts'
import { type UserError, userError } from './user-errors.ts'

type MoneyInput = { amount: string; currencyCode: string }
/** The highest balance of an account; the platform's limit is USD 10,000 or the equivalent. */
const CREDIT_LIMIT_MINOR = 1_000_000

/** Companies own credit too, but the sandbox has none. */
const OWNERS = ['Customer', 'CompanyLocation', 'StoreCreditAccount']

type Move = {
  id: string
  money: MoneyInput
  input: 'creditInput' | 'debitInput'
  amountField: 'creditAmount' | 'debitAmount'
  expiresAt: Temporal.Instant | null
}

async function move(api: Api, requested: Move) {
  const { money, input, amountField } = requested
  const credit = input === 'creditInput'
  const refused = (field: string[], message: string, code: string) => ({
    storeCreditAccountTransaction: null,
    userErrors: [userError(field, message, code)] as UserError[]
  })
  if (!isCurrency(money.currencyCode) || money.currencyCode === 'XXX') {
    throw new GraphQLError(
      `CurrencyCode "${money.currencyCode}" is invalid. It can only be used as a result and not as an input value.`,
      { extensions: { code: 'CURRENCY_CODE_INVALID' } }
    )
  }
  const parsed = parseGid(api.shop, requested.id)
  if (!parsed || !OWNERS.includes(parsed.type) || !isNumericId(parsed.id)) throw invalidId()
  const account = await findAccount(api, parsed, money.currencyCode)
  if (account === 'no owner' && credit) return refused(['id'], 'Owner does not exist', 'OWNER_NOT_FOUND')
  if (account === 'no owner' || (account === 'no account' && (parsed.type !== 'Customer' || !credit))) {
    return refused(['id'], 'Store credit account does not exist', 'ACCOUNT_NOT_FOUND')
  }
  const now = await api.now()
  if (requested.expiresAt && Temporal.Instant.compare(requested.expiresAt, now) <= 0) {
    return refused([input, 'expiresAt'], 'The expiry date must be in the future', 'EXPIRES_AT_IN_PAST')
  }
  const amount = [input, amountField, 'amount']
  const amountMinor = amountFrom(money.amount, money.currencyCode)
  if (amountMinor === null || amountMinor <= 0) {
    const verb = credit ? 'credit' : 'debit'
    return refused(
      amount,
      `A positive amount must be used to ${verb} a store credit account`,
      'NEGATIVE_OR_ZERO_AMOUNT'
    )
  }
  if (account !== 'no account' && account.currency !== money.currencyCode) {
    const other = 'The currency provided does not match the currency of the store credit account'
    return refused([input, amountField, 'currencyCode'], other, 'MISMATCHING_CURRENCY')
  }
  const balanceMinor = account === 'no account' ? 0 : account.balanceMinor
  if (credit && balanceMinor + amountMinor > CREDIT_LIMIT_MINOR) {
    const limit = "The operation would cause the account's credit limit to be exceeded"
    return refused(amount, limit, 'CREDIT_LIMIT_EXCEEDED')
  }
  const transaction = await api.write(async (q, at) => {
    const { id } =
      account === 'no account' ? await openCreditAccount(q, api.shop.storeId, parsed.id, money.currencyCode) : account
    const signed = credit ? amountMinor : -amountMinor
    const entry = { accountId: id, amountMinor: signed, event: 'ADJUSTMENT', expiresAt: requested.expiresAt }
    return moveCredit(q, api.shop.storeId, entry, at)
  })
  if (transaction) return { storeCreditAccountTransaction: transaction, userErrors: [] }
  const short = 'The store credit account does not have sufficient funds to satisfy the request'
  return refused(amount, short, 'INSUFFICIENT_FUNDS')
}

/** Finds an account by its own id, or the owner's account in the currency. */
async function findAccount(
  api: Api,
  of: { type: string; id: string },
  currency: string
): Promise<CreditAccount | 'no owner' | 'no account'> {
  if (of.type === 'StoreCreditAccount') return (await api.load.creditAccount.get(of.id)) ?? 'no account'
  if (of.type !== 'Customer' || !(await api.load.customer.get(of.id))) return 'no owner'
  const accounts = (await api.load.creditAccountsOf.get(of.id)) ?? []
  return accounts.find((account) => account.currency === currency) ?? 'no account'
}

type CreditArgs = { id: string; creditInput: { creditAmount: MoneyInput; expiresAt?: Temporal.Instant | null } }
type DebitArgs = { id: string; debitInput: { debitAmount: MoneyInput } }

const account = ({ accountId }: CreditTransaction, _args: unknown, api: Api) => api.load.creditAccount.get(accountId)

/** A transaction has the currency of its account. */
const money = (of: 'amountMinor' | 'balanceAfterMinor') => async (found: CreditTransaction, _args: unknown, api: Api) =>
  moneyV2(found[of], (await api.load.creditAccount.get(found.accountId))!.currency)

const transactionFields = {
  account,
  amount: money('amountMinor'),
  balanceAfterTransaction: money('balanceAfterMinor'),
  origin: ({ orderTransactionId }: CreditTransaction, _args: unknown, api: Api) =>
    orderTransactionId && api.load.transaction.get(orderTransactionId)
}

export const storeCreditResolvers: Resolvers = {
  QueryRoot: {
    storeCreditAccount: (_root: unknown, { id }: { id: string }, api: Api) =>
      api.load.creditAccount.get(numberIn(api.shop, 'StoreCreditAccount', id))
  },
  Mutation: {
    storeCreditAccountCredit: (_root: unknown, { id, creditInput }: CreditArgs, api: Api) =>
      move(api, {
        id,
        money: creditInput.creditAmount,
        input: 'creditInput',
        amountField: 'creditAmount',
        expiresAt: creditInput.expiresAt ?? null
      }),
    storeCreditAccountDebit: (_root: unknown, { id, debitInput }: DebitArgs, api: Api) =>
      move(api, {
        id,
        money: debitInput.debitAmount,
        input: 'debitInput',
        amountField: 'debitAmount',
        expiresAt: null
      })
  },
  Customer: {
    storeCreditAccounts: async ({ id }: Customer, args: PageArgs & { query?: string | null }, api: Api) => {
      const currency = /currency_code:"?([A-Z]{3})/i.exec(args.query ?? '')?.[1]?.toUpperCase()
      const accounts = (await api.load.creditAccountsOf.get(id)) ?? []
      return pageOf(
        accounts.filter((found) => !currency || found.currency === currency),
        args
      )
    }
  },
  StoreCreditAccount: {
    balance: ({ balanceMinor, currency }: CreditAccount) => moneyV2(balanceMinor, currency),
    owner: ({ customerId }: CreditAccount, _args: unknown, api: Api) => api.load.customer.get(customerId),
    transactions: async ({ id }: CreditAccount, args: PageArgs, api: Api) =>
      pageOf(await listCreditTransactions(api.db.direct, api.shop.storeId, id), args)
  },
  StoreCreditAccountCreditTransaction: {
    ...transactionFields,
    // The sandbox does not allocate debits to single credits: a credit's remainder is limited by the account's balance.
    remainingAmount: async ({ accountId, amountMinor }: CreditTransaction, _args: unknown, api: Api) => {
      const of = (await api.load.creditAccount.get(accountId))!
      return moneyV2(Math.min(amountMinor, of.balanceMinor), of.currency)
    }
  },
  StoreCreditAccountDebitTransaction: transactionFields
}
