// Changes whose messages were lost: the state converges to the platform's, with a note in the history and no second charge.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int, row, sql, text } from '#kit/postgres'
import { claimWalk, listReconciliations, markWalked, reconcileNow } from '#sync'
import { changeContractStatus } from './change-contract-status.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { controls } = service.sandbox

type Store = Awaited<ReturnType<typeof service.aStore>>

const GONE = { drop: 1 }

const inStore = <T>(store: Store, work: Parameters<typeof service.db.inStore<T>>[1]) =>
  service.db.inStore(store.storeId, work)

/** The kinds in a contract's history, oldest first. */
async function historyOf(store: Store, contractId: string): Promise<string[]> {
  const rows = await inStore(store, ({ tx, storeId }) =>
    tx.many(
      row({ kind: text }),
      sql`select a.kind from contract_activities a join subscriptions s on s.store_id = a.store_id and s.id = a.subscription_id
           where a.store_id = ${storeId} and s.platform_contract_id = ${contractId} order by a.id`
    )
  )
  return rows.map(({ kind }) => kind)
}

async function statusOf(store: Store, contractId: string): Promise<string> {
  const { status } = await inStore(store, ({ tx, storeId }) =>
    tx.one(
      row({ status: text }),
      sql`select status from subscriptions where store_id = ${storeId} and platform_contract_id = ${contractId}`
    )
  )
  return status
}

const reconcile = (store: Store) => service.admin('POST', `${store.at}/reconcile`, {})

async function alertsOf(store: Store): Promise<{ kind: string; message: string }[]> {
  return (await service.admin('GET', `${store.at}/alerts`)).data
}

test('a reconciliation applies an edited contract and notes it in the history', async () => {
  const store = await service.aStore()
  const { contract_id: id } = await store.member('ada@example.com')
  await controls.setWebhookFaults({ storeId: store.storeId, faults: GONE })
  assert.deepEqual(await changeContractStatus(store, id, 'Pause'), [])
  await service.deps.settle(store.storeId)
  assert.equal(await statusOf(store, id), 'active')

  const { data } = await reconcile(store)
  assert.equal(await statusOf(store, id), 'paused')
  assert.ok((await historyOf(store, id)).includes('reconciled'))
  assert.deepEqual(
    data.map(({ failures }: { failures: number }) => failures),
    [0, 0, 0, 0, 0]
  )
  const before = await historyOf(store, id)
  await reconcile(store)
  assert.deepEqual(await historyOf(store, id), before, 'a second reconciliation changes nothing')

  assert.deepEqual(await changeContractStatus(store, id, 'Cancel'), [])
  await reconcile(store)
  assert.equal(await statusOf(store, id), 'cancelled')
  await store.soundBooks()
})

test('a reconciliation finds new contracts on several pages, even after the platform refused a request', async () => {
  const store = await service.aStore()
  await controls.setWebhookFaults({ storeId: store.storeId, faults: GONE })
  for (let i = 0; i < 120; i++) {
    const { id } = await service.deps.sandbox.createCustomer(store.storeId, {
      email: `p${i}@example.com`,
      firstName: null,
      lastName: null,
      countryCode: null,
      provinceCode: null
    })
    await service.deps.sandbox.join(store.storeId, { customerId: id, planName: 'VIP' })
  }
  await service.deps.settle(store.storeId)
  assert.equal((await service.get('/subscriptions', store.key)).body.meta.total, 0)
  await controls.install({ storeId: store.storeId, accessToken: 'another-token' })
  const { data: refused } = await reconcile(store)
  // Without failed charges their outcomes are not requested.
  for (const { kind, failures, last_error } of refused) {
    if (kind !== 'failed_attempts') assert.deepEqual([failures, /401/.test(last_error)], [1, true])
  }
  const recorded = (await alertsOf(store)).filter(({ kind }) => kind === 'platform_unauthorized')
  assert.equal(recorded.length, 1)
  await controls.install({ storeId: store.storeId, accessToken: store.platform_token })
  await reconcile(store)
  assert.equal((await service.get('/subscriptions', store.key)).body.meta.total, 120)
  const { data } = await service.admin('GET', `${store.at}/reconcile`)
  const all = data.find(({ kind }: { kind: string }) => kind === 'all_contracts')
  assert.deepEqual([all.seen, all.failures, all.last_error], [120, 0, null])
  await store.soundBooks()
})

test('a payment that was reported as failed is found, and the cycle is not charged again', async () => {
  const store = await service.aStore()
  const { customer, contract_id: id } = await store.member('bob@example.com')
  await store.card(customer.id, 'reported_failed')
  await store.advance({ by: 'P1M' })
  assert.equal((await service.get('/billing-attempts?status=failed', store.key)).body.meta.total, 1)
  await store.card(customer.id, 'success')
  await store.advance({ by: 'PT1H' })
  await reconcile(store)
  const { body } = await service.get('/billing-attempts?status=success', store.key)
  assert.equal(body.meta.total, 1)
  await store.advance({ by: 'P10D' })
  assert.equal((await controls.charges(store.storeId)).length, 1)
  assert.ok((await historyOf(store, id)).includes('charge_corrected'), (await historyOf(store, id)).join())
  await store.soundBooks()
})

