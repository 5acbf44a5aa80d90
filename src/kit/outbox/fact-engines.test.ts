import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { enginesInTurn } from '../../../test/engines-in-turn.ts'
import { aStore, type BuiltStore } from '../../../test/store-builder.ts'
import { type Ctx, Database, int, row, sql } from '../postgres/index.ts'
import type { FactFailure } from './consume-facts.ts'
import {
  type Consumer,
  consumer,
  createFactEngines,
  defineFact,
  listDeadLetters,
  RETRY_AFTER_MINUTES,
  record,
  retryDeadLetter,
  type StoredFact,
  startConsumersInStores
} from './index.ts'

const { db, url } = await testDatabase()
const START = Temporal.Instant.from('2026-01-31T12:00:00Z')

const orderPlaced = defineFact('order.placed', (n: number, customer: number) => ({
  orderingKey: `customer:${customer}`,
  data: { n },
  refs: { n }
}))
const parcelSent = defineFact('parcel.sent', (n: number) => ({ orderingKey: `parcel:${n}`, data: { n }, refs: { n } }))
const EVERY = ['order.placed', 'parcel.sent']

/** A store with a frozen clock whose consumers note what they handled in the database, in the transaction given to them. */
async function aStoreWith(names: Record<string, { fails?: (fact: StoredFact) => boolean; facts?: string[] }>) {
  const store = await aStore(db, { clockAt: START })
  const failures: FactFailure[] = []
  const consumers = Object.entries(names).map(([name, { fails = () => false, facts = EVERY }]) =>
    noting(name, facts, (taken) => {
      const failing = taken.find(fails)
      if (failing) throw new Error(`no ${failing.refs.n}`)
    })
  )
  const engine = engineOf(db, consumers, failures)
  return {
    ...store,
    engine,
    consumers,
    failures,
    ...handledIn(store),
    ...clockOf(store),
    settle: () => settle(store, engine)
  }
}

function engineOf(database: Database, consumers: Consumer[], failures: FactFailure[] = []) {
  return enginesInTurn(
    createFactEngines({ db: database, consumers, onFailure: (failure) => void failures.push(failure) })
  )
}

/** The notes are rows of a table of this test; their order is that of handling. */
function noting(
  name: string,
  facts: string[],
  check: (facts: StoredFact[]) => void | Promise<void> = () => {},
  from: Consumer['from'] = 'now'
): Consumer {
  return consumer(
    name,
    facts,
    async ({ tx, storeId }, taken) => {
      await tx.run(sql`
        insert into handled (store_id, consumer, n)
        select ${storeId}, ${name}, n from unnest(${taken.map((fact) => fact.refs.n!)}::int[]) n`)
      await check(taken)
    },
    { from }
  )
}

const handledIn = ({ inStore }: BuiltStore) => ({
  handled: async (name: string) =>
    (
      await inStore(({ tx, storeId }) =>
        tx.many(
          row({ n: int }),
          sql`select n from handled where store_id = ${storeId} and consumer = ${name} order by id`
        )
      )
    ).map(({ n }) => n)
})

const clockOf = ({ inStore }: BuiltStore) => ({
  pass: (duration: Temporal.DurationLike) =>
    inStore(({ tx, storeId, now }) =>
      tx.run(sql`update stores set clock_at = ${now.add(duration)} where store_id = ${storeId}`)
    ),
  now: () => inStore(async (ctx) => ctx.now)
})

async function settle({ storeId }: BuiltStore, engine: ReturnType<typeof engineOf>): Promise<number> {
  let sum = 0
  for (let done = await engine.runOnce(storeId); done > 0; done = await engine.runOnce(storeId)) sum += done
  return sum
}

const count = (n: number) => Array.from({ length: n }, (_, i) => i)

await db.session().then(async (session) => {
  await session.query(`reset role; create table handled (
    id bigint generated always as identity, store_id bigint not null, consumer text not null, n int not null);
    select protect_table('handled')`)
  await session.end()
})

test('every fact reaches a consumer once and in order per key, while facts are recorded and two engines run', async () => {
  const store = await aStoreWith({ ledger: {} })
  const KEYS = 5
  const EACH = 60
  let next = 0
  // Writers of one key take turns, as they do under the lock of a row; the keys do not wait for each other.
  const writing = count(KEYS).map(async (key) => {
    for (const i of count(EACH)) {
      await store.inStore(async (ctx) => {
        await record(ctx, orderPlaced(key * 1000 + i, key))
        // A transaction of another key may begin later and commit earlier.
        if (i % 7 === key) await new Promise((done) => setTimeout(done, 3))
      })
      next++
    }
  })
  const other = engineOf(db, store.consumers)
  const dispatching = [store.engine, other].map(async (engine) => {
    while (next < KEYS * EACH) await engine.runOnce(store.storeId)
  })
  await Promise.all([...writing, ...dispatching])
  await Promise.all([settle(store, store.engine), settle(store, other)])
  await store.settle()

  const handled = await store.handled('ledger')
  assert.equal(handled.length, KEYS * EACH)
  for (const key of count(KEYS)) {
    assert.deepEqual(
      handled.filter((n) => Math.floor(n / 1000) === key),
      count(EACH).map((i) => key * 1000 + i)
    )
  }
  assert.equal(await store.engine.nextDueAt(store.storeId), null)
})

