import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  aContract,
  aLine,
  anAttempt,
  anOrder,
  aPlatform,
  created,
  data,
  lastPage,
  pending,
  shop,
  theFailure,
  theValue
} from '../../test/fake-platform.ts'
import type { AttemptRequest } from './billing/billing-api.ts'

const request: AttemptRequest = {
  contractId: '9',
  idempotencyKey: 'key-1',
  originTime: Temporal.Instant.from('2026-02-28T10:00:00Z'),
  cycleAt: Temporal.Instant.from('2026-02-28T09:59:59.9Z')
}
test('asks at the path of the API version, with the token in the header of the profile', async () => {
  const { connector, requests } = await aPlatform((res) => data(res, shop))
  assert.deepEqual(theValue(await connector.shop.read()), {
    name: 'Acme',
    domain: 'acme.example',
    timezone: 'America/New_York',
    currency: 'USD'
  })
  assert.equal(requests[0]!.path, '/base/admin/api/2026-07/graphql.json')
  assert.equal(requests[0]!.headers['x-platform-access-token'], 'token-1')
})

test('reads a contract', async () => {
  const { connector } = await aPlatform((res) => data(res, { subscriptionContract: aContract('9') }))
  const contract = theValue(await connector.contracts.find('9'))
  assert.deepEqual(JSON.parse(JSON.stringify(contract)), {
    id: '9',
    status: 'active',
    createdAt: '2026-01-31T10:00:00Z',
    updatedAt: '2026-01-31T10:00:00Z',
    nextBillingDate: '2026-02-28T10:00:00Z',
    currency: 'USD',
    revision: '9007199254740993',
    interval: 'month',
    intervalCount: 1,
    minCycles: null,
    maxCycles: null,
    customer: {
      id: '7',
      email: 'ann@example.com',
      firstName: 'Ann',
      lastName: null,
      updatedAt: '2026-01-31T10:00:00Z'
    },
    originOrder: { id: '5', name: '#1001' },
    lines: [
      {
        id: 'line-1',
        title: 'Line 1',
        quantity: 1,
        productId: '1',
        variantId: '2',
        sellingPlanId: '3',
        sellingPlanName: 'VIP',
        priceMinor: 2900
      }
    ],
    priceMinor: 2750,
    deliveryPriceMinor: 0,
    paymentMethod: { type: 'card', lastFour: '4242', brand: 'visa' },
    paymentMethodId: '1f2e',
    createKey: null,
    giftReceiver: null
  })
})

test('a contract that the platform does not have is null', async () => {
  const { connector } = await aPlatform((res) => data(res, { subscriptionContract: null }))
  assert.equal(theValue(await connector.contracts.find('9')), null)
})

test('a status and an instrument that are new to us are taken as they are', async () => {
  const newer = {
    ...aContract('9'),
    status: 'HIBERNATING',
    customerPaymentMethod: {
      id: 'gid://platform/CustomerPaymentMethod/wallet',
      instrument: { __typename: 'CustomerWallet' }
    }
  }
  const { connector } = await aPlatform((res) => data(res, { subscriptionContract: newer }))
  const contract = theValue(await connector.contracts.find('9'))
  assert.equal(contract?.status, 'hibernating')
  assert.deepEqual(contract?.paymentMethod, { type: 'other', lastFour: null, brand: null })
})

test('many contracts are asked for forty-eight at once; unknown ones are left out', async () => {
  const { connector, requests } = await aPlatform((res, { variables }) => {
    const ids = variables.ids as string[]
    data(res, { nodes: ids.map((id) => (id.endsWith('/13') ? null : aContract(id.split('/').at(-1)!))) })
  })
  const ids = Array.from({ length: 120 }, (_, n) => String(n))
  const contracts = theValue(await connector.contracts.findMany([...ids, '5', '5']))
  assert.deepEqual([...contracts.keys()].sort(), ids.filter((id) => id !== '13').sort())
  assert.deepEqual(requests.map(({ variables }) => (variables.ids as string[]).length).sort(), [26, 47, 47])
})

