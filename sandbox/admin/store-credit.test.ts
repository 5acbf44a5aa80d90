import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../test/database.ts'
import { startSandbox, type TestShop } from '../start-sandbox.test-helper.ts'

const { db } = await testDatabase()
const { aShop, bugs } = await startSandbox(db)

// Where a response of a real store was recorded, the expected values are those of the recording.

const MOVE = (kind: 'Credit' | 'Debit') => `mutation($id: ID!, $input: StoreCreditAccount${kind}Input!) {
  storeCreditAccount${kind}(id: $id, ${kind.toLowerCase()}Input: $input) {
    storeCreditAccountTransaction { amount { amount currencyCode } balanceAfterTransaction { amount currencyCode } event
      account { id balance { amount } owner { ... on Customer { email } } } }
    userErrors { field message code } } }`

async function credit(shop: TestShop, id: string, amount: string, more = {}, currencyCode = 'USD') {
  const input = { creditAmount: { amount, currencyCode }, ...more }
  return (await shop.graphql(MOVE('Credit'), { id, input })).data.storeCreditAccountCredit
}

async function debit(shop: TestShop, id: string, amount: string, currencyCode = 'USD') {
  const input = { debitAmount: { amount, currencyCode } }
  return (await shop.graphql(MOVE('Debit'), { id, input })).data.storeCreditAccountDebit
}

test('store credit is credited and debited, and invalid changes are refused as on the platform', async () => {
  const shop = await aShop()
  const { gid } = await shop.aCustomer()
  const first = (await credit(shop, gid, '7.23')).storeCreditAccountTransaction
  const { account, ...rest } = first
  assert.deepEqual(rest, {
    amount: { amount: '7.23', currencyCode: 'USD' },
    balanceAfterTransaction: { amount: '7.23', currencyCode: 'USD' },
    event: 'ADJUSTMENT'
  })
  const spent = (await debit(shop, account.id, '2.22')).storeCreditAccountTransaction
  assert.equal(spent.amount.amount, '-2.22')
  assert.equal(spent.account.balance.amount, '5.01')

  const missing = 'gid://platform/StoreCreditAccount/999999999999999'
  const refusals = [
    await credit(shop, missing, '0.00'),
    await debit(shop, missing, '0.00'),
    await credit(shop, 'gid://platform/Customer/999', '1.00'),
    await credit(shop, account.id, '-5.00', { expiresAt: '2000-01-01T00:00:00Z' }),
    await credit(shop, account.id, '2.00', {}, 'CAD'),
    await debit(shop, account.id, '1.00', 'CHF'),
    await credit(shop, gid, '0.00'),
    await debit(shop, gid, '-1.00'),
    await debit(shop, gid, '9999.00'),
    await credit(shop, gid, '100000.00')
  ].map(({ storeCreditAccountTransaction, userErrors }) => {
    assert.equal(storeCreditAccountTransaction, null)
    return [userErrors[0].code, userErrors[0].field.join('.'), userErrors[0].message]
  })
  assert.deepEqual(refusals, [
    ['ACCOUNT_NOT_FOUND', 'id', 'Store credit account does not exist'],
    ['ACCOUNT_NOT_FOUND', 'id', 'Store credit account does not exist'],
    ['OWNER_NOT_FOUND', 'id', 'Owner does not exist'],
    ['EXPIRES_AT_IN_PAST', 'creditInput.expiresAt', 'The expiry date must be in the future'],
    [
      'MISMATCHING_CURRENCY',
      'creditInput.creditAmount.currencyCode',
      'The currency provided does not match the currency of the store credit account'
    ],
    [
      'MISMATCHING_CURRENCY',
      'debitInput.debitAmount.currencyCode',
      'The currency provided does not match the currency of the store credit account'
    ],
    [
      'NEGATIVE_OR_ZERO_AMOUNT',
      'creditInput.creditAmount.amount',
      'A positive amount must be used to credit a store credit account'
    ],
    [
      'NEGATIVE_OR_ZERO_AMOUNT',
      'debitInput.debitAmount.amount',
      'A positive amount must be used to debit a store credit account'
    ],
    [
      'INSUFFICIENT_FUNDS',
      'debitInput.debitAmount.amount',
      'The store credit account does not have sufficient funds to satisfy the request'
    ],
    [
      'CREDIT_LIMIT_EXCEEDED',
      'creditInput.creditAmount.amount',
      "The operation would cause the account's credit limit to be exceeded"
    ]
  ])
  await credit(shop, gid, '2.00', {}, 'CHF')
  const other = await shop.graphql(MOVE('Credit'), {
    id: gid,
    input: { creditAmount: { amount: '1.00', currencyCode: 'XXX' } }
  })
  assert.equal(other.errors?.[0]?.extensions?.code, 'CURRENCY_CODE_INVALID')
  const { data } = await shop.graphql(
    `query($id: ID!, $account: ID!) { customer(id: $id) { storeCreditAccounts(first: 5) { nodes { balance { amount currencyCode } } } }
       storeCreditAccount(id: $account) { transactions(first: 5, reverse: true) { nodes { amount { amount } } } } }`,
    { id: gid, account: account.id }
  )
  assert.deepEqual(data.customer.storeCreditAccounts.nodes, [
    { balance: { amount: '5.01', currencyCode: 'USD' } },
    { balance: { amount: '2.0', currencyCode: 'CHF' } }
  ])
  assert.deepEqual(
    data.storeCreditAccount.transactions.nodes.map((t: { amount: { amount: string } }) => t.amount.amount),
    ['-2.22', '7.23']
  )
})

test('concurrent debits cannot exceed the balance', async () => {
  const shop = await aShop()
  const { gid } = await shop.aCustomer()
  await credit(shop, gid, '10.00')
  const outcomes = await Promise.all(Array.from({ length: 6 }, () => debit(shop, gid, '4.00')))
  assert.equal(outcomes.filter(({ userErrors }) => userErrors.length === 0).length, 2)
})

test('no request of this file caused an internal error', () => assert.deepEqual(bugs, []))
