import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Type } from 'typebox'
import { createJobEngine, defineJob, enqueue, type JobOutcome, type QueuedJob, waitingKeys } from '#kit/jobs'
import { type Ctx, type Database, instant, int, isOutage, nullable, row, sql, text } from '#kit/postgres'
import { setClock } from '#stores'
import { atOnce } from '../../../test/at-once.ts'
import { testDatabase } from '../../../test/database.ts'
import { awayWhile } from '../../../test/failing-database.ts'
import { aStore, type BuiltStore } from '../../../test/store-builder.ts'
import { claimJobs, endJobs, extendJobLeases } from './job-queries.ts'

const { db } = await testDatabase()
const START = Temporal.Instant.from('2026-01-31T15:00:00Z')

/** The minutes between the runs of a job that never gets done, and what its row says last. */
async function runs(outcome: JobOutcome) {
  const job = defineJob('try', Type.Object({}), { dedupe: () => 'one' }, async () => [outcome])
  const { storeId, inStore } = await aStore(db, { clockAt: START })
  await inStore((ctx) => enqueue(ctx, job, [{}]))
  const at: Temporal.Instant[] = []
  const engine = createJobEngine({ db, leaseOwner: 1, jobs: [job], deps: {} })
  for (let i = 0; i < 6; i++) {
    const due = (await engine.nextDueAt(storeId))!
    at.push(due)
    await inStore((ctx) => setClock(ctx, due))
    await engine.runOnce(storeId)
  }
  const { error } = await inStore(({ tx }) =>
    tx.one(
      row({ error: nullable(text), runAt: instant }),
      sql`select last_error as error, run_at from jobs where store_id = ${storeId}`
    )
  )
  return { minutes: at.slice(1).map((later, i) => at[i]!.until(later).total('minutes')), error }
}

test('a job that fails is tried again after ever longer waits', async () => {
  assert.deepEqual(await runs({ done: false, reason: 'No answer' }), {
    minutes: [1, 5, 15, 60, 360],
    error: 'No answer'
  })
})

test('of the reason of a failure the first 500 characters are kept, without NUL', async () => {
  const { error } = await runs({ done: false, reason: `No\0 answer ${'x'.repeat(600)}` })
  assert.equal(error, `No answer ${'x'.repeat(490)}`)
})

test('one that only waits for something else is tried again within a quarter of an hour, and has no error', async () => {
  assert.deepEqual(await runs({ done: false, waits: true, reason: 'Not yet' }), {
    minutes: [1, 5, 15, 15, 15],
    error: null
  })
})

const pushMember = (run: (memberIds: number[]) => void) =>
  defineJob(
    'push-member',
    Type.Object({ memberId: Type.Integer() }),
    { dedupe: ({ memberId }) => memberId },
    async (_deps: object, _storeId, jobs) => {
      run(jobs.map(({ input }) => input.memberId))
      return jobs.map(() => ({ done: true }) as const)
    }
  )

test('refuses to enqueue an input that does not fit the schema, and names the field', async () => {
  const { inStore } = await aStore(db)
  const job = pushMember(() => {})
  await assert.rejects(
    inStore((ctx) => enqueue(ctx, job, [{ memberId: 1 }, { memberId: '2' as unknown as number }])),
    /^TypeError: Input of job push-member: \/memberId must be integer$/
  )
  assert.equal((await inStore((ctx) => waitingKeys(ctx, job, ['1']))).size, 0)
})

test('a stored input that does not fit fails alone; the others of its batch run', async () => {
  const { storeId, inStore } = await aStore(db)
  const ran: number[][] = []
  const job = pushMember((ids) => ran.push(ids))
  await inStore(async (ctx) => {
    await enqueue(ctx, job, [{ memberId: 1 }, { memberId: 2 }, { memberId: 3 }])
    await ctx.tx.run(sql`update jobs set payload = '{}' where store_id = ${ctx.storeId} and dedupe_key = '2'`)
  })
  assert.equal(await createJobEngine({ db, leaseOwner: 1, jobs: [job], deps: {} }).runOnce(storeId), 3)
  assert.deepEqual(ran, [[1, 3]])
  const left = await inStore(({ tx }) =>
    tx.many(
      row({ key: text, error: text }),
      sql`select dedupe_key as key, last_error as error from jobs where store_id = ${storeId}`
    )
  )
  assert.deepEqual(left, [{ key: '2', error: 'Input of job push-member: / must have required properties memberId' }])
})

