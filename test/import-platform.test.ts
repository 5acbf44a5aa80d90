// Imports of the platform's own list, and of rows without a contract, for which one is created on the platform.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createImportEngine, forgetCustomer } from '#imports'
import { int, row, sql, text } from '#kit/postgres'
import type { Connector } from '#platform'
import { type ConnectorCalls, withCalls } from './connectors.ts'
import { testDatabase } from './database.ts'
import { aStoreForImports, aStoreWithCustomers, csv } from './import-builder.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

/** An import engine of another process, with some of its connector's calls replaced. */
const anotherEngine = (replacements: (connector: Connector) => ConnectorCalls) =>
  createImportEngine({
    db: service.db,
    leaseOwner: 999_998,
    connectorOf: async (storeId) => {
      const connector = await service.deps.connectorOf(storeId)
      return withCalls(connector, replacements(connector))
    }
  })

const inSandbox = (statement: Parameters<typeof service.sandboxDb.direct.run>[0]) =>
  service.sandboxDb.inInstallation((q) => q.run(statement))

const operationsOf = async (storeId: number) =>
  (
    await service.sandboxDb.direct.one(
      row({ count: int }),
      sql`
      select count(*) as count from sandbox.bulk_operations
       where store_id = ${storeId} and query not like '%metafields%'`
    )
  ).count

const releaseLeases = (storeId: number) =>
  service.db.inStore(storeId, ({ tx }) =>
    tx.run(sql`update imports set lease_owner = null, leased_until = null where store_id = ${storeId}`)
  )

test('importing the platform as paused takes every live contract and charges none before the pause ends', async () => {
  const imports = await aStoreForImports(service)
  const { store } = imports
  await imports.contracts(710_001, 12, (i) => ({
    nextBillingAt: i % 2 ? '2026-01-10T15:00:00Z' : '2026-02-04T15:00:00Z'
  }))
  await imports.contracts(711_001, 3, () => ({ status: 'CANCELLED' }))
  const { id } = await imports.start({ source: 'platform', mode: 'paused', paused_until: '2026-02-08T15:00:00Z' })
  assert.equal(
    (await imports.start({ source: 'platform', mode: 'paused', paused_until: '2026-02-08T15:00:00Z' })).id,
    id
  )
  await imports.settle()
  const shown = await imports.show(id)
  assert.deepEqual(
    [shown.status, shown.total, shown.created, shown.refused, shown.lines_read, shown.pushed],
    ['done', 12, 12, 0, 15, 12]
  )
  assert.equal((await imports.counts()).attempts, 0)
  await store.advance({ to: '2026-02-09T15:00:00Z' })
  assert.equal((await imports.counts()).attempts, 0)
  // After the pause each contract is charged on the next date of its own series.
  await store.advance({ to: '2026-02-11T15:00:00Z' })
  assert.equal((await imports.charges()).length, 6)
  await store.advance({ to: '2026-03-05T15:00:00Z' })
  assert.equal((await imports.charges()).length, 12)
})

test('a reconciliation ignores contracts that another service bills until an import takes them over', async () => {
  const imports = await aStoreForImports(service)
  await imports.contracts(713_001, 4, () => ({ nextBillingAt: '2026-02-10T15:00:00Z' }))
  const total = async () => (await service.get('/subscriptions', imports.store.key)).body.meta.total
  await service.admin('POST', `${imports.store.at}/reconcile`, undefined)
  assert.equal(await total(), 0)
  const { id } = await imports.start({ source: 'platform' })
  await imports.settle()
  assert.deepEqual([(await imports.show(id)).created, await total()], [4, 4])
  await service.admin('POST', `${imports.store.at}/reconcile`, undefined)
  await imports.store.advance({ to: '2026-02-11T15:00:00Z' })
  assert.equal((await imports.charges()).length, 4)
})

