// Orders of whole carts, and what happens to them later: the bodies of their messages against the schemas of the platform's.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { Compile } from 'typebox/schema'
import { testDatabase } from '../../test/database.ts'
import { type Answered, type Received, startSandbox, type TestShop } from '../start-sandbox.test-helper.ts'

const { db } = await testDatabase()
const { aShop, bugs } = await startSandbox(db)

const schemaOf = async (topic: string) =>
  Compile(
    JSON.parse(
      await readFile(new URL(`../../test/fixtures/platform/payloads/schemas/${topic}.json`, import.meta.url), 'utf8')
    )
  )
const SCHEMAS = {
  'orders/create': await schemaOf('orders_create'),
  'orders/paid': await schemaOf('orders_paid'),
  'orders/updated': await schemaOf('orders_paid'),
  'orders/cancelled': await schemaOf('orders_paid'),
  'refunds/create': await schemaOf('refunds_create'),
  'disputes/create': await schemaOf('disputes_create'),
  'disputes/update': await schemaOf('disputes_create')
}

/**
 * The schemas are inferred from few samples. Of refunds there is one: a person made it, and its card has texts where other samples
 * have null, and a number that was taken for a date. Of orders that have refunds there is none.
 */
const FROM_ONE_SAMPLE = /^\/user_id$|^\/transactions\/\d+\/payment_details\/|^\/refunds\/\d+$/

/** Every message of these topics, each of which must be as the platform's. */
async function messagesOf(shop: TestShop, work: () => Promise<unknown>): Promise<Received[]> {
  const received = await shop.aReceiver([
    'ORDERS_CREATE',
    'ORDERS_PAID',
    'ORDERS_UPDATED',
    'ORDERS_CANCELLED',
    'ORDER_TRANSACTIONS_CREATE',
    'REFUNDS_CREATE',
    'DISPUTES_CREATE',
    'DISPUTES_UPDATE'
  ])
  await work()
  await shop.settle()
  for (const { topic, body } of received) {
    const schema = SCHEMAS[topic as keyof typeof SCHEMAS]
    const errors = schema?.Errors(body)[1] as { instancePath: string }[] | undefined
    assert.deepEqual(errors?.filter(({ instancePath }) => !FROM_ONE_SAMPLE.test(instancePath)) ?? [], [], topic)
  }
  return received
}

const only = (received: Received[], topic: string): Answered => {
  const found = received.filter((one) => one.topic === topic)
  assert.equal(found.length, 1, `one ${topic}`)
  return found[0]!.body
}

async function withCredit(shop: TestShop, gid: string, amount: string): Promise<() => Promise<string>> {
  await shop.mutate(
    `mutation($id: ID!, $input: StoreCreditAccountCreditInput!) { storeCreditAccountCredit(id: $id, creditInput: $input) {
       userErrors { message } } }`,
    { id: gid, input: { creditAmount: { amount, currencyCode: 'USD' } } }
  )
  return async () => {
    const { data } = await shop.graphql(
      'query($id: ID!) { customer(id: $id) { storeCreditAccounts(first: 1) { nodes { balance { amount } } } } }',
      { id: gid }
    )
    return data.customer.storeCreditAccounts.nodes[0].balance.amount
  }
}

async function aGiftCard(shop: TestShop, initialValue: string) {
  const { giftCard, giftCardCode } = await shop.mutate(
    'mutation($v: Decimal!) { giftCardCreate(input: { initialValue: $v }) { giftCardCode giftCard { id } userErrors { message } } }',
    { v: initialValue }
  )
  const balance = async () =>
    (await shop.graphql('query($id: ID!) { giftCard(id: $id) { balance { amount } } }', { id: giftCard.id })).data
      .giftCard.balance.amount
  return { id: giftCard.id as string, code: giftCardCode as string, balance }
}

async function aCode(shop: TestShop, input: object) {
  await shop.mutate(
    `mutation($d: DiscountCodeBasicInput!) { discountCodeBasicCreate(basicCodeDiscount: $d) { userErrors { field message } } }`,
    { d: { title: 'Code', startsAt: '2026-01-01T00:00:00Z', ...input } }
  )
}

