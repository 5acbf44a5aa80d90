import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  anAttempt,
  anOrder,
  aPlatform,
  created,
  data,
  json,
  lastPage,
  pending,
  theFailure,
  theValue
} from '../../../test/fake-platform.ts'
import type { AttemptRequest } from './billing-api.ts'

const request: AttemptRequest = {
  contractId: '9',
  idempotencyKey: 'key-1',
  originTime: Temporal.Instant.from('2026-02-28T10:00:00Z'),
  cycleAt: Temporal.Instant.from('2026-02-28T09:59:59.9Z')
}

const failedWith = (error: unknown) => ({ __typename: 'SubscriptionBillingAttemptFailedState', error })

const declined = failedWith({ paymentCode: 'EXPIRED_CARD' })
const orderOf = (displayFinancialStatus: string | null) => ({ ...anOrder('5'), displayFinancialStatus })
const states: [what: string, state: unknown, expected: Record<string, unknown>, order?: unknown][] = [
  ['pending', pending, { state: 'pending' }],
  ['a state that we do not know, which counts as pending', { __typename: 'Brewing' }, { state: 'pending' }],
  [
    'success',
    { __typename: 'SubscriptionBillingAttemptSuccessState' },
    { state: 'success', orderId: '5' },
    anOrder('5')
  ],
  ['success with a deleted order', { __typename: 'SubscriptionBillingAttemptSuccessState' }, { state: 'success' }],
  ...['PAID', 'PARTIALLY_PAID', 'REFUNDED', 'PARTIALLY_REFUNDED', 'AUTHORIZED', 'WHATEVER_COMES'].map(
    (status): (typeof states)[number] => [
      `a failure with an order that is ${status}, which was paid`,
      declined,
      { state: 'success', isReversed: true, orderId: '5' },
      orderOf(status)
    ]
  ),
  ...['PENDING', 'VOIDED', 'EXPIRED', null].map((status): (typeof states)[number] => [
    `a failure with an order that is ${status}, on which nothing was paid`,
    declined,
    { state: 'failed', errorCode: 'expired_card' },
    orderOf(status)
  ]),
  [
    'a 3-D Secure challenge',
    { __typename: 'SubscriptionBillingAttemptActionRequiredState', action: { nextActionUrl: 'https://bank.example' } },
    { state: 'action_required', nextActionUrl: 'https://bank.example' }
  ],
  ['a declined payment', failedWith({ paymentCode: 'EXPIRED_CARD' }), { state: 'failed', errorCode: 'expired_card' }],
  ['no stock', failedWith({ inventoryCode: 'NO_STOCK' }), { state: 'failed', errorCode: 'no_stock' }],
  [
    'a code that we do not know',
    failedWith({ generalCode: 'MOON_PHASE' }),
    { state: 'failed', errorCode: 'moon_phase' }
  ],
  [
    'an unexpected error',
    failedWith({ message: 'Boom' }),
    { state: 'failed', errorCode: 'unexpected_error', errorMessage: 'Boom' }
  ]
]
for (const [what, state, expected, order = null] of states) {
  test(`reads the state of an attempt: ${what}`, async () => {
    const { connector } = await aPlatform((res) => data(res, { nodes: [anAttempt('3', state, undefined, order)] }))
    const attempt = theValue(await connector.billing.findAttempts(['3'])).get('3')!
    const { errorCode, errorMessage, nextActionUrl, isReversed = false } = attempt
    const orderId = attempt.order?.id ?? null
    assert.deepEqual(
      { state: attempt.state, errorCode, errorMessage, nextActionUrl, orderId, isReversed },
      { errorCode: null, errorMessage: null, nextActionUrl: null, orderId: null, isReversed: false, ...expected }
    )
  })
}

