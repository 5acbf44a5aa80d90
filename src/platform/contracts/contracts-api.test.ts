import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aContract, aLine, aPlatform, data, theValue } from '../../../test/fake-platform.ts'

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
    originOrder: { id: '5' },
    lines: [
      {
        id: 'line-1',
        title: 'Line 1',
        quantity: 1,
        productId: '1',
        variantId: '2',
        sellingPlanId: '3',
        sellingPlanName: 'VIP',
        priceMinor: 2900,
        lastingPriceMinor: 2900,
        discountedMinor: 2750
      }
    ],
    priceMinor: 2750,
    lineChargesMinor: [2750],
    memberDiscountMinor: 0,
    grantedDiscountMinor: 0,
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

test('a status and an instrument that we do not know pass through', async () => {
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

test('many contracts are read forty-seven at once; unknown ones are left out', async () => {
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

test('changes the status of a contract and returns its new state', async () => {
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
  const paused = { id: '9', status: 'paused', revision: '4', nextBillingDate: null }
  assert.deepEqual(theValue(await connector.contracts.pause('9')), paused)
  for (const change of ['activate', 'cancel', 'fail'] as const) theValue(await connector.contracts[change]('9'))
  theValue(await connector.contracts.setNextBillingDate('9', Temporal.Instant.from('2026-03-31T09:00:00Z')))
  assert.deepEqual(requests.at(-1)!.variables, {
    id: 'gid://platform/SubscriptionContract/9',
    date: '2026-03-31T09:00:00Z'
  })
})