const idOf = async (shop: TestShop, kind: 'product' | 'collection', handle: string) =>
  (await shop.graphql(`{ ${kind}ByIdentifier(identifier: { handle: "${handle}" }) { id } }`)).data[
    `${kind}ByIdentifier`
  ].id

test('an order of a cart has its lines, discounts, tax, shipping, addresses, attributes, app and payments', async () => {
  const shop = await aShop()
  const { storeId } = shop
  const { id: customerId, gid } = await shop.aCustomer()
  const credit = await withCredit(shop, gid, '30.00')
  const giftCard = await aGiftCard(shop, '12.34')
  const mug = await idOf(shop, 'product', 'stoneware-mug')
  await aCode(shop, {
    code: 'MUGS',
    customerGets: { value: { percentage: 0.25 }, items: { products: { productsToAdd: [mug] } } },
    combinesWith: { orderDiscounts: true }
  })
  await aCode(shop, {
    code: 'TEN',
    customerGets: { value: { discountAmount: { amount: '10.00', appliesOnEachItem: false } }, items: { all: true } },
    combinesWith: { productDiscounts: true }
  })
  let placed: { id: string; name: string } | undefined
  const received = await messagesOf(shop, async () => {
    placed = await shop.sandbox.controls.order({
      storeId,
      customerId,
      lines: [{ variant: 'mug-blue', quantity: 3 }, { variant: 'GRINDER' }],
      codes: ['ten', 'MUGS'],
      credit: '20.00',
      giftCard: giftCard.code,
      country: 'DE',
      billingCountry: 'US',
      attributes: [{ name: 'deliverySchedule', value: 'Monday, early' }],
      note: 'Ring twice',
      shipping: '5.00',
      taxPercent: 10,
      channel: '3890849'
    })
  })
  // Mugs 54.00 - 13.50; then 10.00 of 129.50 in proportion: 3.13 and 6.87. Tax of 37.37 and 82.13.
  const order = only(received, 'orders/create')
  assert.deepEqual(
    [order.total_line_items_price, order.total_discounts, order.subtotal_price, order.total_tax, order.total_price],
    ['143.00', '23.50', '119.50', '11.95', '136.45']
  )
  assert.deepEqual(
    order.line_items.map((line: Answered) => [
      line.sku,
      line.quantity,
      line.price,
      line.total_discount,
      line.discount_allocations.map((one: Answered) => [one.discount_application_index, one.amount]),
      line.tax_lines.map((tax: Answered) => [tax.title, tax.rate, tax.price])
    ]),
    [
      [
        'MUG-BLUE',
        3,
        '18.00',
        '16.63',
        [
          [0, '13.50'],
          [1, '3.13']
        ],
        [['Tax', 0.1, '3.74']]
      ],
      ['GRINDER', 1, '89.00', '6.87', [[1, '6.87']], [['Tax', 0.1, '8.21']]]
    ]
  )
  assert.deepEqual(
    order.discount_applications.map((one: Answered) => [
      one.code,
      one.type,
      one.value,
      one.value_type,
      one.target_selection
    ]),
    [
      ['MUGS', 'discount_code', '25.0', 'percentage', 'entitled'],
      ['TEN', 'discount_code', '10.00', 'fixed_amount', 'all']
    ]
  )
  assert.deepEqual(order.discount_codes, [
    { code: 'MUGS', amount: '13.50', type: 'percentage' },
    { code: 'TEN', amount: '10.00', type: 'fixed_amount' }
  ])
  assert.deepEqual(order.note_attributes, [{ name: 'deliverySchedule', value: 'Monday, early' }])
  assert.deepEqual(
    [order.shipping_address.country_code, order.shipping_address.country, order.billing_address.country_code],
    ['DE', 'Germany', 'US']
  )
  assert.deepEqual([order.shipping_lines[0].title, order.shipping_lines[0].price], ['Standard', '5.00'])
  assert.deepEqual([order.app_id, order.source_name, order.note], [3890849, '3890849', 'Ring twice'])
  assert.deepEqual(order.payment_gateway_names, ['gift_card', 'shopify_store_credit', 'bogus'])
  assert.deepEqual(
    received
      .filter(({ topic }) => topic === 'order_transactions/create')
      .map(({ body }) => [body.gateway, body.amount]),
    [
      ['gift_card', '12.34'],
      ['shopify_store_credit', '20.00'],
      ['bogus', '104.11']
    ]
  )
  assert.deepEqual([await credit(), await giftCard.balance()], ['10.0', '0.0'])

  // The Admin API says the same.
  const { data } = await shop.graphql(
    `query($id: ID!) { order(id: $id) { app { id name } customAttributes { key value } totalTaxSet { shopMoney { amount } }
       billingAddress { countryCodeV2 city } shippingAddress { countryCodeV2 country zip } taxLines { title ratePercentage }
       shippingLine { title originalPriceSet { shopMoney { amount } } }
       discountApplications(first: 5) { nodes { index targetSelection ... on DiscountCodeApplication { code } } }
       lineItems(first: 5) { nodes { sku discountAllocations { allocatedAmountSet { shopMoney { amount } }
         discountApplication { index } } originalUnitPriceSet { shopMoney { amount } } vendor } }
       transactions(first: 5) { gateway receiptJson amountSet { shopMoney { amount } } } } }`,
    { id: `gid://platform/Order/${placed!.id}` }
  )
  assert.deepEqual(data.order.app, { id: 'gid://platform/App/3890849', name: 'App 3890849' })
  assert.deepEqual(data.order.customAttributes, [{ key: 'deliverySchedule', value: 'Monday, early' }])
  assert.deepEqual(data.order.billingAddress, { countryCodeV2: 'US', city: 'New York' })
  assert.deepEqual(data.order.shippingAddress, { countryCodeV2: 'DE', country: 'Germany', zip: '10115' })
  assert.equal(data.order.totalTaxSet.shopMoney.amount, '11.95')
  assert.deepEqual(
    data.order.lineItems.nodes[0].discountAllocations.map((one: Answered) => [
      one.discountApplication.index,
      one.allocatedAmountSet.shopMoney.amount
    ]),
    [
      [0, '13.5'],
      [1, '3.13']
    ]
  )
  assert.deepEqual(JSON.parse(data.order.transactions[0].receiptJson), {
    gift_card_id: Number(giftCard.id.split('/').at(-1)),
    gift_card_last_characters: giftCard.code.slice(-4)
  })
})