test('an operation that a crash left behind is found again; one that failed, or whose file is gone, is started again', async () => {
  const imports = await aStoreForImports(service)
  const { storeId } = imports.store
  await imports.contracts(712_001, 5, () => ({ nextBillingAt: '2027-01-01T00:00:00Z' }))
  const { id } = await imports.start({ source: 'platform' })
  const dying = anotherEngine((connector) => ({
    bulk: {
      run: async (query) => {
        await connector.bulk.run(query)
        throw new Error('Killed')
      }
    }
  }))
  await assert.rejects(dying.runOnce(storeId), /Killed/)
  await releaseLeases(storeId)
  const other = anotherEngine(() => ({}))
  await other.runOnce(storeId)
  assert.equal(await operationsOf(storeId), 1)

  await inSandbox(
    sql`update sandbox.bulk_operations set status = 'FAILED', error_code = 'TIMEOUT', step_at = null where store_id = ${storeId}`
  )
  await imports.settle()
  assert.deepEqual(
    [(await imports.show(id)).status, (await imports.show(id)).error],
    ['fetching', 'The bulk operation is failed: timeout']
  )
  const { now } = await imports.store.advance({ by: 'PT1M' })
  assert.equal(now, '2026-01-31T15:01:00.000Z')
  assert.deepEqual([(await imports.show(id)).status, await operationsOf(storeId)], ['done', 2])

  const { id: second } = await imports.start({ source: 'platform' })
  await other.runOnce(storeId)
  for (let steps = 0; steps < 2; steps++) await service.sandbox.engine.runOnce(storeId)
  const gone = anotherEngine((connector) => ({
    bulk: {
      find: async (operationId) => {
        const found = await connector.bulk.find(operationId)
        assert.ok(found.ok && found.value)
        const file = { url: `${service.urls.sandbox}/nothing/bulk/1.jsonl`, isOnPlatform: true }
        return { ok: true, value: { ...found.value, file } }
      }
    }
  }))
  await gone.runOnce(storeId)
  assert.match((await imports.show(second)).error, /answered 404/)
  await imports.store.advance({ by: 'PT10M' })
  const shown = await imports.show(second)
  assert.deepEqual([shown.status, shown.total, shown.unchanged], ['done', 5, 5])
})

const withCustomers = (emails: string[]) => aStoreWithCustomers(service, emails)

const COLUMNS = ['customer_id', 'email', 'plan', 'price', 'next_billing_date', 'cycles_paid', 'status', 'external_id']

test('a row without a contract creates one on the platform, uncharged, and it is charged once on its date', async () => {
  const imports = await withCustomers(['ada@example.com', 'ben@example.com', 'cleo@example.com'])
  const { store } = imports
  await inSandbox(sql`
    update sandbox.payment_methods set revoked_at = now()
     where store_id = ${store.storeId} and customer_id = ${imports.customers.get('cleo@example.com')!}`)
  const rows = [
    [imports.customers.get('ada@example.com')!, '', 'VIP', '19.50', '2026-02-10T15:00:00Z', 7, '', 'a'],
    ['', 'BEN@example.com', 'vip', '', '2026-02-11T15:00:00Z', '', 'paused', 'b'],
    ['', 'nobody@example.com', 'VIP', '', '2026-02-11T15:00:00Z', '', '', 'c'],
    ['', 'cleo@example.com', 'VIP', '', '2026-02-11T15:00:00Z', '', '', 'd'],
    ['', 'ada@example.com', 'Gold', '', '2026-02-11T15:00:00Z', '', '', 'e'],
    ['', 'ada@example.com', '', '', '2026-02-11T15:00:00Z', '', '', 'f']
  ]
  const id = await imports.import({ source: 'csv' }, csv(COLUMNS, rows))
  await imports.settle()
  const shown = await imports.show(id)
  assert.deepEqual([shown.status, shown.created, shown.refused, shown.pushed], ['done', 2, 4, 2])
  assert.deepEqual(
    (await imports.refusedLines(id)).map(({ line, code, field }) => [line, code, field]),
    [
      [4, 'customer_not_found', 'email'],
      [5, 'no_payment_method', 'payment_method_id'],
      [6, 'plan_not_found', 'plan'],
      [7, 'invalid_field', 'plan']
    ]
  )
  const { contracts, attempts } = await imports.counts()
  assert.deepEqual([contracts, attempts], [2, 0])
  const { body } = await service.get('/subscriptions', store.key)
  assert.deepEqual(body.data.map((s: any) => [s.status, s.plan.name, s.plan.price, s.next_billing_date]).sort(), [
    ['active', 'VIP', 19.5, '2026-02-10T15:00:00.000Z'],
    ['paused', 'VIP', 29, null]
  ])
  // The same rows in another file refer to the same contracts.
  const again = await imports.import({ source: 'csv' }, csv(COLUMNS, [rows[0]!, rows[1]!]))
  await imports.settle()
  assert.deepEqual([(await imports.show(again)).unchanged, (await imports.counts()).contracts], [2, 2])

  await store.advance({ to: '2026-02-12T00:00:00Z' })
  assert.deepEqual(
    (await imports.charges()).map(({ amountMinor }) => amountMinor),
    [1950]
  )
})

