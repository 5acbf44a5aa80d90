// Two rows of one customer and plan without an id are one agreement, sent twice, unless the import says otherwise.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createImportEngine } from '#imports'
import { sql } from '#kit/postgres'
import { listPlans } from '#plans'
import { withCalls } from './connectors.ts'
import { testDatabase } from './database.ts'
import { aStoreWithCustomers, csv } from './import-builder.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

const COLUMNS = ['customer_id', 'email', 'plan', 'variant_id', 'price', 'interval', 'next_billing_date', 'external_id']
const DATE = '2026-02-20T15:00:00Z'
type Row = (string | number)[]

/** A row without an id, by e-mail address. */
const rowOf = (email: string, plan = 'VIP', externalId = ''): Row => ['', email, plan, '', '', '', DATE, externalId]

async function aStore(...emails: string[]) {
  const imports = await aStoreWithCustomers(service, emails.length > 0 ? emails : ['ada@example.com'])
  const plan = (name: string) =>
    service.admin('POST', `${imports.store.at}/plans`, { name, type: 'vip', price: '29.00', interval: 'month' })
  const change = (id: string, action: string) =>
    service.admin('POST', `${imports.store.at}/subscriptions/${id}/${action}`)
  return {
    ...imports,
    plan,
    change,
    plans: () => service.db.inStore(imports.store.storeId, listPlans),
    subscriptions: async () => (await service.get('/subscriptions', imports.store.key)).body.data,
    /** Imports rows and returns [created, unchanged, refused], and the refused rows as [line, code, field]. */
    async take(rows: Row[], options: object = {}) {
      const id = await imports.import({ source: 'csv', ...options }, csv(COLUMNS, rows))
      await imports.settle()
      const { created, unchanged, refused, allow_duplicates: allowed } = await imports.show(id)
      const lines = refused > 0 ? await imports.refusedLines(id) : []
      return {
        id,
        counts: [created, unchanged, refused],
        allowed,
        refused: lines.map(({ line, code, field }) => [line, code, field]),
        messages: lines.map(({ message }) => message)
      }
    },
    contractCount: async () => (await imports.counts()).contracts
  }
}

test('the second row is refused, whatever names the customer and the plan; the first is charged once', async () => {
  const store = await aStore()
  const { id: planId } = (await store.plans())[0]!
  const taken = await store.take([
    rowOf('ada@example.com'),
    [store.customers.get('ada@example.com')!, '', `plan_${planId}`, '', '', '', '2026-03-01', ''],
    rowOf('ADA@example.com', 'vip')
  ])
  assert.deepEqual(taken.counts, [1, 0, 2])
  assert.deepEqual(taken.refused, [
    [3, 'duplicate_row', 'external_id'],
    [4, 'duplicate_row', 'external_id']
  ])
  assert.equal(
    taken.messages[0],
    'external_id is required: customer and plan are the same as in line 2. Or import with allow_duplicates'
  )
  await store.store.advance({ to: '2026-03-02T00:00:00Z' })
  assert.equal((await store.charges()).length, 1)
})

test('another plan, another customer, or an id makes it another agreement', async () => {
  const store = await aStore('ada@example.com', 'ben@example.com')
  await store.plan('Gold')
  const taken = await store.take([
    rowOf('ada@example.com'),
    rowOf('ada@example.com', 'Gold'),
    rowOf('ben@example.com'),
    rowOf('ada@example.com', 'VIP', 'a'),
    rowOf('ada@example.com', 'VIP', 'b')
  ])
  assert.deepEqual(taken.counts, [5, 0, 0])
})

test('a subscription of an earlier import stands for its present plan, and for no other', async () => {
  const store = await aStore()
  const { id: silver } = await store.plan('Silver')
  await store.plan('Gold')
  const { storeId } = store.store
  assert.deepEqual((await store.take([rowOf('ada@example.com')])).counts, [1, 0, 0])
  assert.deepEqual((await store.take([rowOf('ada@example.com', 'Gold')])).counts, [1, 0, 0])
  // As a row of an earlier version, which does not say what it was for.
  await service.db.inStore(storeId, ({ tx }) =>
    tx.run(sql`update import_rows set creates = null where store_id = ${storeId}`)
  )
  assert.deepEqual((await store.take([rowOf('ada@example.com', 'gold')])).counts, [0, 0, 1])
  const { id } = (await store.subscriptions()).find(({ plan }: any) => plan.name === 'Gold')
  assert.deepEqual((await store.take([rowOf('ada@example.com', 'Silver'), rowOf('n@example.com')])).counts, [1, 0, 1])
  await service.admin('POST', `${store.store.at}/subscriptions/${id}/cancel`)
  const [held] = (await store.subscriptions()).filter(({ plan }: any) => plan.name === 'VIP')
  await service.admin('POST', `${store.store.at}/subscriptions/${held.id}/change`, { plan_id: silver })
  await store.settle()
  assert.deepEqual((await store.take([rowOf('ada@example.com'), rowOf('o@example.com')])).counts, [1, 0, 1])
})

