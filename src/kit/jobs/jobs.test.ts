import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { createJobEngine, defineJob, enqueue, type JobOutcome, waitingKeys } from '#kit/jobs'
import { instant, nullable, row, sql, text } from '#kit/postgres'
import { setClock } from '#stores'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'

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