test('a contract with many lines is read to its last page', async () => {
  const { connector } = await aPlatform((res, { operation, variables }) => {
    const more = { hasNextPage: true, endCursor: 'c1' }
    if (operation === 'ContractsByIds') return data(res, { nodes: [aContract('9', [aLine(1)], more)] })
    const page = variables.after === 'c1' ? aContract('9', [aLine(3)]) : aContract('9', [aLine(1), aLine(2)], more)
    return data(res, { subscriptionContract: page })
  })
  const contract = theValue(await connector.contracts.findMany(['9'])).get('9')!
  assert.deepEqual(
    contract.lines.map((line) => line.id),
    ['line-1', 'line-2', 'line-3']
  )
  assert.equal(contract.priceMinor, 3 * 2750)
})

test('reads an order; the billing address counts where nothing is shipped', async () => {
  const { connector } = await aPlatform((res) => data(res, { nodes: [anOrder('5'), null] }))
  const orders = theValue(await connector.orders.findMany(['5', '6']))
  assert.deepEqual(JSON.parse(JSON.stringify([...orders])), [
    [
      '5',
      {
        id: '5',
        name: '#1001',
        number: '1001',
        createdAt: '2026-01-31T10:00:00Z',
        processedAt: '2026-01-31T10:00:00Z',
        updatedAt: '2026-01-31T10:00:01Z',
        cancelledAt: null,
        currency: 'USD',
        totalMinor: 2900,
        taxMinor: 0,
        discountMinor: 150,
        refundedMinor: 500,
        financialStatus: 'partially_refunded',
        customerId: '7',
        email: 'ann@example.com',
        gateway: 'bogus',
        countryCode: 'US',
        province: 'New York',
        tags: ['recharge'],
        discountCodes: [],
        sourceName: 'subscription_contract'
      }
    ]
  ])
})

const failedWith = (error: unknown) => ({ __typename: 'SubscriptionBillingAttemptFailedState', error })
const states: [what: string, state: unknown, expected: Record<string, unknown>][] = [
  ['pending', pending, { state: 'pending' }],
  ['a state that is new to us, which counts as pending', { __typename: 'Brewing' }, { state: 'pending' }],
  [
    'success',
    { __typename: 'SubscriptionBillingAttemptSuccessState', order: anOrder('5') },
    { state: 'success', orderId: '5' }
  ],
  [
    'success with an order that is gone',
    { __typename: 'SubscriptionBillingAttemptSuccessState', order: null },
    { state: 'success' }
  ],
  [
    'a 3-D Secure challenge',
    { __typename: 'SubscriptionBillingAttemptActionRequiredState', action: { nextActionUrl: 'https://bank.example' } },
    { state: 'action_required', nextActionUrl: 'https://bank.example' }
  ],
  ['a declined payment', failedWith({ paymentCode: 'EXPIRED_CARD' }), { state: 'failed', errorCode: 'expired_card' }],
  ['no stock', failedWith({ inventoryCode: 'NO_STOCK' }), { state: 'failed', errorCode: 'no_stock' }],
  ['a code that is new to us', failedWith({ generalCode: 'MOON_PHASE' }), { state: 'failed', errorCode: 'moon_phase' }],
  [
    'an unexpected error',
    failedWith({ message: 'Boom' }),
    { state: 'failed', errorCode: 'unexpected_error', errorMessage: 'Boom' }
  ]
]
for (const [what, state, expected] of states) {
  test(`reads the state of an attempt: ${what}`, async () => {
    const { connector } = await aPlatform((res) => data(res, { nodes: [anAttempt('3', state)] }))
    const attempt = theValue(await connector.billing.findAttempts(['3'])).get('3')!
    const { errorCode, errorMessage, nextActionUrl, order } = attempt
    assert.deepEqual(
      { state: attempt.state, errorCode, errorMessage, nextActionUrl, orderId: order?.id ?? null },
      { errorCode: null, errorMessage: null, nextActionUrl: null, orderId: null, ...expected }
    )
  })
}