test('an unfinished import goes on only with the same option', async () => {
  const store = await aStore()
  const sha256 = 'a'.repeat(64)
  const ids = []
  for (const allow_duplicates of [false, true, true, false, undefined]) {
    ids.push((await store.start({ source: 'csv', sha256, allow_duplicates })).id)
  }
  const [without, allowing] = ids
  assert.notEqual(without, allowing)
  assert.deepEqual(ids, [without, allowing, allowing, without, without])
})

test('a row with the variant that only one plan sells is a row of that plan', async () => {
  const store = await aStore('ada@example.com', 'ben@example.com')
  const plan = (await store.plans())[0]!
  const byVariant = (email: string): Row => ['', email, '', plan.platformVariantId!, '29.00', 'month', DATE, '']
  const taken = await store.take([
    rowOf('ada@example.com'),
    byVariant('ada@example.com'),
    byVariant('ben@example.com'),
    rowOf('ben@example.com')
  ])
  assert.deepEqual(taken.counts, [2, 0, 2])
  assert.deepEqual(
    taken.refused.map(([line]) => line),
    [3, 5]
  )
  assert.match(taken.messages[0], /customer and plan are the same as in line 2/)
})

test('a row with a variant that no plan sells is compared by that', async () => {
  const store = await aStore()
  const platformVariantId = (await store.plans())[0]!.platformVariantId!
  await service.db.inStore(store.store.storeId, ({ tx, storeId }) =>
    tx.run(sql`update plans set platform_variant_id = null where store_id = ${storeId}`)
  )
  const row: Row = ['', 'ada@example.com', '', platformVariantId, '19.00', 'month', DATE, '']
  const taken = await store.take([row, row])
  assert.deepEqual(taken.counts, [1, 0, 1])
  assert.match(taken.messages[0], /customer and variant are the same as in line 2/)
  assert.deepEqual((await store.take([[...row.slice(0, 4), '20.00', 'month', DATE, '']])).counts, [0, 0, 1])
})

test('the second row is refused in a later batch and in a later import, while the first subscription lives', async () => {
  const store = await aStore()
  const strangers = Array.from({ length: 60 }, (_, i) => rowOf(`nobody${i}@example.com`))
  const first = await store.take([rowOf('ada@example.com'), ...strangers, rowOf('ada@example.com')])
  assert.deepEqual(first.counts, [1, 0, 61])
  assert.deepEqual(first.refused.at(-1), [63, 'duplicate_row', 'external_id'])

  const second = await store.take([rowOf('ada@example.com')])
  assert.deepEqual(second.counts, [0, 0, 1])
  assert.match(second.messages[0], new RegExp(`the same as in line 2 of ${first.id}\\.`))
  const [{ id }] = await store.subscriptions()
  await store.change(id, 'pause')
  assert.deepEqual((await store.take([rowOf('ada@example.com'), rowOf('x@example.com')])).counts, [0, 0, 2])
  await store.change(id, 'cancel')
  await store.settle()
  assert.deepEqual((await store.take([rowOf('ada@example.com'), rowOf('y@example.com')])).counts, [1, 0, 1])
  assert.equal(await store.contractCount(), 2)
})

test('of a row with an id and one without, neither is the second', async () => {
  const store = await aStore()
  assert.deepEqual((await store.take([rowOf('ada@example.com', 'VIP', 'a')])).counts, [1, 0, 0])
  assert.deepEqual((await store.take([rowOf('ada@example.com')])).counts, [1, 0, 0])
  assert.deepEqual((await store.take([rowOf('ada@example.com', 'VIP', 'b')])).counts, [1, 0, 0])
})

