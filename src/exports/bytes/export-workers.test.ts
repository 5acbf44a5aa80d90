import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { getPriority } from 'node:os'
import type { Readable } from 'node:stream'
import { buffer, json } from 'node:stream/consumers'

import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import pg from 'pg'
import { Busy } from '#kit/refusal'
import { beforeDrop, testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { until } from '../../../test/until.ts'
import type { PagePlan } from '../endpoint.ts'
import { createExportWorkers, type ExportWorkersOptions } from './export-workers.ts'
import { ENCODINGS } from './messages.ts'
import { TooManyExports } from './refusals.ts'

const { db, url } = await testDatabase()
const observer = new pg.Client({ connectionString: url })
await observer.connect()
beforeDrop(() => observer.end())

function someWorkers(options: Partial<ExportWorkersOptions> = {}) {
  // A thread starts slowly where the machine is busy.
  const workers = createExportWorkers({
    url,
    threads: 1,
    ...options,
    limits: { firstBytesMs: 60_000, ...options.limits }
  })
  beforeDrop(() => workers.close())
  return workers
}
const workers = someWorkers()

const aPlan = (select: string, changes: Partial<PagePlan> = {}): PagePlan => ({
  storeId: 1,
  timeZone: 'UTC',
  select,
  columns: [{ name: 'a', json: 'string' }],
  head: '{"data":[',
  tail: ']}',
  keyed: false,
  ...changes
})

/** More than any buffer on the way holds. */
const HUGE = aPlan("select repeat('x', 1000) from generate_series(1, 2000000)")

const exportsOnServer = async () => {
  const { rows } = await observer.query(
    `select state, wait_event, query from pg_stat_activity
      where datname = current_database() and application_name = 'perennial exports' and state <> 'idle'`
  )
  return rows as { state: string; wait_event: string | null; query: string }[]
}

const untilIdle = () => until('nothing runs on the server', async () => (await exportsOnServer()).length === 0)
const untilWaiting = (event: 'ClientWrite' | 'PgSleep') =>
  until(event, async () => (await exportsOnServer()).some(({ wait_event }) => wait_event === event))

test('texts of any kind, empty values and bare JSON arrive as they are in the database', async () => {
  const literal = (text: string) => `'${text.replaceAll("'", "''")}'`
  const anyText = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replaceAll('\0', ''))
  const special = fc.string({
    unit: fc.constantFrom(
      '\\',
      '"',
      '\t',
      '\n',
      '\r',
      '\b',
      '\f',
      '\v',
      '\u0001',
      '\u001f',
      '\u007f',
      'N',
      'é',
      '😀',
      '\u2028'
    ),
    maxLength: 12
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.oneof(anyText, special), fc.option(special), fc.option(fc.integer())), {
        minLength: 1,
        maxLength: 20
      }),
      async (rows) => {
        const values = rows.map(
          ([a, b, c], at) => `(${at}, ${literal(a)}, ${b === null ? 'null' : literal(b)}, ${c === null ? 'null' : c})`
        )
        const plan = aPlan(
          `select a, b, b as c, c as d from (values ${values.join(', ')}, (-1, '', null, null)) v(at, a, b, c) where at >= 0 order by at`,
          {
            columns: [
              { name: 'a', json: 'string' },
              { name: 'b "quoted"', json: 'string' },
              { name: 'c', json: 'optional' },
              { name: 'd', json: 'bare' }
            ]
          }
        )
        const expected = rows.map(([a, b, d]) => ({ a, 'b "quoted"': b ?? '', ...(b !== null && { c: b }), d }))
        assert.deepEqual(await json(await workers.stream(plan)), { data: expected })
      }
    ),
    { numRuns: 60 }
  )
})

test('rows with a key become arrays under it; no rows are an empty object', async () => {
  const keyed = { keyed: true, head: '{', tail: '}' }
  const grouped = aPlan("select * from (values (7, 'x'), (7, 'y'), (9, 'z')) v", keyed)
  assert.equal((await buffer(await workers.stream(grouped))).toString(), '{"7":[{"a":"x"},{"a":"y"}],"9":[{"a":"z"}]}')
  const none = aPlan('select 1, 2 where false', keyed)
  assert.equal((await buffer(await workers.stream(none))).toString(), '{}')
})