test('a fact whose transaction commits after later ones is not skipped', async () => {
  const store = await aStoreWith({ ledger: {} })
  const committing = Promise.withResolvers<void>()
  const recorded = Promise.withResolvers<void>()
  const slow = store.inStore(async (ctx) => {
    await record(ctx, orderPlaced(1, 1))
    recorded.resolve()
    await committing.promise
  })
  await recorded.promise
  await store.inStore((ctx) => record(ctx, orderPlaced(2, 2)))
  await store.settle()
  assert.deepEqual(await store.handled('ledger'), [2])
  committing.resolve()
  await slow
  await store.settle()
  assert.deepEqual(await store.handled('ledger'), [2, 1])
})

test('more facts than fit into one transaction are handled once and in order, whoever is at work', async () => {
  const store = await aStoreWith({ ledger: {} })
  await store.inStore((ctx) => record(ctx, ...count(1_450).map((n) => orderPlaced(n, n % 3))))
  const engines = [store.engine, engineOf(db, store.consumers), engineOf(db, store.consumers)]
  await Promise.all(engines.map((engine) => settle(store, engine)))
  await store.settle()
  assert.deepEqual(await store.handled('ledger'), count(1_450))
})

test('each consumer receives only the facts that it names', async () => {
  const store = await aStoreWith({ orders: { facts: ['order.placed'] }, parcels: { facts: ['parcel.sent'] } })
  await store.inStore((ctx) => record(ctx, orderPlaced(1, 1), parcelSent(2), orderPlaced(3, 1)))
  await store.settle()
  assert.deepEqual(await store.handled('orders'), [1, 3])
  assert.deepEqual(await store.handled('parcels'), [2])
  assert.equal(await store.engine.nextDueAt(store.storeId), null)
})

test('a fact that fails holds up its own key only, and its consumer only', async () => {
  const store = await aStoreWith({ picky: { fails: ({ refs }) => refs.n === 2 }, other: {} })
  await store.inStore((ctx) =>
    record(ctx, orderPlaced(1, 1), orderPlaced(2, 1), orderPlaced(3, 1), orderPlaced(4, 2), parcelSent(5))
  )
  await store.settle()
  await store.inStore((ctx) => record(ctx, orderPlaced(6, 1), orderPlaced(7, 2)))
  await store.settle()

  assert.deepEqual(await store.handled('picky'), [1, 4, 5, 7])
  assert.deepEqual(await store.handled('other'), [1, 2, 3, 4, 5, 6, 7])
  assert.deepEqual(
    store.failures.map(({ consumer, fact, isDead }) => [consumer, fact.name, isDead]),
    [['picky', 'order.placed', false]]
  )
  assert.equal(String(await store.engine.nextDueAt(store.storeId)), String(START.add({ minutes: 1 })))
})

test('a retry that succeeds is followed at once by the later facts of its key, in their order', async () => {
  let isBroken = true
  const store = await aStoreWith({ picky: { fails: ({ refs }) => isBroken && refs.n === 1 } })
  await store.inStore((ctx) => record(ctx, orderPlaced(1, 1), orderPlaced(2, 1), orderPlaced(3, 1)))
  await store.settle()
  assert.deepEqual(await store.handled('picky'), [])
  isBroken = false
  await store.settle()
  assert.deepEqual(await store.handled('picky'), [], 'it waits for its time')
  await store.pass({ minutes: 1 })
  await store.settle()
  await store.inStore((ctx) => record(ctx, orderPlaced(4, 1)))
  await store.settle()
  assert.deepEqual(await store.handled('picky'), [1, 2, 3, 4])
})

test('what follows a retry of one key goes on at once, whatever earlier facts of other keys wait for', async () => {
  const broken = new Set([1, 3])
  const store = await aStoreWith({ picky: { fails: ({ refs }) => broken.has(refs.n!) } })
  await store.inStore((ctx) => record(ctx, orderPlaced(1, 1), orderPlaced(2, 1)))
  await store.settle()
  await store.inStore((ctx) => record(ctx, orderPlaced(3, 2), orderPlaced(4, 2)))
  await store.settle()
  assert.deepEqual(await store.handled('picky'), [])
  broken.delete(3)
  await store.pass({ minutes: 1 })
  await store.settle()
  assert.deepEqual(await store.handled('picky'), [3, 4])
  broken.clear()
  await store.pass({ minutes: 5 })
  await store.settle()
  assert.deepEqual(await store.handled('picky'), [3, 4, 1, 2])
})

