import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int, row, sql, text } from '#kit/postgres'
import { testDatabase } from '../../test/database.ts'
import { aStore } from '../../test/store-builder.ts'
import { platformReconciled, restoredStoreOnHold } from './audit-rules.ts'

const { db } = await testDatabase()

/** A store whose walks are these, and what a rule says of it. */
async function aWalkedStore(
  walks: { kind: string; failures?: number; error?: string; daysAgo?: number; ended?: boolean }[]
) {
  const store = await aStore(db)
  const { storeId } = store
  await store.inStore(async ({ tx, now }) => {
    await tx.run(sql`delete from reconciliations where store_id = ${storeId}`)
    for (const { kind, failures = 0, error = null, daysAgo = 0, ended = true } of walks) {
      await tx.run(sql`
        insert into reconciliations (store_id, kind, next_at, cursor_at, failures, last_error, finished_at)
        values (${storeId}, ${kind}, statement_timestamp() - ${daysAgo}::float8 * interval '1 day', ${now}, ${failures}, ${error},
                case when ${ended}::boolean then ${now}::timestamptz end)`)
    }
  })
  const run = (rule: typeof platformReconciled | typeof restoredStoreOnHold) =>
    store.inStore(async (ctx) => ({
      counted: (await ctx.tx.one(row({ count: int }), rule.counted(ctx))).count,
      wrong: await ctx.tx.many(row({ subject: text, message: text }), rule.wrong(ctx))
    }))
  return { ...store, run }
}

test('a walk that failed five times in a row, or is two days late, is a finding', async () => {
  const { run } = await aWalkedStore([
    { kind: 'webhooks', failures: 5, error: 'no answer' },
    { kind: 'contracts', failures: 4, error: 'no answer' },
    { kind: 'attempts', daysAgo: 2.1 },
    { kind: 'failed_attempts', daysAgo: 1.9 }
  ])
  const { counted, wrong } = await run(platformReconciled)
  assert.equal(counted, 4)
  assert.deepEqual(
    wrong.map(({ subject, message }) => [subject, message.replace(/due at .* and/, 'due at … and')]),
    [
      ['attempts', 'was due at … and did not come to an end'],
      ['webhooks', 'failed 5 times in a row: no answer']
    ]
  )
})

test('the walks of a store that is not active are none', async () => {
  const { run, inStore } = await aWalkedStore([{ kind: 'webhooks', failures: 9 }])
  assert.equal((await run(platformReconciled)).wrong.length, 1)
  await inStore(({ tx, storeId }) => tx.run(sql`update stores set status = 'disconnected' where store_id = ${storeId}`))
  assert.deepEqual((await run(platformReconciled)).wrong, [])
})

test('a store on hold says which walks it waits for', async () => {
  const { run, inStore, storeId, domain } = await aWalkedStore([
    { kind: 'attempts', ended: false, error: 'no answer' },
    { kind: 'all_contracts', ended: false },
    { kind: 'failed_attempts' },
    { kind: 'contracts', ended: false }
  ])
  assert.deepEqual(await run(restoredStoreOnHold), { counted: 0, wrong: [] })
  const hold = sql`update stores set restored_at = created_at where store_id = ${storeId}`
  await inStore(({ tx }) => tx.run(hold))
  const says = async () => {
    const { counted, wrong } = await run(restoredStoreOnHold)
    assert.deepEqual([counted, wrong.length, wrong[0]!.subject], [1, 1, domain])
    return wrong[0]!.message.split('; ')[1]
  }
  assert.equal(await says(), 'still to be read: all_contracts, attempts (failed: no answer)')
  await inStore(({ tx, now }) =>
    tx.run(sql`update reconciliations set finished_at = ${now} where store_id = ${storeId} and kind <> 'contracts'`)
  )
  assert.equal(await says(), 'still to be read: nothing')
})