test('creates an attempt with the stored key, for the cycle that is meant', async () => {
  const { connector, requests } = await aPlatform((res) => data(res, created(anAttempt('3', pending, 'key-1'))))
  assert.equal(theValue(await connector.billing.createAttempt(request)).idempotencyKey, 'key-1')
  assert.deepEqual(requests[0]!.variables, {
    contractId: 'gid://platform/SubscriptionContract/9',
    input: {
      idempotencyKey: 'key-1',
      originTime: '2026-02-28T10:00:00Z',
      billingCycleSelector: { date: '2026-02-28T09:59:59Z' }
    }
  })
})

test('of many attempts each has its own outcome, in order, and at most sixteen are under way', async () => {
  let underWay = 0
  let most = 0
  const { connector } = await aPlatform((res, { variables }) => {
    most = Math.max(most, ++underWay)
    const key = (variables.input as { idempotencyKey: string }).idempotencyKey
    setTimeout(() => {
      underWay--
      if (key === 'key-7') res.destroy()
      else data(res, created(anAttempt(key.slice(4), pending, key)))
    }, 5)
  })
  const requests = Array.from({ length: 40 }, (_, n) => ({ ...request, idempotencyKey: `key-${n}` }))
  const results = await connector.billing.createAttempts(requests)
  assert.deepEqual(
    results.map((result) => (result.ok ? result.value.idempotencyKey : result.failure.outcomeUnknown)),
    requests.map(({ idempotencyKey }) => (idempotencyKey === 'key-7' ? true : idempotencyKey))
  )
  assert.ok(most <= 16)
})

test('finds an attempt by its key among all of the contract', async () => {
  const { connector } = await aPlatform((res, { operation, variables }) => {
    if (operation === 'BillingAttemptsByIds') return data(res, { nodes: [anAttempt('1', pending, 'key-1')] })
    const [nodes, pageInfo] = variables.after
      ? [[anAttempt('1', pending, 'key-1')], lastPage]
      : [[anAttempt('2', pending, 'key-2')], { hasNextPage: true, endCursor: 'c' }]
    return data(res, { subscriptionContract: { billingAttempts: { nodes, pageInfo } } })
  })
  assert.equal(theValue(await connector.billing.findAttemptByKey('9', 'key-1'))?.id, '1')
  assert.equal(theValue(await connector.billing.findAttemptByKey('9', 'key-3')), null)
})

test('moves a contract and tells where it stands', async () => {
  const { connector, requests } = await aPlatform((res, { operation }) => {
    const field = operation.replace('Contract', 'subscriptionContract')
    const contract = {
      id: 'gid://platform/SubscriptionContract/9',
      status: 'PAUSED',
      nextBillingDate: null,
      revisionId: '4'
    }
    data(res, { [field]: { contract, userErrors: [] } })
  })
  const moved = { id: '9', status: 'paused', revision: '4', nextBillingDate: null }
  assert.deepEqual(theValue(await connector.contracts.pause('9')), moved)
  for (const move of ['activate', 'cancel', 'fail'] as const) theValue(await connector.contracts[move]('9'))
  theValue(await connector.contracts.setNextBillingDate('9', Temporal.Instant.from('2026-03-31T09:00:00Z')))
  assert.deepEqual(requests.at(-1)!.variables, {
    id: 'gid://platform/SubscriptionContract/9',
    date: '2026-03-31T09:00:00Z'
  })
})

