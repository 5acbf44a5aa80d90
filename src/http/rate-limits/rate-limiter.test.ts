import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Database, int, row, sql } from '#kit/postgres'
import { onServer, testDatabase } from '../../../test/database.ts'
import type { Budget } from './budgets.ts'
import type { RateLimitStatus } from './rate-limit-status.ts'
import { createRateLimiter } from './rate-limiter.ts'

const { db, url } = await testDatabase()
const otherProcess = new Database({ url })
after(() => otherProcess.close())

let stores = 0
const aStoreId = () => ++stores
const times = <T>(n: number, work: () => Promise<T>) => Promise.all(Array.from({ length: n }, work))
const admittedOf = (statuses: RateLimitStatus[]) => statuses.filter(({ admitted }) => admitted).length

/** Repeats `count` until all of its requests fall into the same minute. */
async function withinOneMinute(count: () => Promise<RateLimitStatus[]>): Promise<RateLimitStatus[]> {
  for (;;) {
    const statuses = await count()
    if (new Set(statuses.map(({ resetAt }) => resetAt)).size === 1) return statuses
  }
}

test('returns to each caller its own remaining count, in order, and the end of the window', async () => {
  const limiter = createRateLimiter(db)
  const statuses = await withinOneMinute(() => {
    const storeId = aStoreId()
    return times(5, () => limiter.count(storeId, 'rest', { perMinute: 3, perDay: 100 }))
  })

  assert.deepEqual(
    statuses.map(({ admitted, limit, remaining }) => ({ admitted, limit, remaining })),
    [
      { admitted: true, limit: 3, remaining: 2 },
      { admitted: true, limit: 3, remaining: 1 },
      { admitted: true, limit: 3, remaining: 0 },
      { admitted: false, limit: 3, remaining: 0 },
      { admitted: false, limit: 3, remaining: 0 }
    ]
  )
  for (const { resetAt, retryAfter } of statuses) {
    assert.equal(resetAt % 60, 0)
    assert.ok(retryAfter >= 1 && retryAfter <= 60)
  }
})

test('two processes together admit exactly the limit', async () => {
  const [first, second] = [createRateLimiter(db), createRateLimiter(otherProcess)]
  const budget: Budget = { perMinute: 120, perDay: null }
  const statuses = await withinOneMinute(async () => {
    const storeId = aStoreId()
    const waves = await Promise.all(
      [first, second].map(async (limiter) => {
        const counted: RateLimitStatus[] = []
        for (let wave = 0; wave < 10; wave++)
          counted.push(...(await times(15, () => limiter.count(storeId, 'rest', budget))))
        return counted
      })
    )
    return waves.flat()
  })

  assert.equal(statuses.length, 300)
  assert.equal(admittedOf(statuses), 120)
  const places = statuses.filter(({ admitted }) => admitted).map(({ remaining }) => remaining)
  assert.equal(new Set(places).size, 120, 'no two admitted requests had the same place')
})

test('the day limit is exact over two processes, and shown once it has fewer requests left than the minute', async () => {
  const [first, second] = [createRateLimiter(db), createRateLimiter(otherProcess)]
  const storeId = aStoreId()
  const budget: Budget = { perMinute: 10_000, perDay: 50 }
  const statuses = (
    await Promise.all([first, second].map((limiter) => times(40, () => limiter.count(storeId, 'rest', budget))))
  ).flat()

  assert.equal(admittedOf(statuses), 50)
  for (const { limit, resetAt, admitted, remaining } of statuses) {
    assert.equal(limit, 50)
    assert.equal(resetAt % 86_400, 0)
    if (!admitted) assert.equal(remaining, 0)
  }
})

test('a request that the minute refuses does not count in the day', async () => {
  const limiter = createRateLimiter(db)
  let storeId = 0
  await withinOneMinute(() => {
    storeId = aStoreId()
    return times(30, () => limiter.count(storeId, 'rest', { perMinute: 10, perDay: 1_000 }))
  })
  const { used } = await db.inInstallation((tx) =>
    tx.one(row({ used: int }), sql`select used from rate_windows where store_id = ${storeId} and bucket = 'rest:day'`)
  )
  assert.equal(used, 10)
})

test('each store and each API family has its own budget', async () => {
  const limiter = createRateLimiter(db)
  const [a, b] = [aStoreId(), aStoreId()]
  const budget: Budget = { perMinute: 1, perDay: 1 }
  const statuses = await Promise.all([
    limiter.count(a, 'rest', budget),
    limiter.count(a, 'proxy', budget),
    limiter.count(b, 'rest', budget)
  ])
  assert.equal(admittedOf(statuses), 3)
  assert.equal((await limiter.count(a, 'rest', budget)).admitted, false)
})

test('500 concurrent requests are counted in at most two statements', async () => {
  const limiter = createRateLimiter(db)
  const storeId = aStoreId()
  const before = db.stats.statements
  await times(500, () => limiter.count(storeId, 'rest', { perMinute: 1_000, perDay: null }))
  assert.ok(db.stats.statements - before <= 2, `${db.stats.statements - before} statements for 500 requests`)
})

test('a failed count fails every waiting request', async () => {
  const broken = new Database({ url: url.replace(/\/[^/]*$/, '/no_such_database') })
  const limiter = createRateLimiter(broken)
  const counted = await Promise.allSettled([
    limiter.count(1, 'rest', { perMinute: 1, perDay: null }),
    limiter.count(1, 'rest', { perMinute: 1, perDay: null })
  ])
  assert.deepEqual(
    counted.map(({ status }) => status),
    ['rejected', 'rejected']
  )
  await broken.close()
})

test('pruning deletes ended windows and keeps current ones', async () => {
  const limiter = createRateLimiter(db)
  const storeId = aStoreId()
  await limiter.count(storeId, 'rest', { perMinute: 5, perDay: 5 })
  await db.inInstallation((tx) =>
    tx.run(sql`insert into rate_windows (store_id, bucket, window_start, used)
               values (${storeId}, 'rest:minute', clock_timestamp() - interval '10 minutes', 1),
                      (${storeId}, 'rest:day', clock_timestamp() - interval '2 days', 1)`)
  )
  assert.equal(await limiter.prune(), 2)
  assert.equal((await limiter.count(storeId, 'rest', { perMinute: 100, perDay: 5 })).remaining, 3)
})

test('the day is that of UTC, also where sessions of the database have another time zone', async () => {
  // A zone whose day began in another hour than that of UTC, and, after the first hour of it, within it.
  await onServer(`alter database ${new URL(url).pathname.slice(1)} set timezone = 'Etc/GMT+1'`)
  const elsewhere = new Database({ url })
  try {
    const storeId = aStoreId()
    const budget: Budget = { perMinute: 10_000, perDay: 5 }
    const here = await times(4, () => createRateLimiter(db).count(storeId, 'rest', budget))
    const there = await times(4, () => createRateLimiter(elsewhere).count(storeId, 'rest', budget))
    assert.deepEqual([admittedOf(here), admittedOf(there)], [4, 1])
    assert.deepEqual(
      there.filter(({ resetAt }) => resetAt % 86_400 !== 0),
      []
    )
    await createRateLimiter(elsewhere).prune()
    assert.equal((await createRateLimiter(db).count(storeId, 'rest', budget)).admitted, false)
  } finally {
    await elsewhere.close()
    await onServer(`alter database ${new URL(url).pathname.slice(1)} reset timezone`)
  }
})
