// A store whose database is older than its platform, as after a restore: held until the platform was read, and then as if nothing
// had been lost. "After the backup" is made here by charging on the platform, under our keys, behind the service's back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bool, instant, int, nullable, row, sql, text } from '#kit/postgres'
import { findRestore, tickEpoch, writePlace } from '#stores'
import { openDueAttempts } from '../src/billing/charging/open-attempts.ts'
import { holdRestoredStore } from '../src/sync/restored-store.ts'
import { changeContractStatus } from './change-contract-status.ts'
import { connectorTo } from './connectors.ts'
import { testDatabase } from './database.ts'
import { aReceiver } from './receiver.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

type Store = Awaited<ReturnType<typeof service.aStore>>

const inStore = <T>(store: Store, work: Parameters<typeof service.db.inStore<T>>[1]) =>
  service.db.inStore(store.storeId, work)
const reconcile = (store: Store) => service.admin('POST', `${store.at}/reconcile`, {})
const charges = (store: Store) => service.sandbox.controls.charges(store.storeId)
const isHeld = async (store: Store) => (await service.admin('GET', store.at)).restored_at !== null

/** Charges on the platform as the service would have after the backup, and waits for the result there. */
async function chargeThere(store: Store, contractId: string, key: string, at: string): Promise<void> {
  const connector = connectorTo({
    storeId: store.storeId,
    profile: 'platform',
    url: store.platform_url,
    accessToken: store.platform_token
  })
  const time = Temporal.Instant.from(at)
  const made = await connector.billing.createAttempt({
    contractId,
    idempotencyKey: key,
    originTime: time,
    cycleAt: time
  })
  assert.ok(made.ok, JSON.stringify(made))
}

const Row = row({
  cycleIndex: int,
  attemptNumber: int,
  status: text,
  errorCode: nullable(text),
  idempotencyKey: text
})
const attemptsOf = (store: Store) =>
  inStore(store, ({ tx, storeId }) =>
    tx.many(
      Row,
      sql`select cycle_index, attempt_number, status, error_code, idempotency_key from billing_attempts
           where store_id = ${storeId} order by cycle_index, attempt_number`
    )
  )
/** All charges of the store's only subscription: number, status and error code. */
async function assertAttempts(store: Store, expected: [number, string, string | null][]) {
  const attempts = await attemptsOf(store)
  assert.deepEqual(
    attempts.map(({ attemptNumber, status, errorCode }) => [attemptNumber, status, errorCode]),
    expected
  )
}
const scheduleOf = (store: Store) =>
  inStore(store, ({ tx, storeId }) =>
    tx.one(
      row({
        cycleIndex: int,
        nextCycle: int,
        cyclesPaid: int,
        nextBillingAt: nullable(instant),
        isInBilling: bool,
        status: text
      }),
      sql`select cycle_index, next_cycle, cycles_paid, next_billing_at, billing_due_at is null as is_in_billing, status
            from subscriptions where store_id = ${storeId}`
    )
  )
async function dateThere(contractId: string): Promise<string> {
  const { at } = await service.sandboxDb.direct.one(
    row({ at: instant }),
    sql`select next_billing_at as at from sandbox.contracts where id = ${contractId}`
  )
  return at.toString()
}
/** What was recorded of charges, in order, without retries. */
async function eventsOf(store: Store): Promise<string[]> {
  const facts = await inStore(store, ({ tx, storeId }) =>
    tx.many(
      row({ name: text }),
      sql`select name from facts where store_id = ${storeId} and name in ('billing.pending', 'billing.failed', 'billing.success')
           order by id`
    )
  )
  return facts.map(({ name }) => name)
}
const alertsOf = async (store: Store): Promise<string[]> =>
  (await service.admin('GET', `${store.at}/alerts`)).data.map(({ kind }: { kind: string }) => kind)

/** The service hears nothing of what the sandbox does, which a store that is down does not either. */
async function aSilentStore({ alsoCarol = false } = {}) {
  const store = await service.aStore()
  const member = await store.member('ada@example.com')
  if (alsoCarol) await store.member('carol@example.com')
  await service.sandbox.controls.setWebhookFaults({ storeId: store.storeId, faults: { drop: 1 } })
  return { store, ...member }
}

/** What the card does at each charge. Unlike `store.card` it does nothing that is due. */
const cards = (store: Store, customerId: string, outcome: string[]) =>
  service.sandbox.controls.setCard({ storeId: store.storeId, customerId, outcome })

const hold = (store: Store) => inStore(store, holdRestoredStore)

/** The store's clock, set as real time goes on while the service is down: nothing that falls due is done. */
const passTime = (store: Store, to: string) =>
  service.db.inInstallation((tx) => tx.run(sql`update stores set clock_at = ${to} where store_id = ${store.storeId}`))

