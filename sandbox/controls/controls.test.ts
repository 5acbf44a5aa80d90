import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../test/database.ts'
import { startSandbox } from '../start-sandbox.test-helper.ts'

const { db } = await testDatabase()
const { aShop, bugs } = await startSandbox(db)

test('creating a customer twice with the same e-mail returns the same one and sends one webhook', async () => {
  const shop = await aShop()
  const received = await shop.aReceiver(['CUSTOMERS_CREATE', 'CUSTOMER_PAYMENT_METHODS_CREATE'])
  const first = await shop.aCustomer('Ada@Example.com')
  const again = await shop.aCustomer('ada@example.com')
  assert.equal(again.id, first.id)
  assert.equal(again.email, 'Ada@Example.com')
  await shop.settle()
  assert.deepEqual(received.map(({ topic }) => topic).sort(), ['customer_payment_methods/create', 'customers/create'])
  const { body } = received.find(({ topic }) => topic === 'customers/create')!
  assert.equal(body.created_at, '2026-01-31T10:00:00-05:00')
  assert.equal(body.admin_graphql_api_id, first.gid)
  await assert.rejects(shop.aCustomer('nobody'), { code: 'invalid_request' })
})

test('a checkout places an order and creates a contract; a declined card refuses it', async () => {
  const shop = await aShop()
  await shop.aPlan()
  const received = await shop.aReceiver(['ORDERS_CREATE', 'ORDERS_PAID', 'SUBSCRIPTION_CONTRACTS_CREATE'])
  const { storeId } = shop
  const { id: customerId } = await shop.aCustomer()
  const { controls } = shop.sandbox
  await controls.setCard({ storeId, customerId, outcome: 'card_declined' })
  await assert.rejects(controls.join({ storeId, customerId, plan: 'VIP' }), { code: 'conflict' })
  await controls.setCard({ storeId, customerId, outcome: 'success' })
  await assert.rejects(controls.join({ storeId, customerId, plan: 'Gold' }), {
    message: 'There is no plan Gold; the shop sells Monthly VIP'
  })
  const joined = await controls.join({ storeId, customerId, plan: 'vip' })
  await shop.settle()
  const order = received.find(({ topic }) => topic === 'orders/create')!.body
  assert.equal(String(order.id), joined.orderId)
  assert.equal(order.name, '#1001')
  assert.equal(order.total_price, '29.00')
  assert.equal(order.financial_status, 'paid')
  assert.equal((order.customer as { email: string }).email, 'ada@example.com')
  assert.equal(received.length, 3)
  await assert.rejects(controls.setCard({ storeId, customerId, outcome: 'maybe' }), { code: 'invalid_request' })
  await assert.rejects(controls.join({ storeId, customerId: '1', plan: 'VIP' }), { code: 'not_found' })
})

