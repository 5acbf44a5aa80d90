import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { atOnce } from '../../../test/at-once.ts'
import { testDatabase } from '../../../test/database.ts'
import { aFact, aReceiver, aSendingStore, testSettings } from '../receiver.test-helper.ts'
import { createEndpoint } from './create-endpoint.ts'
import { deleteEndpoint } from './delete-endpoint.ts'
import { endpointIdOf } from './endpoint.ts'
import { countFailedDeliveries, lockEndpointList } from './endpoint-queries.ts'
import { findEndpoint } from './list-endpoints.ts'
import { setEndpointStatus } from './set-endpoint-status.ts'
import { listTroubledEndpoints } from './troubled-endpoints.ts'

const { db } = await testDatabase()

test('listed are the endpoints of a store that fail or are disabled, with what the last try came to', async () => {
  const store = await aSendingStore(db, { clock: '2026-01-01T00:00:00Z' })
  const failing = await aReceiver((_, response) => response.writeHead(503).end())
  const ids: string[] = []
  for (const url of [failing.url, (await aReceiver()).url, failing.url, failing.url, failing.url]) {
    ids.push((await store.anEndpoint({ url })).id)
  }
  await store.record(aFact(1))
  await store.settle()
  const [fails, , byPerson, byService, deleted] = ids as [string, string, string, string, string]
  await store.setClock(Temporal.Instant.from('2026-01-02T00:00:00Z'))
  await store.inStore((ctx) => setEndpointStatus(ctx, byPerson, 'disabled'))
  await store.inStore(({ tx, storeId, now }) =>
    tx.run(sql`
      update webhook_endpoints
         set status = 'disabled', disabled_at = ${now.subtract({ hours: 1 })}, disabled_reason = 'Gone',
             failing_since = failing_since - interval '1 day'
       where store_id = ${storeId} and id = ${endpointIdOf(byService)}`)
  )
  await store.inStore((ctx) => deleteEndpoint(ctx, deleted))

  const list = async (all: boolean) =>
    (await listTroubledEndpoints(db, store.storeId, { all })).map((one) => [
      one.id,
      one.isDisabled,
      one.disabledReason !== null,
      one.failingSince !== null,
      one.lastError
    ])
  const rows = {
    fails: [fails, false, false, true, '503'],
    byPerson: [byPerson, true, true, false, null],
    byService: [byService, true, true, true, '503']
  }
  assert.deepEqual(await list(false), [rows.byService, rows.fails, rows.byPerson], 'what has failed longest first')
  assert.deepEqual(await list(true), [rows.byPerson, rows.byService, rows.fails], 'the newest failure first')
  const other = await aSendingStore(db)
  assert.deepEqual(await listTroubledEndpoints(db, other.storeId, { all: true }), [])
  const everywhere = await listTroubledEndpoints(db, null, { all: true })
  assert.deepEqual(
    everywhere.filter(({ storeId }) => storeId === store.storeId).map(({ id }) => id),
    [byPerson, byService, fails]
  )
})

test('endpoints of a store are created one after the other, so that their number keeps its limit', async () => {
  const store = await aSendingStore(db)
  let waited = false
  const outcome = await atOnce(
    store,
    (ctx) => lockEndpointList(ctx),
    () => createEndpoint(db, store.storeId, { url: 'http://127.0.0.1:1/' }, testSettings),
    async () => {
      waited = true
    }
  )
  assert.deepEqual([outcome.status, waited], ['fulfilled', true])
})

test('lost deliveries are counted only while an endpoint fails', async () => {
  const store = await aSendingStore(db)
  const { id } = await store.anEndpoint({ url: 'http://127.0.0.1:1/' })
  const count = () => store.inStore((ctx) => countFailedDeliveries(ctx, new Map([[endpointIdOf(id), 3]])))
  const found = async () => (await store.inStore((ctx) => findEndpoint(ctx, id)))!.failedDeliveries
  assert.deepEqual([(await count()).length, await found()], [0, 0])
  await store.inStore(({ tx, storeId }) =>
    tx.run(sql`update webhook_endpoints set failing_since = created_at where store_id = ${storeId}`)
  )
  assert.deepEqual([(await count()).length, await found()], [1, 3])
})
