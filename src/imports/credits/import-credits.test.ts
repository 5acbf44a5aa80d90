import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCredit, transferCredit } from '#credits'
import { markCustomersDeleted, markCustomersMerged, upsertCustomers } from '#members'
import { setClock } from '#stores'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { importCredits } from './import-credits.ts'

const { db } = await testDatabase()
const START = Temporal.Instant.from('2026-01-31T15:00:00Z')

/** A store whose customers 1, 2, … have the addresses c1@example.com, …; the last two share one. */
async function aShop() {
  const store = await aStore(db, { clockAt: START })
  const addresses = ['c1', 'c2', 'c3', 'both', 'both'].map((name) => `${name}@example.com`)
  const reported = addresses.map((email, i) => ({ id: `${i + 1}`, email, firstName: null, lastName: null }))
  const known = await store.inStore((ctx) => upsertCustomers(ctx, reported))
  const ids = reported.map(({ id }) => `cust_${known.get(id)!.id}`)
  const memberId = (nth: number) => known.get(`${nth}`)!.id
  const read = async (rows: Record<string, unknown>[], isDryRun: boolean, name: string | null = 'a file') => {
    async function* stream() {
      yield Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    }
    const file = { format: 'ndjson' as const, stream: stream(), name, isDryRun }
    const { problems, added, repeated } = await importCredits(db, store.storeId, file)
    return { added, repeated, problems: problems.map(({ line, field, message }) => [line, field, message]) }
  }
  /** Imports the rows, after a dry run that must say the same. */
  const importRows = async (...rows: Record<string, unknown>[]) => {
    const said = await read(rows, true)
    const done = await read(rows, false)
    assert.deepEqual(said, done)
    return done
  }
  const balance = async (nth: number) => (await store.inStore((ctx) => findCredit(ctx, memberId(nth)))).balanceMinor
  const merge = (from: number, into: number) =>
    store.inStore(async (ctx) => {
      const both = (await markCustomersMerged(ctx, { deletedId: `${from}`, keptId: `${into}` }))!
      await transferCredit(ctx, both.from, both.to, 'merge')
    })
  return { store, ids, read, importRows, balance, merge }
}

const OLD = { amount: '5.00', expires_at: '2026-12-31T05:00:00Z', reason: 'Moved here', external_id: 'old-1' }

test('an external_id that comes again with anything else is refused, and the row says what it was used for', async () => {
  const { ids, importRows, balance } = await aShop()
  const row = { customer_id: '1', ...OLD }
  assert.deepEqual(await importRows(row), { added: 1, repeated: 0, problems: [] })
  const was = `external_id was imported before, for ${ids[0]}: 5.00 USD, expires_at 2026-12-31T05:00:00Z, reason "Moved here"`
  const others = [
    [{ customer_id: '2' }, 'customer'],
    [{ amount: '6.00' }, 'amount'],
    [{ expires_at: '2027-01-01' }, 'expires_at'],
    [{ expires_at: '' }, 'expires_at'],
    [{ reason: 'Else' }, 'reason'],
    [{ customer_id: '2', reason: '' }, 'customer, reason']
  ] as const
  const { problems, ...counts } = await importRows(
    ...others.map(([over]) => ({ ...row, ...over })),
    row,
    { ...row, customer_id: undefined, email: 'C1@example.com' },
    { ...row, customer_id: ids[0] }
  )
  assert.deepEqual(counts, { added: 0, repeated: 3 })
  assert.deepEqual(
    problems,
    others.map(([, other], i) => [i + 1, 'external_id', `${was}; this row has another ${other}`])
  )
  assert.deepEqual([await balance(1), await balance(2)], [500, 0])
})

test('of one file, the row that comes first counts', async () => {
  const { ids, importRows, balance } = await aShop()
  const { problems, added } = await importRows(
    { customer_id: '1', ...OLD, expires_at: '' },
    { customer_id: '2', ...OLD, expires_at: '' }
  )
  const was = `external_id was imported before, for ${ids[0]}: 5.00 USD, without expires_at, reason "Moved here"`
  assert.deepEqual([added, problems], [1, [[2, 'external_id', `${was}; this row has another customer`]]])
  assert.deepEqual([await balance(1), await balance(2)], [500, 0])
})

