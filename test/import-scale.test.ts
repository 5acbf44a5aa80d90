// Files as another company's data warehouse exports them: large, and with rows that cannot be read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forgetCustomer, receiveFile } from '#imports'
import { Database, int, row, sql } from '#kit/postgres'
import { testDatabase } from './database.ts'
import { aStoreForImports } from './import-builder.ts'
import { startService } from './service-builder.ts'

const { db, url } = await testDatabase()
const service = await startService(url)

/** Rows of import_rows that ended connections have read. */
const rowsRead = async () =>
  (
    await db.direct.one(
      row({ count: int }),
      sql`
      select ((select coalesce(sum(idx_tup_read), 0) from pg_stat_user_indexes where relname = 'import_rows')
              + (select coalesce(sum(seq_tup_read), 0) from pg_stat_user_tables where relname = 'import_rows'))::bigint as count`
    )
  ).count

test('each batch of a large file reads as many rows as the first: duplicates are found by index', async () => {
  const imports = await aStoreForImports(service)
  const { id } = await imports.start({ source: 'csv' })
  const batches = 12
  async function* file() {
    yield Buffer.from('contract_id,external_id\r\n')
    for (let batch = 0; batch < batches; batch++) {
      const rows = Array.from({ length: 1_000 }, (_, i) => 9_000_000 + batch * 1_000 + i)
      yield Buffer.from(rows.map((n) => `${n},x${n}\r\n`).join(''))
    }
  }
  const before = await rowsRead()
  // A separate pool, since PostgreSQL counts its reads when the connections end.
  const own = new Database({ url })
  await receiveFile(own, imports.store.storeId, Number(id.slice(4)), { format: 'csv', stream: file() })
  await own.close()
  assert.equal((await imports.show(id)).total, batches * 1_000)
  const read = (await rowsRead()) - before
  assert.ok(read < batches * 1_000, `${read} rows were read`)
})

test('the report has every refused row as received, also unreadable ones, until its data is removed', async () => {
  const imports = await aStoreForImports(service)
  const [a] = await imports.contracts(860_001, 1, () => ({ nextBillingAt: '2027-01-01T00:00:00Z' }))
  const rows = [
    '\ufeffcontract_id,email,price,currency,next_billing_date',
    `${a},,29.00,usd,2026-03-01`,
    '860101,"ada@exa"mple.com,29.00,,',
    '860102,bob@example.com',
    '860103,,29.001,,',
    '860104,,29.00,BTC,',
    '860105,,29.00,,2026-01-30',
    '860106,,29.00,,31/03/2026',
    `${a},,29.00,,`
  ]
  const id = await imports.import({ source: 'csv' }, `${rows.join('\r\n')}\r\n`)
  await imports.settle()
  assert.equal((await imports.show(id)).created, 1)
  const refused = await imports.refusedLines(id)
  assert.deepEqual(
    refused.map(({ line, code, field, row: fields, original }) => [
      line,
      code,
      field,
      fields?.contract_id ?? null,
      original
    ]),
    [
      [3, 'invalid_field', null, null, rows[2]],
      [4, 'invalid_field', null, null, rows[3]],
      [5, 'invalid_field', 'price', '860103', null],
      [6, 'invalid_field', 'currency', '860104', null],
      [7, 'date_passed', 'next_billing_date', '860105', null],
      [8, 'invalid_field', 'next_billing_date', '860106', null],
      [9, 'duplicate_row', 'contract_id', a, null]
    ]
  )
  const [header, ...lines] = (await imports.report(id, 'csv')).split('\r\n')
  assert.equal(header, 'contract_id,email,price,currency,next_billing_date,line,code,field,message,original')
  assert.equal(
    lines[0],
    `,,,,,3,invalid_field,,The row has quotes that do not match,"${rows[2]!.replaceAll('"', '""')}"`
  )

  const forget = { platformCustomerId: '1', email: 'BOB@example.com' }
  assert.equal(await service.db.inStore(imports.store.storeId, (ctx) => forgetCustomer(ctx, forget)), 1)
  assert.deepEqual(
    (await imports.refusedLines(id)).slice(0, 2).map(({ original }) => original),
    [rows[2], null]
  )
  await imports.store.advance({ by: 'P31D' })
  assert.deepEqual(
    (await imports.refusedLines(id)).map(({ row: fields, original }) => fields ?? original),
    Array.from({ length: 7 }, () => null)
  )
})
