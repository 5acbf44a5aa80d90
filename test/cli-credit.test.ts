// The commands for store credit, run as processes against the running service.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setClock } from '#stores'
import { commandLine } from './command-line.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { db, url } = await testDatabase()
const service = await startService(url)
const { run, json } = commandLine(service)
const folder = await mkdtemp(join(tmpdir(), 'perennial-credit-'))
after(() => rm(folder, { recursive: true }))

async function aMember(email: string) {
  const store = await service.aStore()
  const { customer } = await store.member(email)
  return { store, customer, of: ['--store', store.domain, '--customer', email] }
}

test('credit is shown, added, deducted, reconciled, forfeited and expired', async () => {
  const { store, of } = await aMember('ada@example.com')
  const none = await json('credit', 'show', ...of)
  assert.deepEqual([none.balance, none.entries], [0, []])
  const added = await json('credit', 'add', ...of, '--amount', '25', '--reason', 'Sorry')
  assert.deepEqual([added.balance, added.reconciled, added.entries[0].type], [25, 25, 'manual_add'])
  const until = ['--expires-at', '2026-02-15']
  await json('credit', 'add', ...of, '--amount', '5', '--reason', 'For February', ...until)
  const deducted = await json('credit', 'deduct', ...of, '--amount', '4.50', '--reason', 'Too much')
  assert.equal(deducted.available, 25.5)
  const more = await run(['credit', 'deduct', ...of, '--amount', '25.51', '--reason', 'x'])
  assert.equal(more.code, 1)
  assert.match(more.err, /--amount is more than the available store credit: cust_\d+ has 25\.50/)
  const reconciled = await json('credit', 'reconcile', ...of, '--balance', '20')
  assert.deepEqual(
    [reconciled.balance, reconciled.entries[0].amount, reconciled.entries[0].type],
    [20, -5.5, 'reconciled']
  )
  assert.equal((await json('credit', 'reconcile', ...of, '--balance', '20')).entries.length, 4)
  assert.deepEqual(await json('credit', 'expire', '--store', store.domain), { expired: 0 })
  const forfeited = await json('credit', 'forfeit', ...of)
  assert.deepEqual([forfeited.balance, forfeited.forfeit, forfeited.entries[0].type], [0, 20, 'forfeit'])
  const { out } = await run(['credit', 'show', ...of])
  assert.match(out, /^balance +0$/m)
  assert.match(out, /forfeited by hand/)
})

test('`credit expire` expires what has passed its date', async () => {
  const { store, of } = await aMember('ben@example.com')
  await json('credit', 'add', ...of, '--amount', '5', '--reason', 'x', '--expires-at', '2026-02-15')
  await json('credit', 'add', ...of, '--amount', '3', '--reason', 'x')
  await db.inStore(store.storeId, (ctx) => setClock(ctx, Temporal.Instant.from('2026-02-16T00:00:00Z')))
  assert.deepEqual(await json('credit', 'expire', '--store', store.domain), { expired: 1 })
  const { balance, forfeit } = await json('credit', 'show', ...of)
  assert.deepEqual([balance, forfeit], [3, 5])
})

test('`credit import` adds the rows of a file once; a dry run only reports', async () => {
  const { store, customer, of } = await aMember('eve@example.com')
  const path = join(folder, 'credit.csv')
  const rows = [
    'customer_id,email,amount,currency,expires_at,reason,external_id',
    `${customer.id},,5.00,,,,old-1`,
    ',EVE@example.com,2.50,USD,2026-12-31,Moved here,old-2',
    `${customer.id},,5.00,,,,old-1`,
    `${customer.id},,1,,,,`
  ]
  await writeFile(path, `${rows.join('\n')}\n`)
  const command = ['credit', 'import', path, '--store', store.domain]
  const expected = { rows: 4, added: 3, repeated: 1, refused: 0, amount: 8.5, problems: [] }
  assert.deepEqual(await json(...command, '--dry-run'), { dry_run: true, ...expected })
  assert.equal((await json('credit', 'show', ...of)).balance, 0)
  assert.deepEqual(await json(...command), { dry_run: false, ...expected })
  assert.deepEqual(await json(...command), { dry_run: false, ...expected, added: 0, repeated: 4, amount: 0 })
  const { balance, charged, entries } = await json('credit', 'show', ...of)
  assert.deepEqual([balance, charged, entries.length], [8.5, 8.5, 3])
  assert.deepEqual(
    entries.map(({ type, reason, expires_at }: any) => [type, reason, expires_at]),
    [
      ['import', 'import', null],
      ['import', 'Moved here', '2026-12-31T05:00:00.000Z'],
      ['import', 'import', null]
    ]
  )
})