test('a job that is enqueued twice before it runs, runs once', async () => {
  const { storeId, inStore } = await aStore(db)
  const ran: number[][] = []
  const job = pushMember((ids) => ran.push(ids))
  await inStore((ctx) => enqueue(ctx, job, [{ memberId: 7 }]))
  await inStore((ctx) => enqueue(ctx, job, [{ memberId: 7 }]))
  const engine = createJobEngine({ db, leaseOwner: 1, jobs: [job], deps: {} })
  while ((await engine.runOnce(storeId)) > 0);
  assert.deepEqual(ran, [[7]])
})

test('two jobs of one name are refused at once', () => {
  const job = pushMember(() => {})
  assert.throws(() => createJobEngine({ db, leaseOwner: 1, jobs: [job, job], deps: {} }), /same name/)
})

test('due jobs run in the order of their priorities, then of their time', async () => {
  const { storeId, inStore } = await aStore(db, { clockAt: START })
  const ran: number[] = []
  const Numbered = Type.Object({ n: Type.Integer() })
  const numbered = (priority: 'high' | 'normal' | 'low') =>
    defineJob(priority, Numbered, { priority, dedupe: ({ n }) => n }, async (_deps: object, _storeId, jobs) => {
      ran.push(...jobs.map(({ input }) => input.n).sort((a, b) => a - b))
      return jobs.map(() => ({ done: true }) as const)
    })
  const [high, normal, low] = [numbered('high'), numbered('normal'), numbered('low')]
  const later = { hours: 1 }
  const numbers = (from: number, count: number) => Array.from({ length: count }, (_, i) => ({ n: from + i }))
  await inStore(async (ctx) => {
    await enqueue(ctx, low, numbers(1000, 3))
    await enqueue({ ...ctx, now: ctx.now.add(later) }, normal, numbers(100, 60))
    await enqueue({ ...ctx, now: ctx.now.add(later) }, high, numbers(0, 64))
    await setClock(ctx, ctx.now.add(later))
  })
  const engine = createJobEngine({ db, leaseOwner: 1, jobs: [high, normal, low], deps: {} })
  assert.deepEqual(await engine.nextDueAt(storeId), START)
  assert.equal(await engine.runOnce(storeId), 64)
  assert.deepEqual(
    ran,
    numbers(0, 64).map(({ n }) => n)
  )
  assert.equal(await engine.runOnce(storeId), 63)
  assert.equal(await engine.nextDueAt(storeId), null)
})

test('a job that hangs holds up no other, and ends once', async () => {
  const { storeId, inStore } = await aStore(db)
  const ran: number[][] = []
  const hanging = Promise.withResolvers<void>()
  const job = defineJob(
    'call-somebody',
    Type.Object({ n: Type.Integer() }),
    { dedupe: ({ n }) => n },
    async (_deps: object, _storeId, jobs) => {
      ran.push(jobs.map(({ input }) => input.n))
      if (jobs.some(({ input }) => input.n === 1)) await hanging.promise
      return jobs.map(() => ({ done: true }) as const)
    }
  )
  const left = () =>
    inStore((ctx) =>
      waitingKeys(
        ctx,
        job,
        Array.from({ length: 20 }, (_, i) => String(i + 1))
      )
    )
  const patience = { slowMs: 10, comeBackMs: 20 }
  const engine = createJobEngine({ db, leaseOwner: 1, jobs: [job], deps: {}, patience })
  await inStore((ctx) => enqueue(ctx, job, [{ n: 1 }]))
  assert.equal(await engine.runOnce(storeId), 1)
  assert.equal(await engine.runOnce(storeId), 1, 'it is still under way')

  const others = Array.from({ length: 10 }, (_, i) => ({ n: i + 2 }))
  await inStore((ctx) => enqueue(ctx, job, others))
  assert.equal(await engine.runOnce(storeId), 10)
  assert.deepEqual([...(await left())], ['1'])
  // In portions of four, so that another one that hangs keeps few with it.
  assert.deepEqual(
    ran.map((portion) => portion.length),
    [1, 4, 4, 2]
  )
  hanging.resolve()
  while ((await engine.runOnce(storeId)) > 0);
  assert.equal((await left()).size, 0)
  assert.equal(ran.flat().filter((n) => n === 1).length, 1)
})

