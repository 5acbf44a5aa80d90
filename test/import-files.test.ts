// Imports of contracts from files, through the admin API.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createImportEngine, receiveFile } from '#imports'
import { int, nullable, row, sql, text } from '#kit/postgres'
import { MAX_IDS_PER_DOCUMENT } from '#platform'
import { withCalls } from './connectors.ts'
import { testDatabase } from './database.ts'
import { aStoreForImports, csv } from './import-builder.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

const ImportedSubscription = row({
  platformContractId: text,
  status: text,
  cycleIndex: int,
  planId: nullable(int),
  next: nullable(text),
  resumes: nullable(text),
  created: text
})

function subscriptionsOf(storeId: number, contractIds: string[]) {
  const iso = 'YYYY-MM-DD"T"HH24:MI"Z"'
  return service.db.inStore(storeId, ({ tx }) =>
    tx.many(
      ImportedSubscription,
      sql`
      select platform_contract_id, status, cycle_index, plan_id, to_char(next_billing_at at time zone 'UTC', ${iso}) as next,
             to_char(resumes_at at time zone 'UTC', ${iso}) as resumes, to_char(created_at at time zone 'UTC', ${iso}) as created
        from subscriptions where store_id = ${storeId} and platform_contract_id = any(${contractIds}::text[]) order by platform_contract_id`
    )
  )
}

test('2,000 rows, some invalid, and an engine killed midway: valid rows are imported uncharged, then charged once when due', async () => {
  const imports = await aStoreForImports(service)
  const { store } = imports
  const ids = await imports.contracts(700_001, 1_990, (i) => ({
    // Some are due soon, the others next year; one in fifty has a past date, which the previous service has charged.
    nextBillingAt:
      i % 50 === 0 ? '2026-01-05T15:00:00Z' : i % 40 === 1 ? '2026-02-03T15:00:00Z' : '2027-01-03T15:00:00Z'
  }))
  const [ended] = await imports.contracts(800_001, 1, () => ({ status: 'CANCELLED' }))
  const columns = ['contract_id', 'price', 'plan', 'next_billing_date', 'cycles_paid', 'external_id', 'email']
  const file = csv(columns, [
    ...ids.map((id, i) => [id, '29.00', '', '', i % 7, `ext-${id}`, '']),
    [ids[0]!, '', '', '', '', 'again', ''],
    ['800099', '', '', '', '', 'ext-gone', ''],
    [ended!, '', '', '', '', '', ''],
    ['800101', 'free', '', '', '', '', ''],
    ['800102', '', '', '2026-01-30', '', '', ''],
    ['800103', '', '', '', '', `ext-${ids[1]}`, ''],
    ['800104', '', '', '', '', '', '', 'too', 'many']
  ])
  const id = await imports.import({ source: 'csv' }, file)

  // An engine of another process commits two batches and dies in the third.
  let calls = 0
  const dying = createImportEngine({
    db: service.db,
    leaseOwner: 999_999,
    connectorOf: async (storeId) => {
      const connector = await service.deps.connectorOf(storeId)
      return withCalls(connector, {
        orders: {
          findMany: (orderIds) => {
            if (++calls === 3) throw new Error('Killed')
            return connector.orders.findMany(orderIds)
          }
        }
      })
    }
  })
  await dying.runOnce(store.storeId)
  await dying.runOnce(store.storeId)
  await assert.rejects(dying.runOnce(store.storeId), /Killed/)
  const half = await imports.show(id)
  assert.deepEqual(
    [half.status, half.created, half.waiting],
    ['running', 2 * MAX_IDS_PER_DOCUMENT, 1_992 - 2 * MAX_IDS_PER_DOCUMENT]
  )
  await service.db.inStore(store.storeId, ({ tx, storeId }) =>
    tx.run(sql`update imports set lease_owner = null, leased_until = null where store_id = ${storeId}`)
  )
  await imports.settle()

  const done = await imports.show(id)
  const counted = (({ status, total, created, unchanged, refused, waiting, pushed }) => [
    status,
    { total, created, unchanged, refused, waiting, pushed }
  ])(done)
  assert.deepEqual(counted, [
    'done',
    { total: 1_997, created: 1_990, unchanged: 0, refused: 7, waiting: 0, pushed: 1_990 }
  ])
  assert.deepEqual(
    (await imports.refusedLines(id)).map(({ line, code, field }) => [line, code, field]),
    [
      [1_992, 'duplicate_row', 'contract_id'],
      [1_993, 'contract_not_found', 'contract_id'],
      [1_994, 'contract_ended', 'contract_id'],
      [1_995, 'invalid_field', 'price'],
      [1_996, 'date_passed', 'next_billing_date'],
      [1_997, 'duplicate_row', 'external_id'],
      [1_998, 'invalid_field', null]
    ]
  )
  assert.equal((await imports.counts()).attempts, 0)
  const [passed, soon] = await subscriptionsOf(store.storeId, [ids[0]!, ids[1]!])
  assert.deepEqual([passed!.next, passed!.cycleIndex], ['2026-02-05T15:00Z', 0])
  assert.deepEqual([soon!.next, soon!.cycleIndex], ['2026-02-03T15:00Z', 1])
  const connector = await service.deps.connectorOf(store.storeId)
  const there = await connector.contracts.findMany([ids[0]!])
  assert.equal(there.ok && there.value.get(ids[0]!)?.nextBillingDate?.toString(), '2026-02-05T15:00:00Z')

  // Importing the same file again changes nothing.
  const again = await imports.import({ source: 'csv' }, file)
  await imports.settle()
  const second = await imports.show(again)
  assert.deepEqual([second.created, second.unchanged, second.refused], [0, 1_990, 7])

  await store.advance({ to: '2026-02-10T00:00:00Z' })
  const charges = await imports.charges()
  const due = ids.filter((_, i) => i % 50 === 0 || i % 40 === 1)
  assert.deepEqual(charges.map(({ contractId }) => contractId).sort(), due.sort())
  const { findings } = await service.admin('POST', '/doctor', { store: store.id })
  assert.deepEqual(findings, [])
})