test('a failure with an order of which too little may be read was paid; one whose order may not be read may have been', async () => {
  const denied = (...path: (string | number)[]) => ({ message: 'No', path, extensions: { code: 'ACCESS_DENIED' } })
  for (const [order, field, expected] of [
    [{ ...anOrder('5'), totalPriceSet: null }, 'totalPriceSet', ['success', true, undefined]],
    [{ ...anOrder('5'), displayFinancialStatus: null }, 'displayFinancialStatus', ['success', true, undefined]],
    [null, 'name', ['failed', undefined, true]],
    [null, null, ['failed', undefined, true]]
  ] as const) {
    const { connector } = await aPlatform((res) =>
      json(res, {
        data: { nodes: [anAttempt('3', declined, undefined, order)] },
        errors: [denied('nodes', 0, 'order', ...(field === null ? [] : [field]))]
      })
    )
    const attempt = theValue(await connector.billing.findAttempts(['3'])).get('3')!
    assert.deepEqual([attempt.state, attempt.isReversed, attempt.isOrderWithheld], expected, String(field))
    const found = await connector.billing.findAttemptsByKeys('9', [], ['3'])
    if (expected[0] === 'success') assert.equal(theValue(found)[0]!.state, 'success')
    else assert.equal(theFailure(found).code, 'access_denied')
  }
})

