// A line to the database that stalls: it looks like a server that is busy, and nothing ever comes.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { testDatabase } from '../../../test/database.ts'
import { aStallingProxy } from '../../../test/stalling-proxy.ts'
import { aStore } from '../../../test/store-builder.ts'
import { until } from '../../../test/until.ts'
import { Database, directSql, int, isBusy, isOutage, row, scaledLimits, sql, TIME_LIMITS, text } from './index.ts'

const { db, url } = await testDatabase()
const { storeId } = await aStore(db)

const LIMITS = scaledLimits(0.1)
/** Far above each limit, and far below what a wait without an end would take. */
const SOON_MS = 20_000

async function aLine(t: TestContext, limits = LIMITS) {
  const line = await aStallingProxy(url)
  const own = new Database({ url: line.url, limits, directConnections: 1 })
  t.after(async () => {
    line.pass()
    await own.close()
    line.close()
  })
  return { line, own, requests: own.forWork('request') }
}

/** With which error the work ends, and after how many milliseconds. */
async function endOf(work: Promise<unknown>) {
  const from = performance.now()
  const late = sleep(SOON_MS, 'late', { ref: false })
  const end = await Promise.race([
    work.then(
      () => assert.fail('It should have failed'),
      (err: Error) => err
    ),
    late
  ])
  if (typeof end === 'string') assert.fail(`It has not ended within ${SOON_MS} ms`)
  return { err: end, ms: performance.now() - from }
}

const nameOf = directSql<[storeId: number]>('test_store_name', 'select name from stores where store_id = $1')
/** A machine that is busy may need longer for a new connection than these limits allow. */
const works = (work: () => Promise<unknown>) =>
  until('it works', () =>
    work().then(
      () => true,
      () => false
    )
  )

const renameDirect = directSql<[storeId: number]>(
  'test_store_rename',
  'update stores set name = name where store_id = $1'
)
const Name = row({ name: text })
const rename = (name: string) => sql`update stores set name = ${name} where store_id = ${storeId}`
const nameNow = async () => (await db.direct.one(Name, nameOf(storeId))).name

type Way = { name: string; ask: (on: Database) => Promise<unknown>; limitMs: number }
const WAYS: Way[] = [
  {
    name: 'a transaction of a request',
    ask: (on) => on.forWork('request').inStore(storeId, ({ tx }) => tx.run(rename('Request'))),
    limitMs: LIMITS.connectMs
  },
  {
    name: 'a transaction of a request that asks with its beginning',
    ask: (on) =>
      on.forWork('request').inStoreByKeys(
        storeId,
        ({ tx }) => tx.run(rename('Early')),
        async ({ tx }) => tx.send(rename('Sent'))
      ),
    limitMs: LIMITS.connectMs
  },
  {
    name: 'a request over all stores',
    ask: (on) => on.forWork('request').inInstallation((tx) => tx.run(rename('Installation'))),
    limitMs: LIMITS.connectMs
  },
  { name: 'a direct statement', ask: (on) => on.direct.one(Name, nameOf(storeId)), limitMs: LIMITS.direct.answerMs },
  {
    name: 'a statement over stores',
    ask: (on) => on.acrossStores.one(Name, nameOf(storeId)),
    limitMs: LIMITS.acrossStores.answerMs
  }
]

for (const { name, ask, limitMs } of WAYS) {
  test(`${name} ends when its open connection stalls, and the next one works when the line is back`, async (t) => {
    const { line, own } = await aLine(t)
    await works(() => ask(own))
    line.stall()
    const { err, ms } = await endOf(ask(own))
    assert.ok(isOutage(err) && !isBusy(err), err.message)
    assert.ok(ms >= limitMs * 0.9, `${ms} ms`)
    line.pass()
    // The connection that stalled was not kept: on it this would stall too.
    await works(() => ask(own))
  })

  test(`${name} ends when a new connection stalls in the middle of its beginning`, async (t) => {
    const { line, own } = await aLine(t)
    line.stallAfter(100)
    const { err, ms } = await endOf(ask(own))
    assert.ok(isOutage(err), err.message)
    assert.ok(ms < LIMITS.requestMs * 2, `${ms} ms`)
    line.pass()
    await works(() => ask(own))
  })

  test(`${name} fails at once when its connection is reset, and works afterwards`, async (t) => {
    const { line, own } = await aLine(t)
    await works(() => ask(own))
    line.reset()
    assert.ok(isOutage((await endOf(ask(own))).err))
    line.pass()
    await works(() => ask(own))
  })
}

test('opening a session ends', async (t) => {
  const { line, own } = await aLine(t)
  line.stall()
  const { err, ms } = await endOf(own.session())
  assert.ok(isOutage(err), err.message)
  assert.ok(ms >= LIMITS.connectMs * 0.9, `${ms} ms`)
})

