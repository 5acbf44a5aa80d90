import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '#kit/refusal'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { OPERATOR_TOKEN, refusedFor, testServer } from '../server.test-helper.ts'

const { db } = await testDatabase()
const { app, admin, calls } = testServer(db)

const linesOf = (body: string) =>
  body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

/** What an order has that is not asked for. */
const NOTHING = {
  lines: [],
  creditMinor: 0,
  giftCard: null,
  codes: [],
  country: null,
  province: null,
  street: null,
  billingCountry: null,
  attributes: [],
  note: null,
  shippingMinor: 0,
  taxPercent: null,
  taxesIncluded: null,
  channel: null
}

for (const [path, body, called, status, expected] of [
  [
    '/sandbox/customers',
    { email: 'ada@example.com', first_name: 'Ada', country: 'US' },
    [
      'createCustomer',
      { email: 'ada@example.com', firstName: 'Ada', lastName: null, countryCode: 'US', provinceCode: null, phone: null }
    ],
    201,
    { id: '7', gid: 'gid://platform/Customer/7', email: 'ada@example.com' }
  ],
  [
    '/sandbox/joins',
    { customer: '7', plan: 'VIP' },
    ['join', { customerId: '7', planName: 'VIP' }],
    201,
    { order_id: '11', contract_id: '12' }
  ],
  [
    '/sandbox/cards',
    { customer: '7', outcome: 'insufficient_funds' },
    ['setCard', { customerId: '7', outcome: ['insufficient_funds'] }],
    200,
    { customer: '7', outcome: 'insufficient_funds' }
  ],
  [
    '/sandbox/orders',
    { customer: '7', total: '40.00', credit: 10, code: 'SAVE, SHIP' },
    ['placeOrder', { ...NOTHING, customerId: '7', totalMinor: 4000, creditMinor: 1000, codes: ['SAVE', 'SHIP'] }],
    201,
    { id: '13', name: '#1013' }
  ],
  [
    '/sandbox/orders',
    {
      customer: '7',
      items: [{ variant: 'MUG', quantity: 2 }],
      plans: ['VIP', 'Filter roast'],
      gift_card: 'abc',
      country: 'DE',
      province: 'BE',
      street: '12 Elm St.',
      billing_country: 'AT',
      attributes: [{ name: 'a', value: 'b' }],
      note: 'n',
      shipping: '5',
      tax_percent: 8.5,
      taxes_included: true,
      channel: 'pos'
    },
    [
      'placeOrder',
      {
        ...NOTHING,
        customerId: '7',
        totalMinor: null,
        lines: [{ plan: 'VIP' }, { plan: 'Filter roast' }, { variant: 'MUG', quantity: 2 }],
        giftCard: 'abc',
        country: 'DE',
        province: 'BE',
        street: '12 Elm St.',
        billingCountry: 'AT',
        attributes: [{ name: 'a', value: 'b' }],
        note: 'n',
        shippingMinor: 500,
        taxPercent: 8.5,
        taxesIncluded: true,
        channel: 'pos'
      }
    ],
    201,
    { id: '13', name: '#1013' }
  ],
  [
    '/sandbox/refunds',
    { order: '13', amount: '5.50' },
    ['refund', { orderId: '13', amountMinor: 550 }],
    201,
    { id: '14' }
  ],
  ['/sandbox/refunds', { order: '13' }, ['refund', { orderId: '13', amountMinor: null }], 201, { id: '14' }],
  [
    '/sandbox/disputes',
    { order: '13', type: 'inquiry', status: 'won' },
    ['dispute', { orderId: '13', type: 'inquiry', status: 'won' }],
    201,
    { id: '15', type: 'chargeback', status: 'needs_response' }
  ],
  [
    '/sandbox/messages',
    { topic: 'orders/paid', body: '{"id":1}', webhook_id: null, at: '2026-02-01T01:00:00+01:00' },
    [
      'sendMessage',
      { topic: 'orders/paid', body: '{"id":1}', webhookId: null, at: Temporal.Instant.from('2026-02-01T00:00:00Z') }
    ],
    201,
    { webhook_id: 'b54557e4-bdd9-4b37-8a5f-bf7d70bcd043', status: null, error: null }
  ],
  [
    '/sandbox/cancellations',
    { order: '13', refund: 'credit' },
    ['cancelOrder', { orderId: '13', reason: 'customer', refund: 'credit' }],
    201,
    { id: '13', refund: null }
  ]
] as const) {
  test(`${path} does one thing in the shop, and answers when its story is at an end`, async () => {
    const store = await aStore(db)
    const before = calls.length
    const response = await admin('POST', `/stores/${store.domain}${path}`, body)
    assert.equal(response.statusCode, status)
    assert.deepEqual(response.json(), expected)
    const [name, requested] = called
    assert.deepEqual(calls.slice(before), [
      [name, store.storeId, requested],
      ['settle', store.storeId],
      ['wake', store.storeId]
    ])
  })
}

