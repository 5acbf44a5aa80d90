import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../test/database.ts'
import { startSandbox } from '../start-sandbox.test-helper.ts'

const { db } = await testDatabase()
const { aShop, bugs } = await startSandbox(db)

const ATTEMPTS = [
  'ORDERS_CREATE',
  'ORDERS_PAID',
  'ORDER_TRANSACTIONS_CREATE',
  'SUBSCRIPTION_BILLING_ATTEMPTS_SUCCESS',
  'SUBSCRIPTION_BILLING_ATTEMPTS_FAILURE',
  'SUBSCRIPTION_BILLING_ATTEMPTS_CHALLENGED'
]

const READ = `query($id: ID!) { subscriptionBillingAttempt(id: $id) {
  ready errorCode errorMessage completedAt order { name totalPriceSet { shopMoney { amount currencyCode } } }
  state { __typename ... on SubscriptionBillingAttemptFailedState {
    error { __typename ... on SubscriptionBillingAttemptPaymentError { code } } } } } }`

async function aShopWithMember(outcome?: string | string[], given: Parameters<typeof aShop>[0] = {}) {
  const shop = await aShop(given)
  await shop.aPlan()
  const member = await shop.aMember()
  if (outcome) {
    await shop.sandbox.controls.setCard({ storeId: shop.storeId, customerId: member.customer.id, outcome })
  }
  const received = await shop.aReceiver(ATTEMPTS)
  shop.advance({ hours: 24 * 28 })
  const charge = async (index = 1, key?: string) => {
    const { data } = await shop.charge(member.contract, index, key)
    return data.subscriptionBillingAttemptCreate
  }
  const read = async (id: string) => (await shop.graphql(READ, { id })).data.subscriptionBillingAttempt
  return { shop, ...member, received, charge, read }
}

test('a billing attempt is resolved later, with an order and its webhooks', async () => {
  const { shop, contractId, received, charge, read } = await aShopWithMember()

  const { subscriptionBillingAttempt: attempt, userErrors } = await charge()
  assert.deepEqual(userErrors, [])
  assert.equal(attempt.ready, false)
  assert.equal((await shop.sandbox.engine.nextDueAt(shop.storeId))?.toString(), shop.now.toString())
  await shop.settle()

  const done = await read(attempt.id)
  assert.equal(done.ready, true)
  assert.equal(done.state.__typename, 'SubscriptionBillingAttemptSuccessState')
  assert.deepEqual(done.order, {
    name: '#1002',
    totalPriceSet: { shopMoney: { amount: '29.0', currencyCode: 'USD' } }
  })
  assert.deepEqual(received.map(({ topic }) => topic).sort(), [
    'order_transactions/create',
    'orders/create',
    'orders/paid',
    'subscription_billing_attempts/success'
  ])
  const reported = received.find(({ topic }) => topic.endsWith('success'))!
  assert.equal(reported.headers['x-platform-hmac-sha256'], shop.signatureOf(reported.text))
  assert.equal(reported.headers['x-platform-shop-domain'], shop.shop.domain)
  assert.equal(reported.body.admin_graphql_api_id, attempt.id)
  assert.equal(String(reported.body.subscription_contract_id), contractId)
  assert.equal(new Set(received.map(({ headers }) => headers['x-platform-event-id'])).size, 1)
  assert.equal(await shop.sandbox.engine.nextDueAt(shop.storeId), null)
  assert.deepEqual(bugs, [])
})

test('requests with the same key return the same attempt, even concurrently', async () => {
  const { shop, charge } = await aShopWithMember()
  const responses = await Promise.all(Array.from({ length: 8 }, () => charge(1, 'key')))
  await shop.settle()
  const again = await charge(1, 'key')
  assert.equal(new Set([...responses, again].map((a) => a.subscriptionBillingAttempt.id)).size, 1)
  assert.equal(again.subscriptionBillingAttempt.ready, true)
  assert.equal((await shop.sandbox.controls.charges(shop.storeId)).length, 1)
})

