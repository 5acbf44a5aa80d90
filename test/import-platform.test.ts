// Contracts taken over from the platform's own list, and contracts made there for rows that have none.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createImportEngine, forgetCustomer } from '#imports'
import { int, row, sql, text } from '#kit/postgres'
import type { Connector } from '#platform'
import { type ConnectorCalls, withCalls } from './connectors.ts'
import { testDatabase } from './database.ts'
import { aStoreToMoveTo, csv } from './import-builder.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

/** An import engine of another process, whose connector is changed by `over`. */
const anotherEngine = (over: (connector: Connector) => ConnectorCalls) =>
  createImportEngine({
    db: service.db,
    leaseOwner: 999_998,
    connectorOf: async (storeId) => {
      const connector = await service.deps.connectorOf(storeId)
      return withCalls(connector, over(connector))
    }
  })

const inSandbox = (statement: Parameters<typeof service.sandboxDb.direct.run>[0]) =>
  service.sandboxDb.inInstallation((q) => q.run(statement))

const operationsOf = async (storeId: number) =>
  (
    await service.sandboxDb.direct.one(
      row({ count: int }),
      sql`select count(*) as count from sandbox.bulk_operations where store_id = ${storeId}`
    )
  ).count

const freeLeases = (storeId: number) =>
  service.db.inStore(storeId, ({ tx }) =>
    tx.run(sql`update imports set lease_owner = null, leased_until = null where store_id = ${storeId}`)
  )

test('everything that the platform has and that is not over, paused until a day and not charged', async () => {
  const moved = await aStoreToMoveTo(service)
  const { store } = moved
  await moved.contracts(710_001, 12, (i) => ({
    nextBillingAt: i % 2 ? '2026-01-10T15:00:00Z' : '2026-02-04T15:00:00Z'
  }))
  await moved.contracts(711_001, 3, () => ({ status: 'CANCELLED' }))
  const { id } = await moved.begin({ source: 'platform', mode: 'paused', paused_until: '2026-02-08T15:00:00Z' })
  assert.equal((await moved.begin({ source: 'platform', mode: 'paused', paused_until: '2026-02-08T15:00:00Z' })).id, id)
  await moved.settle()
  const shown = await moved.shown(id)
  assert.deepEqual(
    [shown.status, shown.total, shown.created, shown.refused, shown.lines_read, shown.pushed],
    ['done', 12, 12, 0, 15, 12]
  )
  assert.equal((await moved.counts()).attempts, 0)
  await store.advance({ to: '2026-02-09T15:00:00Z' })
  assert.equal((await moved.counts()).attempts, 0)
  // The next date of each series after the pause.
  await store.advance({ to: '2026-02-11T15:00:00Z' })
  assert.equal((await moved.charges()).length, 6)
  await store.advance({ to: '2026-03-05T15:00:00Z' })
  assert.equal((await moved.charges()).length, 12)
})

test('a walk through the platform leaves alone what others bill, until an import takes it over', async () => {
  const moved = await aStoreToMoveTo(service)
  await moved.contracts(713_001, 4, () => ({ nextBillingAt: '2026-02-10T15:00:00Z' }))
  const total = async () => (await service.get('/subscriptions', moved.store.key)).body.meta.total
  await service.admin('POST', `${moved.store.at}/reconcile`, undefined)
  assert.equal(await total(), 0)
  const { id } = await moved.begin({ source: 'platform' })
  await moved.settle()
  assert.deepEqual([(await moved.shown(id)).created, await total()], [4, 4])
  await service.admin('POST', `${moved.store.at}/reconcile`, undefined)
  await moved.store.advance({ to: '2026-02-11T15:00:00Z' })
  assert.equal((await moved.charges()).length, 4)
})

test('an operation that a crash left behind is found again; one that fails, or whose file is gone, is begun anew', async () => {
  const moved = await aStoreToMoveTo(service)
  const { storeId } = moved.store
  await moved.contracts(712_001, 5, () => ({ nextBillingAt: '2027-01-01T00:00:00Z' }))
  const { id } = await moved.begin({ source: 'platform' })
  const dying = anotherEngine((connector) => ({
    bulk: {
      run: async (query) => {
        await connector.bulk.run(query)
        throw new Error('Killed')
      }
    }
  }))
  await assert.rejects(dying.runOnce(storeId), /Killed/)
  await freeLeases(storeId)
  const other = anotherEngine(() => ({}))
  await other.runOnce(storeId)
  assert.equal(await operationsOf(storeId), 1)

  await inSandbox(
    sql`update sandbox.bulk_operations set status = 'FAILED', error_code = 'TIMEOUT', step_at = null where store_id = ${storeId}`
  )
  await moved.settle()
  assert.deepEqual(
    [(await moved.shown(id)).status, (await moved.shown(id)).error],
    ['fetching', 'The bulk operation is failed: timeout']
  )
  const { now } = await moved.store.advance({ by: 'PT1M' })
  assert.equal(now, '2026-01-31T15:01:00.000Z')
  assert.deepEqual([(await moved.shown(id)).status, await operationsOf(storeId)], ['done', 2])

  const { id: second } = await moved.begin({ source: 'platform' })
  await other.runOnce(storeId)
  for (let steps = 0; steps < 2; steps++) await service.sandbox.engine.runOnce(storeId)
  const gone = anotherEngine((connector) => ({
    bulk: {
      find: async (operationId) => {
        const found = await connector.bulk.find(operationId)
        assert.ok(found.ok && found.value)
        return { ok: true, value: { ...found.value, url: `${service.urls.sandbox}/nothing/bulk/1.jsonl` } }
      }
    }
  }))
  await gone.runOnce(storeId)
  assert.match((await moved.shown(second)).error, /answered 404/)
  await moved.store.advance({ by: 'PT10M' })
  const shown = await moved.shown(second)
  assert.deepEqual([shown.status, shown.total, shown.unchanged], ['done', 5, 5])
})

