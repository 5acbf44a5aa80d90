// A consumer that is slow, or fails slowly, holds up no other: not in its store, and not in another.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createRunner, startNode } from '#kit/engines'
import { storeStatuses } from '#stores'
import { testDatabase } from '../../../test/database.ts'
import { aStore, type BuiltStore } from '../../../test/store-builder.ts'
import { until } from '../../../test/until.ts'
import { bool, Database, row, sql } from '../postgres/index.ts'
import type { FactFailure } from './consume-facts.ts'
import { type Consumer, consumer, createFactEngines, defineFact, type HandleFacts, record } from './index.ts'

const { db, url } = await testDatabase()

const counted = defineFact('counted', (n: number) => ({ orderingKey: `number:${n}`, data: { n }, refs: { n } }))
const count = (n: number) => Array.from({ length: n }, (_, i) => i)
const add = (store: BuiltStore, ...numbers: number[]) =>
  store.inStore((ctx) => record(ctx, ...numbers.map((n) => counted(n))))
/** Each test has names of its own, since the stores of the others are still there. */
const of = (name: string, handle: HandleFacts) => consumer(name, ['counted'], handle, { from: 'now' })

/** A consumer that remembers what it handled, `<store> <number>`. */
function remembering() {
  const handled = new Set<string>()
  const healthy = of('healthy', async ({ storeId }, facts) => {
    for (const { refs } of facts) handled.add(`${storeId} ${refs.n}`)
  })
  return { healthy, has: (store: BuiltStore, n: number) => handled.has(`${store.storeId} ${n}`) }
}

/** A node whose runner works off facts. */
async function aNode(t: TestContext, consumers: Consumer[]) {
  const own = new Database({ url })
  const node = await startNode(own)
  const failures: FactFailure[] = []
  const runner = createRunner({
    db: own,
    engines: createFactEngines({ db: own, consumers, onFailure: (failure) => failures.push(failure) }),
    holds: node.holds,
    statuses: (ids) => storeStatuses(own, ids),
    freeLeases: async () => 0,
    onError: () => {}
  })
  t.after(async () => {
    await runner.stop()
    await node.stop()
    await own.close()
  })
  runner.start()
  const tell = async (store: BuiltStore, ...numbers: number[]) => {
    await add(store, ...numbers)
    runner.wake(store.storeId)
  }
  return { db: own, failures, tell }
}

/** A consumer that waits at every call until it is let go; `calls` are the stores in which it was called. */
function waiting(t: TestContext, name: string) {
  const free = Promise.withResolvers<void>()
  t.after(() => free.resolve())
  const calls: number[] = []
  const slow = of(name, async ({ storeId }) => {
    calls.push(storeId)
    await free.promise
  })
  return { slow, calls, letGo: free.resolve }
}

test('a slow consumer holds up no other in its store', async (t) => {
  const store = await aStore(db)
  const { slow, calls } = waiting(t, 'slow')
  const { healthy, has } = remembering()
  const node = await aNode(t, [slow, healthy])
  await node.tell(store, 1)
  await until('the slow one is at work', () => calls.length === 1)
  await node.tell(store, 2)
  await until('the second fact', () => has(store, 2))
  assert.equal(calls.length, 1)
})

test('a consumer that fails slowly holds up no other in its store', async (t) => {
  const FACTS = 60
  const store = await aStore(db)
  const failing = of('failing', async ({ tx }) => {
    await tx.run(sql`select pg_sleep(0.3)`)
    throw new Error('no')
  })
  const { healthy, has } = remembering()
  const node = await aNode(t, [failing, healthy])
  await node.tell(store, ...count(FACTS))
  await until('a first failure', () => node.failures.length > 0)
  await node.tell(store, 1_000)
  await until('the last fact', () => has(store, 1_000))
  assert.ok(node.failures.length < FACTS / 2, `${node.failures.length} of ${FACTS} have failed before`)
})

test('a slow consumer takes few connections, so that others and everything else go on in all stores', async (t) => {
  const stores = await Promise.all(count(10).map(() => aStore(db)))
  const { slow, calls, letGo } = waiting(t, 'slow in many stores')
  const { healthy, has } = remembering()
  const node = await aNode(t, [slow, healthy])
  for (const store of stores) await node.tell(store, 1)
  await until('the other has all', () => stores.every((store) => has(store, 1)))
  await until('the slow one is at work', () => calls.length === 2)
  await Promise.all(count(6).map(() => node.db.inStore(stores[0]!.storeId, async () => {})))
  assert.equal(calls.length, 2)
  letGo()
  await until('the slow one was in every store', () => new Set(calls).size === stores.length)
})

