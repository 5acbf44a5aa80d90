import { instant, int, nullable, type Queries, type RowOf, row, sql, text } from '#kit/postgres'

const AccountRow = row({ id: text, customerId: text, currency: text, balanceMinor: int })
const TransactionRow = row({
  id: text,
  accountId: text,
  amountMinor: int,
  balanceAfterMinor: int,
  event: text,
  expiresAt: nullable(instant),
  /** Of the order that it paid or was given back from. */
  orderTransactionId: nullable(text),
  createdAt: instant
})
export type CreditAccount = RowOf<typeof AccountRow> & { __typename: 'StoreCreditAccount' }
export type CreditTransaction = RowOf<typeof TransactionRow> & {
  __typename: 'StoreCreditAccountCreditTransaction' | 'StoreCreditAccountDebitTransaction'
}

const asAccount = (found: RowOf<typeof AccountRow>): CreditAccount => ({ __typename: 'StoreCreditAccount', ...found })
const asTransaction = (found: RowOf<typeof TransactionRow>): CreditTransaction => ({
  __typename: found.amountMinor < 0 ? 'StoreCreditAccountDebitTransaction' : 'StoreCreditAccountCreditTransaction',
  ...found
})

export async function findCreditAccounts(q: Queries, storeId: number, ids: string[]): Promise<CreditAccount[]> {
  const rows = await q.many(
    AccountRow,
    sql`
    select id::text as id, customer_id::text as customer_id, currency, balance_minor
      from sandbox.credit_accounts where store_id = ${storeId} and id = any(${ids}::bigint[])`
  )
  return rows.map(asAccount)
}

/** The accounts of the customers, one per currency, oldest first. */
export async function listCreditAccounts(q: Queries, storeId: number, customerIds: string[]): Promise<CreditAccount[]> {
  const rows = await q.many(
    AccountRow,
    sql`
    select id::text as id, customer_id::text as customer_id, currency, balance_minor
      from sandbox.credit_accounts where store_id = ${storeId} and customer_id = any(${customerIds}::bigint[])
     order by credit_accounts.id`
  )
  return rows.map(asAccount)
}

/** Oldest first. */
export async function listCreditTransactions(
  q: Queries,
  storeId: number,
  accountId: string
): Promise<CreditTransaction[]> {
  const rows = await q.many(
    TransactionRow,
    sql`
    select id::text as id, account_id::text as account_id, amount_minor, balance_after_minor, event, expires_at,
           order_transaction_id::text as order_transaction_id, created_at
      from sandbox.credit_transactions where store_id = ${storeId} and account_id = ${accountId}
     order by credit_transactions.id`
  )
  return rows.map(asTransaction)
}

export async function openCreditAccount(
  q: Queries,
  storeId: number,
  customerId: string,
  currency: string
): Promise<CreditAccount> {
  const found = await q.one(
    AccountRow,
    sql`
    insert into sandbox.credit_accounts (store_id, customer_id, currency) values (${storeId}, ${customerId}, ${currency})
    on conflict (store_id, customer_id, currency) do update set currency = excluded.currency
    returning id::text as id, customer_id::text as customer_id, currency, balance_minor`
  )
  return asAccount(found)
}

/** Changes the balance and writes the transaction; null if the balance would become negative. */
export async function moveCredit(
  q: Queries,
  storeId: number,
  move: {
    accountId: string
    amountMinor: number
    event: string
    expiresAt: Temporal.Instant | null
    orderTransactionId?: string
  },
  now: Temporal.Instant
): Promise<CreditTransaction | null> {
  const found = await q.maybeOne(
    TransactionRow,
    sql`
    with moved as (
      update sandbox.credit_accounts set balance_minor = balance_minor + ${move.amountMinor}
       where store_id = ${storeId} and id = ${move.accountId} and balance_minor + ${move.amountMinor} >= 0
      returning id, balance_minor
    )
    insert into sandbox.credit_transactions (store_id, account_id, amount_minor, balance_after_minor, event, expires_at,
                                             order_transaction_id, created_at)
    select ${storeId}, moved.id, ${move.amountMinor}, moved.balance_minor, ${move.event}, ${move.expiresAt},
           ${move.orderTransactionId ?? null}::bigint, ${now}
      from moved
    returning id::text as id, account_id::text as account_id, amount_minor, balance_after_minor, event, expires_at,
              order_transaction_id::text as order_transaction_id, created_at`
  )
  return found && asTransaction(found)
}

/** Says which transactions of an order moved credit, once the order is placed. */
export async function linkCredit(
  q: Queries,
  storeId: number,
  links: { creditTransactionId: string; orderTransactionId: string }[]
): Promise<void> {
  if (links.length === 0) return
  await q.run(sql`
    update sandbox.credit_transactions t set order_transaction_id = l.order_transaction
      from unnest(${links.map((l) => l.creditTransactionId)}::bigint[], ${links.map((l) => l.orderTransactionId)}::bigint[])
             as l(id, order_transaction)
     where t.store_id = ${storeId} and t.id = l.id`)
}