test('a contract imported as paused is charged only after its pause, on the date of its row', async () => {
  const imports = await aStoreForImports(service)
  const [a, b, c, d, e] = await imports.contracts(710_001, 5, () => ({ nextBillingAt: '2026-02-20T15:00:00Z' }))
  const file = csv(
    ['contract_id', 'status', 'paused_until', 'next_billing_date', 'plan', 'cycles_paid', 'started_at'],
    [
      [a!, '', '', '2026-03-20T15:00:00Z', 'vip', 5, '2024-05-01'],
      [b!, 'active', '', '', '', '', ''],
      [c!, 'paused', '2026-03-05T15:00:00Z', '2026-03-10T15:00:00Z', '', '', ''],
      [d!, '', '', '', 'Gold', '', ''],
      [e!, '', '2026-04-01', '2026-03-01', '', '', '']
    ]
  )
  const id = await imports.import({ source: 'csv', mode: 'paused', paused_until: '2026-03-01T15:00:00Z' }, file)
  await imports.settle()
  assert.deepEqual(
    (await imports.refusedLines(id)).map(({ line, code, field }) => [line, code, field]),
    [
      [5, 'plan_not_found', 'plan'],
      [6, 'invalid_field', 'paused_until']
    ]
  )
  const { storeId } = imports.store
  const plan = (await service.admin('GET', `${imports.store.at}/plans`)).data[0].id
  assert.deepEqual(
    (await subscriptionsOf(storeId, [a!, b!, c!])).map((s) => [
      s.status,
      s.cycleIndex,
      s.next,
      s.resumes,
      s.planId && `plan_${s.planId}`
    ]),
    [
      ['paused', 5, null, '2026-03-01T15:00Z', plan],
      ['active', 0, '2026-02-20T15:00Z', null, null],
      ['paused', 0, null, '2026-03-05T15:00Z', null]
    ]
  )
  assert.equal((await subscriptionsOf(storeId, [a!]))[0]!.created, '2024-05-01T04:00Z')
  const connector = await service.deps.connectorOf(storeId)
  const there = await connector.contracts.findMany([a!, b!])
  assert.deepEqual(there.ok && [a!, b!].map((one) => there.value.get(one)?.status), ['paused', 'active'])

  await imports.store.advance({ to: '2026-03-09T00:00:00Z' })
  assert.deepEqual(
    (await imports.charges()).map(({ contractId }) => contractId),
    [b]
  )
  // A message about the contract does not remove the plan that the import set.
  assert.equal(`plan_${(await subscriptionsOf(storeId, [a!]))[0]!.planId}`, plan)
  await imports.store.advance({ to: '2026-03-21T00:00:00Z' })
  assert.deepEqual((await imports.charges()).map(({ contractId }) => contractId).sort(), [a, b, b, c].sort())
  const history = await service.db.inStore(storeId, ({ tx }) =>
    tx.many(
      row({ kind: text, actor: text }),
      sql`select a.kind, a.actor from contract_activities a join subscriptions s on s.store_id = ${storeId} and s.id = a.subscription_id
           where a.store_id = ${storeId} and s.platform_contract_id = ${a!} order by a.id limit 1`
    )
  )
  assert.deepEqual(history, [{ kind: 'imported', actor: 'import' }])
})