async function withCustomers(emails: string[]) {
  const moved = await aStoreToMoveTo(service)
  const customers = new Map<string, string>()
  for (const email of emails) customers.set(email, (await moved.store.customer(email)).id)
  return { ...moved, customers }
}

const COLUMNS = ['customer_id', 'email', 'plan', 'price', 'next_billing_date', 'cycles_paid', 'status', 'external_id']

test('rows without a contract: it is made on the platform, not charged, and charged once on its date', async () => {
  const moved = await withCustomers(['ada@example.com', 'ben@example.com', 'cleo@example.com'])
  const { store } = moved
  await inSandbox(sql`
    update sandbox.payment_methods set revoked_at = now()
     where store_id = ${store.storeId} and customer_id = ${moved.customers.get('cleo@example.com')!}`)
  const rows = [
    [moved.customers.get('ada@example.com')!, '', 'VIP', '19.50', '2026-02-10T15:00:00Z', 7, '', 'a'],
    ['', 'BEN@example.com', 'vip', '', '2026-02-11T15:00:00Z', '', 'paused', 'b'],
    ['', 'nobody@example.com', 'VIP', '', '2026-02-11T15:00:00Z', '', '', 'c'],
    ['', 'cleo@example.com', 'VIP', '', '2026-02-11T15:00:00Z', '', '', 'd'],
    ['', 'ada@example.com', 'Gold', '', '2026-02-11T15:00:00Z', '', '', 'e'],
    ['', 'ada@example.com', '', '', '2026-02-11T15:00:00Z', '', '', 'f']
  ]
  const id = await moved.import({ source: 'csv' }, csv(COLUMNS, rows))
  await moved.settle()
  const shown = await moved.shown(id)
  assert.deepEqual([shown.status, shown.created, shown.refused, shown.pushed], ['done', 2, 4, 2])
  assert.deepEqual(
    (await moved.refusedLines(id)).map(({ line, code, field }) => [line, code, field]),
    [
      [4, 'customer_not_found', 'email'],
      [5, 'no_payment_method', 'payment_method_id'],
      [6, 'plan_not_found', 'plan'],
      [7, 'invalid_field', 'plan']
    ]
  )
  const { contracts, attempts } = await moved.counts()
  assert.deepEqual([contracts, attempts], [2, 0])
  const { body } = await service.get('/subscriptions', store.key)
  assert.deepEqual(body.data.map((s: any) => [s.status, s.plan.name, s.plan.price, s.next_billing_date]).sort(), [
    ['active', 'VIP', 19.5, '2026-02-10T15:00:00.000Z'],
    ['paused', 'VIP', 29, null]
  ])
  // Sent once more, alone or in another file, they are the same contracts.
  const again = await moved.import({ source: 'csv' }, csv(COLUMNS, [rows[0]!, rows[1]!]))
  await moved.settle()
  assert.deepEqual([(await moved.shown(again)).unchanged, (await moved.counts()).contracts], [2, 2])

  await store.advance({ to: '2026-02-12T00:00:00Z' })
  assert.deepEqual(
    (await moved.charges()).map(({ amountMinor }) => amountMinor),
    [1950]
  )
})

test('an answer of the platform that is lost makes no second contract, whoever tells of the first', async () => {
  const moved = await withCustomers(['ada@example.com'])
  const { storeId } = moved.store
  const id = await moved.import(
    { source: 'csv' },
    csv(COLUMNS, [['', 'ada@example.com', 'VIP', '', '2026-02-20T15:00:00Z', 3, '', '']])
  )
  const losing = anotherEngine((connector) => ({
    contracts: {
      create: async (requests) => {
        await connector.contracts.create(requests)
        return requests.map(() => ({
          ok: false,
          failure: { kind: 'unavailable', message: 'The platform did not answer', outcomeUnknown: true }
        }))
      }
    }
  }))
  await losing.runOnce(storeId)
  // The platform's own message about the contract comes before we know of it.
  await moved.settle()
  const waiting = await moved.shown(id)
  assert.deepEqual([waiting.created, waiting.waiting, waiting.error], [0, 1, 'The platform did not answer'])
  assert.equal((await service.get('/subscriptions', moved.store.key)).body.meta.total, 0)
  await moved.store.advance({ by: 'PT2M' })
  const shown = await moved.shown(id)
  assert.deepEqual([shown.status, shown.created, shown.refused], ['done', 1, 0])
  assert.equal((await moved.counts()).contracts, 1)
  const cycles = await service.db.inStore(storeId, ({ tx }) =>
    tx.many(row({ cycleIndex: int }), sql`select cycle_index from subscriptions where store_id = ${storeId}`)
  )
  assert.deepEqual(cycles, [{ cycleIndex: 3 }])
})