test('a paid cycle is not charged again with another key', async () => {
  const { shop, charge, read } = await aShopWithMember('success', { chargeFaults: null })
  await charge(1, 'one')
  const { subscriptionBillingAttempt: other } = await charge(1, 'two')
  await shop.settle()
  assert.equal((await read(other.id)).errorCode, 'INVOICE_ALREADY_PAID')
  const { subscriptionBillingAttempt: later } = await charge(1, 'three')
  await shop.settle()
  assert.equal((await read(later.id)).errorCode, 'INVOICE_ALREADY_PAID')
  assert.equal((await shop.sandbox.controls.charges(shop.storeId)).length, 1)
})

test('a contract that is not active cannot be billed', async () => {
  const { shop, contract, charge } = await aShopWithMember()
  const change = (name: string) =>
    shop.mutate(`mutation($id: ID!) { ${name}(subscriptionContractId: $id) { userErrors { message } } }`, {
      id: contract
    })
  await change('subscriptionContractPause')
  assert.deepEqual((await charge()).userErrors, [
    {
      field: ['subscriptionContractId'],
      message: 'Subscription contract cannot be billed if paused.',
      code: 'CONTRACT_PAUSED'
    }
  ])
  await change('subscriptionContractCancel')
  assert.equal((await charge()).userErrors[0].code, 'CONTRACT_TERMINATED')
  const { data } = await shop.charge('gid://platform/SubscriptionContract/1', 1)
  assert.equal(data.subscriptionBillingAttemptCreate.userErrors[0].code, 'CONTRACT_NOT_FOUND')
})

test('an open attempt of a contract that was stopped is not charged', async () => {
  for (const [outcome, stop] of [
    ['3ds', 'subscriptionContractCancel'],
    ['3ds', 'subscriptionContractPause'],
    ['late', 'subscriptionContractCancel']
  ]) {
    const { shop, contract, charge, read } = await aShopWithMember(outcome)
    const { subscriptionBillingAttempt: attempt } = await charge()
    await shop.settle()
    const text = `mutation($id: ID!) { ${stop}(subscriptionContractId: $id) { userErrors { message } } }`
    await shop.mutate(text, { id: contract })
    shop.advance({ hours: 960 })
    await shop.settle()
    assert.equal((await read(attempt.id)).errorCode, 'CANCELLED_PAYMENT', `${outcome} ${stop}`)
    assert.equal((await shop.sandbox.controls.charges(shop.storeId)).length, 0)
  }
})

test('a decline is reported with its code', async () => {
  const { shop, received, charge, read } = await aShopWithMember('insufficient_funds')
  const { subscriptionBillingAttempt: attempt } = await charge()
  await shop.settle()
  const done = await read(attempt.id)
  assert.equal(done.errorCode, 'INSUFFICIENT_FUNDS')
  assert.deepEqual(done.state.error, {
    __typename: 'SubscriptionBillingAttemptPaymentError',
    code: 'INSUFFICIENT_FUNDS'
  })
  assert.deepEqual(
    received.map(({ topic, body }) => [topic, body.error_code, body.order_id]),
    [['subscription_billing_attempts/failure', 'INSUFFICIENT_FUNDS', null]]
  )
})

test('each outcome of a list is for one charge', async () => {
  const { shop, charge, read } = await aShopWithMember(['card_declined', 'expired_card', 'success'])
  const codes: string[] = []
  for (const key of ['a', 'b', 'c']) {
    const { subscriptionBillingAttempt: attempt } = await charge(1, key)
    await shop.settle()
    codes.push((await read(attempt.id)).errorCode)
  }
  assert.deepEqual(codes, ['CARD_DECLINED', 'EXPIRED_CARD', null])
})