const Place = Type.Object({ from: Type.Integer() })
const rowOf = (store: BuiltStore) =>
  store.inStore(({ tx, storeId }) =>
    tx.maybeOne(
      row({ runAt: instant, attempts: int, error: nullable(text), leasedUntil: nullable(instant) }),
      sql`select run_at, attempts, last_error as error, leased_until from jobs where store_id = ${storeId} and kind = 'long'`
    )
  )

/** A job that takes three numbers per run, up to nine, each batch in a transaction under its lease. */
function aLongJob(onBatch: (from: number) => Promise<void> | void = () => {}) {
  const taken: number[] = []
  const job = defineJob(
    'long',
    Place,
    { priority: 'low', dedupe: () => 'one' },
    async (deps: { db: Database }, storeId, jobs) => {
      const [{ input, renewLease }] = jobs as [QueuedJob<{ from: number }>]
      await onBatch(input.from)
      await deps.db.inStore(storeId, async (ctx) => {
        await renewLease(ctx)
        taken.push(input.from, input.from + 1, input.from + 2)
      })
      const from = input.from + 3
      return [from < 9 ? { done: false, continues: true, input: { from } } : { done: true }]
    }
  )
  return { job, taken }
}

test('a long job goes on where its last batch ended, and lets jobs of a higher priority in between', async () => {
  const store = await aStore(db, { clockAt: START })
  const { job, taken } = aLongJob(async (from) => {
    if (from === 3) await store.inStore((ctx) => enqueue(ctx, urgent, [{ memberId: 1 }]))
  })
  const seen: number[] = []
  const urgent = pushMember(() => seen.push(...taken))
  await store.inStore((ctx) => enqueue(ctx, job, [{ from: 0 }]))
  await store.inStore((ctx) => setClock(ctx, ctx.now.add({ hours: 1 })))
  const engine = createJobEngine({ db, leaseOwner: 1, jobs: [job, urgent], deps: { db } })
  assert.equal(await engine.runOnce(store.storeId), 1)
  assert.deepEqual(taken, [0, 1, 2])
  assert.deepEqual(await rowOf(store), { runAt: START, attempts: 0, error: null, leasedUntil: null })
  while ((await engine.runOnce(store.storeId)) > 0);
  assert.deepEqual(taken, [0, 1, 2, 3, 4, 5, 6, 7, 8])
  assert.deepEqual(seen, [0, 1, 2, 3, 4, 5], 'before the last batch')
  assert.equal(await rowOf(store), null)
})

test('a long job that is wanted again while it runs begins anew', async () => {
  const store = await aStore(db)
  let isWanted = true
  const { job, taken } = aLongJob(async (from) => {
    if (from === 3 && isWanted) await store.inStore((ctx) => enqueue(ctx, job, [{ from: 0 }]))
    if (from === 3) isWanted = false
  })
  await store.inStore((ctx) => enqueue(ctx, job, [{ from: 0 }]))
  const engine = createJobEngine({ db, leaseOwner: 1, jobs: [job], deps: { db } })
  while ((await engine.runOnce(store.storeId)) > 0);
  assert.deepEqual(taken, [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 6, 7, 8])
})

test('who lost the lease of a job cannot write any more, nor end it', async () => {
  const store = await aStore(db)
  const stalled = Promise.withResolvers<void>()
  const goesOn = Promise.withResolvers<void>()
  const slow = aLongJob(async () => {
    stalled.resolve()
    await goesOn.promise
  })
  const { job, taken } = aLongJob()
  await store.inStore((ctx) => enqueue(ctx, job, [{ from: 0 }]))
  const late = createJobEngine({ db, leaseOwner: 1, jobs: [slow.job], deps: { db } }).runOnce(store.storeId)
  await stalled.promise
  await store.inStore(({ tx, storeId }) =>
    tx.run(sql`update jobs set leased_until = statement_timestamp() - interval '1 second' where store_id = ${storeId}`)
  )
  const other = createJobEngine({ db, leaseOwner: 2, jobs: [job], deps: { db } })
  assert.equal(await other.runOnce(store.storeId), 1)
  const between = await rowOf(store)
  goesOn.resolve()
  await late
  assert.deepEqual([slow.taken, taken], [[], [0, 1, 2]])
  assert.deepEqual(await rowOf(store), between)
  while ((await other.runOnce(store.storeId)) > 0);
  assert.deepEqual(taken, [0, 1, 2, 3, 4, 5, 6, 7, 8])
})