test('creates an attempt with the stored key, for the given cycle', async () => {
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

test('each of many attempts has its own outcome, in order, and at most sixteen are under way', async () => {
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

const keyPage = (nodes: unknown[], pageInfo: object = lastPage) => ({
  subscriptionContract: { billingAttempts: { nodes, pageInfo } }
})

test('finds all attempts with a key among all attempts of the contract, and those with ids that are known', async () => {
  const all = [anAttempt('1', pending, 'key-1'), anAttempt('2', pending, 'key-2'), anAttempt('3', pending, 'key-1')]
  const { connector } = await aPlatform((res, { operation, variables }) => {
    if (operation === 'BillingAttemptsByIds') {
      const ids = variables.ids as string[]
      return data(res, { nodes: all.filter(({ id }) => ids.includes(id)) })
    }
    return data(
      res,
      variables.after ? keyPage([all[0]]) : keyPage([all[2], all[1]], { hasNextPage: true, endCursor: 'c' })
    )
  })
  const find = async (keys: string[], ids?: string[]) =>
    theValue(await connector.billing.findAttemptsByKeys('9', keys, ids))
      .map(({ id }) => id)
      .toSorted()
  assert.deepEqual(await find(['key-1']), ['1', '3'])
  assert.deepEqual(await find(['key-2', 'key-9'], ['2', '3']), ['2', '3'])
  assert.deepEqual(await find([], ['3']), ['3'])
  assert.deepEqual(await find(['key-9']), [])
})

test('an attempt that may not be read is no attempt that does not exist: a search for it, or for the payment of a cycle, fails', async () => {
  const at = Temporal.Instant.from('2026-02-28T10:00:00Z')
  const denied = (...path: (string | number)[]) => ({ message: 'No', path, extensions: { code: 'ACCESS_DENIED' } })
  let isKeyHidden = false
  const { connector } = await aPlatform((res, { operation }) => {
    if (operation === 'BillingAttemptsByIds')
      return json(res, { data: { nodes: [null] }, errors: [denied('nodes', 0)] })
    if (operation === 'BillingCycleAttempts') {
      const nodes = [{ billingAttempts: { nodes: [{ id: 'gid://platform/SubscriptionBillingAttempt/1' }] } }]
      return data(res, { subscriptionBillingCycles: { nodes } })
    }
    if (!isKeyHidden) return data(res, keyPage([anAttempt('1', pending, 'key-1')]))
    const errors = [denied('subscriptionContract', 'billingAttempts', 'nodes', 0, 'idempotencyKey')]
    return json(res, { data: keyPage([{ ...anAttempt('1'), idempotencyKey: null }]), errors })
  })
  assert.equal(theFailure(await connector.billing.findAttemptsByKeys('9', ['key-1'])).code, 'access_denied')
  assert.equal(theFailure(await connector.billing.findAttemptsByKeys('9', [], ['1'])).code, 'access_denied')
  assert.equal(theFailure(await connector.billing.findPaymentOfCycle('9', at)).code, 'access_denied')
  isKeyHidden = true
  assert.equal(theFailure(await connector.billing.findAttemptsByKeys('9', ['key-1'])).kind, 'unavailable')
})

test('a charge is withheld where its order is, or what shows its amount, or whether it was paid and not undone', async () => {
  const since = Temporal.Instant.from('2026-02-01T00:00:00Z')
  const denied = (...path: (string | number)[]) => ({ message: 'No', path, extensions: { code: 'ACCESS_DENIED' } })
  const order = { ...anOrder('5'), displayFinancialStatus: 'PAID' }
  const list = async (shown: object | null, ...hidden: string[]) => {
    const { connector } = await aPlatform((res) =>
      json(res, {
        data: {
          subscriptionBillingAttempts: { nodes: [anAttempt('3', pending, 'key-3', shown)], pageInfo: lastPage }
        },
        errors: hidden.map((field) =>
          denied('subscriptionBillingAttempts', 'nodes', 0, 'order', ...(field === 'order' ? [] : [field]))
        )
      })
    )
    const { items, withheld, oldestAt } = theValue(await connector.billing.listChargesSince(since, null))
    assert.ok(oldestAt)
    return items.length > 0 ? items.map(({ orderId, isUndone }) => [orderId, isUndone]) : withheld
  }
  const unknown = [{ contractId: '9', attemptId: '3', idempotencyKey: 'key-3' }]
  assert.deepEqual(await list(order), [['5', false]])
  assert.deepEqual(await list(null), [], 'nothing was charged')
  assert.deepEqual(await list(null, 'order'), unknown)
  for (const field of ['totalPriceSet', 'cancelledAt', 'displayFinancialStatus']) {
    assert.deepEqual(await list({ ...order, [field]: null }, field), unknown, field)
  }
  // It is undone whatever else there is.
  const cancelled = { ...order, cancelledAt: '2026-02-03T00:00:00Z', displayFinancialStatus: null }
  assert.deepEqual(await list(cancelled, 'displayFinancialStatus'), [['5', true]])
  assert.deepEqual(await list({ ...order, cancelledAt: null, displayFinancialStatus: 'VOIDED' }, 'cancelledAt'), [
    ['5', true]
  ])
})

test('reading charges for comparison leaves half of the cost budget to other calls', async () => {
  const bucket = { maximumAvailable: 1000, currentlyAvailable: 505, restoreRate: 50 }
  const extensions = { cost: { requestedQueryCost: 10, actualQueryCost: 10, throttleStatus: bucket } }
  const page = { subscriptionBillingAttempts: { nodes: [], pageInfo: lastPage } }
  const { connect, requests } = await aPlatform((res, { operation }) =>
    json(res, { data: operation === 'ChargesCreatedSince' ? page : { nodes: [] }, extensions })
  )
  const connector = connect({ throttleWaitMs: 50 })
  const since = Temporal.Instant.from('2026-02-01T00:00:00Z')
  const list = () => connector.billing.listChargesSince(since, null)
  theValue(await list())
  assert.equal(requests.length, 1)
  assert.equal(theFailure(await list()).kind, 'throttled')
  assert.equal(theFailure(await connector.billing.findAttempts(['3'], 'low')).kind, 'throttled')
  assert.equal(requests.length, 1, 'nothing was sent')
  theValue(await connector.billing.findAttempts(['3']))
  bucket.currentlyAvailable = 900
  theValue(await connector.billing.findAttempts(['3']))
  theValue(await list())
  theValue(await connector.billing.findAttempts(['3'], 'low'))
  assert.equal(requests.length, 5)
})
