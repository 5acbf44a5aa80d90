import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createJobEngine, enqueue, type JobOutcome } from '#kit/jobs'
import { instant, nullable, row, sql, text } from '#kit/postgres'
import { setClock } from '#stores'
import { testDatabase } from '../../test/database.ts'
import { aStore } from '../../test/store-builder.ts'

const { db } = await testDatabase()
const START = Temporal.Instant.from('2026-01-31T15:00:00Z')

/** The minutes between the runs of a job that never gets done, and what its row says last. */
async function runs(outcome: JobOutcome) {
  const { storeId, inStore } = await aStore(db, { clockAt: START })
  await inStore((ctx) => enqueue(ctx, 'try', [{ key: 'one', payload: {} }]))
  const at: Temporal.Instant[] = []
  const engine = createJobEngine({ db, leaseOwner: 1, handlers: { try: async () => [outcome] } })
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
