import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { Type } from 'typebox'
import { createRunner, createWorkSignals, dueQuery, type Engine, startNode } from '#kit/engines'
import { createJobEngine, defineJob, enqueue } from '#kit/jobs'
import { Database } from '#kit/postgres'
import { setClock, storeStatuses } from '#stores'
import { testDatabase } from '../../../test/database.ts'
import { makeIdleStores } from '../../../test/idle-stores.ts'
import { aStore, type BuiltStore } from '../../../test/store-builder.ts'
import { until } from '../../../test/until.ts'

const { db, url } = await testDatabase()
const NEVER_MS = 3_600_000
/** Always due in this store, and nowhere else. */
const dueIn = dueQuery<[storeId: number]>(
  'due_in',
  'select s.store_id, to_timestamp(0) as due_at from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until) where s.store_id = $3'
)
const neverDue: Engine['due'] = (stores) => dueIn(stores, 0)

const Numbered = Type.Object({ n: Type.Integer() })
type Run = (storeId: number, numbers: number[]) => Promise<void> | void

/** A job that records what ran, by its number. */
const numbered = (run: Run) =>
  defineJob('numbered', Numbered, { dedupe: ({ n }) => n }, async (_deps: object, storeId, jobs) => {
    await run(
      storeId,
      jobs.map(({ input }) => input.n)
    )
    return jobs.map(() => ({ done: true }) as const)
  })
const job = numbered(() => {})
const addJobs = (store: BuiltStore, ...numbers: number[]) =>
  store.inStore((ctx) =>
    enqueue(
      ctx,
      job,
      numbers.map((n) => ({ n }))
    )
  )

/** A node of its own, with connections of its own, whose runner does numbered jobs; it polls once by default. */
async function aNode(t: TestContext, { run = () => {}, pollMs = NEVER_MS }: { run?: Run; pollMs?: number } = {}) {
  const own = new Database({ url })
  let runner: ReturnType<typeof createRunner> | undefined
  const node = await startNode(own, {
    found(storeIds) {
      for (const storeId of storeIds) runner?.wake(storeId)
    },
    missed: () => runner?.wakeAll()
  })
  const ran: number[] = []
  const recording = numbered(async (storeId, numbers) => {
    await run(storeId, numbers)
    ran.push(...numbers)
  })
  const failures: unknown[] = []
  /** Stores that were looked at by themselves, not by the poll. */
  const looks: number[] = []
  const engine = createJobEngine({ db: own, leaseOwner: node.id, jobs: [recording], deps: {} })
  runner = createRunner({
    db: own,
    engines: [engine],
    holds: node.holds,
    statuses(storeIds) {
      looks.push(...(storeIds ?? []))
      return storeStatuses(own, storeIds)
    },
    freeLeases: () => node.releaseDeadLeases([engine.releaseLeases!]),
    onError: (err) => failures.push(err),
    pollMs
  })
  const stop = async () => {
    await runner.stop()
    await node.stop()
    await own.close()
  }
  t.after(stop)
  return { db: own, node, runner, engine, ran, failures, looks }
}