test('a contract created from a corrected report is not created again by the original file', async () => {
  const imports = await withCustomers(['ada@example.com'])
  const fileWith = (date: string) => csv(COLUMNS, [['', 'ada@example.com', 'VIP', '', date, '', '', '+4917']])
  const original = fileWith('2026-02-30')
  const first = await imports.import({ source: 'csv' }, original)
  await imports.settle()
  const report = (await imports.report(first, 'csv')).trimEnd().split('\r\n')
  const corrected = report.map((line) => line.replace('02-30', '02-20').split(',').slice(0, COLUMNS.length).join(','))
  assert.match(corrected[1]!, /,'\+4917$/)
  for (const [file, expected] of [
    [`${corrected.join('\n')}\n`, { created: 1, unchanged: 0, refused: 0 }],
    [fileWith('2026-02-20'), { created: 0, unchanged: 1, refused: 0 }]
  ] as const) {
    const id = await imports.import({ source: 'csv' }, file)
    await imports.settle()
    const { created, unchanged, refused } = await imports.show(id)
    assert.deepEqual({ created, unchanged, refused }, expected)
  }
  assert.equal((await imports.counts()).contracts, 1)
})

test("a lost response of the platform creates no second contract, even if the first one's message arrives earlier", async () => {
  const imports = await withCustomers(['ada@example.com'])
  const { storeId } = imports.store
  const id = await imports.import(
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
  // The platform's message about the contract arrives before the import has stored it.
  await imports.settle()
  const waiting = await imports.show(id)
  assert.deepEqual([waiting.created, waiting.waiting, waiting.error], [0, 1, 'The platform did not answer'])
  assert.equal((await service.get('/subscriptions', imports.store.key)).body.meta.total, 0)
  await imports.store.advance({ by: 'PT2M' })
  const shown = await imports.show(id)
  assert.deepEqual([shown.status, shown.created, shown.refused], ['done', 1, 0])
  assert.equal((await imports.counts()).contracts, 1)
  const cycles = await service.db.inStore(storeId, ({ tx }) =>
    tx.many(row({ cycleIndex: int }), sql`select cycle_index from subscriptions where store_id = ${storeId}`)
  )
  assert.deepEqual(cycles, [{ cycleIndex: 3 }])
})

test('an import cancelled while it creates a contract imports that contract and creates no other', async () => {
  const imports = await withCustomers(['ada@example.com', 'ben@example.com'])
  const { storeId } = imports.store
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
  const id = await imports.import({ source: 'csv' }, csv(COLUMNS, rows))
  const dying = anotherEngine((connector) => ({
    contracts: {
      create: async (requests) => {
        await connector.contracts.create(requests.slice(0, 1))
        throw new Error('Killed')
      }
    }
  }))
  await assert.rejects(dying.runOnce(storeId), /Killed/)
  await service.admin('POST', `${imports.store.at}/imports/${id}/cancel`, {})
  await service.db.inStore(storeId, ({ tx }) =>
    tx.run(sql`update import_rows set requested_at = requested_at - interval '2 minutes' where store_id = ${storeId}`)
  )
  await imports.settle()
  const shown = await imports.show(id)
  assert.deepEqual([shown.status, shown.created, shown.refused], ['cancelled', 1, 1])
  assert.equal((await imports.counts()).contracts, 1)
})

test("deleting a customer removes the customer's data from import rows and keeps the outcomes", async () => {
  const imports = await withCustomers(['ada@example.com', 'ben@example.com'])
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
  const id = await imports.import({ source: 'csv' }, csv(COLUMNS, rows))
  await imports.settle()
  const customer = { platformCustomerId: imports.customers.get('ada@example.com')!, email: 'ada@example.com' }
  assert.equal(await service.db.inStore(imports.store.storeId, (ctx) => forgetCustomer(ctx, customer)), 1)
  assert.deepEqual(
    (await imports.refusedLines(id)).map(({ row: fields }) => fields?.email ?? null),
    [null, 'ben@example.com']
  )
  // The platform's message about a deletion has only the id; the address is the one stored here.
  const withoutEmail = { platformCustomerId: imports.customers.get('ben@example.com')!, email: null }
  assert.equal(await service.db.inStore(imports.store.storeId, (ctx) => forgetCustomer(ctx, withoutEmail)), 1)
  const rowsLeft = await service.db.inStore(imports.store.storeId, ({ tx, storeId }) =>
    tx.many(row({ code: text }), sql`select refusal_code as code from import_rows where store_id = ${storeId}`)
  )
  assert.deepEqual(rowsLeft, [{ code: 'plan_not_found' }, { code: 'plan_not_found' }])
})

test('a file that arrives completely while its import is being cancelled as overdue is imported', async () => {
  const imports = await aStoreForImports(service)
  const [contract] = await imports.contracts(750_001, 1, () => ({ nextBillingAt: '2026-02-04T15:00:00Z' }))
  const { storeId } = imports.store
  const { id } = await imports.start({ source: 'csv', mode: 'paused' })
  await service.db.inStore(storeId, ({ tx }) =>
    tx.run(sql`update imports set due_at = '2026-01-01T00:00:00Z' where store_id = ${storeId}`)
  )
  let calls = 0
  const slow: typeof service.db = Object.create(service.db, {
    inStore: {
      value: async (...[store, work]: Parameters<typeof service.db.inStore>) => {
        if (++calls === 2) assert.equal((await imports.send(id, csv(['contract_id'], [[contract!]]))).status, 200)
        return service.db.inStore(store, work)
      }
    }
  })
  const late = createImportEngine({ db: slow, leaseOwner: 999_997, connectorOf: service.deps.connectorOf })
  await late.runOnce(storeId)
  assert.equal((await imports.show(id)).status, 'running')
  await imports.settle()
  assert.deepEqual(((shown) => [shown.status, shown.created])(await imports.show(id)), ['done', 1])
})

test('personal data of imports is removed after 30 days even if the app was uninstalled', async () => {
  const imports = await aStoreForImports(service)
  const { store } = imports
  const id = await imports.import({ source: 'csv' }, csv(['contract_id', 'email'], [['5', 'ada@example.com']]))
  await imports.settle()
  await service.admin('POST', `${store.at}/sandbox/uninstalls`, {})
  await store.advance({ by: 'P29D' })
  assert.deepEqual(
    (await imports.refusedLines(id)).map(({ row: fields }) => fields?.email),
    ['ada@example.com']
  )
  await store.advance({ by: 'P2D' })
  assert.deepEqual(
    (await imports.refusedLines(id)).map(({ row: fields }) => fields),
    [null]
  )
})