test('with allow_duplicates every row creates a contract; a later import without it still sees them', async () => {
  const store = await aStore()
  const rows = [rowOf('ada@example.com'), rowOf('ada@example.com')]
  const taken = await store.take(rows, { allow_duplicates: true })
  assert.deepEqual([taken.counts, taken.allowed], [[2, 0, 0], true])
  // The same file again is the same rows.
  const again = await store.take(rows)
  assert.deepEqual([again.counts, again.allowed], [[0, 2, 0], false])
  assert.deepEqual((await store.take([rowOf('ada@example.com'), rowOf('z@example.com')])).counts, [0, 0, 2])
  assert.equal(await store.contractCount(), 2)
  await assert.rejects(
    store.start({ source: 'platform', allow_duplicates: true }),
    /400.*allow_duplicates is accepted only if source is csv or ndjson/
  )
})

test('the refused rows of a file are accepted when it, or its report, is imported again with allow_duplicates', async () => {
  const store = await aStore()
  const rows = [rowOf('ada@example.com'), rowOf('ada@example.com')]
  const first = await store.take(rows)
  assert.deepEqual(first.counts, [1, 0, 1])
  assert.deepEqual((await store.take(rows, { allow_duplicates: true })).counts, [1, 1, 0])

  const other = await aStore()
  const { id } = await other.take(rows)
  const report = (await other.report(id, 'csv')).trimEnd().split('\r\n')
  const corrected = `${report.map((line) => line.split(',').slice(0, COLUMNS.length).join(',')).join('\n')}\n`
  const refused = await other.import({ source: 'csv' }, corrected)
  await other.settle()
  assert.equal((await other.show(refused)).refused, 1)
  const accepted = await other.import({ source: 'csv', allow_duplicates: true }, corrected)
  await other.settle()
  assert.equal((await other.show(accepted)).created, 1)
  assert.equal(await other.contractCount(), 2)
})

test('a corrected report creates what was refused, and nothing twice', async () => {
  const store = await aStore('ada@example.com', 'ben@example.com')
  const wrong: Row = ['', 'ben@example.com', 'VIP', '', '', '', '2026-02-30', '']
  const first = await store.take([rowOf('ada@example.com'), wrong])
  assert.deepEqual(first.counts, [1, 0, 1])
  const report = (await store.report(first.id, 'csv')).trimEnd().split('\r\n')
  const corrected = report.map((line) => line.replace('02-30', '02-20').split(',').slice(0, COLUMNS.length).join(','))
  const second = await store.import({ source: 'csv' }, `${corrected.join('\n')}\n`)
  await store.settle()
  assert.deepEqual((await store.show(second)).created, 1)

  // The whole file, corrected: what it has created is not created again.
  const whole = await store.take([rowOf('ada@example.com'), rowOf('ben@example.com')])
  assert.deepEqual(whole.counts, [0, 0, 2])
  assert.equal(await store.contractCount(), 2)
})

test('a first row that the platform refused is none: the second is created', async () => {
  const store = await aStore()
  const id = await store.import({ source: 'csv' }, csv(COLUMNS, [rowOf('ada@example.com')]))
  const refusing = createImportEngine({
    db: service.db,
    leaseOwner: 999_997,
    connectorOf: async (storeId) =>
      withCalls(await service.deps.connectorOf(storeId), {
        contracts: {
          create: async (requests) =>
            requests.map(() => ({ ok: false, failure: { kind: 'rejected', code: 'invalid', message: 'No' } }))
        }
      })
  })
  await refusing.runOnce(store.store.storeId)
  assert.equal((await store.show(id)).refused, 1)
  assert.deepEqual((await store.take([rowOf('ada@example.com'), rowOf('n@example.com')])).counts, [1, 0, 1])
})

test('of two imports that create at once, one is refused', async () => {
  for (let round = 0; round < 5; round++) {
    const store = await aStore()
    const files = [[rowOf('ada@example.com')], [rowOf('ada@example.com'), rowOf('n@example.com')]]
    const ids: string[] = []
    for (const rows of files) ids.push(await store.import({ source: 'csv' }, csv(COLUMNS, rows)))
    // Both have read what they need of the platform before either creates.
    let arrived = 0
    const { promise: both, resolve } = Promise.withResolvers<void>()
    const engines = ids.map((_, i) =>
      createImportEngine({
        db: service.db,
        leaseOwner: 999_990 + i,
        connectorOf: async (storeId) => {
          const connector = await service.deps.connectorOf(storeId)
          return withCalls(connector, {
            customers: {
              findPaymentMethods: async (wanted) => {
                const found = await connector.customers.findPaymentMethods(wanted)
                arrived += 1
                if (arrived === ids.length) resolve()
                await both
                return found
              }
            }
          })
        }
      })
    )
    await Promise.all(engines.map((engine) => engine.runOnce(store.store.storeId)))
    await store.settle()
    assert.equal(await store.contractCount(), 1, `round ${round}`)
  }
})
