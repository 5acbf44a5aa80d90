// The metafields of the shop beside what the platform has, over HTTP, with the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { metafieldKeysOf } from '#mirror'
import { adminOf } from './admin-calls.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { aStore } from './store-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { call } = adminOf(service)

test('every metafield of the shop is listed, and what somebody else has changed or removed differs', async () => {
  const store = await service.aStore()
  await service.deps.settle(store.storeId)
  const list = async () => (await call(store, 'GET', '/metafields/shop')).body
  const one = async (key: string) => (await list()).data.find((found: { key: string }) => found.key === key)

  const { data, waiting, problem } = await list()
  assert.deepEqual(data.map(({ key }: { key: string }) => key).toSorted(), metafieldKeysOf('shop').toSorted())
  assert.ok(data.every(({ in_step }: { in_step: boolean }) => in_step))
  assert.deepEqual([waiting, problem], [false, null])
  const { wanted, found } = await one('svc_plan_settings2')
  assert.deepEqual([wanted, found], [null, null])

  const { metafields } = await service.deps.connectorOf(store.storeId)
  const before = await metafields.findOfShop(metafieldKeysOf('shop'))
  assert.ok(before.ok)
  const { shopId } = before.value
  const seenDigest = before.value.metafields.get('svc_agreement')!.digest
  const value = '{"agreement_enabled":1}'
  const entry = {
    owner: 'shop' as const,
    ownerId: shopId,
    key: 'svc_agreement',
    type: 'json' as const,
    value,
    seenDigest
  }
  assert.ok((await metafields.set([entry])).ok)
  assert.ok((await metafields.delete([{ owner: 'shop', ownerId: shopId, key: 'svc_otp' }])).ok)
  const changed = await one('svc_agreement')
  assert.deepEqual([changed.in_step, JSON.parse(changed.found)], [false, { agreement_enabled: 1 }])
  assert.deepEqual(JSON.parse(changed.wanted), { agreement_enabled: 0 })
  const removed = await one('svc_otp')
  assert.deepEqual([removed.in_step, removed.found], [false, null])

  await call(store, 'POST', '/metafields/sync', {})
  assert.ok((await list()).data.every(({ in_step }: { in_step: boolean }) => in_step))
})

test('a change that is not written yet is waited for', async () => {
  const store = await service.aStore()
  await service.deps.settle(store.storeId)
  await call(store, 'PATCH', '/storefront-settings/svc_agreement', { value: { agreement_enabled: 1 } })
  const { data, waiting } = (await call(store, 'GET', '/metafields/shop')).body
  const found = data.find(({ key }: { key: string }) => key === 'svc_agreement')
  assert.deepEqual([waiting, found.in_step, JSON.parse(found.wanted)], [true, false, { agreement_enabled: 1 }])
})

test('a platform that cannot be asked is no list', async () => {
  const { storeId } = await aStore(service.db, { sandbox: false, accessToken: 'token-123', appSecret: 'secret-123' })
  const { status, body } = await call({ at: `/stores/store_${storeId}` }, 'GET', '/metafields/shop')
  assert.equal(status, 503, JSON.stringify(body))
  assert.match(body.error.message, /could not be read from the platform/)
})