test('a membership and products are one order: the plan begins a contract, the products belong to none', async () => {
  const shop = await aShop()
  const { storeId } = shop
  await shop.aPlan()
  const { id: customerId } = await shop.aCustomer()
  const received = await messagesOf(shop, () =>
    shop.sandbox.controls.order({ storeId, customerId, lines: [{ variant: 'BOWL' }, { plan: 'VIP' }] })
  )
  const order = only(received, 'orders/create')
  assert.equal(order.total_price, '51.00')
  const { data } = await shop.graphql(
    `query($id: ID!) { order(id: $id) { lineItems(first: 5) { nodes { title contract { status originOrder { name } } } } } }`,
    { id: order.admin_graphql_api_id }
  )
  assert.deepEqual(data.order.lineItems.nodes, [
    { title: 'VIP', contract: { status: 'ACTIVE', originOrder: { name: order.name } } },
    { title: 'Tea bowl', contract: null }
  ])
})

test('nothing is bought when the card declines, and neither credit nor a code is used up', async () => {
  const shop = await aShop()
  const { storeId } = shop
  const { id: customerId, gid } = await shop.aCustomer()
  const credit = await withCredit(shop, gid, '5.00')
  await aCode(shop, { code: 'ONCE', usageLimit: 1, customerGets: { value: { percentage: 0.5 }, items: { all: true } } })
  await shop.sandbox.controls.setCard({ storeId, customerId, outcome: 'insufficient_funds' })
  const order = { storeId, customerId, lines: [{ variant: 'BOWL' }], credit: '5.00', codes: ['ONCE'] }
  const received = await messagesOf(shop, () =>
    assert.rejects(shop.sandbox.controls.order(order), {
      code: 'conflict',
      message: "The checkout was declined: the customer's card is set to insufficient_funds"
    })
  )
  assert.deepEqual(received, [])
  assert.equal(await credit(), '5.0')
  await shop.sandbox.controls.setCard({ storeId, customerId, outcome: 'success' })
  await shop.sandbox.controls.order(order)
  assert.equal(await credit(), '0.0')
  await assert.rejects(shop.sandbox.controls.order({ ...order, credit: null }), {
    message: /ONCE does not apply: it has been used/
  })
})