test('stores with many facts leave the others their turn', async (t) => {
  const [one, two, small] = [await aStore(db), await aStore(db), await aStore(db)]
  const MANY = 1_500
  let handled = 0
  let before = Number.NaN
  const begun = new Set<number>()
  const smallIsDue = Promise.withResolvers<void>()
  const slow = of('slow with many facts', async ({ storeId }, facts) => {
    begun.add(storeId)
    if (storeId !== small.storeId) await smallIsDue.promise
    await setTimeout(50)
    handled += facts.length
    if (storeId === small.storeId) before = handled
  })
  t.after(() => smallIsDue.resolve())
  const node = await aNode(t, [slow])
  await Promise.all([add(one, ...count(MANY)), add(two, ...count(MANY))])
  await Promise.all([node.tell(one, MANY), node.tell(two, MANY)])
  await until('both are at work', () => begun.size === 2)
  await node.tell(small, 1)
  await until('the fact of the small store is due', () =>
    small.inStore(async ({ tx, storeId }) => {
      const due = sql`select exists (select from facts where store_id = ${storeId} and position is not null) as is_due`
      return (await tx.one(row({ isDue: bool }), due)).isDue
    })
  )
  smallIsDue.resolve()
  await until('everything', () => handled === 2 * (MANY + 1) + 1)
  assert.ok(before < 2 * MANY, `${before} facts of others came first`)
})

test('no store is forgotten while many have their turns', async (t) => {
  const stores = await Promise.all(count(5).map(() => aStore(db)))
  const MANY = 4_000
  const handled = new Map<number, number>()
  const quick = of('quick', async ({ storeId }, facts) => {
    handled.set(storeId, (handled.get(storeId) ?? 0) + facts.length)
  })
  await Promise.all(stores.map((store) => add(store, ...count(MANY))))
  const node = await aNode(t, [quick])
  await Promise.all(stores.map((store) => node.tell(store, MANY)))
  await until('everything', () => stores.every(({ storeId }) => handled.get(storeId) === MANY + 1))
})

test('one run tries few times, whatever fails: five until it is known which fact fails', async () => {
  const store = await aStore(db)
  let tries = 0
  const failing = of('failing', async () => {
    tries++
    throw new Error('no')
  })
  const [sequencer, engine] = createFactEngines({ db, consumers: [failing] })
  await add(store, ...count(200))
  await sequencer!.runOnce(store.storeId)
  assert.equal(await engine!.runOnce(store.storeId), 1)
  assert.equal(tries, 5)
  assert.equal(await engine!.runOnce(store.storeId), 1)
  assert.equal(tries, 6)
})

test('after failures the facts come in larger numbers again', async () => {
  const store = await aStore(db)
  const sizes: number[] = []
  const picky = of('picky', async (_ctx, facts) => {
    if (facts.some(({ refs }) => refs.n === 0)) throw new Error('no')
    sizes.push(facts.length)
  })
  const [sequencer, engine] = createFactEngines({ db, consumers: [picky] })
  await add(store, ...count(600))
  while ((await sequencer!.runOnce(store.storeId)) > 0);
  while ((await engine!.runOnce(store.storeId)) > 0);
  assert.deepEqual(sizes, [1, 4, 16, 64, 256, 258])
})

test('what does not end is ended, and counts as a failure of its fact', async () => {
  const store = await aStore(db)
  const failures: FactFailure[] = []
  const hanging = { ...of('hanging', async ({ tx }) => void (await tx.run(sql`select pg_sleep(600)`))), maxMs: 500 }
  const [sequencer, engine] = createFactEngines({
    db,
    consumers: [hanging],
    onFailure: (failure) => failures.push(failure)
  })
  await add(store, 1)
  await sequencer!.runOnce(store.storeId)
  const began = performance.now()
  assert.equal(await engine!.runOnce(store.storeId), 1)
  assert.ok(performance.now() - began < 60_000)
  assert.match((failures[0]!.err as Error).message, /statement timeout/)
})

test('a consumer whose statements are many cannot go on for ever either', async (t) => {
  const store = await aStore(db)
  const failures: FactFailure[] = []
  const busy = of('busy', async ({ tx }) => {
    // Only the clock by which its time is measured runs ahead.
    const now = performance.now()
    t.mock.method(performance, 'now', () => now + 16_000)
    await tx.one(row({ done: bool }), sql`select true as done`)
  })
  const [sequencer, engine] = createFactEngines({
    db,
    consumers: [busy],
    onFailure: (failure) => failures.push(failure)
  })
  await add(store, 1)
  await sequencer!.runOnce(store.storeId)
  assert.equal(await engine!.runOnce(store.storeId), 1)
  assert.match((failures[0]!.err as Error).message, /The consumer busy took longer than 15 s/)
})