test('a batch renews the lease of its job, and nobody claims the job while the batch runs', async () => {
  const store = await aStore(db)
  const job = defineJob('long', Place, { dedupe: () => 'one' }, async (_deps: object, storeId, [mine]) => {
    await store.inStore(({ tx }) => tx.run(sql`update jobs set leased_until = null where store_id = ${storeId}`))
    await store.inStore(async (ctx) => {
      await mine!.renewLease(ctx)
      assert.equal(await other.runOnce(storeId), 0)
    })
    const { leasedUntil } = (await rowOf(store))!
    const seconds = Temporal.Now.instant().until(leasedUntil!).total('seconds')
    assert.ok(seconds > 100 && seconds <= 120, `leased for ${seconds} s`)
    return [{ done: true }]
  })
  const other = createJobEngine({ db, leaseOwner: 2, jobs: [job], deps: {} })
  await store.inStore((ctx) => enqueue(ctx, job, [{ from: 0 }]))
  assert.equal(await createJobEngine({ db, leaseOwner: 1, jobs: [job], deps: {} }).runOnce(store.storeId), 1)
  assert.equal(await rowOf(store), null)
})

test('a job that is wanted again while its end is being recorded keeps no lease, and is due', async () => {
  for (const next of [null, { runAt: START.add({ hours: 1 }), attempts: 1, reason: 'No', payload: { from: 0 } }]) {
    const store = await aStore(db, { clockAt: START })
    const job = defineJob('long', Place, { dedupe: () => 'one' }, async () => [{ done: true }])
    await store.inStore((ctx) => enqueue(ctx, job, [{ from: 0 }]))
    const claim = (ctx: Ctx) => claimJobs(ctx, { leaseOwner: 1, leaseMs: 60_000, limit: 10, except: [] })
    const [claimed] = await store.inStore(claim)
    const ended = await atOnce(
      store,
      (ctx) => enqueue(ctx, job, [{ from: 3 }]),
      (ctx) => endJobs(ctx, [{ job: claimed!, next }])
    )
    assert.equal(ended.status, 'fulfilled')
    const { one } = await rowsOf(store)
    assert.deepEqual([one?.owner, one?.runAt, one?.error], [null, START, null])
    assert.deepEqual(
      (await store.inStore(claim)).map(({ payload }) => payload),
      [{ from: 3 }]
    )
  }
})

test('a job that is wanted again while it fails is due at once, not after the wait of the failure', async () => {
  const store = await aStore(db, { clockAt: START })
  const job = defineJob('long', Place, { dedupe: () => 'one' }, async (_deps: object) => {
    await store.inStore((ctx) => enqueue(ctx, job, [{ from: 0 }]))
    return [{ done: false, reason: 'No' }]
  })
  await store.inStore((ctx) => enqueue(ctx, job, [{ from: 0 }]))
  const engine = createJobEngine({ db, leaseOwner: 1, jobs: [job], deps: {} })
  assert.equal(await engine.runOnce(store.storeId), 1)
  assert.deepEqual(await rowOf(store), { runAt: START, attempts: 0, error: null, leasedUntil: null })
})

test('of inputs with one key in one call the last one counts', async () => {
  const { storeId, inStore } = await aStore(db)
  const ran: number[] = []
  const job = defineJob(
    'numbered',
    Type.Object({ key: Type.String(), n: Type.Integer() }),
    { dedupe: ({ key }) => key },
    async (_deps: object, _storeId, jobs) => {
      ran.push(...jobs.map(({ input }) => input.n))
      return jobs.map(() => ({ done: true }) as const)
    }
  )
  await inStore((ctx) =>
    enqueue(ctx, job, [
      { key: 'a', n: 1 },
      { key: 'b', n: 2 },
      { key: 'a', n: 3 }
    ])
  )
  await createJobEngine({ db, leaseOwner: 1, jobs: [job], deps: {} }).runOnce(storeId)
  assert.deepEqual(ran.sort(), [2, 3])
})

