import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { setClock } from '#stores'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import {
  claimWalk,
  listReconciliations,
  markNotWalked,
  markWalked,
  RECONCILIATIONS,
  type ReconciliationKind,
  reconcileNow,
  scheduleReconciliations,
  type Walk
} from './reconciliation.ts'

const { db } = await testDatabase()
const START = Temporal.Instant.from('2026-01-31T15:00:00Z')

/** A store all of whose walks are due. */
async function aDueStore() {
  const store = await aStore(db, { clockAt: START })
  await store.inStore(reconcileNow)
  return {
    ...store,
    claim: () => store.inStore((ctx) => claimWalk(ctx, 1)),
    of: async (kind: ReconciliationKind) =>
      (await store.inStore(listReconciliations)).find((one) => one.kind === kind)!,
    /** Minutes from now until a time, real time. */
    ahead: (at: Temporal.Instant) => at.since(Temporal.Now.instant()).total('minutes'),
    /** Has only this walk due, without a lease. */
    only: (kind: ReconciliationKind) =>
      store.inStore(({ tx, storeId }) =>
        tx.run(sql`
          update reconciliations
             set next_at = statement_timestamp() + case when kind = ${kind} then interval '0' else interval '1 day' end
           where store_id = ${storeId}`)
      )
  }
}

test('a new store’s walks come in their time, a tenth earlier or later', async () => {
  const { inStore } = await aStore(db)
  await inStore(({ tx, storeId }) => tx.run(sql`delete from reconciliations where store_id = ${storeId}`))
  await inStore(scheduleReconciliations)
  const minutes = { webhooks: 60, contracts: 15, attempts: 15, all_contracts: 1440, failed_attempts: 1440 }
  for (const { kind, nextAt } of await inStore(listReconciliations)) {
    const ahead = nextAt.since(Temporal.Now.instant()).total('minutes')
    assert.ok(ahead > minutes[kind] * 0.9 - 1 && ahead <= minutes[kind] * 1.1 + 1, `${kind}: ${ahead}`)
  }
})

test('walks that are due together are claimed in their order, each by one; a lease that is over is claimed again', async () => {
  const { claim, inStore, storeId } = await aDueStore()
  // Whichever has been due longest.
  await inStore(({ tx }) =>
    tx.run(sql`
      update reconciliations set next_at = next_at - interval '1 hour'
       where store_id = ${storeId} and kind in ('attempts', 'failed_attempts')`)
  )
  const claimed: (Walk | null)[] = []
  for (let n = 0; n <= RECONCILIATIONS.length; n++) claimed.push(await claim())
  assert.deepEqual(
    claimed.map((walk) => walk?.kind ?? null),
    [...RECONCILIATIONS, null]
  )
  await inStore(({ tx }) =>
    tx.run(sql`
      update reconciliations set leased_until = statement_timestamp() - interval '1 second'
       where store_id = ${storeId} and kind = 'attempts'`)
  )
  const again = await claim()
  assert.deepEqual([again?.kind, again?.leaseToken], ['attempts', claimed[2]!.leaseToken + 1])
})

test('one that claims does not wait for another that claims at the same moment: it takes the next walk', async () => {
  const { inStore } = await aDueStore()
  const kinds = await inStore(async (ctx) => {
    const first = await claimWalk(ctx, 1)
    const second = await inStore(async (other) => {
      await other.tx.run(sql`set local lock_timeout = '2s'`)
      return claimWalk(other, 2)
    })
    return [first?.kind, second?.kind]
  })
  assert.deepEqual(kinds, RECONCILIATIONS.slice(0, 2))
})

test('a walk goes on at its page, and what it has seen adds up; after the last page all up to its beginning is known', async () => {
  const { claim, inStore, of, only, ahead } = await aDueStore()
  await only('attempts')
  const first = (await claim())!
  await inStore((ctx) => markWalked(ctx, first, { seen: 3, changed: 1, after: 'page 2', lastId: '9' }))
  assert.equal((await of('attempts')).finishedAt, null)
  await inStore((ctx) => setClock(ctx, START.add({ hours: 1 })))
  const second = (await claim())!
  assert.deepEqual(
    [second.kind, second.pageAfter, second.lastId, String(second.startedAt)],
    ['attempts', 'page 2', '9', String(START)]
  )
  // The end of a page counts only for whoever has the walk.
  await inStore((ctx) => markWalked(ctx, first, { seen: 100, changed: 100, after: null }))
  await inStore((ctx) => markWalked(ctx, second, { seen: 2, changed: 0, after: null }))
  const { seen, changed, finishedAt, nextAt, cursorAt } = await of('attempts')
  assert.deepEqual([seen, changed, finishedAt !== null, String(cursorAt)], [5, 1, true, String(START)])
  assert.ok(ahead(nextAt) > 13 && ahead(nextAt) < 17, String(ahead(nextAt)))

  await only('attempts')
  const next = (await claim())!
  assert.deepEqual(
    [next.pageAfter, next.lastId, String(next.startedAt), String(next.cursorAt)],
    [null, '', String(START.add({ hours: 1 })), String(START)]
  )
  await inStore((ctx) => markWalked(ctx, next, { seen: 1, changed: 0, after: null }))
  assert.deepEqual([(await of('attempts')).seen, (await of('attempts')).changed], [1, 0], 'counted from the beginning')
})

test('a page that does not come is asked for later and later, and begins anew at the fourth failure', async () => {
  const { claim, inStore, of, only, ahead } = await aDueStore()
  await only('all_contracts')
  const begun = (await claim())!
  await inStore((ctx) => markWalked(ctx, begun, { seen: 1, changed: 0, after: 'page 2', lastId: '9' }))
  const pages: (string | null)[] = []
  for (const [n, minutes] of [1, 5, 15, 60, 60].entries()) {
    const walk = (await claim())!
    pages.push(walk.pageAfter)
    await inStore((ctx) => markNotWalked(ctx, walk, `no answer\0${'x'.repeat(600)}`))
    const { failures, nextAt, lastError } = await of('all_contracts')
    assert.equal(failures, n + 1)
    assert.ok(Math.abs(ahead(nextAt) - minutes) < 0.7, `${ahead(nextAt)}, not ${minutes}`)
    assert.equal(lastError, `no answer${'x'.repeat(491)}`)
    await only('all_contracts')
  }
  assert.deepEqual(pages, ['page 2', 'page 2', 'page 2', 'page 2', null])
  const walk = (await claim())!
  await inStore((ctx) => markWalked(ctx, walk, { seen: 1, changed: 0, after: null }))
  assert.deepEqual([(await of('all_contracts')).failures, (await of('all_contracts')).lastError], [0, null])
})

test('one whose schedule is shorter than the wait after failures keeps its schedule', async () => {
  const { claim, inStore, of, only, ahead } = await aDueStore()
  for (let n = 0; n < 5; n++) {
    await only('contracts')
    const walk = (await claim())!
    await inStore((ctx) => markNotWalked(ctx, walk, 'no answer'))
  }
  assert.ok(ahead((await of('contracts')).nextAt) <= 15)
})