for (const [path, body, message] of [
  ['/sandbox/customers', { email: 'nobody' }, 'email must be an e-mail address'],
  [
    '/sandbox/customers',
    { email: 'a@b.c', country: 'usa' },
    'country must be an ISO 3166-1 alpha-2 country code in upper case, such as US'
  ],
  [
    '/sandbox/joins',
    { customer: 'cust_1', plan: 'VIP' },
    "customer must be the platform's number of the customer, as a text of digits"
  ],
  ['/sandbox/orders', { customer: '7', total: 'much' }, 'total must be an amount, as a number or a text such as 29.00'],
  ['/sandbox/orders', { customer: '7', total: '-1' }, 'total must be an amount of 0 or more'],
  [
    '/sandbox/orders',
    {
      customer: '7',
      items: [{ variant: 'MUG', quantity: 1 }, { variant: 'POT', quantity: 0 }, { quantity: 1, size: 2 }, 7]
    },
    "items[1].quantity must be an integer from 1 to 1000; items[2].variant is required and must be a variant's SKU or number on the platform; items[2].size is not a field here; this body accepts variant, quantity; items[3] must be an object with any of variant, quantity"
  ],
  [
    '/sandbox/orders',
    { customer: '7', items: Array(101).fill({ variant: 'MUG' }) },
    'items must be a list of up to 100 items'
  ],
  [
    '/sandbox/messages',
    { topic: 'orders/paid' },
    'body is required and must be the text of one JSON object, of up to 200,000 characters'
  ],
  [
    '/sandbox/messages',
    { topic: 'orders/paid', body: '{}', at: 'noon' },
    'at must be an instant such as 2026-12-01T00:00:00Z'
  ],
  ['/sandbox/orders', { customer: '7' }, 'total must be given, or items or plans, but not both'],
  [
    '/sandbox/orders',
    { customer: '7', total: 1, plans: ['VIP'] },
    'total must be given, or items or plans, but not both'
  ],
  ['/sandbox/disputes', { order: '1', type: 'maybe' }, 'type must be chargeback or inquiry'],
  ['/seed', { members: 0, months: 1 }, 'members must be an integer from 1 to 100000'],
  ['/seed', { members: 2, months: 0 }, 'months must be an integer from 1 to 60']
] as const) {
  test(`${path} refuses ${JSON.stringify(body)}`, async () => {
    const store = await aStore(db)
    const before = calls.length
    const response = await admin('POST', `/stores/${store.domain}${path}`, body)
    assert.equal(response.statusCode, 400)
    assert.deepEqual(refusedFor(response), { error: { code: 'invalid_request', message } })
    assert.equal(calls.length, before)
  })
}

test('a number beyond all bounds is no amount', async () => {
  const store = await aStore(db)
  const response = await app.inject({
    method: 'POST',
    url: `/admin/api/stores/${store.domain}/sandbox/orders`,
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    payload: '{"customer":"7","total":1e400}'
  })
  assert.equal(response.statusCode, 400)
  assert.equal(response.json().error.message, 'total must be an amount, as a number or a text such as 29.00')
})

test('the sandbox of a live store: there is none', async () => {
  const live = await aStore(db, { sandbox: false, accessToken: 'token-123', appSecret: 'secret-123' })
  for (const [path, body] of [
    ['/sandbox/joins', { customer: '1', plan: 'VIP' }],
    ['/seed', { members: 1, months: 1 }]
  ] as const) {
    const response = await admin('POST', `/stores/${live.domain}${path}`, body)
    assert.equal(response.statusCode, 409)
    assert.deepEqual(response.json(), {
      error: { code: 'conflict', message: `Store ${live.domain} is not a sandbox store` }
    })
  }
})

test('the clock moves by a duration or to an instant', async () => {
  const store = await aStore(db)
  for (const advance of [{ by: 'P1M' }, { to: '2026-03-01T00:00:00Z' }]) {
    const response = await admin('POST', `/stores/${store.domain}/clock/advance`, advance)
    assert.deepEqual(response.json(), {
      now: '2026-03-01T00:00:00.000Z',
      settled: true,
      problems: [],
      charges: { succeeded: 0, failed: 0, pending: 0 },
      undelivered: 0,
      alerts: []
    })
    assert.deepEqual(calls.slice(-3), [
      ['advanceClock', store.storeId, advance],
      ['status', store.storeId],
      ['wake', store.storeId]
    ])
  }
})

test('the auditor, over one store or all', async () => {
  const store = await aStore(db)
  assert.deepEqual((await admin('POST', '/doctor', { store: store.domain })).json(), {
    checked: { members: 3 },
    findings: [],
    warnings: [],
    not_checked: [],
    problems: []
  })
  assert.deepEqual(calls.slice(-2), [
    ['doctor', store.storeId],
    ['status', store.storeId]
  ])
  await admin('POST', '/doctor', {})
  assert.deepEqual(calls.at(-2), ['doctor', null])
  assert.equal((await admin('POST', '/doctor', { store: 'nowhere.example' })).statusCode, 404)
})

test('seeding answers line by line and ends with the result', async () => {
  const store = await aStore(db)
  const server = testServer(db, {
    seed: async (_storeId, plan, onProgress) => {
      onProgress({ done: 1, total: 2 })
      onProgress({ done: 2, total: 2 })
      return { ...plan }
    }
  })
  const response = await server.admin('POST', `/stores/${store.domain}/seed`, { members: 2, months: 1 })
  assert.equal(response.statusCode, 200)
  assert.equal(response.headers['content-type'], 'application/x-ndjson')
  assert.deepEqual(linesOf(response.body), [
    { progress: { done: 1, total: 2 } },
    { progress: { done: 2, total: 2 } },
    { result: { members: 2, months: 1 } }
  ])
})

test('seeding that fails ends with the error: a refusal in words, a bug without detail but in the log', async () => {
  const store = await aStore(db)
  const seed = (err: Error) => testServer(db, { seed: () => Promise.reject(err) })
  const path = `/stores/${store.domain}/seed`
  const refused = await seed(new Refusal('conflict', 'It has members already')).admin('POST', path, {
    members: 1,
    months: 1
  })
  assert.deepEqual(linesOf(refused.body), [{ error: { code: 'conflict', message: 'It has members already' } }])

  const broken = seed(new Error('canary'))
  const response = await broken.admin('POST', path, { members: 1, months: 1 })
  assert.deepEqual(linesOf(response.body), [
    { error: { code: 'internal_error', message: 'Something went wrong on our side; the log has more' } }
  ])
  assert.match(broken.logged(), /failed: canary/)
})
