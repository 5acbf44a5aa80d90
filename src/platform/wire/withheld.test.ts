import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  aContract,
  anAttempt,
  anOrder,
  aPlatform,
  created,
  json,
  theFailure,
  theValue
} from '../../../test/fake-platform.ts'

const denied = (...path: (string | number)[]) => ({
  message: `Access denied for ${path.at(-1)} field.`,
  path,
  extensions: { code: 'ACCESS_DENIED' }
})
const success = { __typename: 'SubscriptionBillingAttemptSuccessState' }
const request = {
  contractId: '9',
  idempotencyKey: 'key-1',
  originTime: Temporal.Instant.from('2026-02-28T10:00:00Z')
}

test('a payment is read with what came of its order; each withheld field is reported once', async () => {
  const order = { ...anOrder('5'), email: null, customer: null, displayFinancialStatus: null }
  const path = (i: number, field: string) => denied('nodes', i, 'order', field)
  const nodes = ['3', '4'].map((id) => anAttempt(id, success, undefined, order))
  const { connect } = await aPlatform((res) =>
    json(res, {
      data: { nodes },
      errors: [path(0, 'email'), path(0, 'customer'), path(0, 'displayFinancialStatus'), path(1, 'email')]
    })
  )
  const reports: string[] = []
  let fails = true
  const connector = connect({
    onWithheld: async (storeId, { name }) => {
      reports.push(`${storeId} ${name}`)
      // A report that failed is made again.
      if (name.endsWith('customer') && fails) {
        fails = false
        throw new Error('The database is down')
      }
    }
  })
  const found = theValue(await connector.billing.findAttempts(['3', '4']))
  const { state, order: read } = found.get('3')!
  assert.equal(state, 'success')
  assert.deepEqual(
    [read!.id, read!.totalMinor, read!.financialStatus, read!.withheld],
    ['5', 2900, 'paid', ['email', 'customerId']]
  )
  await connector.billing.findAttempts(['3', '4'])
  const named = (field: string) => `1 nodes.order.${field}`
  assert.deepEqual(reports, [named('email'), named('customer'), named('displayFinancialStatus'), named('customer')])
})

test('a payment whose order may not be read, or whose total may not, is a payment without an order', async () => {
  for (const [order, ...path] of [
    [null, 'order'],
    [{ ...anOrder('5'), totalPriceSet: null }, 'order', 'totalPriceSet']
  ] as const) {
    const { connector } = await aPlatform((res) =>
      json(res, {
        data: { nodes: [anAttempt('3', success, undefined, order)] },
        errors: [denied('nodes', 0, ...path)]
      })
    )
    const attempt = theValue(await connector.billing.findAttempts(['3'])).get('3')!
    assert.deepEqual([attempt.state, attempt.order], ['success', null])
  }
})

test('an attempt that was created is created, whatever of the answer is withheld', async () => {
  const { connector } = await aPlatform((res) =>
    json(res, {
      data: created(anAttempt('3', success, undefined, { ...anOrder('5'), email: null })),
      errors: [denied('subscriptionBillingAttemptCreate', 'subscriptionBillingAttempt', 'order', 'email')]
    })
  )
  assert.equal(theValue(await connector.billing.createAttempt(request)).state, 'success')
})

test('if nothing of the answer came, a mutation with an error below its root may have been executed; one at its root was not', async () => {
  const root = 'subscriptionBillingAttemptCreate'
  for (const [path, expected] of [
    [[root, 'subscriptionBillingAttempt', 'id'], { kind: 'unavailable', code: 'access_denied', outcomeUnknown: true }],
    [[root], { kind: 'unauthorized', code: 'access_denied', outcomeUnknown: undefined }]
  ] as const) {
    const { connector } = await aPlatform((res) => json(res, { data: { [root]: null }, errors: [denied(...path)] }))
    const { kind, code, outcomeUnknown } = theFailure(await connector.billing.createAttempt(request))
    assert.deepEqual({ kind, code, outcomeUnknown }, expected)
  }
})

test('another error beside withheld fields is the failure of the whole answer', async () => {
  const internal = { message: 'Internal error', extensions: { code: 'INTERNAL_SERVER_ERROR' } }
  const { connector } = await aPlatform((res) =>
    json(res, { data: { nodes: [anAttempt('3')] }, errors: [denied('nodes', 0, 'createdAt'), internal] })
  )
  const { kind, code } = theFailure(await connector.billing.findAttempts(['3']))
  assert.deepEqual([kind, code], ['unavailable', 'internal_server_error'])
})