/** The backends of a node's session, which is the one that listens. */
async function endSessions(): Promise<void> {
  const session = await db.session()
  await session.query('reset role')
  await session.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and query ~ 'listen|pg_try_advisory|pg_locks|^select$'`
  )
  await session.end()
}

/** Ends when the first poll of a runner is over: it has asked for all stores. */
async function polled(node: Awaited<ReturnType<typeof aNode>>) {
  const before = node.db.stats.statements
  node.runner.start()
  await until('a first poll', () => node.db.stats.statements >= before + 2)
  await setTimeout(100)
}

test('a poll of 100 idle stores takes one statement per engine and one for the stores', async (t) => {
  await makeIdleStores(db, { stores: 100, subscriptions: 5 })
  const node = await aNode(t)
  const never = { ...node.engine, due: neverDue }
  /** How many statements had run when each poll began. */
  const begun: number[] = []
  const runner = createRunner({
    db: node.db,
    engines: [node.engine, never, never],
    holds: node.node.holds,
    statuses(storeIds) {
      begun.push(node.db.stats.statements)
      return storeStatuses(node.db, storeIds)
    },
    freeLeases: async () => 0,
    onError: (err) => node.failures.push(err),
    pollMs: 20
  })
  const { transactions } = node.db.stats
  runner.start()
  await until('eleven polls', () => begun.length > 10)
  await runner.stop()
  assert.deepEqual(
    begun.slice(1).map((statements, i) => statements - begun[i]!),
    begun.slice(1).map(() => 4)
  )
  assert.equal(node.db.stats.transactions, transactions)
  assert.deepEqual(node.failures, [])
})

test('work that is reported is done at once', async (t) => {
  const store = await aStore(db)
  const node = await aNode(t)
  await polled(node)
  await addJobs(store, 1, 2)
  node.runner.wake(store.storeId)
  await until('both jobs', () => node.ran.length === 2)
})

test('after work is done the store is looked at again: what one engine did is often the work of another', async (t) => {
  const store = await aStore(db)
  const node = await aNode(t)
  await polled(node)
  await addJobs(store, 1)
  node.runner.wake(store.storeId)
  await until('the job', () => node.ran.length === 1)
  await until('a second look', () => node.looks.length >= 2)
})

test('work that is ahead begins at its time, though nobody polls then', async (t) => {
  const store = await aStore(db)
  await store.inStore((ctx) => enqueue({ ...ctx, now: ctx.now.add({ milliseconds: 1_500 }) }, job, [{ n: 1 }]))
  const node = await aNode(t)
  await polled(node)
  await until('the job', () => node.ran.length === 1)
})

test('work that is ahead by a test clock waits for the clock', async (t) => {
  const clockAt = Temporal.Instant.from('2026-01-31T15:00:00Z')
  const store = await aStore(db, { clockAt })
  await store.inStore((ctx) => enqueue({ ...ctx, now: clockAt.add({ milliseconds: 50 }) }, job, [{ n: 1 }]))
  const node = await aNode(t, { pollMs: 20 })
  await polled(node)
  for (let polls = 0; polls < 5; polls++) await aPollMore(node)
  assert.deepEqual([node.ran, node.looks], [[], []])
  await store.inStore((ctx) => setClock(ctx, clockAt.add({ milliseconds: 50 })))
  await until('the job', () => node.ran.length === 1)
})

test('work that nobody reported is found by the poll', async (t) => {
  const store = await aStore(db)
  const node = await aNode(t, { pollMs: 50 })
  await polled(node)
  await addJobs(store, 1)
  await until('the job', () => node.ran.length === 1)
})

test('a node that runs no engines wakes those that do', async (t) => {
  const [one, two] = [await aStore(db), await aStore(db)]
  const worker = await aNode(t)
  await polled(worker)
  const signals = createWorkSignals(db)
  await addJobs(one, 1)
  await addJobs(two, 2)
  for (const store of [one, two, one]) signals.send(store.storeId)
  await until('both jobs', () => worker.ran.length === 2)
  await signals.stop()
})

test('work that was written while a node could not listen is found when it listens again', async (t) => {
  const store = await aStore(db)
  const node = await aNode(t)
  await polled(node)
  // Reported to nobody, as if its signal had been lost with the connection.
  await addJobs(store, 1)
  await endSessions()
  await until('the job', () => node.ran.length === 1)
})

test('an engine that fails is asked again, and the others have their turn', async (t) => {
  const store = await aStore(db)
  let failing = true
  const node = await aNode(t)
  const fails: Engine = {
    ...node.engine,
    name: 'fails',
    async runOnce(storeId) {
      if (failing) throw new Error('not now')
      return node.engine.runOnce(storeId)
    }
  }
  const failures: string[] = []
  const runner = createRunner({
    db: node.db,
    engines: [fails],
    holds: node.node.holds,
    statuses: (storeIds) => storeStatuses(node.db, storeIds),
    freeLeases: async () => 0,
    onError: (_err, engine) => failures.push(engine),
    pollMs: NEVER_MS
  })
  await addJobs(store, 1)
  runner.start()
  await until('a failure', () => failures.includes('fails'))
  failing = false
  await until('the job', () => node.ran.length === 1)
  await runner.stop()
})

for (const [what, onSecondRun, endUnderWay] of [
  ['fails after it did something', () => Promise.reject(new Error('the connection is lost')), async () => {}],
  ['is interrupted by who wants the store alone', async () => 1, async () => {}],
  ['cannot end what it has under way then', async () => 1, () => Promise.reject(new Error('the connection is lost'))],
  ['does nothing and cannot end that', async () => 0, () => Promise.reject(new Error('the connection is lost'))]
] as const) {
  test(`an engine that ${what} is run again, though its due query no longer finds its work`, async (t) => {
    const store = await aStore(db)
    const [holder, node] = [await aNode(t), await aNode(t)]
    const atSecondRun = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    let [runs, letsGo] = [0, 0]
    // What it holds in memory is leased by this process, so nothing is due any more.
    const holding: Engine = {
      ...node.engine,
      due: (stores) => dueIn(stores, runs === 0 ? store.storeId : 0),
      async runOnce() {
        runs++
        if (runs > 2) return 0
        if (runs === 1) return 1
        atSecondRun.resolve()
        await goOn.promise
        return onSecondRun()
      },
      endUnderWay,
      letGo: async () => void letsGo++
    }
    const runner = createRunner({
      db: node.db,
      engines: [holding],
      holds: node.node.holds,
      statuses: (storeIds) => storeStatuses(node.db, storeIds),
      freeLeases: async () => 0,
      onError: () => {},
      pollMs: NEVER_MS
    })
    t.after(runner.stop)
    runner.start()
    await atSecondRun.promise
    const alone = holder.runner.alone(store.storeId, async () => {})
    await until('somebody waits for the store', async () => (await waitingForLocks()) > 0)
    // The request to end is sent again and again; one has come by now.
    await setTimeout(400)
    goOn.resolve()
    await alone
    assert.ok(letsGo > 0)
    await until('a run more', () => runs === 3)
  })
}

test('an engine whose due work cannot be read leaves the others theirs, and is asked again', async (t) => {
  const store = await aStore(db)
  const node = await aNode(t)
  let isBroken = true
  const broken: Engine = {
    ...node.engine,
    name: 'broken',
    due: (stores) => {
      if (isBroken) return { name: 'no_such_table', text: 'select from no_such_table', values: [] }
      askedAgain.resolve()
      return node.engine.due(stores)
    },
    runOnce: async () => 0
  }
  const askedAgain = Promise.withResolvers<void>()
  const failures: string[] = []
  const runner = createRunner({
    db: node.db,
    engines: [broken, node.engine],
    holds: node.node.holds,
    statuses: (storeIds) => storeStatuses(node.db, storeIds),
    freeLeases: async () => 0,
    onError: (_err, engine) => failures.push(engine),
    pollMs: NEVER_MS
  })
  t.after(runner.stop)
  runner.start()
  await until('the first poll', () => failures.length > 0)
  await addJobs(store, 1)
  runner.wake(store.storeId)
  await until('the job', () => node.ran.length === 1)
  assert.deepEqual(new Set(failures), new Set(['broken']))
  isBroken = false
  await askedAgain.promise
})

test('a store settles by stages, in whatever order the engines are given', async (t) => {
  const store = await aStore(db)
  const node = await aNode(t)
  const ran: string[] = []
  const once = (name: string, stage: Engine['stage']): Engine => ({
    ...node.engine,
    name,
    stage,
    nextDue: undefined,
    nextDueAt: async () => (ran.includes(name) ? null : Temporal.Instant.fromEpochMilliseconds(0)),
    runOnce: async () => ran.push(name)
  })
  const runner = createRunner({
    db: node.db,
    engines: [once('d', 'send'), once('b', 'others'), once('c', 'others'), once('a', 'request')],
    holds: node.node.holds,
    statuses: (storeIds) => storeStatuses(node.db, storeIds),
    freeLeases: async () => 0,
    onError: (err) => node.failures.push(err)
  })
  await runner.alone(store.storeId, (alone) => alone.settle())
  assert.deepEqual([ran, node.failures], [['a', 'b', 'c', 'd'], []])
})

test('while one node holds a store the others keep off it, and go on afterwards', async (t) => {
  const [held, other] = [await aStore(db), await aStore(db)]
  const [holder, worker] = [await aNode(t), await aNode(t, { pollMs: 20 })]
  await polled(worker)
  await holder.runner.alone(held.storeId, async (alone) => {
    await addJobs(held, 1)
    await addJobs(other, 2)
    for (const { storeId } of [held, other]) worker.runner.wake(storeId)
    await until('the job of the other store', () => worker.ran.includes(2))
    for (let polls = 0; polls < 5; polls++) await aPollMore(worker)
    assert.deepEqual(worker.ran, [2])
    await alone.settle()
  })
  assert.deepEqual(holder.ran, [1])
  await addJobs(held, 3)
  await until('the job after the hold', () => worker.ran.includes(3))
})

/** Ends after one more poll. */
async function aPollMore({ db }: { db: Database }) {
  const before = db.stats.statements
  await until('a poll', () => db.stats.statements >= before + 4)
}

test('whoever wants a store waits for the batch under way on another node, not for all that is due there', async (t) => {
  const store = await aStore(db)
  const batch = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  const [holder, worker] = [
    await aNode(t),
    await aNode(t, {
      run: async () => {
        started.resolve()
        await batch.promise
      }
    })
  ]
  // More than one batch.
  await addJobs(store, ...Array.from({ length: 200 }, (_, n) => n))
  worker.runner.start()
  await started.promise
  let isHeld = false
  const holding = holder.runner.alone(store.storeId, async (alone) => {
    isHeld = true
    const before = worker.ran.length
    assert.ok(before > 0 && before < 200, `${before} jobs were done before the hold`)
    await alone.settle()
    assert.equal(worker.ran.length, before)
  })
  await until('somebody waits for the store', async () => (await waitingForLocks()) > 0)
  // The request to end is sent again and again; one has come by now.
  await setTimeout(400)
  assert.equal(isHeld, false)
  batch.resolve()
  await holding
  assert.equal(new Set([...worker.ran, ...holder.ran]).size, 200)
})

async function waitingForLocks(): Promise<number> {
  const session = await db.session()
  const { rows } = await session.query(
    `select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted`
  )
  await session.end()
  return rows[0].n
}

test('two who want a store have it one after the other, on one node and on two', async (t) => {
  const store = await aStore(db)
  const [one, two] = [await aNode(t), await aNode(t)]
  let inside = 0
  const visit = (runner: typeof one.runner) =>
    runner.alone(store.storeId, async () => {
      assert.equal(++inside, 1)
      await setTimeout(20)
      inside--
    })
  await Promise.all([visit(one.runner), visit(one.runner), visit(two.runner), visit(two.runner), visit(one.runner)])
})

test('who lost the connection that holds a store is refused to go on', async (t) => {
  const store = await aStore(db)
  const holder = await aNode(t)
  await assert.rejects(
    holder.runner.alone(store.storeId, async (alone) => {
      await alone.settle()
      await endSessions()
      for (;;) {
        await setTimeout(100)
        await alone.settle()
      }
    }),
    { code: 'unavailable' }
  )
  // And the store is free for the next.
  await holder.runner.alone(store.storeId, (alone) => alone.settle())
})

test('a store settles although a node died with leases on its work', async (t) => {
  const store = await aStore(db)
  const [dead, node] = [await aNode(t), await aNode(t)]
  await addJobs(store, 1)
  const session = await db.session()
  await session.query(
    `update jobs set lease_owner = $1, leased_until = now() + interval '1 hour' where store_id = $2`,
    [dead.node.id, store.storeId]
  )
  await session.end()
  await dead.node.stop()
  await node.runner.alone(store.storeId, (alone) => alone.settle())
  assert.deepEqual(node.ran, [1])
})

test('a store is left to somebody else only when what is under way there has ended, and so is a node that stops', async (t) => {
  const store = await aStore(db)
  const { storeId } = store
  const order: string[] = []
  let runs = 0
  const engine: Engine = {
    name: 'patient',
    stage: 'others',
    due: (stores) => dueIn(stores, storeId),
    nextDueAt: async () => null,
    async runOnce() {
      runs++
      return setTimeout(10, 1)
    },
    async endUnderWay() {
      await setTimeout(200)
      order.push('ended')
    }
  }
  const node = await startNode(db)
  const runner = createRunner({
    db,
    engines: [engine],
    holds: node.holds,
    statuses: (storeIds) => storeStatuses(db, storeIds),
    freeLeases: async () => 0,
    onError: (err) => assert.fail(String(err)),
    pollMs: 20
  })
  t.after(() => node.stop())
  runner.start()
  await until('work', () => runs > 0)
  await runner.alone(storeId, async () => {
    order.push('alone')
    runs = 0
  })
  await until('work again', () => runs > 0)
  await runner.stop()
  order.push('stopped')
  assert.deepEqual(order, ['ended', 'alone', 'ended', 'stopped'])
})

test('a store that does not settle to the end is left only when what is under way there was recorded', async (t) => {
  for (const cause of ['a stop', 'a lost hold', 'an engine that cannot be asked', 'a disconnection'] as const) {
    const store = await aStore(db)
    const { storeId } = store
    const call = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const hanging = numbered(async () => {
      begun.resolve()
      await call.promise
    })
    const node = await startNode(db)
    t.after(() => node.stop())
    const patience = { slowMs: 10, comeBackMs: 20 }
    const jobs = createJobEngine({ db, leaseOwner: node.id, jobs: [hanging], deps: {}, patience })
    const ended: string[] = []
    const failures: string[] = []
    // It is asked first, and its own end fails.
    const failing: Engine = {
      name: 'failing',
      stage: 'request',
      due: neverDue,
      async nextDueAt() {
        if (cause === 'an engine that cannot be asked' && ended.includes('begun')) throw new Error(cause)
        return null
      },
      runOnce: async () => 0,
      endUnderWay: () => Promise.reject(new Error('its end')),
      letGo: () => Promise.reject(new Error('its letting go'))
    }
    const runner = createRunner({
      db,
      engines: [failing, jobs],
      holds: node.holds,
      async statuses(storeIds) {
        const found = await storeStatuses(db, storeIds)
        return cause === 'a disconnection' && ended.length > 0
          ? found.map((s) => ({ ...s, isConnected: false }))
          : found
      },
      freeLeases: async () => 0,
      onError: (err) => failures.push((err as Error).message)
    })
    await addJobs(store, 1)
    const settled = runner
      .alone(storeId, (alone) => alone.settle())
      .then(
        () => ended.push('left'),
        () => ended.push('left')
      )
    await begun.promise
    ended.push('begun')
    if (cause === 'a lost hold') await endSessions()
    const stopped = cause === 'a stop' ? runner.stop().then(() => ended.push('stopped')) : null
    await setTimeout(1_500)
    ended.push('answered')
    call.resolve()
    await Promise.all([settled, stopped])
    assert.deepEqual(ended.slice(0, 3), ['begun', 'answered', 'left'], cause)
    assert.equal(await jobs.nextDueAt(storeId), null, `${cause}: the outcome is recorded`)
    // A stop ends it once more when the store is left: nothing may have been settled there.
    const failed = cause === 'a stop' ? ['its end', 'its end'] : ['its end', 'its letting go']
    assert.deepEqual(failures, failed, cause)
    await (stopped ?? runner.stop())
  }
})

for (const cause of ['the store is disconnected', 'the store is deleted', 'the process stops'] as const) {
  test(`what is under way where an engine cannot go on is ended and recorded when ${cause}`, async (t) => {
    const store = await aStore(db)
    const { storeId } = store
    const [begun, call] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const hanging = numbered(async () => {
      begun.resolve()
      await call.promise
    })
    const node = await startNode(db)
    t.after(() => node.stop())
    const patience = { slowMs: 10, comeBackMs: 20 }
    const jobs = createJobEngine({ db, leaseOwner: node.id, jobs: [hanging], deps: {}, patience })
    let ends = 0
    let runs = 0
    // Its runs fail as soon as a call is under way.
    const failing: Engine = {
      ...jobs,
      async runOnce(id) {
        if (id === storeId && ++runs > 1) throw new Error(cause)
        return jobs.runOnce(id)
      },
      async endUnderWay(id) {
        if (id === storeId) ends++
        await jobs.endUnderWay!(id)
      }
    }
    let isGone = false
    const runner = createRunner({
      db,
      engines: [failing],
      holds: node.holds,
      async statuses(storeIds) {
        const found = await storeStatuses(db, storeIds)
        if (cause === 'the store is deleted') return found.filter((s) => !isGone || s.storeId !== storeId)
        return found.map((s) => ({ ...s, isConnected: !isGone }))
      },
      freeLeases: async () => 0,
      onError: () => {},
      pollMs: 50
    })
    await addJobs(store, 1)
    runner.start()
    await begun.promise
    await until('a run that fails', () => runs > 1)
    isGone = cause !== 'the process stops'
    const stopped = isGone ? null : runner.stop()
    await until('its end', () => ends > 0)
    await setTimeout(100)
    call.resolve()
    await stopped
    await until('the outcome is recorded', async () => (await jobs.nextDueAt(storeId)) === null, 5_000)
    assert.equal(ends, 1)
    await runner.stop()
    assert.equal(ends, 1, 'nothing is left')
  })
}

/** A job that hangs on a node whose runs fail from then on, which polls all the time; `answer` ends it. */
async function aNodeThatFails(
  t: TestContext,
  store: BuiltStore,
  over: Partial<Parameters<typeof createRunner>[0]> = {}
) {
  const [begun, call] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const hanging = numbered(async () => {
    begun.resolve()
    await call.promise
  })
  const node = await startNode(db)
  const patience = { slowMs: 10, comeBackMs: 20 }
  const jobs = createJobEngine({ db, leaseOwner: node.id, jobs: [hanging], deps: {}, patience })
  let runs = 0
  const ends: number[] = []
  const order: string[] = []
  const failing: Engine = {
    ...jobs,
    async runOnce(id) {
      if (id === store.storeId && ++runs > 1) throw new Error('It fails')
      return jobs.runOnce(id)
    },
    async endUnderWay(id) {
      if (id === store.storeId) ends.push(performance.now())
      order.push('end')
      await jobs.endUnderWay!(id)
      if (id === store.storeId && ends.length === 1) throw new Error('Its first end fails')
    },
    async letGo(id) {
      order.push('let go')
      await jobs.letGo!(id)
    }
  }
  const runner = createRunner({
    db,
    engines: [failing],
    holds: node.holds,
    statuses: (storeIds) => storeStatuses(db, storeIds),
    freeLeases: async () => 0,
    onError: () => {},
    pollMs: 50,
    ...over
  })
  t.after(async () => {
    call.resolve()
    await runner.stop()
    await node.stop()
  })
  await addJobs(store, 1)
  runner.start()
  await begun.promise
  await until('a run that fails', () => runs > 1)
  return { runner, jobs, ends, order, node, answer: () => call.resolve() }
}

test('what a node has under way where its run failed is recorded although another node has the store by now, which settles', async (t) => {
  const store = await aStore(db)
  const failing = await aNodeThatFails(t, store)
  const other = await aNode(t)
  let isSettled = false
  const settled = other.runner
    .alone(store.storeId, (alone) => alone.settle())
    .then(() => {
      isSettled = true
    })
  await setTimeout(1_500)
  assert.equal(isSettled, false)
  failing.answer()
  await until('the store settles', () => isSettled, 10_000)
  await settled
  assert.deepEqual(other.ran, [], 'the job was recorded, not run again')
  assert.deepEqual(failing.order.slice(0, 2), ['end', 'let go'])
  await failing.runner.stop()
  assert.equal(failing.ends.length, 2, 'its first end failed')
})

test('an end that fails is repeated until nothing is left', async (t) => {
  const store = await aStore(db)
  let isConnected = true
  const { runner, ends, answer } = await aNodeThatFails(t, store, {
    statuses: async (storeIds) => (await storeStatuses(db, storeIds)).map((s) => ({ ...s, isConnected }))
  })
  isConnected = false
  answer()
  await until('two ends', () => ends.length === 2, 10_000)
  await setTimeout(1_500)
  assert.equal(ends.length, 2)
  await runner.stop()
  assert.equal(ends.length, 2, 'nothing is left')
})

test('a stop records what was left in a store that this process wanted for itself and did not get', async (t) => {
  const store = await aStore(db)
  const refusal = Promise.withResolvers<never>()
  const node = await startNode(db)
  t.after(() => node.stop())
  const { runner, jobs, answer } = await aNodeThatFails(t, store, {
    holds: { ...node.holds, holdAlone: () => refusal.promise }
  })
  const refused = assert.rejects(
    runner.alone(store.storeId, (alone) => alone.settle()),
    /It keeps/
  )
  answer()
  const stopped = runner.stop()
  await setTimeout(100)
  refusal.reject(new Error('It keeps the store'))
  await Promise.all([refused, stopped])
  assert.equal(await jobs.nextDueAt(store.storeId), null)
})

for (const [what, isStarted] of [
  ['does', true],
  ['does not', false]
] as const) {
  test(`what could not be recorded when a settling ended is recorded later, in a process that ${what} work in the background`, async (t) => {
    const { storeId } = await aStore(db)
    let isAway = false
    let [ends, recorded] = [0, 0]
    const leaving: Engine = {
      name: 'leaving',
      stage: 'others',
      needsPlatform: true,
      due: neverDue,
      nextDueAt: async () => null,
      runOnce: async () => assert.fail('nothing may begin in a store that is disconnected'),
      async endUnderWay() {
        ends++
        if (isAway) throw new Error('The database is away')
        recorded++
      }
    }
    const node = await startNode(db)
    const runner = createRunner({
      db,
      engines: [leaving],
      holds: node.holds,
      statuses: async () => (await storeStatuses(db, [storeId])).map((s) => ({ ...s, isConnected: false })),
      freeLeases: async () => 0,
      onError: (err) => assert.match(String(err), /away/)
    })
    t.after(async () => {
      await runner.stop()
      await node.stop()
    })
    if (isStarted) runner.start()
    isAway = true
    await runner.alone(storeId, (alone) => alone.settle())
    await until('a second try', () => ends === 2, 5_000)
    assert.equal(recorded, 0)
    isAway = false
    await until('it is recorded', () => recorded > 0, 5_000)
    await setTimeout(1_500)
    assert.equal(recorded, 1, 'then nothing is left')
    isAway = true
    await runner.alone(storeId, (alone) => alone.settle())
    isAway = false
    await runner.stop()
    assert.equal(recorded, 2, 'a stop tries it once more')
  })
}
