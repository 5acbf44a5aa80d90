// Credit that expires on a date, in a complete service with a test clock.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from './database.ts'
import { aReceiver } from './receiver.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

test('credit expires on its date, not before, with a webhook and no finding of the auditor', async () => {
  const store = await service.aStore()
  const receiver = await aReceiver()
  const events = ['store_credit.added', 'store_credit.deducted']
  const endpoint = await service.admin('POST', `${store.at}/webhooks`, { url: receiver.url, events })
  receiver.secret = endpoint.secret
  const { id: customer } = await store.customer('ada@example.com')
  const at = `${service.urls.public}/v1/store-credits/${customer}`
  const headers = { authorization: `Bearer ${store.key}`, 'content-type': 'application/json' }
  const post = async (verb: string, body: object) => {
    const response = await fetch(`${at}/${verb}`, { method: 'POST', headers, body: JSON.stringify(body) })
    assert.equal(response.status, 200)
    return ((await response.json()) as any).data
  }
  await service.deps.settle(store.storeId)
  await post('add', { amount: 10, reason: 'for February', expires_at: '2026-03-01' })
  await post('add', { amount: 5, reason: 'for ever' })
  const { customer_id } = await post('deduct', { amount: 4, reason: 'spent' })

  // Midnight in New York is five in the morning in UTC.
  await store.advance({ to: '2026-03-01T04:59:59Z' })
  assert.equal((await service.get(`/store-credits/${customer_id}`, store.key)).body.data.balance, 11)
  await store.advance({ to: '2026-03-02T00:00:00Z' })
  assert.deepEqual((await service.get(`/store-credits/${customer_id}`, store.key)).body.data, {
    customer_id,
    balance: 5,
    reserved: 0,
    available: 5,
    currency: 'USD',
    updated_at: '2026-03-01T05:00:00.000Z'
  })
  const { body } = await service.get(`/store-credits/${customer_id}/history`, store.key)
  assert.deepEqual(
    body.data.map((entry: any) => [entry.type, entry.amount, entry.balance_after, entry.created_at]),
    [
      ['expired', -6, 5, '2026-03-01T05:00:00.000Z'],
      ['manual_deduct', -4, 11, '2026-01-31T15:00:00.000Z'],
      ['manual_add', 5, 15, '2026-01-31T15:00:00.000Z'],
      ['manual_add', 10, 10, '2026-01-31T15:00:00.000Z']
    ]
  )
  assert.deepEqual(receiver.events(), [events[0], events[0], events[1], events[1]])
  assert.ok(receiver.received.every(({ signed }) => signed))
  const { data, timestamp } = receiver.received.at(-1)!
  assert.deepEqual(
    [data.amount, data.reason, data.transaction_id, timestamp],
    [6, 'expired', body.data[0].id, '2026-03-01T05:00:00.000Z']
  )
  await store.soundBooks()
})