test('dead letters are listed from the newest fact on, page by page, with the beginning of a long message', async () => {
  const long = 'x'.repeat(600)
  const store = await aStore(db, { clockAt: START })
  const consumers = ['picky', 'strict'].map((name) =>
    noting(name, EVERY, () => {
      throw new Error(long)
    })
  )
  const engine = engineOf(db, consumers)
  const { pass } = clockOf(store)
  await store.inStore((ctx) => record(ctx, orderPlaced(1, 1), orderPlaced(2, 2)))
  await settle(store, engine)
  for (const minutes of RETRY_AFTER_MINUTES) {
    await pass({ minutes })
    await settle(store, engine)
  }
  const seen: string[] = []
  for (let before: { consumer: string; factId: number } | undefined; ; ) {
    const page = await store.inStore(async (ctx) => {
      // No index that happens to have this order.
      await ctx.tx.run(sql`set local plan_cache_mode = force_custom_plan`)
      await ctx.tx.run(sql`set local enable_indexscan = off`)
      return listDeadLetters(ctx, { limit: 1, ...(before && { before }) })
    })
    if (page.length === 0) break
    assert.equal(page.length, 1)
    before = page[0]!
    assert.equal(page[0]!.lastError.length, 500)
    seen.push(`${page[0]!.orderingKey} ${page[0]!.consumer}`)
    assert.ok(seen.length < 9)
  }
  assert.deepEqual(seen, ['customer:2 strict', 'customer:2 picky', 'customer:1 strict', 'customer:1 picky'])
})

test('after its last retry a fact is a dead letter, its key goes on, and an operator has it tried again', async () => {
  let isBroken = true
  const store = await aStoreWith({ picky: { fails: ({ refs }) => isBroken && refs.n === 1 } })
  await store.inStore((ctx) => record(ctx, orderPlaced(1, 1), orderPlaced(2, 1)))
  await store.settle()
  const waits: number[] = []
  for (let due = await store.engine.nextDueAt(store.storeId); due; due = await store.engine.nextDueAt(store.storeId)) {
    waits.push(due.since(await store.now()).total('minutes'))
    await store.pass({ minutes: waits.at(-1)! })
    await store.settle()
  }
  assert.deepEqual(waits, [...RETRY_AFTER_MINUTES])
  assert.deepEqual(await store.handled('picky'), [2])
  assert.deepEqual(
    store.failures.map(({ isDead }) => isDead),
    [false, false, false, false, false, true]
  )
  const listed = () => store.inStore((ctx) => listDeadLetters(ctx, { limit: 10 }))
  const [letter, ...others] = await listed()
  assert.equal(others.length, 0)
  assert.deepEqual(
    [letter!.consumer, letter!.name, letter!.orderingKey, letter!.attempts, letter!.lastError],
    ['picky', 'order.placed', 'customer:1', 6, 'no 1']
  )

  const retry = () => store.inStore((ctx) => retryDeadLetter(ctx, letter!))
  assert.equal(await retry(), true)
  await store.settle()
  assert.deepEqual([(await listed()).length, await store.handled('picky')], [1, [2]], 'it failed once more')
  isBroken = false
  assert.equal(await retry(), true)
  await store.settle()
  assert.deepEqual([await listed(), await store.handled('picky')], [[], [2, 1]])
  assert.equal(await retry(), false)
})

test('a crash after handling and before the commit leaves nothing done, and the facts are handled again', async () => {
  const store = await aStore(db, { clockAt: START })
  const seen: number[][] = []
  const dying = new Database({ url })
  const crashing = noting('ledger', EVERY, async (facts) => void seen.push(facts.map(({ refs }) => refs.n!)))
  const killed: Consumer = {
    ...crashing,
    handle: async (ctx, facts, how) => {
      await crashing.handle(ctx, facts, how)
      const { pid } = await ctx.tx.one(row({ pid: int }), sql`select pg_backend_pid() as pid`)
      const session = await db.session()
      await session.query('reset role')
      await session.query('select pg_terminate_backend($1)', [pid])
      await session.end()
    }
  }
  await store.inStore((ctx) => record(ctx, orderPlaced(1, 1), orderPlaced(2, 2)))
  await assert.rejects(engineOf(dying, [killed]).runOnce(store.storeId))
  await dying.close()
  assert.deepEqual(await handledIn(store).handled('ledger'), [])

  const failures: FactFailure[] = []
  await settle(store, engineOf(db, [crashing], failures))
  assert.deepEqual(seen, [
    [1, 2],
    [1, 2]
  ])
  assert.deepEqual(await handledIn(store).handled('ledger'), [1, 2])
  assert.deepEqual(failures, [], 'an outage is no failure of a fact')
})