test('an order is paid with store credit first; its refunds never exceed the payment', async () => {
  const shop = await aShop()
  const { storeId } = shop
  const { id: customerId, gid } = await shop.aCustomer()
  const { controls } = shop.sandbox
  const order = { storeId, customerId, total: '40.00', credit: '10.00', channel: 'pos' }
  await assert.rejects(controls.order(order), { code: 'conflict' })
  await shop.mutate(
    `mutation($id: ID!) { storeCreditAccountCredit(id: $id, creditInput: {
       creditAmount: { amount: "12.00", currencyCode: USD } }) { userErrors { message } } }`,
    { id: gid }
  )
  const placed = await controls.order(order)
  const received = await shop.aReceiver(['REFUNDS_CREATE', 'ORDERS_UPDATED'])
  const read = async () =>
    (
      await shop.graphql(
        `query($id: ID!) { order(id: $id) { name sourceName displayFinancialStatus paymentGatewayNames
           totalRefundedSet { shopMoney { amount } } currentTotalPriceSet { shopMoney { amount } }
           transactions { kind gateway amountSet { shopMoney { amount } } } } }`,
        { id: `gid://platform/Order/${placed.id}` }
      )
    ).data.order
  const paid = await read()
  assert.equal(paid.sourceName, 'pos')
  assert.deepEqual(paid.paymentGatewayNames, ['shopify_store_credit', 'bogus'])
  assert.deepEqual(
    paid.transactions.map((t: { amountSet: { shopMoney: { amount: string } } }) => t.amountSet.shopMoney.amount),
    ['10.0', '30.0']
  )

  await controls.refund({ storeId, orderId: placed.id, amount: '15.00' })
  assert.equal((await read()).displayFinancialStatus, 'PARTIALLY_REFUNDED')
  await assert.rejects(controls.refund({ storeId, orderId: placed.id, amount: '25.01' }), { code: 'conflict' })
  await controls.refund({ storeId, orderId: placed.id })
  const done = await read()
  assert.equal(done.displayFinancialStatus, 'REFUNDED')
  assert.equal(done.totalRefundedSet.shopMoney.amount, '40.0')
  assert.equal(done.currentTotalPriceSet.shopMoney.amount, '0.0')
  await assert.rejects(controls.refund({ storeId, orderId: placed.id }), { code: 'conflict' })
  await shop.settle()
  const refunds = received.filter(({ topic }) => topic === 'refunds/create')
  assert.deepEqual(
    refunds.map(({ body }) => (body.transactions as { amount: string }[]).map(({ amount }) => amount)),
    [['10.00', '5.00'], ['25.00']]
  )
})

test('a refund by the API needs an idempotency key and happens once per key', async () => {
  const shop = await aShop()
  const { storeId } = shop
  const { id: customerId } = await shop.aCustomer()
  const placed = await shop.sandbox.controls.order({ storeId, customerId, total: '20.00' })
  const orderId = `gid://platform/Order/${placed.id}`
  const input = {
    orderId,
    transactions: [{ orderId, kind: 'REFUND', gateway: 'bogus', amount: '5.00', parentId: null }]
  }
  const refund = (directive: string) =>
    shop.graphql(
      `mutation($input: RefundInput!) { refundCreate(input: $input) ${directive} {
         refund { id totalRefundedSet { shopMoney { amount } } } order { displayFinancialStatus } userErrors { field message } } }`,
      { input }
    )
  const without = await refund('')
  assert.equal(without.errors?.[0]?.extensions?.code, 'BAD_REQUEST')
  assert.deepEqual(without.data, { refundCreate: null })
  const [one, two] = [await refund('@idempotent(key: "k")'), await refund('@idempotent(key: "k")')]
  assert.equal(one.data.refundCreate.refund.totalRefundedSet.shopMoney.amount, '5.0')
  assert.equal(two.data.refundCreate.refund.id, one.data.refundCreate.refund.id)
  input.transactions[0]!.amount = '15.01'
  assert.match((await refund('@idempotent(key: "m")')).data.refundCreate.userErrors[0].message, /greater than/)
})

test('opening and closing a dispute each sends a webhook', async () => {
  const shop = await aShop()
  const { storeId } = shop
  const { id: customerId } = await shop.aCustomer()
  const received = await shop.aReceiver(['DISPUTES_CREATE', 'DISPUTES_UPDATE'])
  const placed = await shop.sandbox.controls.order({ storeId, customerId, total: '11.50' })
  const dispute = (status: 'under_review' | 'lost') =>
    shop.sandbox.controls.dispute({ storeId, orderId: placed.id, status })
  const opened = await dispute('under_review')
  assert.equal((await dispute('lost')).id, opened.id)
  await shop.settle()
  assert.deepEqual(
    received.map(({ topic, body }) => [topic, body.status, body.amount, String(body.order_id)]),
    [
      ['disputes/create', 'under_review', '11.50', placed.id],
      ['disputes/update', 'lost', '11.50', placed.id]
    ]
  )
  const { data } = await shop.graphql(
    '{ disputes(first: 5, query: "status:lost") { nodes { status order { name } } } }'
  )
  assert.deepEqual(data.disputes.nodes, [{ status: 'LOST', order: { name: placed.name } }])
})

