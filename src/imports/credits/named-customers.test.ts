import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCredit } from '#credits'
import { markCustomersDeleted, markCustomersMerged, upsertCustomers } from '#members'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { importCredits } from './import-credits.ts'

const { db } = await testDatabase()

test('imported credit goes to nobody who was merged or deleted; an address that two customers have is refused', async () => {
  const store = await aStore(db)
  const person = (id: string, email: string) => ({ id, email, firstName: null, lastName: null })
  const known = await store.inStore((ctx) =>
    upsertCustomers(ctx, [
      person('1', 'merged@example.com'),
      person('2', 'kept@example.com'),
      person('3', 'again@example.com'),
      person('4', 'AGAIN@example.com'),
      person('5', 'both@example.com'),
      person('6', 'both@example.com')
    ])
  )
  await store.inStore(async (ctx) => {
    await markCustomersMerged(ctx, { deletedId: '1', keptId: '2' })
    await markCustomersDeleted(ctx, ['3'])
  })
  async function* rows() {
    yield Buffer.from(
      [
        { customer_id: '1', amount: '1.00' },
        { email: 'again@example.com', amount: '2.00' },
        { email: 'both@example.com', amount: '3.00' }
      ]
        .map((row) => `${JSON.stringify(row)}\n`)
        .join('')
    )
  }
  const file = { format: 'ndjson' as const, stream: rows(), name: 'a file', isDryRun: false }
  const { problems } = await importCredits(db, store.storeId, file)
  assert.deepEqual(problems.at(-1), {
    line: 3,
    field: 'email',
    message: 'Several customers have this address; give customer_id'
  })
  const balance = async (id: string) => (await store.inStore((ctx) => findCredit(ctx, known.get(id)!.id))).balanceMinor
  assert.deepEqual(await Promise.all(['1', '3', '4', '5', '6'].map(balance)), [0, 0, 200, 0, 0])
})
