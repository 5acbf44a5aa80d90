// Contracts that others have billed so far, taken over from files through the admin API.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createImportEngine, receiveFile } from '#imports'
import { int, nullable, row, sql, text } from '#kit/postgres'
import { MAX_IDS_PER_DOCUMENT } from '#platform'
import { withCalls } from './connectors.ts'
import { testDatabase } from './database.ts'
import { aStoreToMoveTo, csv } from './import-builder.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

const Taken = row({
  platformContractId: text,
  status: text,
  cycleIndex: int,
  planId: nullable(int),
  next: nullable(text),
  resumes: nullable(text),
  created: text
})

function taken(storeId: number, contractIds: string[]) {
  const iso = 'YYYY-MM-DD"T"HH24:MI"Z"'
  return service.db.inStore(storeId, ({ tx }) =>
    tx.many(
      Taken,
      sql`
      select platform_contract_id, status, cycle_index, plan_id, to_char(next_billing_at at time zone 'UTC', ${iso}) as next,
             to_char(resumes_at at time zone 'UTC', ${iso}) as resumes, to_char(created_at at time zone 'UTC', ${iso}) as created
        from subscriptions where store_id = ${storeId} and platform_contract_id = any(${contractIds}::text[]) order by platform_contract_id`
    )
  )
}