test('fixtures create objects with given ids, even above 2^53', async () => {
  const shop = await aShop()
  const { storeId } = shop
  const fixtures = {
    storeId,
    customers: [{ id: '706405506930370084', email: 'bob@biller.example' }],
    orders: [{ id: '820982911946154508', customerId: '706405506930370084', total: '404.95' }],
    contracts: [{ id: '9998878778', customerId: '706405506930370084', price: '10.00' }],
    attempts: [
      { contractId: '9998878778', idempotencyKey: 'key', status: 'succeeded' as const, orderId: '820982911946154508' }
    ]
  }
  await shop.sandbox.controls.importFixtures(fixtures)
  await shop.sandbox.controls.importFixtures(fixtures)
  const { data } = await shop.graphql(
    `{ order(id: "gid://platform/Order/820982911946154508") { legacyResourceId customer { email } }
       subscriptionContract(id: "gid://platform/SubscriptionContract/9998878778") {
         billingAttempts(first: 2) { nodes { ready order { id } } } } }`
  )
  assert.deepEqual(data.order, {
    legacyResourceId: '820982911946154508',
    customer: { email: 'bob@biller.example' }
  })
  assert.equal(data.subscriptionContract.billingAttempts.nodes.length, 1)
  const received = await shop.aReceiver(['ORDERS_UPDATED'])
  await shop.sandbox.controls.refund({ storeId, orderId: '820982911946154508', amount: '1.00' })
  await shop.settle()
  assert.match(received[0]!.text, /^\{"id":820982911946154508,/)
})

test("compliance webhooks are sent to the app's address without a subscription", async () => {
  const shop = await aShop()
  const { storeId } = shop
  const { id: customerId } = await shop.aCustomer()
  const { controls } = shop.sandbox
  await assert.rejects(controls.sendCompliance({ storeId, topic: 'shop/redact' }), { code: 'conflict' })
  const received = await shop.aReceiver(['ORDERS_CREATE'])
  await controls.sendCompliance({ storeId, topic: 'customers/redact', customerId })
  await controls.sendCompliance({ storeId, topic: 'shop/redact' })
  await shop.settle()
  assert.deepEqual(
    received.map(({ topic }) => topic),
    ['customers/redact', 'shop/redact']
  )
  assert.equal(received[0]!.headers['x-platform-hmac-sha256'], shop.signatureOf(received[0]!.text))
})

test('a message with a body of its own is sent as it is, signed, under the id and time that are given', async () => {
  const shop = await aShop()
  const { storeId } = shop
  const { sendMessage } = shop.sandbox.controls
  const body = '{ "id": 9007199254740993, "name":"\\u00e9" }'
  await assert.rejects(sendMessage({ storeId, topic: 'orders/paid', body }), { code: 'conflict' })
  const received = await shop.aReceiver(['ORDERS_PAID'])
  const webhookId = 'B54557E4-bdd9-4b37-8a5f-bf7d70bcd043'
  const at = Temporal.Instant.from('2020-01-01T00:00:00Z')
  await sendMessage({ storeId, topic: 'orders/paid', body, webhookId, at })
  await sendMessage({ storeId, topic: 'orders/paid', body })
  await shop.settle()
  const [first, second] = received.map(({ headers }) => headers)
  assert.deepEqual(
    received.map(({ text }) => text),
    [body, body]
  )
  assert.deepEqual(
    [first!['x-platform-webhook-id'], Temporal.Instant.from(first!['x-platform-triggered-at']!)],
    [webhookId.toLowerCase(), at]
  )
  assert.equal(first!['x-platform-hmac-sha256'], shop.signatureOf(body))
  assert.notEqual(second!['x-platform-webhook-id'], first!['x-platform-webhook-id'])
  assert.deepEqual(Temporal.Instant.from(second!['x-platform-triggered-at']!), shop.now)
  for (const wrong of [{ topic: 'orders/none' }, { body: '[]' }, { body: '{' }, { webhookId: '7' }]) {
    await assert.rejects(sendMessage({ storeId, topic: 'orders/paid', body, ...wrong }), { code: 'invalid_request' })
  }
})

test('no request of this file caused an internal error', () => assert.deepEqual(bugs, []))
