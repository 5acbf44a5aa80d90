// Real deliveries against the `webhooks` section of the published document.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Value } from 'typebox/value'
import { EVENT_SCHEMAS, EVENT_TYPES, type EventType, sampleOf } from '#webhooks'
import { testDatabase } from './database.ts'
import { aReceiver } from './receiver.ts'
import { aStoreWithEvents, assertDeclared } from './recorded-events.ts'
import { startService } from './service-builder.ts'

/** The sixteen types of the contract (spec 1, Events), and `billing.action_required`. */
const SEVENTEEN: EventType[] = [
  'subscription.created',
  'subscription.activated',
  'subscription.updated',
  'subscription.paused',
  'subscription.resumed',
  'subscription.cancelled',
  'billing.pending',
  'billing.success',
  'billing.failed',
  'billing.retry_scheduled',
  'billing.action_required',
  'member.created',
  'member.updated',
  'member.tier_changed',
  'member.points_changed',
  'store_credit.added',
  'store_credit.deducted'
]

const { url } = await testDatabase()
const service = await startService(url)

test("every event of a subscription's life is delivered in the declared shape", async () => {
  const store = await aStoreWithEvents(service)
  const receiver = await aReceiver()
  const { secret } = await service.admin('POST', `${store.at}/webhooks`, { url: receiver.url })
  receiver.secret = secret
  const ada = await store.member('ada@example.com')
  const bob = await store.member('bob@example.com')
  const cleo = await store.member('cleo@example.com')
  await store.card(cleo.customer.id, '3ds')
  await store.card(bob.customer.id, 'insufficient_funds')
  await store.advance({ by: 'P60D' })

  const { members, subscriptions, storeCredits } = store.client
  await store.contract(ada.contract_id).edit({ line: { currentPrice: '24.00' } })
  await store.settle()
  const [subscription] = await subscriptions.list({ customer_id: ada.customer.id }).toArray({ atMost: 1 })
  await subscriptions.pause(subscription!.id, { duration: 3 })
  await subscriptions.resume(subscription!.id)
  await subscriptions.cancel(subscription!.id, { reason: 'too_expensive' })
  await storeCredits.add(ada.customer.id, { amount: 5, reason: 'Gift' })
  await storeCredits.deduct(ada.customer.id, { amount: 2.5, reason: 'Spent' })
  const [member] = await members.list({ email: 'ada@example.com' }).toArray({ atMost: 1 })
  await members.update(member!.id, { loyalty_points: 120, first_name: 'Adah', birth_date: '1990-04-17' })
  await store.settle()

  for (const { webhookId, event, timestamp, data } of receiver.received) {
    assertDeclared({ event: event as never, timestamp, webhook_id: webhookId, data })
  }
  const received = new Set<string>(receiver.events())
  assert.deepEqual(
    SEVENTEEN.filter((type) => !received.has(type)),
    []
  )
})

test('the seventeen types exist, and each type has a schema that accepts its example', () => {
  assert.deepEqual(
    EVENT_TYPES.filter((type) => SEVENTEEN.includes(type)),
    SEVENTEEN
  )
  for (const type of EVENT_TYPES) {
    const { examples } = EVENT_SCHEMAS[type] as { examples?: { event: string }[] }
    assert.equal(examples?.[0]?.event, type)
    assert.ok(Value.Check(EVENT_SCHEMAS[type], examples[0]), type)
  }
})

for (const { currency, profile } of [
  { currency: 'USD', profile: 'platform' },
  { currency: 'JPY', profile: 'shopify' },
  { currency: 'KWD', profile: 'platform' }
] as const) {
  test(`a sample of each type, in ${currency}, has the declared shape and the decimals of the currency`, () => {
    const now = Temporal.Instant.from('2028-02-29T08:30:15.123456Z')
    for (const type of EVENT_TYPES) {
      const data = sampleOf(type, { currency, profile, now })
      assertDeclared({ event: type, timestamp: now.toString(), webhook_id: 'wh_1', data })
      const described = JSON.stringify(data)
      if (currency === 'JPY') assert.doesNotMatch(described, /\d\.\d+[,}]/, type)
      assert.equal(described.includes(`gid://${profile === 'shopify' ? 'platform' : 'shopify'}/`), false, type)
    }
    const { amount } = sampleOf('billing.pending', { currency, profile, now })
    assert.equal(amount, { USD: 29, JPY: 2900, KWD: 2.9 }[currency])
  })
}