test('an object that may not be read is missing among attempts and orders, and the failure of all among customers', async () => {
  const { connector } = await aPlatform((res) => json(res, { data: { nodes: [null] }, errors: [denied('nodes', 0)] }))
  assert.equal(theValue(await connector.billing.findAttempts(['3'])).size, 0)
  assert.equal(theValue(await connector.orders.findMany(['3'])).size, 0)
  const { kind, code } = theFailure(await connector.customers.findMany(['3']))
  assert.deepEqual([kind, code], ['unauthorized', 'access_denied'])
})

test('a contract whose customer may not be read is unreadable; one whose origin order or card may not is read', async () => {
  const { connector: withoutCustomer } = await aPlatform((res) =>
    json(res, {
      data: { nodes: [{ ...aContract('9'), customer: null }, aContract('8')] },
      errors: [denied('nodes', 0, 'customer')]
    })
  )
  const { contracts: others, unreadable } = theValue(await withoutCustomer.contracts.findReadable(['9', '8']))
  assert.deepEqual([...others.keys()], ['8'])
  assert.match(unreadable.get('9')!, /customer may not be read/)
  for (const path of [['originOrder'], ['originOrder', 'id']]) {
    const { connector } = await aPlatform((res) =>
      json(res, {
        data: {
          nodes: [
            { ...aContract('9'), originOrder: null },
            { ...aContract('8'), originOrder: null }
          ]
        },
        errors: [denied('nodes', 0, ...path)]
      })
    )
    const { contracts } = theValue(await connector.contracts.findReadable(['9', '8']))
    assert.deepEqual([contracts.get('9')!.originOrder, contracts.get('8')!.originOrder], [undefined, null])
  }
  for (const [method, ...path] of [
    [null, 'customerPaymentMethod'],
    [{ id: 'gid://platform/CustomerPaymentMethod/1f2e', instrument: null }, 'customerPaymentMethod', 'instrument']
  ] as const) {
    const { connector } = await aPlatform((res) =>
      json(res, {
        data: { nodes: [{ ...aContract('9'), customerPaymentMethod: method }] },
        errors: [denied('nodes', 0, ...path)]
      })
    )
    const { contracts } = theValue(await connector.contracts.findReadable(['9']))
    assert.deepEqual([contracts.get('9')!.paymentMethod, contracts.get('9')!.paymentMethodId], [undefined, undefined])
  }
})

test('an attempt that cannot be read takes no other one away', async () => {
  const readable = ['3', '5']
  const { connector, requests } = await aPlatform((res, { operation, variables }) => {
    if (operation === 'AttemptsCreatedSince') {
      // One field that is never null takes away everything around it.
      return json(res, {
        data: null,
        errors: [denied('subscriptionBillingAttempts', 'nodes', 1, 'subscriptionContract', 'id')]
      })
    }
    if (operation === 'AttemptIdsCreatedSince') {
      const nodes = ['3', '4', '5', '6'].map((id) => ({
        id: `gid://platform/SubscriptionBillingAttempt/${id}`,
        idempotencyKey: `key-${id}`
      }))
      return json(res, {
        data: { subscriptionBillingAttempts: { nodes, pageInfo: { hasNextPage: true, endCursor: 'next' } } }
      })
    }
    const [gid] = variables.ids as string[]
    const id = gid!.split('/').at(-1)!
    if (readable.includes(id)) return json(res, { data: { nodes: [anAttempt(id, success, undefined, anOrder('5'))] } })
    // Withheld, or of a shape that we do not understand.
    return id === '4'
      ? json(res, { data: { nodes: [null] }, errors: [denied('nodes', 0, 'subscriptionContract', 'id')] })
      : json(res, { data: { nodes: [{ ...anAttempt(id, success, undefined, anOrder('5')), createdAt: 7 }] } })
  })
  const page = theValue(await connector.billing.listAttemptsSince(Temporal.Instant.from('2026-02-01T00:00:00Z'), null))
  assert.deepEqual([page.items.map(({ id }) => id), page.after], [readable, 'next'])
  assert.deepEqual(
    page.unreadable.map(({ id, idempotencyKey }) => [id, idempotencyKey]),
    [
      ['4', 'key-4'],
      ['6', 'key-6']
    ]
  )
  assert.match(page.unreadable[1]!.reason, /createdAt/)
  assert.equal(requests.length, 6)
})

test('a token that may read no attempts at all fails the page', async () => {
  const { connector, requests } = await aPlatform((res) => json(res, {}, 401))
  const failure = theFailure(
    await connector.billing.listAttemptsSince(Temporal.Instant.from('2026-02-01T00:00:00Z'), null)
  )
  assert.deepEqual([failure.kind, requests.length], ['unauthorized', 1])
})