test('a consumer that is added later begins with the next fact or with the first one ever, as it declares', async () => {
  const store = await aStoreWith({ old: {} })
  await store.inStore((ctx) => record(ctx, orderPlaced(1, 1), orderPlaced(2, 1)))
  await store.settle()
  const added = [noting('late', EVERY, () => {}, 'now'), noting('whole', EVERY, () => {}, 'beginning')]
  const engine = engineOf(db, [...store.consumers, ...added])
  await startConsumersInStores(db, [...store.consumers, ...added])
  await settle(store, engine)
  assert.deepEqual(await store.handled('whole'), [1, 2])
  await store.inStore((ctx) => record(ctx, orderPlaced(3, 1)))
  await settle(store, engine)
  assert.deepEqual(await store.handled('old'), [1, 2, 3])
  assert.deepEqual(await store.handled('late'), [3])
  assert.deepEqual(await store.handled('whole'), [1, 2, 3])
})

test('stays within the store', async () => {
  const [mine, other] = [await aStoreWith({ ledger: {} }), await aStore(db)]
  await other.inStore((ctx) => record(ctx, orderPlaced(1, 1)))
  assert.equal(await mine.engine.nextDueAt(mine.storeId), null)
  assert.equal(await mine.settle(), 0)
  assert.ok((await settle(other, mine.engine)) > 0)
  assert.deepEqual(await mine.handled('ledger'), [])
  assert.deepEqual(await handledIn(other).handled('ledger'), [1])
})

test('after a retry the facts of a key come in the order in which the other consumers got them', async () => {
  let isBroken = true
  const store = await aStoreWith({ picky: { fails: () => isBroken }, healthy: {} })
  await store.inStore((ctx) => record(ctx, orderPlaced(1, 1)))
  await store.settle()
  const [recorded, committing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const late = store.inStore(async (ctx) => {
    await record(ctx, orderPlaced(2, 1))
    recorded.resolve()
    await committing.promise
  })
  await recorded.promise
  await store.inStore((ctx) => record(ctx, orderPlaced(3, 1)))
  await store.settle()
  committing.resolve()
  await late
  await store.settle()
  isBroken = false
  await store.pass({ minutes: 1 })
  await store.settle()
  assert.deepEqual(await store.handled('healthy'), [1, 3, 2])
  assert.deepEqual(await store.handled('picky'), [1, 3, 2])
})

for (const [what, fail] of Object.entries({
  'a file that is missing': async () => {
    throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
  },
  'another service that refuses connections': async () => {
    throw Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:443'), { code: 'ECONNREFUSED' })
  },
  'a function that raises the code of a lost connection': async ({ tx }: Ctx) => {
    await tx.run(sql`do $$ begin raise exception 'no' using errcode = '08006'; end $$`)
  }
})) {
  test(`${what} is a failure of the fact and no outage`, async () => {
    const store = await aStore(db, { clockAt: START })
    const failures: FactFailure[] = []
    const picky = noting('picky', EVERY)
    const failing: Consumer = {
      ...picky,
      handle: (ctx, facts, how) => (facts.some(({ refs }) => refs.n === 1) ? fail(ctx) : picky.handle(ctx, facts, how))
    }
    await store.inStore((ctx) => record(ctx, orderPlaced(1, 1), orderPlaced(2, 2)))
    await settle(store, engineOf(db, [failing], failures))
    assert.deepEqual(await handledIn(store).handled('picky'), [2])
    assert.equal(failures.length, 1)
  })
}

test('a fact whose handling breaks the connection each time is put aside in the end', async () => {
  const store = await aStore(db, { clockAt: START })
  const failures: FactFailure[] = []
  const picky = noting('picky', EVERY)
  const breaking: Consumer = {
    ...picky,
    async handle(ctx, facts, how) {
      await picky.handle(ctx, facts, how)
      if (!facts.some(({ refs }) => refs.n === 1)) return
      await ctx.tx.run(sql`reset role`)
      await ctx.tx.run(sql`select pg_terminate_backend(pg_backend_pid())`)
    }
  }
  await store.inStore((ctx) => record(ctx, orderPlaced(1, 1), orderPlaced(2, 2)))
  const engine = engineOf(db, [breaking], failures)
  let outages = 0
  for (let done = 1; done > 0; ) {
    done = await engine.runOnce(store.storeId).catch(() => ++outages)
    assert.ok(outages < 20)
  }
  assert.deepEqual(await handledIn(store).handled('picky'), [2])
  assert.deepEqual([failures.length, outages], [1, 5])

  await clockOf(store).pass({ minutes: 1 })
  for (let done = 1; done > 0; ) done = await engine.runOnce(store.storeId).catch(() => ++outages)
  assert.deepEqual([failures.length, outages], [2, 10], 'and so is its retry')
})