/** What the rows of jobs say, by the number of their member. */
const rowsOf = async ({ inStore, storeId }: BuiltStore) => {
  const found = await inStore(({ tx }) =>
    tx.many(
      row({
        key: text,
        owner: nullable(int),
        token: int,
        runAt: instant,
        error: nullable(text),
        failingSince: nullable(instant)
      }),
      sql`select dedupe_key as key, lease_owner as owner, lease_token as token, run_at, last_error as error, failing_since
            from jobs where store_id = ${storeId} order by id`
    )
  )
  return Object.fromEntries(found.map(({ key, ...values }) => [key, values]))
}

test('of more due jobs than a batch those run that are due for longest, then the older ones; none before its time', async () => {
  const store = await aStore(db, { clockAt: START })
  const ran: number[][] = []
  const job = pushMember((ids) => ran.push(ids.toSorted((a, b) => a - b)))
  const numbers = Array.from({ length: 66 }, (_, i) => i + 1)
  await store.inStore(async (ctx) => {
    for (const memberId of numbers) await enqueue(ctx, job, [{ memberId }])
    await ctx.tx.run(sql`
      update jobs set run_at = case dedupe_key when '66' then ${START.subtract({ minutes: 1 })}::timestamptz
                                               else ${START.add({ milliseconds: 1 })}::timestamptz end
       where store_id = ${ctx.storeId} and dedupe_key in ('1', '66')`)
  })
  const engine = createJobEngine({ db, leaseOwner: 1, jobs: [job], deps: {} })
  await engine.runOnce(store.storeId)
  assert.deepEqual(ran, [numbers.filter((n) => n !== 1 && n !== 65)])
  while ((await engine.runOnce(store.storeId)) > 0);
  assert.deepEqual(ran[1], [65])
  assert.deepEqual(Object.keys(await rowsOf(store)), ['1'])
})

test('the end of a job, and the renewal of its lease, leave the jobs of another node alone', async () => {
  for (const isDone of [true, false]) {
    const store = await aStore(db, { clockAt: START })
    const job = defineJob(
      'alone',
      Type.Object({ n: Type.Integer() }),
      { dedupe: ({ n }) => n },
      async (_deps: object, storeId, jobs) => {
        await db.inStore(storeId, (ctx) => jobs[0]!.renewLease(ctx))
        const rows = await rowsOf(store)
        assert.deepEqual([rows[1]!.owner, rows[1]!.token, rows[2]!.owner], [1, 1, 2])
        return jobs.map((): JobOutcome => (isDone ? { done: true } : { done: false, reason: 'No' }))
      }
    )
    await store.inStore(async (ctx) => {
      await enqueue(ctx, job, [{ n: 1 }, { n: 2 }])
      await ctx.tx.run(sql`
        update jobs set lease_token = 1, lease_owner = 2, leased_until = statement_timestamp() + interval '1 minute'
         where store_id = ${ctx.storeId} and dedupe_key = '2'`)
    })
    const engine = createJobEngine({ db, leaseOwner: 1, jobs: [job], deps: {} })
    const { 2: other } = await rowsOf(store)
    await engine.runOnce(store.storeId)
    const after = await rowsOf(store)
    assert.deepEqual(after[2], other)
    assert.equal(1 in after, !isDone)
    await db.inInstallation((tx) => tx.run(engine.releaseLeases!([1])))
    assert.equal((await rowsOf(store))[2]!.owner, 2)
    await db.inInstallation((tx) => tx.run(engine.releaseLeases!([2])))
    assert.equal((await rowsOf(store))[2]!.owner, null)
  }
})

