import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { Database, directSql, int, isBusy, isOutage, row, sql, TIME_LIMITS } from './index.ts'

const { db, url } = await testDatabase()
const MAX_WAIT_MS = 1_000
const LIMITS = {
  ...TIME_LIMITS,
  checkoutMs: MAX_WAIT_MS,
  direct: { ...TIME_LIMITS.direct, lockMs: MAX_WAIT_MS },
  acrossStores: { ...TIME_LIMITS.acrossStores, lockMs: MAX_WAIT_MS },
  background: { ...TIME_LIMITS.background, lockMs: MAX_WAIT_MS }
}

/** A database of short waits, and a store whose row another transaction keeps until the test ends. */
async function aLockedStore(t: TestContext, { poolSize = 4 } = {}) {
  const impatient = new Database({ url, limits: LIMITS, poolSize })
  const { storeId } = await aStore(db)
  const locked = Promise.withResolvers<void>()
  const free = Promise.withResolvers<void>()
  const holding = db.inStore(storeId, async ({ tx }) => {
    await tx.run(sql`select 1 from stores where store_id = ${storeId} for update`)
    locked.resolve()
    await free.promise
  })
  await locked.promise
  t.after(async () => {
    free.resolve()
    await holding
    await impatient.close()
  })
  return { db: impatient, storeId }
}

/** Ends the work and says how: with which error, after how many milliseconds. */
async function endOf(work: Promise<unknown>) {
  const from = performance.now()
  const err = await work.then(
    () => assert.fail('It should have failed'),
    (thrown: Error) => thrown
  )
  return { err, ms: performance.now() - from }
}

const renamed = directSql<[storeId: number]>('test_rename', 'update stores set name = name where store_id = $1')

for (const [way, wait] of [
  ['a transaction of a store', (on: Database, id: number) => on.inStore(id, ({ tx }) => tx.run(renamed(id)))],
  ['a transaction over all stores', (on: Database, id: number) => on.inInstallation((tx) => tx.run(renamed(id)))],
  ['a sent statement', (on: Database, id: number) => on.inStore(id, async ({ tx }) => tx.send(renamed(id)))],
  [
    'a statement that goes with the beginning',
    (on: Database, id: number) =>
      on.inStoreByKeys(
        id,
        ({ tx }) => tx.run(renamed(id)),
        async () => 0
      )
  ],
  ['a direct statement', (on: Database, id: number) => on.direct.run(renamed(id))],
  ['a statement over stores', (on: Database, id: number) => on.acrossStores.run(renamed(id))]
] as const) {
  test(`the wait for a lock ends in ${way}, and the connection goes on`, async (t) => {
    const { db: impatient, storeId } = await aLockedStore(t)
    const { err, ms } = await endOf(wait(impatient, storeId))
    assert.ok(isBusy(err) && !isOutage(err), err.message)
    assert.ok(ms >= MAX_WAIT_MS && ms < 5_000, `${ms} ms`)
    assert.equal(await impatient.inStore(storeId, async (ctx) => ctx.storeId), storeId)
    assert.equal((await impatient.direct.one(row({ one: int }), sql`select 1 as one`)).one, 1)
  })
}

test('the wait for a connection ends when all of them are in use', async (t) => {
  const { db: impatient, storeId } = await aLockedStore(t, { poolSize: 1 })
  const goesOn = Promise.withResolvers<void>()
  const using = impatient.inStore(storeId, () => goesOn.promise)
  const { err, ms } = await endOf(impatient.inStore(storeId, async () => {}))
  goesOn.resolve()
  await using
  assert.ok(isBusy(err) && isOutage(err), err.message)
  assert.ok(ms >= MAX_WAIT_MS - 20 && ms < 5_000, `${ms} ms`)
  await impatient.inStore(storeId, async () => {})
})
