import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exampleOf } from '#resources'
import { EVENT_TYPES, EVENTS } from '../public-events.ts'
import { sampleOf } from './sample-of.ts'

const now = Temporal.Instant.from('2028-02-29T08:30:15.123456Z')
const NOBODY = '9000000000000024'

for (const type of EVENT_TYPES) {
  test(`a sample of ${type} has the fields of the published example and names nobody`, () => {
    const sample = sampleOf(type, { currency: 'JPY', profile: 'shopify', now })
    assert.deepEqual(Object.keys(sample), Object.keys(exampleOf(EVENTS[type].data) as object))
    const ids = JSON.stringify(sample).match(/"[a-z]+_\d+"|gid:\/\/[^"]+/g) ?? []
    assert.ok(ids.length > 0)
    for (const id of ids) assert.ok(id.replaceAll('"', '').endsWith(NOBODY), id)
    assert.doesNotMatch(JSON.stringify(sample), /gid:\/\/platform|USD/)
  })
}

test('a sample happens now, in the currency of the store', () => {
  const paused = sampleOf('subscription.paused', { currency: 'KWD', profile: 'platform', now })
  assert.deepEqual(
    { ...paused, customer: null },
    {
      subscription_id: `sub_${NOBODY}`,
      shopify_subscription_id: `gid://platform/SubscriptionContract/${NOBODY}`,
      customer: null,
      plan: { id: `plan_${NOBODY}`, name: 'VIP', price: 2.9, currency: 'KWD', billing_frequency: 'monthly' },
      status: 'paused',
      created_at: '2027-12-25T04:55:15.123Z',
      next_billing_date: null,
      paused_at: '2028-02-29T08:30:15.123Z',
      resumes_at: '2028-03-30T08:30:15.123Z'
    }
  )
})