test('a row that differs from its contract on the platform is refused with the differing field', async () => {
  const imports = await aStoreForImports(service)
  const [a, b, c, d] = await imports.contracts(720_001, 4)
  const lines = [
    { contract_id: a, price: 28.99 },
    { contract_id: `gid://platform/SubscriptionContract/${b}`, interval: 'year', price: '29' },
    { contract_id: c, email: 'someone@else.example' },
    { contract_id: d, price: 29, currency: 'usd', interval: 'month', interval_count: 1 },
    { contract_id: 720_009, nickname: 'x' },
    { contract_id: 2 ** 60 },
    [1]
  ]
  const file = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"contract_id":1,"contract_id":2}\nnope`
  const id = await imports.import({ source: 'ndjson' }, file, 'application/x-ndjson')
  await imports.settle()
  const shown = await imports.show(id)
  assert.deepEqual([shown.created, shown.refused], [1, 8])
  assert.deepEqual(
    (await imports.refusedLines(id)).map(({ line, code, field }) => [line, code, field]),
    [
      [1, 'differs_from_platform', 'price'],
      [2, 'differs_from_platform', 'interval'],
      [3, 'differs_from_platform', 'email'],
      [5, 'invalid_field', null],
      [6, 'invalid_field', 'contract_id'],
      [7, 'invalid_field', null],
      [8, 'invalid_field', null],
      [9, 'invalid_field', null]
    ]
  )
})

test('the report has the columns of the file, and no cell that a spreadsheet would run as a formula', async () => {
  const imports = await aStoreForImports(service)
  const file = 'external_id,contract_id,email\n=1+1,1,"@x, y"\n-2,zero,\n'
  const id = await imports.import({ source: 'csv' }, file)
  await imports.settle()
  assert.equal(
    await imports.report(id, 'csv'),
    'external_id,contract_id,email,line,code,field,message,original\r\n' +
      `'=1+1,1,"'@x, y",2,invalid_field,email,email must be an e-mail address,\r\n` +
      `'-2,zero,,3,invalid_field,contract_id,"contract_id must be the platform's number, or gid://…/SubscriptionContract/…",\r\n`
  )
})