test('2,000 rows, some of each mistake: taken over without a charge, killed in the middle, each charged once on its day', async () => {
  const moved = await aStoreToMoveTo(service)
  const { store } = moved
  const ids = await moved.contracts(700_001, 1_990, (i) => ({
    // A few are due soon, the others next year; one in fifty has a date that has passed, which others have charged.
    nextBillingAt:
      i % 50 === 0 ? '2026-01-05T15:00:00Z' : i % 40 === 1 ? '2026-02-03T15:00:00Z' : '2027-01-03T15:00:00Z'
  }))
  const [ended] = await moved.contracts(800_001, 1, () => ({ status: 'CANCELLED' }))
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
  const id = await moved.import({ source: 'csv' }, file)

  // An engine of another process takes two batches and dies in the third.
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
  const half = await moved.shown(id)
  assert.deepEqual(
    [half.status, half.created, half.waiting],
    ['running', 2 * MAX_IDS_PER_DOCUMENT, 1_992 - 2 * MAX_IDS_PER_DOCUMENT]
  )
  await service.db.inStore(store.storeId, ({ tx, storeId }) =>
    tx.run(sql`update imports set lease_owner = null, leased_until = null where store_id = ${storeId}`)
  )
  await moved.settle()

  const done = await moved.shown(id)
  const counted = (({ status, total, created, unchanged, refused, waiting, pushed }) => [
    status,
    { total, created, unchanged, refused, waiting, pushed }
  ])(done)
  assert.deepEqual(counted, [
    'done',
    { total: 1_997, created: 1_990, unchanged: 0, refused: 7, waiting: 0, pushed: 1_990 }
  ])
  assert.deepEqual(
    (await moved.refusedLines(id)).map(({ line, code, field }) => [line, code, field]),
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
  assert.equal((await moved.counts()).attempts, 0)
  const [passed, soon] = await taken(store.storeId, [ids[0]!, ids[1]!])
  assert.deepEqual([passed!.next, passed!.cycleIndex], ['2026-02-05T15:00Z', 0])
  assert.deepEqual([soon!.next, soon!.cycleIndex], ['2026-02-03T15:00Z', 1])
  const connector = await service.deps.connectorOf(store.storeId)
  const there = await connector.contracts.findMany([ids[0]!])
  assert.equal(there.ok && there.value.get(ids[0]!)?.nextBillingDate?.toString(), '2026-02-05T15:00:00Z')

  // The same file once more changes nothing.
  const again = await moved.import({ source: 'csv' }, file)
  await moved.settle()
  const second = await moved.shown(again)
  assert.deepEqual([second.created, second.unchanged, second.refused], [0, 1_990, 7])

  await store.advance({ to: '2026-02-10T00:00:00Z' })
  const charges = await moved.charges()
  const due = ids.filter((_, i) => i % 50 === 0 || i % 40 === 1)
  assert.deepEqual(charges.map(({ contractId }) => contractId).sort(), due.sort())
  const { findings } = await service.admin('POST', '/doctor', { store: store.id })
  assert.deepEqual(findings, [])
})

test('paused until a day: nothing is charged before, and then on the date of the row', async () => {
  const moved = await aStoreToMoveTo(service)
  const [a, b, c, d, e] = await moved.contracts(710_001, 5, () => ({ nextBillingAt: '2026-02-20T15:00:00Z' }))
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
  const id = await moved.import({ source: 'csv', mode: 'paused', paused_until: '2026-03-01T15:00:00Z' }, file)
  await moved.settle()
  assert.deepEqual(
    (await moved.refusedLines(id)).map(({ line, code, field }) => [line, code, field]),
    [
      [5, 'plan_not_found', 'plan'],
      [6, 'invalid_field', 'paused_until']
    ]
  )
  const { storeId } = moved.store
  const plan = (await service.admin('GET', `${moved.store.at}/plans`)).data[0].id
  assert.deepEqual(
    (await taken(storeId, [a!, b!, c!])).map((s) => [
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
  assert.equal((await taken(storeId, [a!]))[0]!.created, '2024-05-01T04:00Z')
  const connector = await service.deps.connectorOf(storeId)
  const there = await connector.contracts.findMany([a!, b!])
  assert.deepEqual(there.ok && [a!, b!].map((one) => there.value.get(one)?.status), ['paused', 'active'])

  await moved.store.advance({ to: '2026-03-09T00:00:00Z' })
  assert.deepEqual(
    (await moved.charges()).map(({ contractId }) => contractId),
    [b]
  )
  // A message about the contract does not take away the plan that the import gave.
  assert.equal(`plan_${(await taken(storeId, [a!]))[0]!.planId}`, plan)
  await moved.store.advance({ to: '2026-03-21T00:00:00Z' })
  assert.deepEqual((await moved.charges()).map(({ contractId }) => contractId).sort(), [a, b, b, c].sort())
  const history = await service.db.inStore(storeId, ({ tx }) =>
    tx.many(
      row({ kind: text, actor: text }),
      sql`select a.kind, a.actor from contract_activities a join subscriptions s on s.store_id = ${storeId} and s.id = a.subscription_id
           where a.store_id = ${storeId} and s.platform_contract_id = ${a!} order by a.id limit 1`
    )
  )
  assert.deepEqual(history, [{ kind: 'imported', actor: 'import' }])
})

test('what the platform says differs: the row is refused and told so', async () => {
  const moved = await aStoreToMoveTo(service)
  const [a, b, c, d] = await moved.contracts(720_001, 4)
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
  const id = await moved.import({ source: 'ndjson' }, file, 'application/x-ndjson')
  await moved.settle()
  const shown = await moved.shown(id)
  assert.deepEqual([shown.created, shown.refused], [1, 8])
  assert.deepEqual(
    (await moved.refusedLines(id)).map(({ line, code, field }) => [line, code, field]),
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

test('the report has the columns of the file, and no cell that a spreadsheet would carry out', async () => {
  const moved = await aStoreToMoveTo(service)
  const file = 'external_id,contract_id,email\n=1+1,1,"@x, y"\n-2,zero,\n'
  const id = await moved.import({ source: 'csv' }, file)
  await moved.settle()
  assert.equal(
    await moved.report(id, 'csv'),
    'external_id,contract_id,email,line,code,field,message,original\r\n' +
      `'=1+1,1,"'@x, y",2,invalid_field,email,email takes an e-mail address,\r\n` +
      `'-2,zero,,3,invalid_field,contract_id,"contract_id takes the platform's number, or gid://…/SubscriptionContract/…",\r\n`
  )
})

test('a header that is none refuses the file, a file that broke off is sent again, another one is not taken', async () => {
  const moved = await aStoreToMoveTo(service)
  const ids = await moved.contracts(730_001, 3)
  const { id } = await moved.begin({ source: 'csv' })
  for (const [header, says] of [
    ['contract_id,colour', /"colour", which is no column/],
    ['contract_id,contract_id', /"contract_id" twice/],
    ['contract_id;email', /is separated by ";": a file takes commas/],
    ['', /missing/]
  ] as const) {
    const { status, body } = await moved.send(id, `${header}\n`)
    assert.deepEqual([status, body.error.code], [400, 'invalid_request'])
    assert.match(body.error.message, says)
  }
  assert.equal((await moved.send(id, '{}', 'application/x-ndjson')).status, 400)

  const rows = Array.from({ length: 2_500 }, (_, i) => [i < 3 ? ids[i]! : 900_000 + i])
  const file = csv(['contract_id'], rows)
  const { id: broken } = await moved.begin({ source: 'csv' })
  const cut = async function* () {
    yield Buffer.from(file.slice(0, 18_000))
    throw new Error('The line broke')
  }
  const importId = Number(broken.slice(4))
  await assert.rejects(
    receiveFile(service.db, moved.store.storeId, importId, { format: 'csv', stream: cut() }),
    /broke/
  )
  const half = await moved.shown(broken)
  assert.deepEqual([half.status, half.total], ['receiving', 2_000])
  assert.equal((await moved.send(broken, file.replace(ids[0]!, '123'))).status, 409)
  const whole = await moved.send(broken, file)
  assert.deepEqual([whole.status, whole.body.status, whole.body.total], [200, 'running', 2_500])
  assert.equal((await moved.send(broken, file)).status, 200)
  assert.equal((await moved.send(broken, `${file}1\n`)).status, 409)
  const cancelled = await service.admin('POST', `${moved.store.at}/imports/${broken}/cancel`, {})
  assert.equal(cancelled.status, 'cancelled')
  await moved.settle()
  assert.equal((await moved.shown(broken)).waiting, 2_500)
})

test('thirty days after its end the fields of an import are gone, and what became of its rows stays', async () => {
  const moved = await aStoreToMoveTo(service)
  const [a] = await moved.contracts(740_001, 1, () => ({ nextBillingAt: '2027-01-01T00:00:00Z' }))
  const id = await moved.import(
    { source: 'csv' },
    csv(
      ['contract_id', 'email'],
      [
        [a!, ''],
        ['1', 'gone@example.com']
      ]
    )
  )
  await moved.settle()
  assert.equal((await moved.refusedLines(id))[0].row.email, 'gone@example.com')
  await moved.store.advance({ by: 'P31D' })
  assert.deepEqual(
    (await moved.refusedLines(id)).map(({ line, code, row: fields }) => [line, code, fields]),
    [[3, 'contract_not_found', null]]
  )
})