test('a node that another has taken a job from ends nothing of it, wanted again or not', async () => {
  for (const version of [0, 1]) {
    for (const isDone of [true, false]) {
      const store = await aStore(db, { clockAt: START })
      const job = defineJob(
        'taken',
        Type.Object({ n: Type.Integer() }),
        { dedupe: ({ n }) => n },
        async (_deps: object, storeId, jobs) => {
          await db.inStore(storeId, ({ tx }) =>
            tx.run(sql`
              update jobs set lease_token = lease_token + 1, lease_owner = 2, version = version + ${version}
               where store_id = ${storeId}`)
          )
          return jobs.map((): JobOutcome => (isDone ? { done: true } : { done: false, reason: 'No' }))
        }
      )
      await store.inStore((ctx) => enqueue(ctx, job, [{ n: 1 }]))
      await createJobEngine({ db, leaseOwner: 1, jobs: [job], deps: {} }).runOnce(store.storeId)
      const { 1: taken } = await rowsOf(store)
      assert.deepEqual([taken!.owner, taken!.token, taken!.error], [2, 2, null], `${version} ${isDone}`)
    }
  }
})

test('since when a job fails is known until it gets on', async () => {
  const store = await aStore(db, { clockAt: START })
  const outcomes: JobOutcome[] = [
    { done: false, reason: 'No' },
    { done: false, reason: 'Still no' },
    { done: false, waits: true, reason: 'Not yet' }
  ]
  const job = defineJob('try', Type.Object({}), { dedupe: () => 'one' }, async () => [outcomes.shift()!])
  await store.inStore((ctx) => enqueue(ctx, job, [{}]))
  const engine = createJobEngine({ db, leaseOwner: 1, jobs: [job], deps: {} })
  const since: (string | null)[] = []
  while (outcomes.length > 0) {
    const due = (await engine.nextDueAt(store.storeId))!
    await store.inStore((ctx) => setClock(ctx, due))
    await engine.runOnce(store.storeId)
    since.push((await rowsOf(store)).one!.failingSince?.toString() ?? null)
  }
  assert.deepEqual(since, [START.toString(), START.toString(), null])
})

test('a job of a kind that this version does not know stays, and says so', async () => {
  const store = await aStore(db, { clockAt: START })
  await store.inStore((ctx) =>
    enqueue(
      ctx,
      pushMember(() => {}),
      [{ memberId: 1 }]
    )
  )
  await createJobEngine({ db, leaseOwner: 1, jobs: [], deps: {} }).runOnce(store.storeId)
  assert.equal((await rowsOf(store))[1]!.error, 'No job is named push-member')
})

/** A job that hangs in each run until it is let go, and how often it was called; engines that do not wait for it for long. */
function aHangingJob(store: BuiltStore, outcome: JobOutcome = { done: true }) {
  const hanging = Promise.withResolvers<void>()
  let calls = 0
  const job = defineJob(
    'hang',
    Type.Object({ n: Type.Integer() }),
    { dedupe: ({ n }) => n },
    async (_deps, _id, jobs) => {
      calls++
      await hanging.promise
      return jobs.map(() => outcome)
    }
  )
  const engine = (leaseOwner: number, leaseMs?: number) => {
    const patience = { slowMs: 10, comeBackMs: 20 }
    return createJobEngine({ db, leaseOwner, jobs: [job], deps: {}, patience, leaseMs })
  }
  const begin = async (engine: ReturnType<typeof createJobEngine>) => {
    await store.inStore((ctx) => enqueue(ctx, job, [{ n: 1 }]))
    assert.equal(await engine.runOnce(store.storeId), 1)
  }
  return { engine, begin, letGo: hanging.resolve, calls: () => calls }
}

const runToEnd = async (engine: ReturnType<typeof createJobEngine>, { storeId }: BuiltStore) => {
  while ((await engine.runOnce(storeId)) > 0);
}

const endLeases = ({ inStore, storeId }: BuiltStore) =>
  inStore(({ tx }) =>
    tx.run(sql`update jobs set leased_until = clock_timestamp() - interval '1 second' where store_id = ${storeId}`)
  )

