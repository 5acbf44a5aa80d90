// A contract that cannot be read or written does not hold up others: it is quarantined and read again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditWarnings } from '#audit'
import { upsertFromContracts } from '#contracts'
import { createJobEngine } from '#kit/jobs'
import { bool, int, nullable, row, sql, text } from '#kit/postgres'
import { listAlerts } from '#stores'
import { listReconciliations, reconcileNow } from '#sync'
import { jobs } from '../src/app/jobs.ts'
import { noMail } from '../src/app/mail.ts'
import { createReconcileEngine } from '../src/sync/reconciler/reconcile-engine.ts'
import { aContract } from './contract-builder.ts'
import { testDatabase } from './database.ts'
import { aPlatform, data, lastPage, anOrder as orderThere, aContract as there } from './fake-platform.ts'
import { aStore, testVault } from './store-builder.ts'

const { db } = await testDatabase()
const START = Temporal.Instant.from('2026-02-01T10:00:00Z')

/** A store with live contracts, of which the platform returns what `shown` makes of each. */
async function aReconciledStore(many: number) {
  const store = await aStore(db, { clockAt: START })
  const contracts = Array.from({ length: many }, () => aContract(START, { originOrder: null }))
  await store.inStore((ctx) => upsertFromContracts(ctx, contracts, []))
  await store.inStore(({ tx, storeId }) =>
    tx.run(sql`update stores set catching_up = true where store_id = ${storeId}`)
  )
  const ids = contracts.map(({ id }) => id)
  const edits = new Map<string, object>()
  const shown = (id: string) => ({
    ...there(id),
    customer: {
      ...there(id).customer,
      id: `gid://platform/Customer/${contracts.find((c) => c.id === id)!.customer!.id}`
    },
    status: 'PAUSED',
    ...edits.get(id)
  })
  const { connector } = await aPlatform((res, { operation, variables }) => {
    const requested = ((variables.ids ?? []) as string[]).map((gid) => gid.split('/').at(-1)!)
    if (operation === 'OrdersByIds') return data(res, { nodes: requested.map(orderThere) })
    if (operation === 'ContractsByIds')
      return data(res, { nodes: requested.map((id) => (ids.includes(id) ? shown(id) : null)) })
    const listed = { nodes: ids.map(shown), pageInfo: lastPage }
    if (operation === 'AttemptsCreatedSince')
      return data(res, { subscriptionBillingAttempts: { ...listed, nodes: [] } })
    data(res, { subscriptionContracts: listed })
  })
  const connectorOf = async () => connector
  const looking = createReconcileEngine({
    db,
    leaseOwner: 1,
    connectorOf,
    checkConnection: async () => ({ ok: true, value: { changed: 0 } })
  })
  const engine = createJobEngine({
    db,
    leaseOwner: 1,
    jobs,
    deps: { db, vault: testVault, connectorOf, sendMail: noMail }
  })
  return {
    ...store,
    ids,
    edits,
    async look() {
      await store.inStore(reconcileNow)
      while ((await looking.runOnce(store.storeId)) > 0) {}
    },
    async work() {
      await store.inStore(({ tx, storeId }) =>
        tx.run(sql`update jobs set run_at = ${START} where store_id = ${storeId}`)
      )
      await engine.runOnce(store.storeId)
    },
    statuses: () =>
      store
        .inStore(({ tx, storeId }) =>
          tx.many(row({ status: text }), sql`select status from subscriptions where store_id = ${storeId} order by id`)
        )
        .then((rows) => rows.map(({ status }) => status)),
    jobs: () =>
      store.inStore(({ tx, storeId }) =>
        tx.many(
          row({ key: text, attempts: int, error: nullable(text) }),
          sql`select dedupe_key as key, attempts, last_error as error from jobs
               where store_id = ${storeId} and kind = 'sync-contract' order by id`
        )
      )
  }
}

test('a reconciliation skips contracts that cannot be read or written, quarantines them once and completes', async () => {
  const store = await aReconciledStore(4)
  const [unreadable, good, unwritable, other] = store.ids as [string, string, string, string]
  store.edits.set(unreadable, { currencyCode: 7 })
  // Longer than the column allows.
  store.edits.set(unwritable, { billingPolicy: { interval: 'MONTH', intervalCount: 1, maxCycles: 3_000_000_000 } })

  await store.look()
  assert.deepEqual(await store.statuses(), ['active', 'paused', 'active', 'paused'])
  const looks = await store.inStore(listReconciliations)
  assert.deepEqual(
    looks.map(({ kind, failures, seen }) => [kind, failures, seen]),
    [
      ['all_contracts', 0, 4],
      ['attempts', 0, 0],
      ['contracts', 0, 4],
      ['failed_attempts', 0, 0],
      ['webhooks', 0, 1]
    ]
  )
  const { isCatchingUp } = await store.inStore(({ tx, storeId }) =>
    tx.one(
      row({ isCatchingUp: bool }),
      sql`select catching_up as is_catching_up from stores where store_id = ${storeId}`
    )
  )
  assert.equal(isCatchingUp, false, 'billing did not start')

  const recorded = async () => (await store.inStore((ctx) => listAlerts(ctx))).alerts
  const [alert, ...others] = await recorded()
  assert.deepEqual([alert?.kind, others], ['contracts_quarantined', []])
  assert.match(alert!.message, new RegExp(`contract ${unreadable}: .*currencyCode must be text`))
  assert.match(alert!.message, new RegExp(`contract ${unwritable}: .*out of range`))
  const warnings = await store.inStore(auditWarnings)
  assert.deepEqual(
    warnings.map(({ check, subject }) => [check, subject]).sort(),
    [unreadable, unwritable].map((id) => ['contracts_quarantined', `contract ${id}`]).sort()
  )

  // Later reads add no alerts, and the job waits longer each time.
  await store.look()
  await store.work()
  await store.look()
  assert.equal((await recorded()).length, 1)
  const waiting = await store.jobs()
  assert.deepEqual(
    waiting.map(({ key, attempts }) => [key, attempts]).sort(),
    [
      [unreadable, 1],
      [unwritable, 1]
    ].sort()
  )
  assert.match(waiting.find(({ key }) => key === unreadable)!.error!, /currencyCode must be text/)

  // After a correction on the platform they are synced, and are no longer quarantined.
  store.edits.clear()
  await store.work()
  assert.deepEqual(await store.statuses(), ['paused', 'paused', 'paused', 'paused'])
  assert.deepEqual(await store.jobs(), [])
  assert.deepEqual(await store.inStore(auditWarnings), [])
  assert.ok(good && other)
})

test('a contract that cannot be read is not marked as missing', async () => {
  const store = await aReconciledStore(2)
  store.edits.set(store.ids[0]!, { lines: 'none' })
  for (let i = 0; i < 5; i++) {
    await store.look()
    await store.work()
  }
  const { missed } = await store.inStore(({ tx, storeId }) =>
    tx.one(row({ missed: int }), sql`select count(*) as missed from missing_contracts where store_id = ${storeId}`)
  )
  assert.equal(missed, 0)
  assert.deepEqual(await store.statuses(), ['active', 'paused'])
})