test('a charge that the staff made is not made again, whether its message comes or a reconciliation finds it', async () => {
  for (const isLost of [false, true]) {
    const store = await service.aStore()
    const { contract_id: contractId } = await store.member('by-hand@example.com')
    await controls.setWebhookFaults({ storeId: store.storeId, faults: isLost ? GONE : null })
    await store.advance({ to: '2026-02-28T10:00:00Z' })
    const connector = await service.deps.connectorOf(store.storeId)
    const cycleAt = Temporal.Instant.from('2026-02-28T15:00:00Z')
    const charge = { contractId, idempotencyKey: 'by-hand', originTime: cycleAt, cycleAt }
    assert.ok((await connector.billing.createAttempt(charge)).ok)
    await service.deps.settle(store.storeId)
    if (isLost) await reconcile(store)
    await store.advance({ to: '2026-03-05T15:00:00Z' })
    const { body } = await service.get('/billing-attempts?status=success', store.key)
    assert.equal(body.meta.total, 1)
    assert.deepEqual(
      (await controls.charges(store.storeId)).map(({ idempotencyKey }) => idempotencyKey),
      ['by-hand']
    )
    await store.soundBooks()
  }
})

test('a renewal whose messages were all lost is settled by reading its attempt', async () => {
  const store = await service.aStore()
  await store.member('cy@example.com')
  await controls.setWebhookFaults({ storeId: store.storeId, faults: GONE })
  await store.advance({ to: '2026-02-28T15:00:00Z' })
  await reconcile(store)
  assert.equal((await service.get('/billing-attempts?status=success', store.key)).body.meta.total, 1)
  assert.equal((await controls.charges(store.storeId)).length, 1)
  await store.soundBooks()
})

test('a contract that is missing on the platform stops being billed, with one note, and continues when it is back', async () => {
  const store = await service.aStore()
  const { contract_id: id } = await store.member('di@example.com')
  const { contract_id: other } = await store.member('eva@example.com')
  const forget = (to: bigint) =>
    service.sandboxDb.direct.run(sql`
      update sandbox.contracts set store_id = ${Number(to)} where id = ${id}`)
  await forget(987_654_321n)
  await reconcile(store)
  assert.equal(await statusOf(store, id), 'paused')
  assert.equal(await statusOf(store, other), 'active')
  await reconcile(store)
  const recorded = (await alertsOf(store)).filter(({ kind }) => kind === 'contracts_missing')
  assert.equal(recorded.length, 1)
  assert.match(recorded[0]!.message, new RegExp(id))
  assert.equal((await historyOf(store, id)).filter((kind) => kind === 'reconciled').length, 1)
  await store.advance({ by: 'P1M' })
  assert.equal((await controls.charges(store.storeId)).length, 1)

  await forget(BigInt(store.storeId))
  await reconcile(store)
  assert.equal(await statusOf(store, id), 'active')
  await store.soundBooks()
})

test('webhook subscriptions that the platform removed are restored, and changes of the shop are read', async () => {
  const store = await service.aStore()
  await service.sandboxDb.direct.run(
    sql`delete from sandbox.webhook_subscriptions where store_id = ${store.storeId} and topic like 'subscription%'`
  )
  await controls.changeShop({ storeId: store.storeId, name: 'Renamed' })
  const { data } = await reconcile(store)
  const webhooks = data.find(({ kind }: { kind: string }) => kind === 'webhooks')
  assert.ok(webhooks.changed >= 10, `${webhooks.changed} changed`)
  assert.equal((await service.admin('GET', store.at)).name, 'Renamed')
  const { contract_id: id } = await store.member('fay@example.com')
  assert.equal(await statusOf(store, id), 'active')
})

test('a reconciliation continues after a crash, and a late page of the crashed process is refused', async () => {
  const store = await service.aStore()
  await store.member('gus@example.com')
  const claim = () => inStore(store, (ctx) => claimWalk(ctx, 4711))
  await inStore(store, reconcileNow)
  const walk = (await claim())!
  assert.equal(walk.kind, 'webhooks')
  await inStore(store, (ctx) => markWalked(ctx, walk, { seen: 50, changed: 2, after: 'place', lastId: '7' }))
  const again = (await claim())!
  assert.deepEqual([again.kind, again.pageAfter, again.lastId], ['webhooks', 'place', '7'])
  // The first process continues late.
  await inStore(store, (ctx) => markWalked(ctx, walk, { seen: 50, changed: 2, after: null }))
  const { seen } = (await inStore(store, listReconciliations)).find(({ kind }) => kind === 'webhooks')!
  assert.equal(seen, 50)
  await service.db.inStore(store.storeId, ({ tx, storeId }) =>
    tx.run(sql`update reconciliations set leased_until = null, page_after = null where store_id = ${storeId}`)
  )
  await service.deps.settle(store.storeId)
  const { count } = await inStore(store, ({ tx, storeId }) =>
    tx.one(
      row({ count: int }),
      sql`select count(*) as count from reconciliations where store_id = ${storeId} and finished_at is not null`
    )
  )
  assert.equal(count, 5)
})
