// The platform's own list, which it makes by a bulk operation: how far it is, and everything that such an operation can come to.
// Over the sandbox's socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { row, sql, text } from '#kit/postgres'
import type { BulkFaults } from '../sandbox/state/bulk-operations.ts'
import { testDatabase } from './database.ts'
import { aStoreToMoveTo } from './import-builder.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

let firstId = 800_001

/** A store with contracts to be listed. */
async function aFetch(faults: BulkFaults | null, many = 25) {
  const moved = await aStoreToMoveTo(service)
  const { storeId } = moved.store
  await moved.contracts(firstId, many, () => ({ nextBillingAt: '2027-01-01T00:00:00Z' }))
  firstId += many
  await service.sandbox.controls.setBulkFaults({ storeId, faults })
  const connector = await service.deps.connectorOf(storeId)
  return {
    ...moved,
    connector,
    begun: async () => {
      const { id } = await moved.begin({ source: 'platform', mode: 'paused' })
      await moved.settle()
      return id as string
    },
    operations: async () =>
      (
        await service.sandboxDb.direct.many(
          row({ status: text }),
          sql`select status from sandbox.bulk_operations where store_id = ${storeId} order by id`
        )
      ).map(({ status }) => status)
  }
}

const OTHERS = 'query Others { products { edges { node { id } } } }'

test('while the platform makes its list, the import tells how long it is so far', async () => {
  const moved = await aFetch({ next: [{ stepMinutes: 60 }] }, 110)
  const id = await moved.begun()
  const seen: unknown[] = []
  for (let i = 0; i < 3; i++) {
    const { status, listed, total } = await moved.shown(id)
    seen.push([status, listed, total])
    await moved.store.advance({ by: 'PT61M' })
  }
  assert.deepEqual(seen, [
    ['fetching', 0, 0],
    ['fetching', 100, 0],
    ['done', 110, 110]
  ])
  assert.deepEqual(await moved.operations(), ['COMPLETED'])
})

test('what an operation that fails had read is no list: nothing is taken over until a whole one came', async () => {
  const failing = { status: 'FAILED', errorCode: 'TIMEOUT', afterRoots: 12 } as const
  const moved = await aFetch({ next: [failing, { ...failing, errorCode: 'INTERNAL_SERVER_ERROR' }] })
  const id = await moved.begun()
  const { status, error, total, listed } = await moved.shown(id)
  assert.deepEqual([status, error, total, listed], ['fetching', 'The bulk operation is failed: timeout', 0, 0])
  await moved.store.advance({ by: 'PT1M' })
  assert.equal((await moved.shown(id)).error, 'The bulk operation is failed: internal_server_error')
  await moved.store.advance({ by: 'PT5M' })
  const done = await moved.shown(id)
  assert.deepEqual([done.status, done.total, done.created, done.error], ['done', 25, 25, null])
  assert.deepEqual(await moved.operations(), ['FAILED', 'FAILED', 'COMPLETED'])
})

test('an operation that fails five times, or is not allowed, ends the import, and says why', async () => {
  const moved = await aFetch(
    { next: Array.from({ length: 5 }, () => ({ status: 'FAILED', afterRoots: 5 }) as const) },
    20
  )
  const id = await moved.begun()
  await moved.store.advance({ by: 'PT3H' })
  const { status, error, total } = await moved.shown(id)
  assert.deepEqual([status, error, total], ['failed', 'The bulk operation is failed: internal_server_error', 0])
  assert.equal((await moved.operations()).length, 5)

  const denied = await aFetch({ next: [{ status: 'FAILED', errorCode: 'ACCESS_DENIED', afterRoots: 0 }] }, 3)
  const recorded = await denied.shown(await denied.begun())
  assert.deepEqual([recorded.status, recorded.error], ['failed', 'The bulk operation is failed: access_denied'])
})

test('one that somebody stops, or whose file is gone, is begun anew', async () => {
  const moved = await aFetch({ next: [{ status: 'CANCELED', afterRoots: 10 }, { status: 'EXPIRED' }] }, 30)
  const id = await moved.begun()
  assert.equal((await moved.shown(id)).error, 'The bulk operation is canceled')
  await moved.store.advance({ by: 'PT1M' })
  assert.equal((await moved.shown(id)).error, 'The bulk operation is expired')
  await moved.store.advance({ by: 'PT5M' })
  assert.deepEqual([(await moved.shown(id)).status, (await moved.shown(id)).created], ['done', 30])
})

test('a file that is asked for after its seven days is gone', async () => {
  const moved = await aFetch(null, 3)
  const started = await moved.connector.bulk.run(OTHERS)
  assert.ok(started.ok)
  await moved.settle()
  const look = async () => {
    const found = await moved.connector.bulk.find(started.value)
    assert.ok(found.ok && found.value)
    return found.value
  }
  const { status, url: link } = await look()
  assert.deepEqual([status, (await fetch(link!)).status], ['completed', 200])
  await moved.store.advance({ by: 'P7D' })
  const old = await look()
  assert.deepEqual([old.status, old.url, (await fetch(link!)).status], ['expired', null, 404])
})

test('where the shop has another operation under way, the import waits for its turn', async () => {
  const moved = await aFetch({ mostAtOnce: 1, next: [{ stepMinutes: 240 }] }, 20)
  const others = await moved.connector.bulk.run(OTHERS)
  assert.ok(others.ok)
  const id = await moved.begun()
  const { status, error } = await moved.shown(id)
  assert.deepEqual([status, error], ['fetching', 'Other bulk operations of the shop are under way'])
  // However long that takes, it is no failure of ours.
  await moved.store.advance({ by: 'PT3H' })
  assert.deepEqual([(await moved.shown(id)).status, await moved.operations()], ['fetching', ['RUNNING']])
  const stopped = await moved.connector.bulk.cancel(others.value)
  assert.ok(stopped.ok)
  await moved.store.advance({ by: 'PT2M' })
  assert.deepEqual([(await moved.shown(id)).status, (await moved.shown(id)).created], ['done', 20])
})

test('an import that is cancelled stops its operation too', async () => {
  const moved = await aFetch({ next: [{ stepMinutes: 60 }] }, 20)
  const id = await moved.begun()
  assert.deepEqual(await moved.operations(), ['RUNNING'])
  await service.admin('POST', `${moved.store.at}/imports/${id}/cancel`, {})
  await moved.settle()
  assert.deepEqual([(await moved.shown(id)).status, await moved.operations()], ['cancelled', ['CANCELED']])
})

test('a file that is shorter than what was announced is not the list', async () => {
  const moved = await aFetch({ next: [{ stepMinutes: 1 }] }, 20)
  const id = await moved.begun()
  await service.sandboxDb.inInstallation((q) =>
    q.run(sql`
      update sandbox.bulk_operations set object_count = object_count + 7 where store_id = ${moved.store.storeId}`)
  )
  await moved.store.advance({ by: 'PT1M' })
  assert.match((await moved.shown(id)).error, /has 20 lines, and 27 were announced/)
  await moved.store.advance({ by: 'PT5M' })
  assert.deepEqual([(await moved.shown(id)).status, (await moved.shown(id)).total], ['done', 20])
})
