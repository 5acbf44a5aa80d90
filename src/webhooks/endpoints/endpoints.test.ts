import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytes, row, sql } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { EVENT_TYPES } from '../public-events.ts'
import { aFact, aReceiver, aSendingStore, testSettings } from '../receiver.test-helper.ts'
import { createEndpoint } from './create-endpoint.ts'
import { findEndpoint, listEndpoints } from './list-endpoints.ts'
import { setEndpointStatus } from './set-endpoint-status.ts'

const { db } = await testDatabase()

test('shows the secret once and keeps only ciphertext', async () => {
  const store = await aStore(db)
  const created = await createEndpoint(
    db,
    store.storeId,
    { url: 'https://93.184.216.34/hooks', description: 'Our CRM' },
    testSettings
  )
  assert.match(created.id, /^we_\d+$/)
  assert.match(created.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const { secret, ...shown } = created
  assert.deepEqual(await store.inStore((ctx) => findEndpoint(ctx, created.id)), shown)
  assert.deepEqual(await store.inStore(listEndpoints), [shown])
  const { kept } = await store.inStore(({ tx, storeId }) =>
    tx.one(row({ kept: bytes }), sql`select secret as kept from webhook_endpoints where store_id = ${storeId}`)
  )
  assert.equal(kept.includes(secret.slice(6)), false)
})

test('refuses what it cannot use, naming the field', async () => {
  const store = await aStore(db)
  const live = await aStore(db, {
    sandbox: false,
    platformUrl: 'https://platform.example',
    accessToken: 'token-of-20-chars-xx',
    appSecret: 'secret-of-20-chars-xx'
  })
  const refuses = async (given: Parameters<typeof createEndpoint>[2], message: RegExp, storeId = store.storeId) =>
    assert.rejects(createEndpoint(db, storeId, given, testSettings), (err: Error & { code: string }) => {
      assert.equal(err.code, 'invalid_request')
      assert.match(err.message, message)
      return true
    })
  await refuses({ url: 'http://example.com' }, /^url must be an https/)
  await refuses({ url: 'https://10.0.0.1/' }, /^url must not point to a private/)
  await refuses({ url: 'https://example.com@169.254.169.254/' }, /^url must not/)
  await refuses({ url: 'http://127.0.0.1:80/' }, /^url must be an https/, live.storeId)
  await refuses({ url: 'https://127.0.0.1/' }, /^url must not point/, live.storeId)
  await refuses({ url: 'https://93.184.216.34', events: ['billing.won'] }, new RegExp(EVENT_TYPES.join(', ')))
  await refuses({ url: 'https://93.184.216.34', events: [] }, /^events must name/)
  await refuses({ url: 'https://93.184.216.34', description: 'a\0b' }, /^description/)
  assert.deepEqual(await store.inStore(listEndpoints), [])
})

test('another store’s endpoint is as unknown as none', async () => {
  const [mine, other] = [await aStore(db), await aStore(db)]
  const { id } = await createEndpoint(db, other.storeId, { url: 'https://93.184.216.34/' }, testSettings)
  for (const unknown of [id, 'we_999999', 'we_x', 'sub_1']) {
    assert.equal(await mine.inStore((ctx) => findEndpoint(ctx, unknown)), null)
    for (const status of ['enabled', 'disabled'] as const) {
      await assert.rejects(
        mine.inStore((ctx) => setEndpointStatus(ctx, unknown, status)),
        { code: 'not_found' }
      )
    }
  }
  assert.equal((await other.inStore((ctx) => findEndpoint(ctx, id)))!.status, 'enabled')
})

test('each endpoint receives the types it subscribed to, once per event', async () => {
  const [all, some] = [await aReceiver(), await aReceiver()]
  const store = await aSendingStore(db)
  await store.anEndpoint({ url: all.url })
  await store.anEndpoint({ url: some.url, events: ['subscription.resumed', 'billing.success'] })
  await store.record(aFact(1), { ...aFact(2), name: 'subscription.resumed' }, { ...aFact(3), name: 'billing.success' })
  await Promise.all([store.dispatch.runOnce(store.storeId), store.dispatch.runOnce(store.storeId)])
  await store.settle()
  const events = (received: { body: string }[]) => received.map((r) => JSON.parse(r.body).event).sort()
  assert.deepEqual(events(all.received), ['billing.success', 'subscription.paused', 'subscription.resumed'])
  assert.deepEqual(events(some.received), ['billing.success', 'subscription.resumed'])
})