test('a charge of ours that is not known here proves an older database: it is taken over', async () => {
  const { store, contract_id: contract } = await aSilentStore()
  await chargeThere(store, contract, `svc-${contract}-2-1`, '2026-02-28T15:00:00Z')
  await service.sandbox.engine.runOnce(store.storeId)
  await reconcile(store)
  assert.deepEqual(
    (await attemptsOf(store)).map(({ idempotencyKey, status }) => [idempotencyKey, status]),
    [[`svc-${contract}-2-1`, 'success']]
  )
  assert.equal(await isHeld(store), false)
  assert.deepEqual((await alertsOf(store)).slice(0, 2), ['restore_finished', 'restored'])
  const known = await alertsOf(store)
  await reconcile(store)
  assert.deepEqual(await alertsOf(store), known, 'what was taken over is known from then on')
})

test('a cycle that was paid after the backup is not charged again', async () => {
  const { store, contract_id: contract } = await aSilentStore()
  await passTime(store, '2026-03-01T15:00:00Z')
  await hold(store)
  await chargeThere(store, contract, `svc-${contract}-2-1`, '2026-02-28T15:00:00Z')
  await service.sandbox.engine.runOnce(store.storeId)
  await reconcile(store)
  assert.deepEqual(
    (await attemptsOf(store)).map(({ idempotencyKey, status }) => [idempotencyKey, status]),
    [[`svc-${contract}-2-1`, 'success']]
  )
  const { nextCycle, nextBillingAt, cyclesPaid } = await scheduleOf(store)
  assert.deepEqual([nextCycle, cyclesPaid, nextBillingAt!.toString()], [3, 2, '2026-03-31T14:00:00Z'])
  assert.equal(await isHeld(store), false)
  assert.equal(await dateThere(contract), '2026-03-31T14:00:00Z', 'a date that had not arrived there is set')
  await store.advance({ to: '2026-04-01T15:00:00Z' })
  assert.deepEqual(
    (await charges(store)).map(({ idempotencyKey }) => idempotencyKey),
    [2, 3].map((cycle) => `svc-${contract}-${cycle}-1`)
  )
  await store.soundBooks()
})

test('what changed on the platform after a charge that is taken over holds', async () => {
  const { store, contract_id: contract } = await aSilentStore()
  await passTime(store, '2026-03-01T15:00:00Z')
  await hold(store)
  await chargeThere(store, contract, `svc-${contract}-2-1`, '2026-02-28T15:00:00Z')
  await service.sandbox.engine.runOnce(store.storeId)
  assert.deepEqual(await changeContractStatus(store, contract, 'Pause'), [])
  await reconcile(store)
  const { nextCycle, status } = await scheduleOf(store)
  assert.deepEqual([nextCycle, status], [3, 'paused'])
})

test('an attempt that was not sent by the time of the backup gives way to a later one that was', async () => {
  const { store, contract_id: contract } = await aSilentStore()
  await passTime(store, '2026-03-01T15:00:00Z')
  assert.equal(await inStore(store, (ctx) => openDueAttempts(ctx, 10)), 1)
  await hold(store)
  await chargeThere(store, contract, `svc-${contract}-2-2`, '2026-02-28T15:00:00Z')
  await service.sandbox.engine.runOnce(store.storeId)
  await reconcile(store)
  await assertAttempts(store, [
    [1, 'failed', 'superseded'],
    [2, 'success', null]
  ])
  await store.soundBooks()
})

test('an attempt that was open at the time of the backup ends as it ended there, before a later one is taken over', async () => {
  const { store, customer, contract_id: contract } = await aSilentStore()
  await passTime(store, '2026-03-01T15:00:00Z')
  await inStore(store, (ctx) => openDueAttempts(ctx, 10))
  await cards(store, customer.id, ['insufficient_funds', 'success'])
  await chargeThere(store, contract, `svc-${contract}-2-1`, '2026-02-28T15:00:00Z')
  await service.sandbox.engine.runOnce(store.storeId)
  await passTime(store, '2026-03-03T15:00:00Z')
  // It was sent before the backup, and what the platform had until then has been read.
  await inStore(store, async ({ tx, storeId }) => {
    await tx.run(sql`update billing_attempts set submitted_at = created_at where store_id = ${storeId}`)
    await tx.run(sql`update reconciliations set cursor_at = '2026-03-03T15:00:00Z' where store_id = ${storeId}`)
  })
  await hold(store)
  await chargeThere(store, contract, `svc-${contract}-2-2`, '2026-02-28T15:00:00Z')
  await service.sandbox.engine.runOnce(store.storeId)
  await reconcile(store)
  await assertAttempts(store, [
    [1, 'failed', 'card_declined'],
    [2, 'success', null]
  ])
  assert.deepEqual(await eventsOf(store), ['billing.pending', 'billing.failed', 'billing.pending', 'billing.success'])
})