test('the statement runs in the store, in its time zone, and writes nothing', async () => {
  const store = await aStore(db)
  const plan = aPlan(
    `select domain, left(timestamptz '2026-01-31T15:04:05Z'::text, 16), current_user from stores where store_id = ${store.storeId}`,
    {
      storeId: store.storeId,
      timeZone: 'America/New_York',
      columns: ['domain', 'at', 'role'].map((name) => ({ name, json: 'string' as const }))
    }
  )
  assert.deepEqual(await json(await workers.stream(plan)), {
    data: [{ domain: store.domain, at: '2026-01-31 10:04', role: 'perennial_store' }]
  })
  const other = { ...plan, storeId: store.storeId + 1 }
  assert.deepEqual(await json(await workers.stream(other)), { data: [] })
  await assert.rejects(workers.stream(aPlan("select nextval('members_id_seq')::text")), /read-only|permission denied/)
})

test('a large export is complete, in each encoding', async () => {
  const plan = aPlan("select i::text || repeat('y', 200) from generate_series(1, 30000) i")
  const plain = await buffer(await workers.stream(plan))
  const { data } = JSON.parse(plain.toString()) as { data: { a: string }[] }
  assert.equal(data.length, 30_000)
  assert.equal(data.at(-1)!.a, `30000${'y'.repeat(200)}`)
  const unpack = { identity: (b: Buffer) => b, gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync }
  for (const encoding of ENCODINGS) {
    const bytes = await buffer(await workers.stream(plan, { encoding }))
    assert.ok(unpack[encoding](bytes).equals(plain), encoding)
    if (encoding !== 'identity') assert.ok(bytes.length < plain.length / 5, encoding)
  }
})

for (const encoding of ['identity', 'zstd'] as const) {
  test(`a reader that takes nothing stops the COPY on the server (${encoding})`, async () => {
    const random = aPlan(
      'select md5(i::text) || md5((-i)::text) || md5((2 * i)::text) from generate_series(1, 3000000) i'
    )
    const stream = await workers.stream(random, { encoding })
    stream.read(1)
    await untilWaiting('ClientWrite')
    await pause(2_000)
    assert.deepEqual(
      (await exportsOnServer()).map(({ wait_event }) => wait_event),
      ['ClientWrite']
    )
    stream.destroy()
    await untilIdle()
  })
}

test('exports let other work go first: their thread and their connections to the embedded database', async (t) => {
  if (process.platform !== 'linux') return t.skip('priorities of threads are of Linux')
  const stream = await workers.stream(HUGE)
  const { rows } = await observer.query(
    `select pid, current_setting('perennial.cluster', true) is not null as "isEmbedded" from pg_stat_activity
      where datname = current_database() and application_name = 'perennial exports' and state <> 'idle'`
  )
  const { pid, isEmbedded } = rows[0] as { pid: number; isEmbedded: boolean }
  const own = await observer.query('select pg_backend_pid() as pid')
  if (isEmbedded) assert.equal(getPriority(pid) - getPriority(own.rows[0].pid), 5)
  stream.destroy()
  const threads = await readdir('/proc/self/task')
  const lower = threads.filter((id) => getPriority(Number(id)) > getPriority(process.pid))
  assert.equal(lower.length, 1)
})

test('a stream that is destroyed ends its statement on the server, and the connection serves the next', async () => {
  const own = someWorkers({ maxRunning: 1 })
  for (let round = 0; round < 5; round++) {
    const stream = await own.stream(HUGE)
    stream.destroy()
    await untilIdle()
  }
  assert.deepEqual(await json(await own.stream(aPlan("select 'next'"))), { data: [{ a: 'next' }] })
  const { rows } = await observer.query(
    `select count(distinct pid)::int as n from pg_stat_activity where datname = current_database() and application_name = 'perennial exports'
       and query like '%commit%'`
  )
  assert.ok(rows[0].n >= 1)
})

test('an abort before the first byte ends a statement that has sent nothing', async () => {
  const abort = new AbortController()
  const asked = workers.stream(aPlan('select pg_sleep(30)::text'), { signal: abort.signal })
  await until('the statement runs', async () =>
    (await exportsOnServer()).some(({ query }) => query.includes('pg_sleep'))
  )
  abort.abort(new Error('the client left'))
  await assert.rejects(asked, /the client left/)
  await untilIdle()
})