test('a row that was imported before is a repetition also when its date has passed, its customer is deleted, or was merged', async () => {
  const { store, importRows, balance, merge } = await aShop()
  const rows = [1, 2].map((nth) => ({ ...OLD, customer_id: `${nth}`, external_id: `old-${nth}` }))
  assert.equal((await importRows(...rows)).added, 2)
  await merge(1, 3)
  await store.inStore((ctx) => markCustomersDeleted(ctx, ['2']))
  const again = [...rows, { ...rows[0], customer_id: '3' }]
  assert.deepEqual(await importRows(...again), { added: 0, repeated: 3, problems: [] })
  await store.inStore((ctx) => setClock(ctx, Temporal.Instant.from('2027-01-01T00:00:00Z')))
  assert.deepEqual(await importRows(...again), { added: 0, repeated: 3, problems: [] })
  const [passed] = (await importRows({ ...rows[0], external_id: 'new' })).problems
  assert.deepEqual(passed, [1, 'expires_at', 'expires_at must be a time after now, which is 2027-01-01T00:00:00.000Z'])
  assert.equal(await balance(1), 0)
})

test('a customer is named by our id, the number or the global id, or an address; two that differ are refused', async () => {
  const { ids, importRows, balance } = await aShop()
  const { added, problems } = await importRows(
    { customer_id: ids[0], amount: '1' },
    { customer_id: '1', amount: '1' },
    { customer_id: 'gid://platform/Customer/1', amount: '1' },
    { customer_id: '1', email: 'c1@example.com', amount: '1' },
    { customer_id: '4', email: 'both@example.com', amount: '1' },
    { customer_id: '1', email: 'unknown@example.com', amount: '1' },
    { customer_id: ids[0], email: 'c2@example.com', amount: '1' },
    { customer_id: 'cust_999999', email: 'c1@example.com', amount: '1' },
    { customer_id: 'cust_x', amount: '1' },
    { customer_id: 'member 7', amount: '1' },
    { email: 'both@example.com', amount: '1' }
  )
  assert.equal(added, 6)
  const form = "customer_id must be a customer id such as cust_24, the platform's number, or gid://…/Customer/…"
  assert.deepEqual(problems, [
    [7, 'customer_id', `customer_id and email name two customers: ${ids[0]} and ${ids[1]}`],
    [8, 'customer_id', 'There is no customer with this id'],
    [9, 'customer_id', form],
    [10, 'customer_id', form],
    [11, 'email', 'Several customers have this address; give customer_id']
  ])
  assert.deepEqual([await balance(1), await balance(2), await balance(4)], [500, 0, 100])
})

test('credit of a merged customer goes to who was kept, and that of a deleted one is refused by its line', async () => {
  const { store, ids, importRows, balance, merge } = await aShop()
  await merge(1, 2)
  await merge(2, 3)
  await store.inStore((ctx) => markCustomersDeleted(ctx, ['4', '5']))
  const deleted = (id: string) =>
    `customer_id must be a customer who is not deleted on the platform: ${id} was deleted there, and their store credit can only be read and deducted`
  const { added, problems } = await importRows(
    { customer_id: ids[0], amount: '1' },
    { customer_id: '1', amount: '1' },
    { email: 'c1@example.com', amount: '1' },
    { customer_id: '1', email: 'c3@example.com', amount: '1' },
    { customer_id: '4', amount: '1' },
    { email: 'c2@example.com', amount: '1' },
    { customer_id: ids[4], amount: '1' }
  )
  assert.equal(added, 5)
  assert.deepEqual(problems, [
    [5, 'customer_id', deleted(ids[3]!)],
    [7, 'customer_id', deleted(ids[4]!)]
  ])
  assert.deepEqual([await balance(1), await balance(2), await balance(3), await balance(4)], [0, 0, 500, 0])
})

test('a file without a name: rows without external_id are refused, since they would be imported again', async () => {
  const { read, balance } = await aShop()
  const rows = [
    { customer_id: '1', amount: '5.00' },
    { customer_id: '2', ...OLD }
  ]
  for (const isDryRun of [true, false]) {
    const { problems, added } = await read(rows, isDryRun, null)
    assert.equal(added, 1)
    assert.deepEqual(
      problems.map(([line, field]) => [line, field]),
      [[1, 'external_id']]
    )
  }
  assert.equal((await read(rows, false, null)).repeated, 1)
  assert.deepEqual([await balance(1), await balance(2)], [0, 500])
})
