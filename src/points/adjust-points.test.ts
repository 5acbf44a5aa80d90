import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Ctx, int, row, sql, text } from '#kit/postgres'
import { upsertCustomers } from '#members'
import { atOnce } from '../../test/at-once.ts'
import { testDatabase } from '../../test/database.ts'
import { aStore } from '../../test/store-builder.ts'
import { adjustPoints } from './adjust-points.ts'
import { transferPoints } from './transfer-points.ts'

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

test('the accounts of two customers are set each to its own balance, by entries in the given order', async () => {
  const { store, ids, kept } = await customers('1', '2')
  const [first, second] = ids as [number, number]
  const entries = await store.inStore((ctx) =>
    adjustPoints(ctx, [adjustment(second, 5, 'a'), adjustment(first, 7, 'b'), adjustment(second, 6, 'c')])
  )
  assert.deepEqual(
    entries.map((e) => [e.memberId, e.points, e.balanceAfter]),
    [
      [second, 5, 5],
      [first, 7, 7],
      [second, 1, 6]
    ]
  )
  const numbers = entries.map(({ id }) => id)
  assert.deepEqual(
    numbers,
    numbers.toSorted((a, b) => a - b)
  )
  assert.deepEqual(await kept(), [
    [first, 7],
    [second, 6]
  ])
})

test('two changes of one account at once are counted one after the other, the first ones too', async () => {
  const { store, ids } = await customers('1')
  const [memberId] = ids as [number]
  for (const [one, other] of [
    ['a', 'b'],
    ['c', 'd']
  ] as const) {
    const second = await atOnce(
      store,
      (ctx) => adjustPoints(ctx, [adjustment(memberId, 10, one)]),
      (ctx) => adjustPoints(ctx, [adjustment(memberId, 30, other)])
    )
    assert.equal(second.status, 'fulfilled')
    assert.deepEqual(second.status === 'fulfilled' && second.value.map((e) => [e.points, e.balanceAfter]), [[20, 30]])
  }
})

test('a change of one account does not wait for another account', async () => {
  const { store, ids } = await customers('1', '2')
  const [first, second] = ids as [number, number]
  await store.inStore((ctx) => adjustPoints(ctx, [adjustment(first, 1, 'a'), adjustment(second, 1, 'b')]))
  const other = await atOnce(
    store,
    (ctx) => adjustPoints(ctx, [adjustment(first, 2, 'c')]),
    (ctx) => adjustPoints(ctx, [adjustment(second, 2, 'd')]),
    () => assert.fail('it waits for the account of another')
  )
  assert.equal(other.status, 'fulfilled')
})

test('accounts are made and locked in order of member, whatever order is asked for', async () => {
  const { store, ids } = await customers('1', '2')
  const [low, high] = ids as [number, number]
  const both = (of: string) => (ctx: Ctx) =>
    adjustPoints(ctx, [adjustment(high, of.length, `${of} high`), adjustment(low, of.length, `${of} low`)])
  /** Whether the account of `low` is being made or locked by the one that waits for `high`. */
  const isLowTaken = () =>
    assert.rejects(
      store.inStore(async (ctx) => {
        await ctx.tx.run(sql`set local lock_timeout = '20ms'`)
        return adjustPoints(ctx, [adjustment(low, 99, 'probe')])
      }),
      { code: '55P03' }
    )
  // The account of `high` is made first, so that its row comes first in the table.
  await atOnce(store, (ctx) => adjustPoints(ctx, [adjustment(high, 50, 'x')]), both('1'), isLowTaken)
  await atOnce(store, (ctx) => adjustPoints(ctx, [adjustment(high, 60, 'y')]), both('22'), isLowTaken)
})

test('points of a merged customer move once, and a customer without points moves none', async () => {
  const { store, ids, kept } = await customers('1', '2', '3')
  const [from, to, none] = ids as [number, number, number]
  await store.inStore((ctx) => adjustPoints(ctx, [adjustment(from, 40, 'a'), adjustment(to, 2, 'b')]))
  for (let times = 0; times < 2; times++) await store.inStore((ctx) => transferPoints(ctx, from, to, 'merge 1'))
  await store.inStore((ctx) => transferPoints(ctx, none, to, 'merge 2'))
  assert.deepEqual(await kept(), [
    [from, 0],
    [to, 42]
  ])
  const entries = await store.inStore(({ tx, storeId }) =>
    tx.many(
      row({ points: int, operationId: text, reason: text }),
      sql`select points, operation_id, reason from points_entries where store_id = ${storeId} order by id offset 2`
    )
  )
  assert.deepEqual(entries, [
    { points: -40, operationId: 'merge 1:out', reason: 'Customers were merged on the platform' },
    { points: 40, operationId: 'merge 1:in', reason: 'Customers were merged on the platform' }
  ])
  // A second merge of what came afterwards is another cause; to a customer without an account too.
  await store.inStore((ctx) => transferPoints(ctx, to, none, 'merge 3'))
  assert.deepEqual(await kept(), [
    [from, 0],
    [to, 0],
    [none, 42]
  ])
})

test('no adjustment asks for nothing, and an entry keeps its reason and its order', async () => {
  const { store, ids } = await customers('1')
  const [memberId] = ids as [number]
  await store.inStore(async (ctx) => assert.deepEqual(await adjustPoints(ctx, []), []))
  const [entry] = await store.inStore((ctx) =>
    adjustPoints(ctx, [{ ...adjustment(memberId, 3, 'a'), reason: 'welcome', orderId: null }])
  )
  assert.deepEqual([entry!.reason, entry!.orderId, entry!.operationId], ['welcome', null, 'a'])
  const events = await store.inStore(({ tx, storeId }) =>
    tx.many(
      row({ data: text }),
      sql`select data from facts where store_id = ${storeId} and name = 'member.points_changed'`
    )
  )
  assert.deepEqual(
    events.map(({ data }) => JSON.parse(data)),
    [
      {
        member_id: `mem_${memberId}`,
        customer: { id: `cust_${memberId}`, email: 'c1@example.com' },
        points: { previous_balance: 0, new_balance: 3, change: 3 },
        reason: 'welcome',
        order_id: null
      }
    ]
  )
})

const adjustment = (memberId: number, balance: number, operationId: string) => ({
  memberId,
  balance,
  reason: 'adjustment',
  operationId
})

/** A store with these customers, in the order in which their members get ids. */
async function customers(...names: string[]) {
  const store = await aStore(db)
  const ids: number[] = []
  for (const id of names) {
    const reported = [{ id, email: `c${id}@example.com`, firstName: null, lastName: null }]
    ids.push((await store.inStore((ctx) => upsertCustomers(ctx, reported))).get(id)!.id)
  }
  const kept = () =>
    store.inStore(async ({ tx, storeId }) => {
      const rows = await tx.many(
        row({ memberId: int, balance: int }),
        sql`select member_id, balance from points_accounts where store_id = ${storeId} order by member_id`
      )
      return rows.map((r) => [r.memberId, r.balance])
    })
  return { store, ids, kept }
}
