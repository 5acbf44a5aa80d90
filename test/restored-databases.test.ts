// What happens around the stores when a database is restored: which are held, from when on, and whether nodes use it meanwhile.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { bool, Database, int, migrate, nullable, row, scaledLimits, sql, text } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { MIGRATIONS } from '../src/app/migrations.ts'
import { restoreBackup } from '../src/backup/restore-backup.ts'
import { takeIn, watchForRestores } from '../src/backup/restored-database.ts'
import { writeBackup } from '../src/backup/write-backup.ts'
import { beforeDrop, emptyDatabase, testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { aStore } from './store-builder.ts'
import { until } from './until.ts'

const folder = await mkdtemp(join(tmpdir(), 'perennial-restores-'))
after(() => rm(folder, { recursive: true, force: true }))
const dataDir = () => mkdtemp(join(folder, 'data-'))

const { url } = await testDatabase()
const failing = await testDatabase()
const watched = await testDatabase()
const empty = await emptyDatabase()
const service = await startService(url)
const { db } = service

const Held = row({ storeId: int, isHeld: bool, alerts: int })
const heldIn = (of: Database) =>
  of.inInstallation((tx) =>
    tx.many(
      Held,
      sql`
      select store_id, restored_at is not null and catching_up as is_held,
             (select count(*) from alerts a where a.store_id = s.store_id and a.kind = 'restored') as alerts
        from stores s order by store_id`
    )
  )
const releaseAll = (of: Database) =>
  of.inInstallation((tx) => tx.run(sql`update stores set restored_at = null, catching_up = false`))

test('a store that is being deleted keeps no other one from being held, nor the service from starting', async () => {
  const [first, deleted, last] = [await service.aStore(), await service.aStore(), await service.aStore()]
  await db.inInstallation((tx) =>
    tx.run(sql`update stores set deleting_since = now(), status = 'disconnected' where store_id = ${deleted.storeId}`)
  )
  const place = { db, url, dataDir: await dataDir() }
  assert.equal(await takeIn(place), 2)
  const alertsOf = async () =>
    new Map((await heldIn(db)).map(({ storeId, isHeld, alerts }) => [storeId, isHeld ? alerts : null]))
  const held = await alertsOf()
  assert.deepEqual([held.get(first.storeId), held.get(last.storeId)], [1, 1])
  await releaseAll(db)
  // As a copy that is started for the first time.
  const { place: before } = await db.inInstallation((tx) =>
    tx.one(row({ place: nullable(text) }), sql`update installation set place = place || '-copy' returning place`)
  )
  const watching = { ...place, warn: () => {}, fail: (err: Error) => assert.fail(err) }
  await (await watchForRestores(watching)).stop()
  const again = await alertsOf()
  assert.deepEqual([again.get(first.storeId), again.get(last.storeId)], [2, 2])
  const { place: written } = await db.inInstallation((tx) =>
    tx.one(row({ place: nullable(text) }), sql`select place from installation`)
  )
  assert.notEqual(written, before)
  await releaseAll(db)
})

test('what fails in one store leaves none without its hold, and is repeated', async () => {
  const { db: other, url: otherUrl } = failing
  for (let i = 0; i < 3; i++) await aStore(other)
  const impatient = new Database({ url: otherUrl, limits: scaledLimits(0.05) })
  beforeDrop(() => impatient.close())
  // Somebody keeps what the announcement in the first store needs.
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
  const taken = Promise.withResolvers<void>()
  const [one] = await heldIn(other)
  const keeping = other.inInstallation(async (tx) => {
    await tx.run(sql`select pg_advisory_xact_lock(hashtextextended('sequence of facts', ${one!.storeId}))`)
    taken.resolve()
    await isOver
  })
  await taken.promise
  const place = { db: impatient, url: otherUrl, dataDir: await dataDir() }
  await assert.rejects(takeIn(place))
  assert.deepEqual(
    (await heldIn(other)).map(({ isHeld, alerts }) => [isHeld, alerts]),
    [
      [true, 0],
      [true, 0],
      [true, 0]
    ]
  )
  end()
  await keeping
  assert.equal(await takeIn({ ...place, db: other }), 3)
})

test('a running node whose database is replaced or set back holds every store, and repeats what fails', async () => {
  const node = await startService(watched.url)
  const store = await node.aStore()
  let failing = 0
  const warnings: string[] = []
  const failures: Error[] = []
  const watch = await watchForRestores({
    db: watched.db,
    dataDir: await dataDir(),
    get url() {
      return failing-- > 0 ? 'postgres://127.0.0.1:1/nothing' : watched.url
    },
    warn: (message) => warnings.push(message),
    fail: (err) => failures.push(err),
    everyMs: 50
  })
  beforeDrop(() => watch.stop())
  const isHeld = async () => (await heldIn(watched.db)).every((one) => one.isHeld)
  const saidSo = () => warnings.filter((message) => /replaced while this node was running/.test(message)).length
  assert.equal(await isHeld(), false)
  // Another installation's rows.
  await watched.db.inInstallation((tx) =>
    tx.run(sql`update installation set id = gen_random_uuid(), epoch = epoch + 100`)
  )
  await until('the stores are held', isHeld)
  await until('it says so', () => saidSo() === 1)
  await releaseAll(watched.db)
  // What follows the hold fails so often that the epoch has passed the one that was seen.
  failing = 4
  await watched.db.inInstallation((tx) => tx.run(sql`update installation set epoch = epoch - 2`))
  await until('the stores are held', isHeld)
  await until('it is repeated until it is done', () => saidSo() === 2)
  assert.equal(failures.length, 4)
  await watch.stop()
  assert.equal((await node.admin('GET', store.at)).restored_at !== null, true)
})

test('a backup is not restored into a database that a process of the service uses', async () => {
  const file = join(folder, 'used.backup')
  await service.aStore()
  await writeBackup({ url, path: file, withSandbox: true, masterKeyHint: null })
  const to = empty
  const restore = () => restoreBackup({ url: to, path: file, sets: MIGRATIONS, log: () => {} })
  await migrate(to, MIGRATIONS)
  const node = await startService(to)
  await assert.rejects(
    restore(),
    (err) => err instanceof Refusal && err.code === 'conflict' && /in use by a process of the service/.test(err.message)
  )
  await node.stop()
  await until('the node has left', async () =>
    restore().then(
      () => true,
      (err: Error) => (/in use/.test(err.message) ? false : Promise.reject(err))
    )
  )
  const restored = new Database({ url: to })
  beforeDrop(() => restored.close())
  const stores = await heldIn(restored)
  assert.ok(stores.length > 0 && stores.every(({ isHeld }) => isHeld), 'before anything else is done with them')
})