test('wrong rows are refused one by one with their lines, and exit with 1; a wrong header refuses the file', async () => {
  const { store, customer, of } = await aMember('fay@example.com')
  const path = join(folder, 'wrong.jsonl')
  const rows = [
    { customer_id: customer.id, amount: '5.00', external_id: 'a' },
    { customer_id: customer.id, amount: '6.00', external_id: 'a' },
    { customer_id: customer.id, amount: '-1', external_id: 'b' },
    { customer_id: customer.id, amount: 0, external_id: 'c' },
    { customer_id: customer.id, amount: '0.001', external_id: 'd' },
    { customer_id: customer.id, amount: '1', currency: 'EUR', external_id: 'e' },
    { customer_id: customer.id, amount: '1', expires_at: '2025-01-01', external_id: 'f' },
    { customer_id: '999', amount: '1', external_id: 'g' },
    { email: 'nobody@example.com', amount: '1' },
    { amount: '1' },
    { customer_id: customer.id },
    { customer_id: customer.id, colour: 'red' }
  ]
  await writeFile(path, `${rows.map((row) => JSON.stringify(row)).join('\n')}\nnot json\n`)
  const { code, out } = await run(['credit', 'import', path, '--store', store.domain, '--json'])
  assert.equal(code, 1)
  const { problems, ...counts } = JSON.parse(out)
  const id = (await json('credit', 'show', ...of)).customer_id
  assert.deepEqual(counts, { dry_run: false, rows: 13, added: 1, repeated: 0, refused: 12, amount: 5 })
  assert.deepEqual(
    problems.map(({ line, message }: any) => [line, message]),
    [
      [
        2,
        `external_id was imported before, for ${id}: 5.00 USD, without expires_at, reason "import"; this row has another amount`
      ],
      [3, 'amount must be above 0'],
      [4, 'amount must be above 0'],
      [5, 'amount must have at most 2 decimals in USD'],
      [6, 'currency must be USD, the currency of the store'],
      [7, 'expires_at must be a time after now, which is 2026-01-31T15:00:00.000Z'],
      [8, 'There is no customer with this id'],
      [9, 'There is no customer with this address'],
      [10, 'customer_id or email is required'],
      [11, 'amount is required'],
      [12, 'There is no field "colour"'],
      [13, 'The line is not JSON']
    ]
  )
  assert.equal((await json('credit', 'show', ...of)).balance, 5)
  const header = join(folder, 'header.csv')
  await writeFile(header, 'customer,amount\n1,2\n')
  const refused = await run(['credit', 'import', header, '--store', store.domain])
  assert.equal(refused.code, 1)
  assert.match(refused.err, /"customer", which is not a column; the columns are customer_id, email, amount/)
})

test('wrong amounts are refused, and nothing happens', async () => {
  const { of } = await aMember('gil@example.com')
  for (const [amount, message] of [
    ['0', /must be an amount above 0/],
    ['1.001', /at most 2 decimals in USD/],
    ['1000000001', /at most 1000000000/],
    ['-1', /amount/]
  ] as const) {
    const { code, err } = await run(['credit', 'add', ...of, `--amount=${amount}`, '--reason', 'x'])
    assert.equal(code, 1, amount)
    assert.match(err, message)
  }
  assert.equal((await json('credit', 'show', ...of)).updated_at, null)
  const unknown = await run(['credit', 'show', of[0]!, of[1]!, '--customer', 'cust_999999'])
  assert.match(unknown.err, /There is no customer cust_999999/)
})