test('a 3-D Secure payment waits until the customer confirms or refuses it', async () => {
  const { shop, received, charge, read } = await aShopWithMember('3ds')
  const { subscriptionBillingAttempt: attempt } = await charge()
  await shop.settle()
  const { data } = await shop.graphql(
    `query($id: ID!) { subscriptionBillingAttempt(id: $id) { ready nextActionUrl
       state { ... on SubscriptionBillingAttemptActionRequiredState {
         action { ... on SubscriptionBillingAttemptPaymentChallenge { nextActionUrl status } } } } } }`,
    { id: attempt.id }
  )
  assert.equal(data.subscriptionBillingAttempt.ready, false)
  assert.match(data.subscriptionBillingAttempt.nextActionUrl, /\/challenges\/[\w-]{24}$/)
  assert.deepEqual(
    received.map(({ topic }) => topic),
    ['subscription_billing_attempts/challenged']
  )
  const settle = (decision: 'confirmed' | 'refused') =>
    shop.sandbox.controls.settleChallenge({ storeId: shop.storeId, attemptId: attempt.id, decision })
  assert.equal((await settle('confirmed')).status, 'succeeded')
  await assert.rejects(settle('refused'), { code: 'conflict' })
  assert.equal((await read(attempt.id)).order.name, '#1002')
})

test("outcome `late` resolves after more than a day by the shop's clock", async () => {
  const { shop, charge, read } = await aShopWithMember('late')
  const { subscriptionBillingAttempt: attempt } = await charge()
  shop.advance({ hours: 25 })
  await shop.settle()
  assert.equal((await read(attempt.id)).ready, false)
  shop.advance({ hours: 1 })
  await shop.settle()
  assert.equal((await read(attempt.id)).errorCode, null)
  assert.equal((await read(attempt.id)).ready, true)
})

test('outcome `lost` leaves a paid attempt that is found by its key', async () => {
  const { shop, received, charge } = await aShopWithMember('lost')
  await assert.rejects(charge(1, 'lost-key'))
  await shop.settle()
  assert.deepEqual(received, [])
  const { subscriptionBillingAttempt: found } = await charge(1, 'lost-key')
  assert.equal(found.ready, true)
  assert.equal(found.order.name, '#1002')
  assert.equal((await shop.sandbox.controls.charges(shop.storeId)).length, 1)
})

test('outcome `duplicate` sends every webhook twice with the same webhook id', async () => {
  const { shop, received, charge } = await aShopWithMember('duplicate')
  await charge()
  await shop.settle()
  assert.equal(received.length, 8)
  assert.equal(new Set(received.map(({ headers }) => headers['x-platform-webhook-id'])).size, 4)
})

test('webhooks are retried for four hours, then the subscription is removed', async () => {
  const { shop, charge } = await aShopWithMember()
  const got = await shop.aReceiver(['SUBSCRIPTION_BILLING_ATTEMPTS_SUCCESS'], () => 500)
  await charge()
  const from = shop.now
  for (let i = 0; i < 12; i++) {
    await shop.settle()
    const next = await shop.sandbox.engine.nextDueAt(shop.storeId)
    if (next) shop.advance(shop.now.until(next))
  }
  assert.equal(got.length, 9)
  assert.equal(new Set(got.map(({ text }) => text)).size, 1)
  assert.equal(from.until(shop.now).total('hours'), 4)
  const { data } = await shop.graphql('{ webhookSubscriptions(first: 50) { nodes { topic uri } } }')
  assert.equal(data.webhookSubscriptions.nodes.length, ATTEMPTS.length)
})

test('hundreds of attempts are resolved in batches with few statements', async () => {
  const { shop, contract, charge } = await aShopWithMember()
  const COUNT = 450
  await Promise.all(Array.from({ length: COUNT }, (_, i) => charge(i + 1, `k${i}`)))
  db.stats.statements = 0
  let resolved = 0
  for (let batch = 1; batch > 0; ) resolved += batch = await shop.sandbox.engine.runOnce(shop.storeId)
  assert.ok(resolved >= COUNT)
  assert.ok(db.stats.statements < COUNT / 2, `${db.stats.statements} statements`)
  const { data } = await shop.graphql(
    'query($id: ID!) { subscriptionContract(id: $id) { orders(first: 250, reverse: true) { nodes { name } } } }',
    { id: contract }
  )
  assert.equal(data.subscriptionContract.orders.nodes[0].name, `#${1001 + COUNT}`)
})
