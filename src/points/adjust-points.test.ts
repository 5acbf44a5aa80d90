import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int, row, sql } from '#kit/postgres'
import { upsertCustomers } from '#members'
import { testDatabase } from '../../test/database.ts'
import { aStore } from '../../test/store-builder.ts'
import { adjustPoints } from './adjust-points.ts'

const { db } = await testDatabase()

async function aCustomer() {
  const store = await aStore(db)
  const reported = { id: '77', email: 'ada@example.com', firstName: null, lastName: null }
  const { id } = (await store.inStore((ctx) => upsertCustomers(ctx, [reported]))).get('77')!
  const adjust = (...wanted: [balance: number, operationId: string][]) =>
    store.inStore((ctx) =>
      adjustPoints(
        ctx,
        wanted.map(([balance, operationId]) => ({ memberId: id, balance, reason: 'adjustment', operationId }))
      )
    )
  const kept = () =>
    store.inStore(({ tx, storeId }) =>
      tx.one(
        row({ accounts: int, balance: int, sum: int, events: int }),
        sql`select (select count(*) from points_accounts where store_id = ${storeId}) as accounts,
                   (select coalesce(sum(balance), 0)::bigint from points_accounts where store_id = ${storeId}) as balance,
                   (select coalesce(sum(points), 0)::bigint from points_entries where store_id = ${storeId}) as sum,
                   (select count(*) from facts where store_id = ${storeId} and name = 'member.points_changed') as events`
      )
    )
  return { adjust, kept }
}

test('balances are set one after the other, each by an entry and an event', async () => {
  const { adjust, kept } = await aCustomer()
  const entries = await adjust([10, 'a'], [4, 'b'], [4, 'c'])
  assert.deepEqual(
    entries.map(({ points, balanceAfter }) => [points, balanceAfter]),
    [
      [10, 10],
      [-6, 4]
    ]
  )
  assert.deepEqual(await kept(), { accounts: 1, balance: 4, sum: 4, events: 2 })
})

test('a repeated operation, and a balance that is reached already, change nothing', async () => {
  const { adjust, kept } = await aCustomer()
  assert.deepEqual(await adjust([0, 'z']), [])
  assert.deepEqual(await kept(), { accounts: 0, balance: 0, sum: 0, events: 0 })
  await adjust([10, 'a'], [20, 'a'])
  assert.deepEqual(await adjust([30, 'a']), [])
  assert.deepEqual(await kept(), { accounts: 1, balance: 10, sum: 10, events: 1 })
})