for (const [what, change, expected] of [
  [
    'both a total and lines',
    { total: '5.00', lines: [{ variant: 'BOWL' }] },
    /^total or lines must be given, not both/
  ],
  ['neither a total nor lines', {}, /^total or lines must be given/],
  ['a variant that is not sold', { lines: [{ variant: 'SPOON' }] }, /^The shop sells no variant SPOON/],
  ['a half of something', { lines: [{ variant: 'BOWL', quantity: 0.5 }] }, /^quantity must be a whole number/],
  ['a negative amount of credit', { total: '5.00', credit: '-1.00' }, /^credit must be an amount of zero or more/],
  ['more credit than is to be paid', { total: '5.00', credit: '5.01' }, /^credit must be at most what is to be paid/],
  [
    'credit that is not there',
    { total: '5.00', credit: '5.00' },
    /^credit must be at most the store credit that the customer has on the platform, which is 0\.00 USD$/
  ],
  [
    'a gift card that does not exist',
    { total: '5.00', giftCard: 'nothing12' },
    /^There is no gift card with that code/
  ],
  ['a code that does not exist', { total: '5.00', codes: ['NO'] }, /^There is no coupon NO/],
  [
    'a country by its name',
    { total: '5.00', country: 'Germany' },
    /^country must be an ISO 3166-1 alpha-2 country code/
  ],
  [
    'a country that does not exist',
    { total: '5.00', country: 'XX' },
    /^country must be an ISO 3166-1 alpha-2 country code/
  ],
  [
    'a bill to a country that does not exist',
    { total: '5.00', billingCountry: 'XX' },
    /^billing_country must be an ISO 3166-1 alpha-2 country code/
  ],
  ['a tax above 100 percent', { total: '5.00', taxPercent: 101 }, /^tax_percent must be a number from 0 to 100/],
  [
    'attributes of one name',
    {
      total: '5.00',
      attributes: [
        { name: 'a', value: '1' },
        { name: 'a', value: '2' }
      ]
    },
    /^attributes must have different names/
  ]
] as const) {
  test(`a checkout with ${what} is refused`, async () => {
    const shop = await aShop()
    const { id: customerId } = await shop.aCustomer()
    const order = { storeId: shop.storeId, customerId, ...(change as object) }
    await assert.rejects(shop.sandbox.controls.order(order), { message: expected })
    assert.equal((await shop.sandbox.controls.counts(shop.storeId)).orders, 0)
  })
}

test('codes that do not combine, or are for other products, are refused', async () => {
  const shop = await aShop()
  const { storeId } = shop
  const { id: customerId } = await shop.aCustomer()
  const sale = await idOf(shop, 'collection', 'sale')
  const all = { value: { percentage: 0.1 }, items: { all: true } }
  await aCode(shop, { code: 'A', customerGets: all })
  await aCode(shop, { code: 'B', customerGets: all, combinesWith: { orderDiscounts: true } })
  await aCode(shop, {
    code: 'SALE',
    customerGets: { value: { percentage: 0.1 }, items: { collections: { add: [sale] } } }
  })
  const order = (codes: string[], variant: string) =>
    shop.sandbox.controls.order({ storeId, customerId, codes, lines: [{ variant }] })
  await assert.rejects(order(['A', 'B'], 'BOWL'), { message: 'The coupon A cannot be combined with B' })
  await assert.rejects(order(['SALE'], 'BOWL'), { message: 'The coupon SALE does not apply: it is for other products' })
  await order(['SALE'], 'GRINDER')
})

