import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Fact } from '#kit/outbox'
import { testDatabase } from '../../../test/database.ts'
import { aReceiver, aSendingStore } from '../../webhooks/receiver.test-helper.ts'
import { testServer } from '../server.test-helper.ts'

const { db } = await testDatabase()
const { rest } = testServer(db)

const aFact = (n: number, name = 'subscription.paused'): Fact => ({
  name,
  orderingKey: 'member:1',
  data: { subscription_id: `sub_${n}`, note: `Ünïcode ✓ "${n}" </script>`, price: 29.5, none: null },
  refs: { memberId: 1 }
})

async function aCaller() {
  const store = await aSendingStore(db, { clock: '2026-01-01T00:00:00Z' })
  const key = await store.aKey(['read:webhooks'])
  return {
    store,
    async events(query = '') {
      const response = await rest(`/events${query}`, key)
      return { status: response.statusCode, text: response.body, ...response.json() }
    }
  }
}

test('the payload of an event is that of its delivery, byte by byte, with its id, type, time and sequence', async () => {
  const { store, events } = await aCaller()
  const receiver = await aReceiver()
  await store.anEndpoint({ url: receiver.url })
  await store.record(aFact(1), aFact(2, 'billing.failed'))
  await store.settle()
  const { status, text, data, meta } = await events()
  assert.equal(status, 200)
  assert.deepEqual(meta, { total: 2, limit: 50, offset: 0, has_more: false, next_since: data[1].sequence })
  assert.deepEqual(
    data.map(({ event, timestamp }: { event: string; timestamp: string }) => [event, timestamp]),
    [
      ['subscription.paused', '2026-01-01T00:00:00.000Z'],
      ['billing.failed', '2026-01-01T00:00:00.000Z']
    ]
  )
  assert.deepEqual(Object.keys(data[0]), ['id', 'sequence', 'event', 'timestamp', 'data'])
  assert.match(data[0].id, /^evt_\d+$/)
  for (const { body } of receiver.received) {
    const payload = body.slice(body.indexOf('"data":'), -1)
    assert.ok(text.includes(`${payload}}`), `${payload} is in ${text}`)
  }
})

test('pages go on at next_since, and also what is recorded later comes', async () => {
  const { store, events } = await aCaller()
  await store.record(aFact(1), aFact(2), aFact(3))
  await store.settle()
  const first = await events('?limit=2')
  assert.deepEqual([first.data.length, first.meta.total, first.meta.has_more], [2, 3, true])
  const second = await events(`?limit=2&since=${first.meta.next_since}`)
  assert.deepEqual([second.data.length, second.meta.total, second.meta.has_more], [1, 1, false])
  assert.deepEqual((await events(`?since=${second.meta.next_since}`)).data, [])
  await store.record(aFact(4))
  await store.settle()
  const later = await events(`?since=${second.meta.next_since}`)
  assert.deepEqual([later.data.length, later.data[0].data.subscription_id], [1, 'sub_4'])
})

test('a bad parameter is refused with its name', async () => {
  const { store, events } = await aCaller()
  await store.record(aFact(1))
  await store.settle()
  for (const [query, field] of [
    ['since=-1', 'since'],
    ['since=1.5', 'since'],
    ['since=evt_1', 'since'],
    ['since=', 'since'],
    ['since=99999999999999999999', 'since'],
    ['since=900', 'since'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['offset=-1', 'offset'],
    ['offset=10001', 'offset'],
    ['type=billing.unknown', 'type'],
    ['type=', 'type'],
    ['customer=', 'customer'],
    ['customer_id=cust_1', 'customer_id']
  ] as const) {
    const { status, error } = await events(`?${query}`)
    assert.deepEqual([status, error?.code, error?.details?.[0].field], [400, 'invalid_request', field], query)
    assert.match(error.message, new RegExp(`^${field} `))
  }
})

test('an unknown customer has no events, and is no error', async () => {
  const { store, events } = await aCaller()
  await store.record(aFact(1))
  await store.settle()
  for (const customer of ['cust_987654321', 'nobody', '123', 'gid://platform/Customer/123']) {
    const { status, data, meta } = await events(`?customer=${encodeURIComponent(customer)}`)
    assert.deepEqual([status, data, meta.total, meta.has_more], [200, [], 0, false])
  }
})

test("another store's events are not in the list", async () => {
  const one = await aCaller()
  const other = await aCaller()
  await one.store.record(aFact(1))
  await one.store.settle()
  assert.deepEqual((await other.events()).data, [])
  assert.equal((await one.events()).data.length, 1)
})
