// The events of each step of a charge, on every path that leads to it: docs/events.md, row by row.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { testDatabase } from './database.ts'
import { aStoreWithEvents, types } from './recorded-events.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

const PAID = ['billing.pending', 'billing.success']
const DECLINED = ['billing.pending', 'billing.failed']
const RETRIED = [...DECLINED, 'billing.retry_scheduled']

async function aMember(card = 'success', dunning: Record<string, unknown> = {}) {
  const store = await aStoreWithEvents(service)
  await service.db.inInstallation((tx) =>
    tx.run(sql`update stores set settings = ${JSON.stringify({ dunning })}::jsonb where store_id = ${store.storeId}`)
  )
  const { customer, contract_id } = await store.member('ada@example.com')
  const [subscription] = await store.client.subscriptions.list({}).toArray({ atMost: 1 })
  await store.card(customer.id, card)
  await store.settle()
  const attempts = () => store.client.billingAttempts.list({}).toArray({ atMost: 10 })
  return { store, customer, id: subscription!.id, contract: store.contract(contract_id), attempts }
}

test('a renewal sends the events of its charge and no other', async () => {
  const { store } = await aMember()
  const recorded = await store.recorded(() => store.advance({ to: '2026-03-01T00:00:00Z' }))
  assert.deepEqual(types(recorded), PAID)
  assert.equal(recorded[1]!.data.next_billing_date, '2026-03-31T14:00:00.000Z')
  assert.deepEqual(await store.recorded(store.replay), [])
})

for (const [onFailure, end] of [
  ['cancel', ['subscription.cancelled', 'member.tier_changed']],
  ['pause', ['subscription.paused']],
  ['fail', ['subscription.cancelled', 'member.tier_changed']]
] as const) {
  test(`the events when retries are exhausted, with on_failure ${onFailure}`, async () => {
    const { store } = await aMember('insufficient_funds', { retryAfterDays: [2, 5], onFailure })
    const recorded = await store.recorded(() => store.advance({ to: '2026-04-20T00:00:00Z' }))
    assert.deepEqual(types(recorded), [...RETRIED, ...RETRIED, ...DECLINED, ...end])
    const [first, last] = [recorded[1]!.data, recorded[7]!.data]
    assert.deepEqual([first.retry_scheduled, first.attempts_remaining], [true, 2])
    assert.deepEqual([last.retry_scheduled, last.retry_date, last.attempts_remaining], [false, null, 0])
    assert.deepEqual(await store.recorded(store.replay), [])
    await store.soundBooks()
  })
}

test('after a hard decline a new card is charged at once', async () => {
  const { store, customer } = await aMember('expired_card')
  const recorded = await store.recorded(() => store.advance({ to: '2026-03-20T00:00:00Z' }))
  assert.deepEqual(types(recorded), DECLINED)
  assert.equal(recorded[1]!.data.retry_scheduled, false)
  assert.deepEqual(types(await store.recorded(() => store.card(customer.id, 'success'))), PAID)
  await store.soundBooks()
})

test('a manual retry sends the same events as any attempt; a refused one sends none', async () => {
  const { store, customer, attempts } = await aMember('success')
  const { setCard } = service.sandbox.controls
  const outcome = ['insufficient_funds', 'insufficient_funds', 'success']
  await setCard({ storeId: store.storeId, customerId: customer.id, outcome })
  await store.settle()
  await store.advance({ to: '2026-03-01T00:00:00Z' })
  const [failed] = await attempts()
  const { billingAttempts } = store.client
  const again = await store.recorded(() => billingAttempts.retry(failed!.id))
  assert.deepEqual(types(again), RETRIED, 'the retry schedule continues')
  const once = { idempotencyKey: 'once' }
  const paid = await store.recorded(async () => {
    await billingAttempts.retry(failed!.id, once)
    await billingAttempts.retry(failed!.id, once)
  })
  assert.deepEqual(types(paid), PAID)
  assert.deepEqual(await store.recorded(() => assert.rejects(billingAttempts.retry(failed!.id))), [])
})

test('a new card during dunning is charged at once, in place of the scheduled retry', async () => {
  const { store, customer } = await aMember('insufficient_funds')
  await store.advance({ to: '2026-03-01T00:00:00Z' })
  assert.deepEqual(types(await store.recorded(() => store.card(customer.id, 'success'))), PAID)
  assert.deepEqual(await store.recorded(store.replay), [])
  await store.soundBooks()
})

test('a cancellation cancels the scheduled retry and sends only its own event', async () => {
  const { store, id } = await aMember('insufficient_funds')
  await store.advance({ to: '2026-03-01T00:00:00Z' })
  const recorded = await store.recorded(() => store.client.subscriptions.cancel(id))
  assert.deepEqual(types(recorded), ['subscription.cancelled', 'member.tier_changed'])
  assert.deepEqual(await store.recorded(() => store.advance({ by: 'P60D' })), [])
})