test('a decline and its paid retry are taken over one after the other', async () => {
  const { store, customer, contract_id: contract } = await aSilentStore()
  await store.card(customer.id, 'insufficient_funds')
  await chargeThere(store, contract, `svc-${contract}-2-1`, '2026-02-28T15:00:00Z')
  await service.sandbox.engine.runOnce(store.storeId)
  await store.card(customer.id, 'success')
  await chargeThere(store, contract, `svc-${contract}-2-2`, '2026-02-28T15:00:00Z')
  await service.sandbox.engine.runOnce(store.storeId)
  await passTime(store, '2026-03-02T15:00:00Z')
  await hold(store)
  await reconcile(store)
  await assertAttempts(store, [
    [1, 'failed', 'card_declined'],
    [2, 'success', null]
  ])
  assert.deepEqual(
    (await alertsOf(store)).filter((kind) => kind === 'restored'),
    ['restored'],
    'both were taken over in one reading'
  )
  assert.equal((await scheduleOf(store)).nextCycle, 3)
  await store.advance({ by: 'P10D' })
  assert.equal((await charges(store)).length, 1)
  await store.soundBooks()
})

test('a charge that waits for its customer there keeps its cycle from being charged', async () => {
  const { store, customer, contract_id: contract } = await aSilentStore()
  await store.card(customer.id, '3ds')
  await passTime(store, '2026-03-01T15:00:00Z')
  await chargeThere(store, contract, `svc-${contract}-2-1`, '2026-02-28T15:00:00Z')
  await service.sandbox.engine.runOnce(store.storeId)
  await hold(store)
  await reconcile(store)
  const open = await attemptsOf(store)
  assert.deepEqual(
    open.map(({ status, idempotencyKey }) => [status, idempotencyKey]),
    [['pending', `svc-${contract}-2-1`]]
  )
  assert.equal((await scheduleOf(store)).isInBilling, true)
  assert.equal(await isHeld(store), false)
  await store.advance({ by: 'PT2H' })
  assert.equal((await attemptsOf(store)).length, 1)
})

test('an open charge of a later cycle keeps the cycles before it from being charged', async () => {
  const { store, customer, contract_id: contract } = await aSilentStore()
  await service.admin('PATCH', `${store.at}/settings`, { billing: { catch_up: 'all' } })
  await store.card(customer.id, '3ds')
  await passTime(store, '2026-04-01T15:00:00Z')
  await chargeThere(store, contract, `svc-${contract}-3-1`, '2026-03-31T14:00:00Z')
  await service.sandbox.engine.runOnce(store.storeId)
  await hold(store)
  await reconcile(store)
  await store.advance({ by: 'PT1H' })
  assert.deepEqual(
    (await attemptsOf(store)).map(({ cycleIndex, status }) => [cycleIndex, status]),
    [[3, 'pending']]
  )
})

test('cycles that were skipped after the backup are not charged when a later one was', async () => {
  const { store, contract_id: contract } = await aSilentStore()
  await passTime(store, '2026-04-01T15:00:00Z')
  await hold(store)
  await chargeThere(store, contract, `svc-${contract}-3-1`, '2026-03-31T14:00:00Z')
  await service.sandbox.engine.runOnce(store.storeId)
  await reconcile(store)
  const { cycleIndex, nextCycle, cyclesPaid } = await scheduleOf(store)
  assert.deepEqual([cycleIndex, nextCycle, cyclesPaid], [3, 4, 2])
  await store.advance({ by: 'P10D' })
  assert.equal((await charges(store)).length, 1)
})

