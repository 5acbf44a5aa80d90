// Imports of the platform's own list by a bulk operation: its progress and every way in which an operation can end, over the
// sandbox's socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { row, sql, text } from '#kit/postgres'
import type { BulkFaults } from '../sandbox/state/bulk-operations.ts'
import { testDatabase } from './database.ts'
import { aStoreForImports } from './import-builder.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

let firstId = 800_001

/** A store whose platform has contracts, and whose bulk operations fail as given. */
async function aPlatformImport(faults: BulkFaults | null, contracts = 25) {
  const imports = await aStoreForImports(service)
  const { storeId } = imports.store
  await imports.contracts(firstId, contracts, () => ({ nextBillingAt: '2027-01-01T00:00:00Z' }))
  firstId += contracts
  await service.sandbox.controls.setBulkFaults({ storeId, faults })
  const connector = await service.deps.connectorOf(storeId)
  return {
    ...imports,
    connector,
    started: async () => {
      const { id } = await imports.start({ source: 'platform', mode: 'paused' })
      await imports.settle()
      return id as string
    },
    operations: async () =>
      (
        await service.sandboxDb.direct.many(
          row({ status: text }),
          sql`
          select status from sandbox.bulk_operations
           where store_id = ${storeId} and query not like '%metafields%' order by id`
        )
      ).map(({ status }) => status)
  }
}

const OTHER_QUERY = 'query Others { products { edges { node { id } } } }'

test('while the platform builds its list, the import shows how many contracts are listed', async () => {
  const imports = await aPlatformImport({ next: [{ stepMinutes: 60 }] }, 110)
  const id = await imports.started()
  const seen: unknown[] = []
  for (let i = 0; i < 3; i++) {
    const { status, listed, total } = await imports.show(id)
    seen.push([status, listed, total])
    await imports.store.advance({ by: 'PT61M' })
  }
  assert.deepEqual(seen, [
    ['fetching', 0, 0],
    ['fetching', 100, 0],
    ['done', 110, 110]
  ])
  assert.deepEqual(await imports.operations(), ['COMPLETED'])
})

test('nothing is imported from a failed operation: the import waits for a complete list', async () => {
  const failing = { status: 'FAILED', errorCode: 'TIMEOUT', afterRoots: 12 } as const
  const imports = await aPlatformImport({ next: [failing, { ...failing, errorCode: 'INTERNAL_SERVER_ERROR' }] })
  const id = await imports.started()
  const { status, error, total, listed } = await imports.show(id)
  assert.deepEqual([status, error, total, listed], ['fetching', 'The bulk operation is failed: timeout', 0, 0])
  await imports.store.advance({ by: 'PT1M' })
  assert.equal((await imports.show(id)).error, 'The bulk operation is failed: internal_server_error')
  await imports.store.advance({ by: 'PT5M' })
  const done = await imports.show(id)
  assert.deepEqual([done.status, done.total, done.created, done.error], ['done', 25, 25, null])
  assert.deepEqual(await imports.operations(), ['FAILED', 'FAILED', 'COMPLETED'])
})

test('five failed operations, or one without access, fail the import with the reason', async () => {
  const imports = await aPlatformImport(
    { next: Array.from({ length: 5 }, () => ({ status: 'FAILED', afterRoots: 5 }) as const) },
    20
  )
  const id = await imports.started()
  await imports.store.advance({ by: 'PT3H' })
  const { status, error, total } = await imports.show(id)
  assert.deepEqual([status, error, total], ['failed', 'The bulk operation is failed: internal_server_error', 0])
  assert.equal((await imports.operations()).length, 5)

  const denied = await aPlatformImport({ next: [{ status: 'FAILED', errorCode: 'ACCESS_DENIED', afterRoots: 0 }] }, 3)
  const recorded = await denied.show(await denied.started())
  assert.deepEqual([recorded.status, recorded.error], ['failed', 'The bulk operation is failed: access_denied'])
})

test('an operation that was cancelled on the platform, or whose file is gone, is started again', async () => {
  const imports = await aPlatformImport({ next: [{ status: 'CANCELED', afterRoots: 10 }, { status: 'EXPIRED' }] }, 30)
  const id = await imports.started()
  assert.equal((await imports.show(id)).error, 'The bulk operation is canceled')
  await imports.store.advance({ by: 'PT1M' })
  assert.equal((await imports.show(id)).error, 'The bulk operation is expired')
  await imports.store.advance({ by: 'PT5M' })
  assert.deepEqual([(await imports.show(id)).status, (await imports.show(id)).created], ['done', 30])
})

test("a bulk operation's file is gone after seven days", async () => {
  const imports = await aPlatformImport(null, 3)
  const started = await imports.connector.bulk.run(OTHER_QUERY)
  assert.ok(started.ok)
  await imports.settle()
  const find = async () => {
    const found = await imports.connector.bulk.find(started.value)
    assert.ok(found.ok && found.value)
    return found.value
  }
  const { status, file } = await find()
  assert.deepEqual([status, (await fetch(file!.url)).status], ['completed', 200])
  await imports.store.advance({ by: 'P7D' })
  const old = await find()
  assert.deepEqual([old.status, old.file, (await fetch(file!.url)).status], ['expired', null, 404])
})

test('while another operation of the shop runs, the import waits', async () => {
  const imports = await aPlatformImport({ maxAtOnce: 1, next: [{ stepMinutes: 240 }] }, 20)
  const others = await imports.connector.bulk.run(OTHER_QUERY)
  assert.ok(others.ok)
  const id = await imports.started()
  const { status, error } = await imports.show(id)
  assert.deepEqual([status, error], ['fetching', 'Waiting for other bulk operations of the shop to end'])
  // Waiting is not counted as a failure, however long it takes.
  await imports.store.advance({ by: 'PT3H' })
  assert.deepEqual([(await imports.show(id)).status, await imports.operations()], ['fetching', ['RUNNING']])
  const stopped = await imports.connector.bulk.cancel(others.value)
  assert.ok(stopped.ok)
  await imports.store.advance({ by: 'PT2M' })
  assert.deepEqual([(await imports.show(id)).status, (await imports.show(id)).created], ['done', 20])
})

test('cancelling an import cancels its bulk operation', async () => {
  const imports = await aPlatformImport({ next: [{ stepMinutes: 60 }] }, 20)
  const id = await imports.started()
  assert.deepEqual(await imports.operations(), ['RUNNING'])
  await service.admin('POST', `${imports.store.at}/imports/${id}/cancel`, {})
  await imports.settle()
  assert.deepEqual([(await imports.show(id)).status, await imports.operations()], ['cancelled', ['CANCELED']])
})

test('a file with fewer lines than announced is not imported', async () => {
  const imports = await aPlatformImport({ next: [{ stepMinutes: 1 }] }, 20)
  const id = await imports.started()
  await service.sandboxDb.inInstallation((q) =>
    q.run(sql`
      update sandbox.bulk_operations set object_count = object_count + 7 where store_id = ${imports.store.storeId}`)
  )
  await imports.store.advance({ by: 'PT1M' })
  assert.match((await imports.show(id)).error, /has 20 lines; the platform announced 27/)
  await imports.store.advance({ by: 'PT5M' })
  assert.deepEqual([(await imports.show(id)).status, (await imports.show(id)).total], ['done', 20])
})
