import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dueStores } from '#kit/engines'
import { type Ctx, instant, int, row, sql } from '#kit/postgres'
import { upsertCustomers } from '#members'
import { atOnce } from '../../test/at-once.ts'
import { testDatabase } from '../../test/database.ts'
import { aStore } from '../../test/store-builder.ts'
import { changeCredits } from './change-credits.ts'
import { accountOf, at, moveTo, START } from './credit-account.test-helper.ts'
import { createCreditEngine } from './credit-engine.ts'
import { findCredit } from './find-credit.ts'
import { transferCredit } from './transfer-credit.ts'

const { db } = await testDatabase()
const engine = createCreditEngine({ db })

let last = 0
/** Adds, or deducts where the amount is below zero. */
const change = (memberId: number, amountMinor: number, expiresAt: Temporal.Instant | null = null) => ({
  memberId,
  type: amountMinor > 0 ? ('manual_add' as const) : ('manual_deduct' as const),
  amountMinor,
  reason: 'test',
  operationId: `at once:${++last}`,
  expiresAt
})

/** A store with two customers; the first has the lower number. */
async function twoCustomers() {
  const store = await aStore(db, { clockAt: at(START) })
  const ids: number[] = []
  for (const id of ['1', '2']) {
    const reported = [{ id, email: `c${id}@example.com`, firstName: null, lastName: null }]
    ids.push((await store.inStore((ctx) => upsertCustomers(ctx, reported))).get(id)!.id)
  }
  return { store, low: ids[0]!, high: ids[1]! }
}

test('two changes of one account at once are made one after the other, the first ones too', async () => {
  const { store, low } = await twoCustomers()
  for (const balance of [30, 60]) {
    const second = await atOnce(
      store,
      (ctx) => changeCredits(ctx, [change(low, 10)]),
      (ctx) => changeCredits(ctx, [change(low, 20)])
    )
    assert.equal(second.status === 'fulfilled' && second.value[0]!.credit?.balanceMinor, balance)
  }
  const { balanceMinor, entries, lots } = await accountOf(store, low)
  assert.deepEqual([balanceMinor, entries, lots.length], [60, 4, 4])
})

test('of two deductions at once, the second sees what the first has left', async () => {
  const { store, low } = await twoCustomers()
  await store.inStore((ctx) => changeCredits(ctx, [change(low, 10)]))
  const second = await atOnce(
    store,
    (ctx) => changeCredits(ctx, [change(low, -8)]),
    (ctx) => changeCredits(ctx, [change(low, -8)])
  )
  assert.match(String(second.status === 'fulfilled' && second.value[0]!.refusal?.message), /has 0\.02 USD available/)
})

test('an account of which every change is refused is left as it was, also beside one that is changed', async () => {
  const { store, low, high } = await twoCustomers()
  await store.inStore((ctx) => changeCredits(ctx, [change(low, 10), change(high, 10)]))
  await moveTo(store, at(START).add({ hours: 1 }).toString())
  const [refused, applied] = await store.inStore((ctx) => changeCredits(ctx, [change(low, -11), change(high, -1)]))
  assert.deepEqual([refused!.refusal?.code, applied!.credit?.balanceMinor], ['conflict', 9])
  const times = await Promise.all([low, high].map((id) => store.inStore((ctx) => findCredit(ctx, id))))
  assert.deepEqual(
    times.map(({ updatedAt }) => updatedAt),
    [at(START), at(START).add({ hours: 1 })]
  )
})

test('a change of one account does not wait for another account', async () => {
  const { store, low, high } = await twoCustomers()
  await store.inStore((ctx) => changeCredits(ctx, [change(low, 10), change(high, 10)]))
  const other = await atOnce(
    store,
    (ctx) => changeCredits(ctx, [change(low, -1)]),
    (ctx) => changeCredits(ctx, [change(high, -1)]),
    () => assert.fail('it waits for the account of another')
  )
  assert.equal(other.status, 'fulfilled')
})

test('accounts are made and locked in order of member, whatever order is asked for', async () => {
  const { store, low, high } = await twoCustomers()
  const both = (ctx: Ctx) => changeCredits(ctx, [change(high, 5), change(low, 5)])
  /** Whether the account of `low` is being made or locked by the one that waits for `high`. */
  const isLowTaken = () =>
    assert.rejects(
      store.inStore(async (ctx) => {
        await ctx.tx.run(sql`set local lock_timeout = '20ms'`)
        return changeCredits(ctx, [change(low, 1)])
      }),
      { code: '55P03' }
    )
  // The account of `high` is made first, so that its row comes first in the table.
  await atOnce(store, (ctx) => changeCredits(ctx, [change(high, 1)]), both, isLowTaken)
  await atOnce(store, (ctx) => changeCredits(ctx, [change(high, 1)]), both, isLowTaken)
})