test('makes product, price and selling plan, and goes on where a try before stopped', async () => {
  const made: { product?: unknown; price?: string; group?: unknown } = {}
  const variants = () => ({ nodes: [{ id: 'gid://platform/ProductVariant/2', price: made.price ?? '0.00' }] })
  let breakAt = 'PlanSellingGroupCreate'
  const { connector, requests } = await aPlatform((res, { operation, variables }) => {
    if (operation === breakAt) return res.writeHead(503).end()
    const userErrors: unknown[] = []
    const product = { id: 'gid://platform/Product/1', variants: variants() }
    switch (operation) {
      case 'PlanProductByHandle':
        return data(res, {
          productByIdentifier: made.product
            ? { ...product, sellingPlanGroups: { nodes: made.group ? [made.group] : [] } }
            : null
        })
      case 'PlanProductCreate':
        made.product = variables.product
        return data(res, { productCreate: { product, userErrors } })
      case 'PlanPriceUpdate':
        made.price = (variables.variants as [{ price: string }])[0].price
        return data(res, { productVariantsBulkUpdate: { productVariants: variants().nodes, userErrors } })
      default: {
        const { merchantCode } = variables.input as { merchantCode: string }
        const sellingPlans = { nodes: [{ id: 'gid://platform/SellingPlan/4' }] }
        made.group = { id: 'gid://platform/SellingPlanGroup/3', merchantCode, sellingPlans }
        return data(res, { sellingPlanGroupCreate: { sellingPlanGroup: made.group, userErrors } })
      }
    }
  })
  const terms = { name: 'VIP', priceMinor: 2900, currency: 'USD', interval: 'month', intervalCount: 1 } as const
  const whole = { productId: '1', variantId: '2', sellingPlanGroupId: '3', sellingPlanId: '4' }

  assert.equal(theFailure(await connector.products.createPlan(terms)).kind, 'unavailable')
  breakAt = ''
  assert.deepEqual(theValue(await connector.products.createPlan(terms)), whole)
  assert.deepEqual(theValue(await connector.products.createPlan(terms)), whole)
  assert.deepEqual(theValue(await connector.products.createPlan({ ...terms, priceMinor: 3150 })), whole)
  assert.equal(made.price, '31.50')
  const count = (name: string) => requests.filter(({ operation }) => operation === name).length
  assert.deepEqual([count('PlanProductCreate'), count('PlanPriceUpdate'), count('PlanSellingGroupCreate')], [1, 2, 2])
})

test('makes the webhooks that are missing, corrects an address, and leaves the rest', async () => {
  const uri = 'https://svc.example/platform/webhooks'
  const node = (id: string, topic: string, at: string) => ({ id, topic, uri: at })
  const { connector, requests } = await aPlatform((res, { operation, variables }) => {
    if (operation === 'WebhookSubscriptions') {
      const nodes = [node('w1', 'ORDERS_PAID', uri), node('w2', 'CUSTOMERS_UPDATE', 'https://old.example')]
      return data(res, { webhookSubscriptions: { nodes, pageInfo: lastPage } })
    }
    const taken = variables.topic === 'SHOP_UPDATE'
    const userErrors = taken
      ? [{ field: ['webhookSubscription', 'callbackUrl'], message: 'Address for this topic has already been taken' }]
      : []
    const root = operation.replace('Webhook', 'webhook')
    return data(res, { [root]: { webhookSubscription: taken ? null : { id: 'w3' }, userErrors } })
  })
  const topics = ['orders/paid', 'customers/update', 'customer.tags_added', 'shop/update']
  assert.deepEqual(theValue(await connector.webhooks.ensure(uri, topics)), {
    created: ['customer.tags_added'],
    updated: ['customers/update'],
    unchanged: ['orders/paid', 'shop/update']
  })
  assert.deepEqual(requests[0]!.variables.topics, [
    'ORDERS_PAID',
    'CUSTOMERS_UPDATE',
    'CUSTOMER_TAGS_ADDED',
    'SHOP_UPDATE'
  ])
  assert.deepEqual(requests[1]!.variables, { id: 'w2', input: { uri, format: 'JSON' } })
  assert.deepEqual(requests[2]!.variables, { topic: 'CUSTOMER_TAGS_ADDED', input: { uri, format: 'JSON' } })
})