test('a corrected report imports the same values as the file, also where a cell begins like a formula', async () => {
  const imports = await aStoreForImports(service)
  const ids = await imports.contracts(725_001, 6)
  const values = ['+4917', '=1+1', '-2', "'+x", "''@y", "'plain"]
  const file = (price: string) =>
    values.map((value, i) => `${JSON.stringify({ contract_id: ids[i], price, external_id: value })}\n`).join('')
  const first = await imports.import({ source: 'ndjson' }, file('28'), 'application/x-ndjson')
  await imports.settle()
  const refused = (await imports.report(first, 'csv')).trimEnd().split('\r\n')
  const at = refused[0]!.split(',').indexOf('external_id')
  assert.deepEqual(
    refused.slice(1).map((line) => line.split(',')[at]),
    ["'+4917", "'=1+1", "'-2", "''+x", "'''@y", "'plain"]
  )

  // What the documents say: correct the rows, remove the last five columns, import the file.
  const last = refused[0]!.split(',').indexOf('line')
  const corrected = refused.map((line) => line.replace(',28,', ',29,').split(',').slice(0, last).join(','))
  const second = await imports.import({ source: 'csv' }, `${corrected.join('\n')}\n`)
  await imports.settle()
  assert.deepEqual((await imports.show(second)).created, 6)
  const kept = await service.db.inStore(imports.store.storeId, ({ tx }) =>
    tx.many(
      row({ id: text }),
      sql`select external_id as id from import_rows where store_id = ${imports.store.storeId} and status = 'created' order by line`
    )
  )
  assert.deepEqual(
    kept.map(({ id }) => id),
    values
  )
})

test('an invalid header refuses the file; an interrupted upload continues with the same file only', async () => {
  const imports = await aStoreForImports(service)
  const ids = await imports.contracts(730_001, 3)
  const { id } = await imports.start({ source: 'csv' })
  for (const [header, expected] of [
    ['contract_id,colour', /"colour", which is not a column/],
    ['contract_id,contract_id', /"contract_id" twice/],
    ['contract_id;email', /is separated by ";"; columns must be separated by commas/],
    ['', /missing/]
  ] as const) {
    const { status, body } = await imports.send(id, `${header}\n`)
    assert.deepEqual([status, body.error.code, body.error.details[0].field], [400, 'invalid_request', 'body'])
    assert.match(body.error.message, expected)
  }
  assert.equal((await imports.send(id, '{}', 'application/x-ndjson')).status, 400)
  const plain = await imports.send(id, 'contract_id\n1\n', 'text/plain')
  assert.deepEqual(
    [plain.status, plain.body.error.message],
    [400, 'A body must be sent with Content-Type: text/csv or application/x-ndjson']
  )

  const rows = Array.from({ length: 2_500 }, (_, i) => [i < 3 ? ids[i]! : 900_000 + i])
  const file = csv(['contract_id'], rows)
  const { id: broken } = await imports.start({ source: 'csv' })
  const interrupted = async function* () {
    yield Buffer.from(file.slice(0, 18_000))
    throw new Error('The connection broke')
  }
  const importId = Number(broken.slice(4))
  await assert.rejects(
    receiveFile(service.db, imports.store.storeId, importId, { format: 'csv', stream: interrupted() }),
    /broke/
  )
  const half = await imports.show(broken)
  assert.deepEqual([half.status, half.total], ['receiving', 2_000])
  assert.equal((await imports.send(broken, file.replace(ids[0]!, '123'))).status, 409)
  const whole = await imports.send(broken, file)
  assert.deepEqual([whole.status, whole.body.status, whole.body.total], [200, 'running', 2_500])
  assert.equal((await imports.send(broken, file)).status, 200)
  assert.equal((await imports.send(broken, `${file}1\n`)).status, 409)
  const cancelled = await service.admin('POST', `${imports.store.at}/imports/${broken}/cancel`, {})
  assert.equal(cancelled.status, 'cancelled')
  await imports.settle()
  assert.equal((await imports.show(broken)).waiting, 2_500)
})

test('thirty days after its end an import loses the fields of its rows and keeps their outcomes', async () => {
  const imports = await aStoreForImports(service)
  const [a] = await imports.contracts(740_001, 1, () => ({ nextBillingAt: '2027-01-01T00:00:00Z' }))
  const id = await imports.import(
    { source: 'csv' },
    csv(
      ['contract_id', 'email'],
      [
        [a!, ''],
        ['1', 'gone@example.com']
      ]
    )
  )
  await imports.settle()
  assert.equal((await imports.refusedLines(id))[0].row.email, 'gone@example.com')
  await imports.store.advance({ by: 'P31D' })
  assert.deepEqual(
    (await imports.refusedLines(id)).map(({ line, code, row: fields }) => [line, code, fields]),
    [[3, 'contract_not_found', null]]
  )
})