test('a run expires the five hundred oldest lots, of whichever members, and each from its own account', async () => {
  const { store, low, high } = await twoCustomers()
  const after = (minutes: number) => at(START).add({ minutes })
  await store.inStore((ctx) =>
    changeCredits(ctx, [
      ...Array.from({ length: 502 }, (_, i) => change(high, 2, after(10 + i))),
      change(low, 7, after(2)),
      change(low, 3)
    ])
  )
  await moveTo(store, after(2_000).toString())
  assert.equal(await engine.runOnce(store.storeId), 500)
  const balances = async () => [(await accountOf(store, low)).balanceMinor, (await accountOf(store, high)).balanceMinor]
  assert.deepEqual(await balances(), [3, 6])
  assert.deepEqual(
    (await accountOf(store, high)).lots.map(({ expiresAt }) => expiresAt!.since(at(START)).total('minutes')),
    [509, 510, 511]
  )
  const expired = await store.inStore(({ tx, storeId }) =>
    tx.many(
      row({ memberId: int, amountMinor: int, balanceAfterMinor: int, position: int }),
      sql`select member_id, amount_minor, balance_after_minor, position from credit_entries
           where store_id = ${storeId} and type = 8 order by id limit 3`
    )
  )
  assert.deepEqual(
    expired.map((e) => [e.memberId, e.amountMinor, e.balanceAfterMinor, e.position]),
    [
      [low, -7, 3, 3],
      [high, -2, 1002, 503],
      [high, -2, 1000, 504]
    ]
  )
  assert.equal(await engine.runOnce(store.storeId), 3)
  assert.deepEqual(await balances(), [3, 0])
  assert.equal(await engine.runOnce(store.storeId), 0)
})

test('lots of one date are expired oldest first, without waiting for accounts that have none to expire', async () => {
  const { store, low, high } = await twoCustomers()
  const end = at(START).add({ hours: 1 })
  await store.inStore((ctx) =>
    changeCredits(ctx, [change(low, 1, end), change(low, 2, end), change(high, 5, end.add({ hours: 1 }))])
  )
  await moveTo(store, end.toString())
  await store.inStore(async (ctx) => {
    await changeCredits(ctx, [change(high, 1)])
    assert.equal(await engine.runOnce(store.storeId), 2)
  })
  const { events } = await accountOf(store, low)
  assert.deepEqual(
    events.slice(2).map(({ data }) => [data.amount, data.reason]),
    [
      [0.01, 'expired'],
      [0.02, 'expired']
    ]
  )
})

test('a store is due at the instant at which its first lot ends, and not before', async () => {
  const { store, low } = await twoCustomers()
  const [first, second] = [1, 2].map((hours) => at(START).add({ hours })) as [Temporal.Instant, Temporal.Instant]
  await store.inStore((ctx) => changeCredits(ctx, [change(low, 1, second), change(low, 2, first), change(low, 3)]))
  const due = async (until: Temporal.Instant) => {
    const stores = dueStores([{ storeId: store.storeId, until: until.toString() }])
    const rows = await db.acrossStores.many(row({ storeId: int, dueAt: instant }), engine.due(stores))
    return rows.map(({ storeId, dueAt }) => [storeId, dueAt])
  }
  assert.deepEqual(await due(first.subtract({ milliseconds: 1 })), [])
  assert.deepEqual(await due(first), [[store.storeId, first]])
  assert.deepEqual(await due(second), [[store.storeId, first]])
})

test('of more lots than are read at first, those that end first are spent, and of equal dates the older ones', async () => {
  const { store, low, high } = await twoCustomers()
  const day = (days: number) => at(START).add({ hours: 24 * days })
  await store.inStore((ctx) =>
    changeCredits(ctx, [
      ...Array.from({ length: 60 }, (_, i) => change(low, 1, day(100 - i))),
      ...Array.from({ length: 60 }, (_, i) => change(high, i + 1, day(1)))
    ])
  )
  await store.inStore((ctx) => changeCredits(ctx, [change(low, -2), change(high, -3)]))
  const { lots } = await accountOf(store, low)
  assert.deepEqual([lots.length, lots[0]!.expiresAt, lots.at(-1)!.expiresAt], [58, day(43), day(100)])
  assert.deepEqual(
    (await accountOf(store, high)).lots.map(({ remainingMinor }) => remainingMinor),
    Array.from({ length: 58 }, (_, i) => i + 3)
  )
})

test('credit of a merged customer moves once, lot by lot with its date; what is past its date stays', async () => {
  const { store, low, high } = await twoCustomers()
  const [february, march] = ['2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z'].map(at) as [
    Temporal.Instant,
    Temporal.Instant
  ]
  await store.inStore((ctx) =>
    changeCredits(ctx, [change(low, 100, march), change(low, 50), change(low, 9, february), change(high, 1)])
  )
  await moveTo(store, february.toString())
  for (let times = 0; times < 2; times++) await store.inStore((ctx) => transferCredit(ctx, low, high, 'merge'))
  assert.deepEqual((await accountOf(store, low)).lots, [{ remainingMinor: 9, expiresAt: february }])
  const moved = await accountOf(store, high)
  assert.equal(moved.balanceMinor, 151)
  assert.deepEqual(moved.lots, [
    { remainingMinor: 100, expiresAt: march },
    { remainingMinor: 1, expiresAt: null },
    { remainingMinor: 50, expiresAt: null }
  ])
  assert.deepEqual(
    moved.events.slice(1).map(({ data }) => [data.amount, data.reason]),
    [
      [1, 'Customers were merged on the platform'],
      [0.5, 'Customers were merged on the platform']
    ]
  )
})

test('a customer without credit, or with no account at all, moves none', async () => {
  const { store, low, high } = await twoCustomers()
  await store.inStore((ctx) => changeCredits(ctx, [change(high, 4)]))
  await store.inStore((ctx) => transferCredit(ctx, low, high, 'merge'))
  await store.inStore((ctx) => changeCredits(ctx, [change(high, -4)]))
  await store.inStore((ctx) => transferCredit(ctx, high, low, 'back'))
  const { balanceMinor, entries } = await accountOf(store, high)
  assert.deepEqual([balanceMinor, entries], [0, 2])
})