test('a job under way is not claimed again by its own node when its lease is over, and its outcome counts', async () => {
  const store = await aStore(db, { clockAt: START })
  const hanging = aHangingJob(store, { done: false, reason: 'No answer' })
  const engine = hanging.engine(1)
  await hanging.begin(engine)
  for (let i = 0; i < 2; i++) {
    await endLeases(store)
    await engine.runOnce(store.storeId)
  }
  hanging.letGo()
  await runToEnd(engine, store)
  assert.equal(hanging.calls(), 1)
  const { 1: after } = await rowsOf(store)
  assert.deepEqual([after!.error, after!.token, after!.owner], ['No answer', 2, null])
  assert.deepEqual(await engine.nextDueAt(store.storeId), START.add({ minutes: 1 }))
})

test('the lease of a job is kept for as long as its call lasts, so that no other node runs it too', async () => {
  const store = await aStore(db)
  const hanging = aHangingJob(store)
  const [engine, other] = [hanging.engine(1, 900), hanging.engine(2)]
  await hanging.begin(engine)
  for (let i = 0; i < 25; i++) {
    await sleep(100)
    assert.equal(await other.runOnce(store.storeId), 0)
  }
  hanging.letGo()
  await runToEnd(engine, store)
  assert.equal(hanging.calls(), 1)
  assert.deepEqual(await rowsOf(store), {})
})

test('a node that was too slow does not extend the lease of the one that has the job now, nor claim it beside that', async () => {
  const store = await aStore(db)
  const hanging = aHangingJob(store)
  const engine = hanging.engine(1, 300)
  await hanging.begin(engine)
  const until = Temporal.Instant.from('2099-01-01T00:00:00Z')
  const taken = (at: Temporal.Instant) =>
    store.inStore(({ tx, storeId }) =>
      tx.run(sql`update jobs set lease_owner = 2, lease_token = 2, leased_until = ${at} where store_id = ${storeId}`)
    )
  const leasedUntil = () =>
    store.inStore(async ({ tx, storeId }) => {
      const { at } = await tx.one(
        row({ at: nullable(instant) }),
        sql`select leased_until as at from jobs where store_id = ${storeId}`
      )
      return at
    })
  await taken(until)
  await sleep(700)
  assert.deepEqual(await leasedUntil(), until)
  await taken(START)
  await engine.runOnce(store.storeId)
  assert.equal(hanging.calls(), 1)
  hanging.letGo()
  while (hanging.calls() < 2) await engine.runOnce(store.storeId)
  await runToEnd(engine, store)
  assert.equal(hanging.calls(), 2, 'again only when the first call was over')
  assert.deepEqual(await rowsOf(store), {})
})

test('a job whose outcome cannot be recorded runs again when its lease is over, and the others of its run are recorded', async () => {
  const store = await aStore(db, { clockAt: START })
  const ran: number[] = []
  const unrecordable = { done: false, continues: true, input: { n: '\0' } } as const
  const aJob = (name: string, outcome: () => JobOutcome) =>
    defineJob(name, Type.Object({ n: Type.Integer() }), { dedupe: ({ n }) => n }, async (_deps: object, _id, jobs) => {
      ran.push(...jobs.map(({ input }) => input.n))
      return jobs.map(outcome)
    })
  const bad = aJob('bad', () => (ran.includes(2) && ran.length > 2 ? { done: true } : unrecordable))
  const good = aJob('good', () => ({ done: true }))
  await store.inStore(async (ctx) => {
    await enqueue(ctx, bad, [{ n: 1 }])
    await enqueue(ctx, good, [{ n: 2 }])
  })
  const engine = createJobEngine({ db, leaseOwner: 1, jobs: [bad, good], deps: {} })
  await assert.rejects(engine.runOnce(store.storeId), /unsupported Unicode escape sequence/)
  assert.deepEqual([ran, Object.keys(await rowsOf(store))], [[1, 2], ['1']])
  assert.equal(await engine.runOnce(store.storeId), 0, 'not under its old lease')
  await endLeases(store)
  await runToEnd(engine, store)
  assert.deepEqual(ran, [1, 2, 1])
  assert.deepEqual(await rowsOf(store), {})
})

