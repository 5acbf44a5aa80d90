import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anOrder, aPlatform, data, theValue } from '../../../test/fake-platform.ts'

test('reads an order, with the billing address where nothing is shipped', async () => {
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