test('all of a request together ends: the wait for a connection and then for each answer', async (t) => {
  const { own } = await aLine(t)
  const requests = own.forWork('request')
  // Each statement is answered in time.
  const slow = requests.inStore(storeId, async ({ tx }) => {
    for (;;) await tx.run(sql`select pg_sleep(0.05)`)
  })
  const { err, ms } = await endOf(slow)
  assert.ok(isOutage(err), err.message)
  assert.ok(ms >= LIMITS.requestMs * 0.9, `${ms} ms`)
})

test('connections that were idle when nobody answered are not used again: the first transaction afterwards works', async (t) => {
  const { line, own } = await aLine(t, { ...LIMITS, background: TIME_LIMITS.background })
  await Promise.all([1, 2, 3].map(() => own.inStore(storeId, ({ tx }) => tx.run(sql`select pg_sleep(0.1)`))))
  await own.direct.one(Name, nameOf(storeId))
  line.stall()
  await endOf(own.direct.one(Name, nameOf(storeId)))
  line.pass()
  const from = performance.now()
  await own.inStore(storeId, ({ tx }) => tx.run(rename('Back')))
  assert.ok(performance.now() - from < LIMITS.connectMs, 'no connection that is dead was tried')
})

test('a transaction of an engine finds out soon that its connection died while it was idle', async (t) => {
  const { line, own } = await aLine(t, { ...LIMITS, background: TIME_LIMITS.background })
  const nothing = async () => {}
  const withBeginning = () => own.inStoreByKeys(storeId, ({ tx }) => tx.run(rename('Early')), nothing)
  for (const transaction of [() => own.inStore(storeId, nothing), withBeginning]) {
    await works(transaction)
    line.stall()
    const { err, ms } = await endOf(transaction())
    assert.ok(isOutage(err) && ms < TIME_LIMITS.background.answerMs / 10, `${ms} ms`)
    line.pass()
  }
})

test('what goes with the beginning may wait for a lock longer than a beginning may take', async (t) => {
  const { own } = await aLine(t, { ...LIMITS, background: TIME_LIMITS.background })
  const locked = Promise.withResolvers<void>()
  const waited = Promise.withResolvers<void>()
  const holding = db.inStore(storeId, async ({ tx }) => {
    await tx.run(rename('Held'))
    locked.resolve()
    await waited.promise
  })
  await locked.promise
  const waiting = own.inStoreByKeys(
    storeId,
    ({ tx }) => tx.run(rename('After the lock')),
    async (_, renamed) => renamed
  )
  await sleep(3 * LIMITS.connectMs)
  waited.resolve()
  await holding
  assert.equal(await waiting, 1)
})