test('a refund in parts gives back the gift card first, then store credit, then the card, and never more than was paid', async () => {
  const shop = await aShop()
  const { storeId } = shop
  const { id: customerId, gid } = await shop.aCustomer()
  const credit = await withCredit(shop, gid, '10.00')
  const giftCard = await aGiftCard(shop, '5.00')
  const cart = { storeId, customerId, total: '40.00', credit: '10.00', giftCard: giftCard.code }
  const { id: orderId } = await shop.sandbox.controls.order(cart)
  const refund = (amount?: string) => shop.sandbox.controls.refund({ storeId, orderId, amount })
  const balances = async () => [await giftCard.balance(), await credit()]
  assert.deepEqual(await balances(), ['0.0', '0.0'])
  const received = await messagesOf(shop, async () => {
    await refund('3.00')
    assert.deepEqual(await balances(), ['3.0', '0.0'])
    await refund('7.00')
    assert.deepEqual(await balances(), ['5.0', '5.0'])
    await refund()
    assert.deepEqual(await balances(), ['5.0', '10.0'])
  })
  await assert.rejects(refund('0.01'), { message: /less than that left/ })
  const refunds = received.filter(({ topic }) => topic === 'refunds/create').map(({ body }) => body as Answered)
  assert.deepEqual(
    refunds.map(({ transactions }) => transactions.map((one: Answered) => [one.kind, one.gateway, one.amount])),
    [
      [['refund', 'gift_card', '3.00']],
      [
        ['refund', 'gift_card', '2.00'],
        ['refund', 'shopify_store_credit', '5.00']
      ],
      [
        ['refund', 'shopify_store_credit', '5.00'],
        ['refund', 'bogus', '25.00']
      ]
    ]
  )
  const updates = received.filter(({ topic }) => topic === 'orders/updated').map(({ body }) => body as Answered)
  assert.deepEqual(
    updates.map(({ financial_status, current_total_price, refunds: all }) => [
      financial_status,
      current_total_price,
      all.length
    ]),
    [
      ['partially_refunded', '37.00', 1],
      ['partially_refunded', '30.00', 2],
      ['refunded', '0.00', 3]
    ]
  )
  const { data } = await shop.graphql(
    'query($id: ID!) { customer(id: $id) { storeCreditAccounts(first: 1) { nodes { transactions(first: 9) { nodes { event amount { amount } } } } } } }',
    { id: gid }
  )
  assert.deepEqual(
    data.customer.storeCreditAccounts.nodes[0].transactions.nodes.map((one: Answered) => [
      one.event,
      one.amount.amount
    ]),
    [
      ['ADJUSTMENT', '10.0'],
      ['ORDER_PAYMENT', '-10.0'],
      ['ORDER_REFUND', '5.0'],
      ['ORDER_REFUND', '5.0']
    ]
  )
})

test('a refund that names its payments gives back exactly those', async () => {
  const shop = await aShop()
  const { storeId } = shop
  const { id: customerId, gid } = await shop.aCustomer()
  const credit = await withCredit(shop, gid, '10.00')
  const { id } = await shop.sandbox.controls.order({ storeId, customerId, total: '40.00', credit: '10.00' })
  const orderId = `gid://platform/Order/${id}`
  const { data } = await shop.graphql('query($id: ID!) { order(id: $id) { transactions(first: 5) { id gateway } } }', {
    id: orderId
  })
  const card = data.order.transactions.find(({ gateway }: Answered) => gateway === 'bogus').id
  const refund = async (amount: string, key: string) => {
    const transactions = [{ orderId, kind: 'REFUND', gateway: 'bogus', amount, parentId: card }]
    const answer = await shop.graphql(
      `mutation($input: RefundInput!) { refundCreate(input: $input) @idempotent(key: "${key}") {
         refund { transactions(first: 5) { nodes { gateway parentTransaction { id } } } } userErrors { message } } }`,
      { input: { orderId, transactions } }
    )
    return answer.data.refundCreate
  }
  assert.deepEqual((await refund('30.00', 'a')).refund.transactions.nodes, [
    { gateway: 'bogus', parentTransaction: { id: card } }
  ])
  assert.equal(await credit(), '0.0')
  assert.match((await refund('0.01', 'b')).userErrors[0].message, /greater than net payment/)
})