test('an outcome that cannot be recorded because the database is away is recorded by the next run, and the job runs once', async () => {
  const store = await aStore(db, { clockAt: START })
  let [runs, isAway] = [0, false]
  const job = defineJob('away', Type.Object({}), { dedupe: () => 'one' }, async () => {
    runs++
    isAway = true
    return [{ done: true } as const]
  })
  await store.inStore((ctx) => enqueue(ctx, job, [{}]))
  const engine = createJobEngine({ db: awayWhile(db, () => isAway), leaseOwner: 1, jobs: [job], deps: {} })
  await assert.rejects(engine.runOnce(store.storeId), isOutage)
  await endLeases(store)
  await assert.rejects(engine.runOnce(store.storeId), isOutage)
  isAway = false
  await runToEnd(engine, store)
  assert.deepEqual([runs, await rowsOf(store)], [1, {}])
})

test('a job that throws what is no error has failed with that', async () => {
  const store = await aStore(db, { clockAt: START })
  const job = defineJob('strange', Type.Object({}), { dedupe: () => 'one' }, () => Promise.reject(undefined))
  await store.inStore((ctx) => enqueue(ctx, job, [{}]))
  await createJobEngine({ db, leaseOwner: 1, jobs: [job], deps: {} }).runOnce(store.storeId)
  assert.equal((await rowsOf(store)).one!.error, 'undefined')
})

test('an extension that comes when the job has ended delays neither its next run nor one that was wanted meanwhile', async () => {
  for (const isWantedAgain of [false, true]) {
    const store = await aStore(db, { clockAt: START })
    const job = pushMember(() => {})
    await store.inStore((ctx) => enqueue(ctx, job, [{ memberId: 1 }]))
    const lease = { leaseOwner: 1, leaseMs: 120_000 }
    const [claimed] = await store.inStore((ctx) => claimJobs(ctx, { ...lease, limit: 1, except: [] }))
    assert.equal((await store.inStore((ctx) => extendJobLeases(ctx, [claimed!], lease))).length, 1)
    if (isWantedAgain) await store.inStore((ctx) => enqueue(ctx, job, [{ memberId: 1 }]))
    const next = { runAt: START, attempts: 0, reason: null, payload: claimed!.payload }
    await store.inStore((ctx) => endJobs(ctx, [{ job: claimed!, next }]))
    assert.deepEqual(await store.inStore((ctx) => extendJobLeases(ctx, [claimed!], lease)), [])
    assert.equal((await rowsOf(store))[1]!.owner, null, `wanted again: ${isWantedAgain}`)
  }
})

test('a job that returns too few outcomes has failed, with all jobs of its run', async () => {
  const store = await aStore(db, { clockAt: START })
  const job = defineJob('short', Type.Object({ n: Type.Integer() }), { dedupe: ({ n }) => n }, async () => [
    { done: true } as const
  ])
  await store.inStore((ctx) => enqueue(ctx, job, [{ n: 1 }, { n: 2 }]))
  await createJobEngine({ db, leaseOwner: 1, jobs: [job], deps: {} }).runOnce(store.storeId)
  const rows = await rowsOf(store)
  assert.deepEqual([rows[1]!.error, rows[2]!.error], Array(2).fill('Job short returned 1 outcomes for 2 jobs'))
})

test('a try without an outcome, because its process died, does not count', async () => {
  const store = await aStore(db, { clockAt: START })
  const seen: number[] = []
  const hanging = Promise.withResolvers<never>()
  const job = defineJob('try', Type.Object({}), { dedupe: () => 'one' }, async (_deps: object, _id, jobs) => {
    seen.push(jobs[0]!.attempts)
    if (seen.length < 3) return hanging.promise
    return [{ done: false, reason: 'No' }]
  })
  await store.inStore((ctx) => enqueue(ctx, job, [{}]))
  const patience = { slowMs: 10, comeBackMs: 20 }
  for (let leaseOwner = 1; leaseOwner <= 3; leaseOwner++) {
    const engine = createJobEngine({ db, leaseOwner, jobs: [job], deps: {}, patience })
    await engine.runOnce(store.storeId)
    await endLeases(store)
  }
  assert.deepEqual(seen, [1, 1, 1])
  const engine = createJobEngine({ db, leaseOwner: 4, jobs: [job], deps: {} })
  await store.inStore((ctx) => setClock(ctx, START.add({ minutes: 1 })))
  await engine.runOnce(store.storeId)
  assert.deepEqual(seen, [1, 1, 1, 2])
})
