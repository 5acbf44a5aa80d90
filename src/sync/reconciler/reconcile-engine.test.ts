import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { createReconcileEngine } from './reconcile-engine.ts'
import { claimWalk, extendWalk, listReconciliations, reconcileNow } from './reconciliation.ts'

const { db } = await testDatabase()

test('the lease on a walk is kept while its page is read, so that no other node reads it too and its end counts', async () => {
  const store = await aStore(db)
  const page = Promise.withResolvers<void>()
  let reads = 0
  const aNode = (leaseOwner: number) =>
    createReconcileEngine({
      db,
      leaseOwner,
      leaseMs: 900,
      connectorOf: async () => assert.fail('Only webhooks are looked at here'),
      async checkConnection() {
        reads++
        await page.promise
        return { ok: true, value: { changed: 1 } }
      }
    })
  await store.inStore(reconcileNow)
  const [one, other] = [aNode(1), aNode(2)]
  const walked = one.runOnce(store.storeId)
  for (let i = 0; i < 20; i++) {
    await sleep(100)
    // The walks that read the platform fail here. One that takes this walk would wait for its page.
    await Promise.race([other.runOnce(store.storeId).catch(() => 0), sleep(100)])
  }
  page.resolve()
  await walked
  assert.equal(reads, 1)
  const { seen, finishedAt } = (await store.inStore(listReconciliations)).find(({ kind }) => kind === 'webhooks')!
  assert.equal(seen, 1)
  assert.notEqual(finishedAt, null)
})

test('the lease on a walk that another node has taken is not extended', async () => {
  const { storeId, inStore } = await aStore(db)
  await inStore(reconcileNow)
  const late = (await inStore((ctx) => claimWalk(ctx, 1)))!
  await inStore(({ tx }) =>
    tx.run(sql`update reconciliations set leased_until = statement_timestamp() - interval '1 second'
                where store_id = ${storeId} and kind = ${late.kind}`)
  )
  const taken = (await inStore((ctx) => claimWalk(ctx, 2)))!
  assert.equal(taken.kind, late.kind)
  assert.equal(await inStore((ctx) => extendWalk(ctx, late, 60_000)), false)
  assert.equal(await inStore((ctx) => extendWalk(ctx, taken, 60_000)), true)
})

test('what a look has seen and changed is measured, and nothing where there was nothing', async () => {
  for (const changed of [2, 0]) {
    const store = await aStore(db)
    const measured: [name: string, value: number, labels: object][] = []
    const engine = createReconcileEngine({
      db,
      leaseOwner: 1,
      connectorOf: async () => assert.fail('Only webhooks are looked at here'),
      checkConnection: async () => ({ ok: true, value: { changed } }),
      measure: ({ name }, value, labels) => void measured.push([name, value, labels ?? {}])
    })
    await store.inStore(reconcileNow)
    assert.equal(await engine.runOnce(store.storeId), 1)
    const kind = { kind: 'webhooks' }
    assert.deepEqual(measured, [
      ['perennial.reconcile.items', 1, kind],
      ...(changed > 0 ? [['perennial.reconcile.changes', changed, kind]] : [])
    ])
  }
})