test('long work of engines is cut as soon as a single statement has shown that nobody answers', async (t) => {
  const { line, own } = await aLine(t, { ...LIMITS, background: TIME_LIMITS.background })
  const [begun, stalled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const working = own.inStore(storeId, async ({ tx }) => {
    begun.resolve()
    await stalled.promise
    await tx.run(sql`select 1`)
  })
  await Promise.all([begun.promise, own.direct.one(Name, nameOf(storeId))])
  line.stall()
  stalled.resolve()
  const [direct, { err, ms }] = await Promise.all([
    endOf(sleep(100).then(() => own.direct.one(Name, nameOf(storeId)))),
    endOf(working)
  ])
  assert.ok(isOutage(direct.err) && isOutage(err), err.message)
  assert.ok(ms < TIME_LIMITS.background.answerMs / 10, `${ms} ms`)
})

test('a statement that takes long on a line that works is not cut, nor are others because of it', async (t) => {
  const { own } = await aLine(t, { ...LIMITS, background: TIME_LIMITS.background })
  const slow = own.inStore(storeId, ({ tx }) => tx.one(row({ one: int }), sql`select 1 as one from pg_sleep(1.5)`))
  for (let i = 0; i < 20; i++) {
    await own.direct.one(Name, nameOf(storeId))
    await sleep(50)
  }
  assert.deepEqual(await slow, { one: 1 })
})

test('an answer that came while this process stood still counts', async (t) => {
  const { own } = await aLine(t)
  await own.direct.one(Name, nameOf(storeId))
  const asked = own.direct.one(Name, nameOf(storeId))
  // It is sent then, and nothing has been read since.
  await new Promise((resolve) => setImmediate(resolve))
  for (const until = performance.now() + LIMITS.direct.answerMs * 3; performance.now() < until; );
  assert.notEqual((await asked).name, '')
})

test('a single statement ends in time although those before it on the connection wait for locks, one after the other', async (t) => {
  const { own } = await aLine(t)
  const locked = Promise.withResolvers<void>()
  const free = Promise.withResolvers<void>()
  const holding = db.inStore(storeId, async ({ tx }) => {
    await tx.run(rename('Locked'))
    locked.resolve()
    await free.promise
  })
  await locked.promise
  const ends = await Promise.all(Array.from({ length: 6 }, () => endOf(own.direct.run(renameDirect(storeId)))))
  for (const { err, ms } of ends) {
    assert.ok(isBusy(err) || isOutage(err), err.message)
    assert.ok(ms < LIMITS.direct.answerMs * 2, `${ms} ms`)
  }
  free.resolve()
  await holding
  assert.equal((await own.direct.one(Name, nameOf(storeId))).name, 'Locked')
})

test('the server ends a statement that takes too long for a request, and the connection goes on', async (t) => {
  const { requests } = await aLine(t, {
    ...LIMITS,
    requestMs: SOON_MS,
    request: { ...LIMITS.request, answerMs: SOON_MS }
  })
  const { err } = await endOf(requests.inStore(storeId, ({ tx }) => tx.run(sql`select pg_sleep(30)`)))
  assert.ok(isBusy(err) && !isOutage(err), err.message)
  assert.equal(await requests.inStore(storeId, async (ctx) => ctx.storeId), storeId)
})

test('a commit whose answer is lost is reported as an outage, once, and it is done', async (t) => {
  const { line, requests } = await aLine(t)
  await requests.inStore(storeId, ({ tx }) => tx.run(rename('Before')))
  line.stallAtCommit()
  let times = 0
  const writing = requests.inStore(storeId, async ({ tx }) => {
    times++
    await tx.run(rename('Committed'))
  })
  assert.ok(isOutage((await endOf(writing)).err))
  assert.equal(times, 1)
  assert.equal(await nameNow(), 'Committed')
})

test('so is one whose answer is lost with those of the writes that were sent with it', async (t) => {
  const { line, requests } = await aLine(t)
  await works(() => requests.inStore(storeId, async ({ tx }) => tx.send(rename('Before'))))
  line.stallAtCommit()
  let times = 0
  const writing = requests.inStore(storeId, async ({ tx }) => {
    times++
    tx.send(rename('Sent'))
  })
  assert.ok(isOutage((await endOf(writing)).err))
  assert.equal(times, 1)
  assert.equal(await nameNow(), 'Sent')
})

test('a write whose connection stalls before the commit is not done', async (t) => {
  const { line, requests } = await aLine(t)
  await requests.inStore(storeId, ({ tx }) => tx.run(rename('Kept')))
  const writing = requests.inStore(storeId, async ({ tx }) => {
    await tx.run(rename('Lost'))
    line.stall()
  })
  assert.ok(isOutage((await endOf(writing)).err))
  line.pass()
  assert.equal(await nameNow(), 'Kept')
})

test('closing ends on a line that stalls, with connections idle and at work', async (t) => {
  const { line } = await aLine(t)
  const own = new Database({ url: line.url, limits: LIMITS })
  await Promise.all([own.direct.one(Name, nameOf(storeId)), own.inStore(storeId, async () => {})])
  const session = await own.session()
  line.stall()
  own.shortenWaits(300)
  const working = own.inStore(storeId, async () => {}).catch((err: Error) => err)
  const from = performance.now()
  await Promise.all([session.end(), own.close()])
  assert.ok(performance.now() - from < SOON_MS)
  assert.ok(isOutage(await working))
})

const WAIT_SETTINGS = ['lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout']
const Setting = row({ name: text, ms: int })
const settings = sql`
  select name, setting::bigint as ms from pg_settings where name = any(${WAIT_SETTINGS}::text[]) order by name`

test('the limits of the service: every request is answered within ten seconds', async () => {
  const { connectMs, checkoutMs, requestMs, direct } = TIME_LIMITS
  assert.ok(requestMs <= 9_000, 'a transaction of a request')
  assert.ok(connectMs + direct.answerMs <= 9_000, 'a direct statement, on a new connection')
  assert.ok(connectMs <= checkoutMs && checkoutMs < requestMs, 'some time is left after the wait for a connection')
  for (const work of ['direct', 'acrossStores', 'request', 'background', 'maintenance'] as const) {
    const { lockMs, statementMs, answerMs } = TIME_LIMITS[work]
    assert.ok(
      lockMs < statementMs && statementMs < answerMs,
      `${work}: whoever is nearer to the cause reports it first`
    )
  }
})

test('the limits are those of the connections, by kind of work', async () => {
  const found = (rows: { name: string; ms: number }[]) => Object.fromEntries(rows.map(({ name, ms }) => [name, ms]))
  const idle_in_transaction_session_timeout = TIME_LIMITS.idleInTransactionMs
  for (const work of ['request', 'background', 'maintenance'] as const) {
    const { lockMs: lock_timeout, statementMs: statement_timeout } = TIME_LIMITS[work]
    const expected = { idle_in_transaction_session_timeout, lock_timeout, statement_timeout }
    const own = db.forWork(work)
    assert.deepEqual(found(await own.inStore(storeId, ({ tx }) => tx.many(Setting, settings))), expected, work)
    assert.deepEqual(found(await own.inInstallation((tx) => tx.many(Setting, settings))), expected, work)
  }
  for (const work of ['direct', 'acrossStores'] as const) {
    const { lock_timeout, statement_timeout } = found(await db[work].many(Setting, settings))
    const { lockMs, statementMs } = TIME_LIMITS[work]
    assert.deepEqual([lock_timeout, statement_timeout], [lockMs, statementMs], work)
  }
})