test('one that was cancelled while a contract was being made takes that contract over, and makes no other', async () => {
  const moved = await withCustomers(['ada@example.com', 'ben@example.com'])
  const { storeId } = moved.store
  const rows = ['ada@example.com', 'ben@example.com'].map((email) => [
    '',
    email,
    'VIP',
    '',
    '2026-02-20T15:00:00Z',
    '',
    '',
    ''
  ])
  const id = await moved.import({ source: 'csv' }, csv(COLUMNS, rows))
  const dying = anotherEngine((connector) => ({
    contracts: {
      create: async (requests) => {
        await connector.contracts.create(requests.slice(0, 1))
        throw new Error('Killed')
      }
    }
  }))
  await assert.rejects(dying.runOnce(storeId), /Killed/)
  await service.admin('POST', `${moved.store.at}/imports/${id}/cancel`, {})
  await service.db.inStore(storeId, ({ tx }) =>
    tx.run(sql`update import_rows set requested_at = requested_at - interval '2 minutes' where store_id = ${storeId}`)
  )
  await moved.settle()
  const shown = await moved.shown(id)
  assert.deepEqual([shown.status, shown.created, shown.refused], ['cancelled', 1, 1])
  assert.equal((await moved.counts()).contracts, 1)
})

test('what rows say of a person is removed with the person', async () => {
  const moved = await withCustomers(['ada@example.com', 'ben@example.com'])
  const rows = ['ada@example.com', 'ben@example.com'].map((email) => [
    '',
    email,
    'Gold',
    '',
    '2026-02-20T15:00:00Z',
    '',
    '',
    ''
  ])
  const id = await moved.import({ source: 'csv' }, csv(COLUMNS, rows))
  await moved.settle()
  const person = { platformCustomerId: moved.customers.get('ada@example.com')!, email: 'ada@example.com' }
  assert.equal(await service.db.inStore(moved.store.storeId, (ctx) => forgetCustomer(ctx, person)), 1)
  assert.deepEqual(
    (await moved.refusedLines(id)).map(({ row: fields }) => fields?.email ?? null),
    [null, 'ben@example.com']
  )
  // The platform tells of a deletion by number only; the address is the one that we know.
  const number = { platformCustomerId: moved.customers.get('ben@example.com')!, email: null }
  assert.equal(await service.db.inStore(moved.store.storeId, (ctx) => forgetCustomer(ctx, number)), 1)
  const kept = await service.db.inStore(moved.store.storeId, ({ tx, storeId }) =>
    tx.many(row({ code: text }), sql`select refusal_code as code from import_rows where store_id = ${storeId}`)
  )
  assert.deepEqual(kept, [{ code: 'plan_not_found' }, { code: 'plan_not_found' }])
})

test('a file whose end comes while its import is given up as late is imported', async () => {
  const moved = await aStoreToMoveTo(service)
  const [contract] = await moved.contracts(750_001, 1, () => ({ nextBillingAt: '2026-02-04T15:00:00Z' }))
  const { storeId } = moved.store
  const { id } = await moved.begin({ source: 'csv', mode: 'paused' })
  await service.db.inStore(storeId, ({ tx }) =>
    tx.run(sql`update imports set due_at = '2026-01-01T00:00:00Z' where store_id = ${storeId}`)
  )
  let calls = 0
  const slow: typeof service.db = Object.create(service.db, {
    inStore: {
      value: async (...[store, work]: Parameters<typeof service.db.inStore>) => {
        if (++calls === 2) assert.equal((await moved.send(id, csv(['contract_id'], [[contract!]]))).status, 200)
        return service.db.inStore(store, work)
      }
    }
  })
  const late = createImportEngine({ db: slow, leaseOwner: 999_997, connectorOf: service.deps.connectorOf })
  await late.runOnce(storeId)
  assert.equal((await moved.shown(id)).status, 'running')
  await moved.settle()
  assert.deepEqual(((shown) => [shown.status, shown.created])(await moved.shown(id)), ['done', 1])
})

test('what a file said of people is removed after its time also where the platform took the app off', async () => {
  const moved = await aStoreToMoveTo(service)
  const { store } = moved
  const id = await moved.import({ source: 'csv' }, csv(['contract_id', 'email'], [['5', 'ada@example.com']]))
  await moved.settle()
  await service.admin('POST', `${store.at}/sandbox/uninstalls`, {})
  await store.advance({ by: 'P29D' })
  assert.deepEqual(
    (await moved.refusedLines(id)).map(({ row: fields }) => fields?.email),
    ['ada@example.com']
  )
  await store.advance({ by: 'P2D' })
  assert.deepEqual(
    (await moved.refusedLines(id)).map(({ row: fields }) => fields),
    [null]
  )
})