test('an inquiry may become a chargeback, which is about what the card paid, and is decided', async () => {
  const shop = await aShop()
  const { storeId } = shop
  const { id: customerId, gid } = await shop.aCustomer()
  await withCredit(shop, gid, '10.00')
  const { id: orderId } = await shop.sandbox.controls.order({ storeId, customerId, total: '40.00', credit: '10.00' })
  const dispute = (change: object) => shop.sandbox.controls.dispute({ storeId, orderId, ...change })
  const received = await messagesOf(shop, async () => {
    await dispute({ type: 'inquiry' })
    await dispute({ type: 'chargeback', status: 'under_review' })
    await assert.rejects(dispute({ type: 'inquiry' }), { message: /is a chargeback already/ })
    await dispute({ status: 'lost' })
  })
  assert.deepEqual(
    received
      .filter(({ topic }) => topic.startsWith('disputes/'))
      .map(({ topic, body }) => [topic, body.type, body.status, body.amount, body.finalized_on !== null]),
    [
      ['disputes/create', 'inquiry', 'needs_response', '30.00', false],
      ['disputes/update', 'chargeback', 'under_review', '30.00', false],
      ['disputes/update', 'chargeback', 'lost', '30.00', true]
    ]
  )
  const { data } = await shop.graphql('query($id: ID!) { order(id: $id) { disputes { initiatedAs status } } }', {
    id: `gid://platform/Order/${orderId}`
  })
  assert.deepEqual(data.order.disputes, [{ initiatedAs: 'INQUIRY', status: 'LOST' }])

  const whole = await shop.sandbox.controls.order({ storeId, customerId, total: '0.01' })
  await assert.rejects(dispute({ orderId: whole.id, status: 'gone' }), { message: /^status must be one of/ })
})

test('what no card has paid cannot be disputed', async () => {
  const shop = await aShop()
  const { id: customerId, gid } = await shop.aCustomer()
  await withCredit(shop, gid, '10.00')
  const { storeId } = shop
  const { id: orderId } = await shop.sandbox.controls.order({ storeId, customerId, total: '10.00', credit: '10.00' })
  await assert.rejects(shop.sandbox.controls.dispute({ storeId, orderId }), {
    message: /No card has paid any of order/
  })
})

for (const [refund, expected, status] of [
  ['none', ['0.0', 0], 'paid'],
  ['credit', ['10.0', 1000], 'partially_refunded'],
  ['all', ['10.0', 4000], 'refunded']
] as const) {
  test(`a cancelled order gives back: ${refund}`, async () => {
    const shop = await aShop()
    const { storeId } = shop
    const { id: customerId, gid } = await shop.aCustomer()
    const credit = await withCredit(shop, gid, '10.00')
    const { id: orderId } = await shop.sandbox.controls.order({ storeId, customerId, total: '40.00', credit: '10.00' })
    const cancel = () => shop.sandbox.controls.cancelOrder({ storeId, orderId, reason: 'fraud', refund })
    let refundedMinor = -1
    const received = await messagesOf(shop, async () => {
      ;({ refundedMinor } = await cancel())
    })
    assert.deepEqual([await credit(), refundedMinor], expected)
    const cancelled = only(received, 'orders/cancelled')
    assert.deepEqual(
      [cancelled.cancel_reason, cancelled.cancelled_at !== null, cancelled.financial_status, cancelled.refunds.length],
      ['fraud', true, status, refund === 'none' ? 0 : 1]
    )
    await assert.rejects(cancel(), { message: /is already cancelled/ })
  })
}

test('no request of this file caused an internal error', () => assert.deepEqual(bugs, []))