test('a held store charges nothing, changes nothing there and sends nothing, and says why; then it goes on', async () => {
  const receiver = await aReceiver()
  const { store, contract_id: contract } = await aSilentStore({ alsoCarol: true })
  await service.admin('POST', `${store.at}/webhooks`, { url: receiver.url })
  const { body } = await service.get('/subscriptions', store.key)
  const ada = body.data.find(({ customer }: { customer: { email: string } }) => customer.email === 'ada@example.com')
  const statusThere = async () => {
    const { status } = await service.sandboxDb.direct.one(
      row({ status: text }),
      sql`select status from sandbox.contracts where store_id = ${store.storeId} and id = ${contract}`
    )
    return status
  }
  await service.sandbox.controls.install({ storeId: store.storeId, accessToken: 'another-token' })
  await hold(store)
  // Billing is held by this mark too, for nodes of an older version; here the other one has to hold alone.
  await inStore(store, ({ tx, storeId }) =>
    tx.run(sql`update stores set catching_up = false where store_id = ${storeId}`)
  )
  // At the time of the backup the endpoint failed.
  await inStore(store, ({ tx, storeId }) =>
    tx.run(sql`
      update webhook_endpoints set failing_since = '2026-02-01T00:00:00Z', warn_at = '2026-02-02T00:00:00Z'
       where store_id = ${storeId}`)
  )
  const other = await store.member('bob@example.com')
  assert.equal((await service.post(`/subscriptions/${ada.id}/pause`, store.key, {})).status, 200)
  await store.advance({ to: '2026-03-05T15:00:00Z' })
  assert.equal(await isHeld(store), true)
  assert.deepEqual(
    [receiver.received.length, (await charges(store)).length, (await attemptsOf(store)).length, await statusThere()],
    [0, 0, 0, 'ACTIVE']
  )
  assert.deepEqual((await alertsOf(store)).includes('webhook_endpoint_failing'), false)
  const { warnings } = await service.admin('POST', '/doctor', { store: store.id })
  assert.deepEqual(
    warnings.map(({ check }: { check: string }) => check),
    ['restored_store_on_hold']
  )
  assert.match(warnings[0].message, /still to be read: all_contracts, attempts \(failed: .*401.*\), failed_attempts/)

  await service.sandbox.controls.install({ storeId: store.storeId, accessToken: store.platform_token })
  await reconcile(store)
  assert.equal(await isHeld(store), false)
  await store.advance({ by: 'PT1H' })
  assert.ok(receiver.received.length > 0)
  assert.equal(await statusThere(), 'PAUSED', 'what was asked for during the hold is done')
  // Carol, and Bob, who joined meanwhile; Ada's pause holds.
  const charged = (await charges(store)).map(({ contractId }) => contractId)
  assert.equal(charged.length, 2)
  assert.ok(charged.includes(other.contract_id) && !charged.includes(contract))
})

test('an operator ends the hold of a store whose platform is gone', async () => {
  const { store } = await aSilentStore()
  await service.sandbox.controls.install({ storeId: store.storeId, accessToken: 'another-token' })
  await hold(store)
  const { released } = await service.admin('POST', `${store.at}/release`, {})
  assert.equal(released, true)
  assert.equal(await isHeld(store), false)
  assert.equal((await service.admin('POST', `${store.at}/release`, {})).released, false)
})

test('numbers of events that receivers saw after the backup are not given again, and reading on from them misses nothing', async () => {
  const receiver = await aReceiver()
  const { store } = await aSilentStore()
  await service.admin('POST', `${store.at}/webhooks`, { url: receiver.url })
  const pause = async () => {
    const { body } = await service.get('/subscriptions', store.key)
    const subscription = body.data[0]
    const action = subscription.status === 'paused' ? 'resume' : 'pause'
    assert.equal((await service.post(`/subscriptions/${subscription.id}/${action}`, store.key, {})).status, 200)
    await store.advance({ by: 'PT1M' })
  }
  const list = async (since: number) => {
    const { status, body } = await service.get(`/events?since=${since}`, store.key)
    return { status, events: status === 200 ? body.data.map(({ event }: { event: string }) => event) : body }
  }
  await pause()
  const sequenceOf = (nth: number) => Number(receiver.received.at(nth)!.raw.headers['x-svc-sequence'])
  const last = sequenceOf(-1)
  assert.ok(last > 0)
  // What was sent between the backup and the restore had numbers up to this one.
  const seen = last + 100_000
  assert.equal((await list(seen)).status, 400)

  await hold(store)
  assert.deepEqual(await list(seen), { status: 200, events: [] })
  await reconcile(store)
  assert.equal(await isHeld(store), false)
  await pause()
  assert.ok(sequenceOf(-1) > seen, `${sequenceOf(-1)} is above ${seen}`)
  const { events } = await list(seen)
  assert.deepEqual(events, ['subscription.resumed'])
  await store.soundBooks()
})

test('a database that was copied or set back is noticed, and one that was not is not', async () => {
  const { db } = await testDatabase()
  assert.equal(await findRestore(db, null), null, 'a new database')
  await writePlace(db, null)
  const seen = await tickEpoch(db)
  assert.equal(await findRestore(db, seen), null)
  await tickEpoch(db)
  assert.equal(await findRestore(db, seen), null, 'another node went on')
  assert.equal(await findRestore(db, { id: seen.id, epoch: seen.epoch + 5 }), 'older')
  assert.equal(
    await findRestore(db, { id: '00000000-0000-4000-8000-000000000000', epoch: 1_000 }),
    null,
    'of another installation'
  )
  await writePlace(db, { id: seen.id, epoch: seen.epoch + 5 })
  assert.equal(
    await findRestore(db, { id: seen.id, epoch: seen.epoch + 9 }),
    null,
    'another node had seen a little more'
  )
  await db.inInstallation((tx) => tx.run(sql`update installation set place = place || '0'`))
  assert.equal(await findRestore(db, seen), 'copied')
})