test('an abort while a connection is opened runs no statement', async () => {
  const abort = new AbortController()
  const asked = someWorkers().stream(aPlan('select pg_sleep(29)::text'), { signal: abort.signal })
  abort.abort(new Error('the client left'))
  await assert.rejects(asked, /the client left/)
  for (let n = 0; n < 60; n++) {
    assert.ok(!(await exportsOnServer()).some(({ query }) => query.includes('pg_sleep(29)')))
    await pause(20)
  }
})

test('every wait ends: for the first byte, for the reader, and for the whole', async () => {
  const impatient = someWorkers({ limits: { firstBytesMs: 1_000 } })
  await assert.rejects(impatient.stream(aPlan('select pg_sleep(30)::text')), /did not begin in time/)
  const stalled = await someWorkers({ limits: { stalledMs: 300 } }).stream(HUGE)
  const [err] = await once(stalled, 'error')
  assert.match(err.message, /takes nothing/)
  const slow = await someWorkers({ limits: { wholeMs: 5_000 } }).stream(
    aPlan("select repeat('x', 1000) || pg_sleep(0.01)::text from generate_series(1, 100000)")
  )
  await assert.rejects(buffer(slow))
  await untilIdle()
})

test('a statement that fails at once is thrown; one that fails later breaks the stream', async () => {
  await assert.rejects(workers.stream(aPlan('select 1/0')), /division by zero/)
  const later = await workers.stream(
    aPlan("select repeat('x', 1000) || (1/(100000 - i))::text from generate_series(1, 200000) i")
  )
  await assert.rejects(buffer(later), /division by zero/)
  await assert.rejects(workers.stream(aPlan("select 'a', 'b'")), /columns of its plan/)
  await assert.rejects(
    workers.stream(aPlan("select 'x'", { timeZone: "UTC'; drop table members" })),
    /names no store or zone/
  )
  assert.deepEqual(await json(await workers.stream(aPlan("select 'fine'"))), { data: [{ a: 'fine' }] })
})

test('eight exports of a store at once; the ninth is refused, and another store is served', async () => {
  const many = someWorkers()
  const open = await Promise.all(Array.from({ length: 8 }, () => many.stream(HUGE)))
  await assert.rejects(many.stream(aPlan("select 'x'")), (err: Error) => {
    assert.ok(err instanceof TooManyExports)
    assert.equal(err.message, 'Too many exports at once: the limit is 8 of a store')
    return err.retryAfterSeconds === 1
  })
  assert.ok(await json(await many.stream(aPlan("select 'x'", { storeId: 2 }))))
  open.pop()!.destroy()
  await until('one more is served', async () => {
    const served = await many.stream(aPlan("select 'x'")).catch((err: Error) => err)
    if (served instanceof TooManyExports) return false
    assert.ok(await json(served as Readable))
    return true
  })
  for (const stream of open) stream.destroy()
  await untilIdle()
})

test('an export that waits for a connection gets the next one, or is refused in time', async () => {
  const narrow = someWorkers({ maxRunning: 1, limits: { waitMs: 1_000 } })
  const first = await narrow.stream(HUGE)
  const second = narrow.stream(aPlan("select 'second'"))
  first.destroy()
  assert.deepEqual(await json(await second), { data: [{ a: 'second' }] })
  const blocking = await narrow.stream(HUGE)
  await assert.rejects(narrow.stream(aPlan("select 'x'")), Busy)
  blocking.destroy()
})

for (const [when, plan, event] of [
  // Two chunks of what the thread may send: what breaks off while it reads is noticed at once, also when nobody reads the stream.
  ['it works', aPlan("select repeat('x', 300000) || pg_sleep(30 * (i - 1)) from generate_series(1, 2) i"), 'PgSleep'],
  ['it waits for the reader', HUGE, 'ClientWrite']
] as const) {
  test(`a connection that the server ends while ${when} breaks its export only`, async () => {
    const stream = await workers.stream(plan)
    await untilWaiting(event)
    await observer.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'perennial exports'"
    )
    if (event === 'PgSleep') await until('the stream is broken', async () => stream.destroyed)
    await assert.rejects(buffer(stream), Busy)
    assert.deepEqual(await json(await workers.stream(aPlan("select 'next'"))), { data: [{ a: 'next' }] })
  })
}

test('close ends what is under way', async () => {
  const own = createExportWorkers({ url, limits: { firstBytesMs: 60_000 } })
  const stream = await own.stream(HUGE)
  const ended = assert.rejects(buffer(stream), /stopping/)
  await own.close()
  await ended
  await untilIdle()
  await assert.rejects(own.stream(HUGE), Busy)
})
