// Points that an order has issued follow its refunds and disputes by the rule of store credit.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int, nullable, row, sql, text } from '#kit/postgres'
import { markCustomersMerged, upsertCustomers } from '#members'
import { testDatabase } from '../../test/database.ts'
import { aStore, type BuiltStore } from '../../test/store-builder.ts'
import { adjustPoints } from './adjust-points.ts'
import { earnPoints } from './earn-points.ts'
import { reversePoints } from './reverse-points.ts'
import { settleOrderPoints } from './settle-order-points.ts'
import { transferPoints } from './transfer-points.ts'

const { db } = await testDatabase()

let last = 0
/** Our number of an order of 60.00. */
async function anOrderOf(store: BuiltStore, memberId: number, number: string): Promise<number> {
  const { id } = await store.inStore(({ tx, storeId, now }) =>
    tx.one(
      row({ id: int }),
      sql`
      insert into orders (store_id, platform_order_id, member_id, name, number, currency, total_minor, tax_minor, discount_minor,
                          financial_status, tags, discount_codes, processed_at, platform_updated_at, created_at, updated_at)
      values (${storeId}, ${number}, ${memberId}, ${`#${number}`}, ${number}, 'USD', 6000, 0, 0, 'PAID', '{}', '{}', ${now}, ${now}, ${now}, ${now})
      returning id`
    )
  )
  return id
}

/** A customer with 100 points that their order of 60.00 has issued, and what happens to those. */
async function aCustomer() {
  const store = await aStore(db)
  const reported = ['1', '2', '3', '4'].map((id) => ({ id, email: null, firstName: null, lastName: null }))
  const known = await store.inStore((ctx) => upsertCustomers(ctx, reported))
  const memberId = known.get('1')!.id
  const orderId = await anOrderOf(store, memberId, '1')
  const set = (balance: number) =>
    store.inStore((ctx) => adjustPoints(ctx, [{ memberId, balance, reason: 'x', operationId: `t:${++last}` }]))
  const entries = () =>
    store.inStore(({ tx, storeId }) =>
      tx.many(
        row({ points: int, shortfall: int, reversal: nullable(text), reason: text }),
        sql`
        select points, shortfall_points as shortfall, reversal, reason from points_entries
         where store_id = ${storeId} order by id`
      )
    )
  const [issued] = await store.inStore((ctx) =>
    earnPoints(ctx, [
      {
        ...{ memberId, points: 100, reason: 'x', operationId: `t:${++last}`, orderId },
        ...{ readyAt: null, expireAfterDays: null, isShared: true }
      }
    ])
  )
  const reversed = { refunded: 0, disputed: 0 }
  return {
    ...{ store, memberId, orderId, set, entries },
    /** The 100 points are undone as a whole. */
    undo: () =>
      store.inStore((ctx) => reversePoints(ctx, [{ entryId: issued!.id, reason: 'x', operationId: `t:${++last}` }])),
    /** Entries as an earlier version wrote them, which reverse the 100 points: `reversal` as it was filled in later, or is not. */
    wrote: async (...older: [points: number, reason: string, reversal: 'refund' | 'dispute' | null][]) => {
      for (const [points, reason, reversal] of older) {
        await store.inStore(({ tx, storeId, now }) =>
          tx.run(sql`
            with account as (
              update points_accounts set balance = balance + ${points}
               where store_id = ${storeId} and member_id = ${memberId} returning balance),
            first as (select id from points_entries where store_id = ${storeId} order by id limit 1)
            insert into points_entries (store_id, member_id, points, balance_after, reason, order_id, operation_id, created_at,
                                        reverses_id, shortfall_points, reversed_points, reversal)
            select ${storeId}, ${memberId}, ${points}, account.balance, ${reason}, ${orderId}, ${`old:${++last}`}, ${now},
                   first.id, 0, 0, ${reversal} from account, first`)
        )
      }
    },
    numberOf: (id: string) => known.get(id)!.id,
    merge: (deletedId: string, keptId: string) =>
      store.inStore(async (ctx) => {
        const { from, to } = (await markCustomersMerged(ctx, { deletedId, keptId }))!
        await transferPoints(ctx, from, to, `merge:${from}:${to}`)
      }),
    balance: async (id = '1') =>
      (
        await store.inStore(({ tx, storeId }) =>
          tx.maybeOne(
            row({ balance: int }),
            sql`select balance from points_accounts where store_id = ${storeId} and member_id = ${known.get(id)!.id}`
          )
        )
      )?.balance ?? 0,
    /** What is refunded and disputed of the order now: points and shortfall of each entry that this leads to. */
    settle: async (now: { refunded?: number; disputed?: number }) => {
      Object.assign(reversed, now)
      const before = (await entries()).length
      const { refunded: refundedMinor, disputed: disputedMinor } = reversed
      await store.inStore((ctx) =>
        settleOrderPoints(ctx, [{ orderId, wholeMinor: 6000, refundedMinor, disputedMinor }])
      )
      return (await entries()).slice(before).map(({ points, shortfall }) => [points, shortfall])
    }
  }
}

test('a refund or dispute takes its own share, not what an earlier one could not take', async () => {
  for (const [first, second] of [
    ['refunded', 'disputed'],
    ['disputed', 'refunded']
  ] as const) {
    const { set, settle, balance } = await aCustomer()
    await set(20)
    assert.deepEqual(await settle({ [first]: 3000 }), [[-20, 30]])
    await set(200)
    assert.deepEqual(await settle({ [second]: 3000 }), [[-50, 0]])
    assert.deepEqual([await settle({}), await balance()], [[], 150])
  }
})

test('a won dispute gives back what it took, and the refund keeps what it could not take', async () => {
  const { set, settle, balance, entries } = await aCustomer()
  await set(20)
  await settle({ refunded: 3000 })
  await set(200)
  await settle({ disputed: 6000 })
  assert.deepEqual(await settle({ disputed: 0 }), [[50, 0]])
  assert.deepEqual([await settle({}), await balance()], [[], 200])
  assert.deepEqual((await entries()).at(-1), { points: 50, shortfall: 0, reversal: 'dispute', reason: 'dispute won' })
})

test('a won dispute that could take nothing asks for nothing any more: one that is lost later asks again, and so does a refund', async () => {
  for (const later of ['disputed', 'refunded'] as const) {
    const { set, settle, balance } = await aCustomer()
    await set(0)
    assert.deepEqual(await settle({ disputed: 6000 }), [[0, 100]])
    assert.deepEqual(await settle({ disputed: 0 }), [[0, -100]])
    await set(70)
    assert.deepEqual(await settle({ [later]: 3000 }), [[-50, 0]])
    assert.equal(await balance(), 20)
  }
})

test('less is refunded after all: what was asked for last is undone, and of that what could not be taken first', async () => {
  const { set, settle, balance } = await aCustomer()
  await set(20)
  assert.deepEqual(await settle({ refunded: 3000 }), [[-20, 30]])
  await set(25)
  assert.deepEqual(await settle({ refunded: 4800 }), [[-25, 5]])
  assert.deepEqual(await settle({ refunded: 3600 }), [[15, -5]])
  assert.deepEqual(await settle({ refunded: 2400 }), [[10, -10]])
  assert.equal(await balance(), 25)
  assert.deepEqual(await settle({ refunded: 0 }), [[20, -20]])
  assert.deepEqual([await settle({}), await balance()], [[], 45])
})

test('what was undone as a whole is not given back when a dispute is won, also where the dispute had taken all of it', async () => {
  for (const disputed of [3000, 6000]) {
    const { settle, undo, balance } = await aCustomer()
    await settle({ disputed })
    assert.equal((await undo()).length, 1)
    // Once.
    assert.deepEqual(await undo(), [])
    assert.deepEqual([await settle({ disputed: 0 }), await balance()], [[], 0])
    assert.deepEqual([await settle({ refunded: 3000 }), await balance()], [[], 0])
  }
})

test('entries of earlier versions give back without a shortfall, and without saying for what', async () => {
  const { store, set, settle } = await aCustomer()
  await set(20)
  await settle({ refunded: 3000 })
  await set(50)
  await settle({ refunded: 6000 })
  await settle({ refunded: 5400 })
  await store.inStore(({ tx, storeId }) =>
    tx.run(sql`update points_entries set type = null, reversal = null where store_id = ${storeId}`)
  )
  assert.deepEqual(await settle({ refunded: 3000 }), [[40, 0]])
})

test('what an earlier version gave back of a dispute, filed as of a refund, is not given back again', async () => {
  const migrated = await aCustomer()
  await migrated.wrote([-100, 'order disputed', 'dispute'], [50, 'order refunded', 'refund'])
  assert.deepEqual(await migrated.settle({ refunded: 3000 }), [
    [50, 0],
    [-50, 0]
  ])
  assert.deepEqual([await migrated.settle({}), await migrated.balance()], [[], 50])
  // A node of the earlier version, while this one runs already.
  const besides = await aCustomer()
  assert.deepEqual(await besides.settle({ disputed: 6000 }), [[-100, 0]])
  await besides.wrote([100, 'dispute won', null])
  assert.deepEqual([await besides.settle({ disputed: 0 }), await besides.balance()], [[], 100])
})

test('what was given back counts for its own type first, and of that for what was asked for last', async () => {
  const { wrote, settle, balance } = await aCustomer()
  await wrote(
    [-50, 'order refunded', 'refund'],
    [-50, 'order disputed', 'dispute'],
    [50, 'less was refunded', 'refund']
  )
  assert.deepEqual([await settle({ disputed: 3000 }), await balance()], [[], 50])
  const won = await aCustomer()
  await won.wrote([-50, 'order disputed', 'dispute'], [-50, 'order refunded', 'refund'], [50, 'dispute won', 'dispute'])
  assert.deepEqual([await won.settle({ refunded: 3000 }), await won.balance()], [[], 50])
})

test('of several orders those that are given first come first, whichever has issued first', async () => {
  const { store, orderId, memberId, set, settle, balance } = await aCustomer()
  const other = await anOrderOf(store, memberId, '2')
  const issued = { memberId, points: 60, reason: 'x', operationId: `t:${++last}`, orderId: other }
  await store.inStore((ctx) => earnPoints(ctx, [{ ...issued, readyAt: null, expireAfterDays: null, isShared: true }]))
  const ofBoth = (refundedMinor: number, disputedMinor: number) =>
    store.inStore((ctx) =>
      settleOrderPoints(ctx, [
        { orderId: other, wholeMinor: 6000, refundedMinor: 0, disputedMinor },
        { orderId, wholeMinor: 6000, refundedMinor, disputedMinor: 0 }
      ])
    )
  await ofBoth(0, 6000)
  await set(10)
  // The 60 points come back, of which the refund takes what it can.
  await ofBoth(6000, 0)
  assert.deepEqual([await settle({ refunded: 6000 }), await balance()], [[], 0])
})

test('after several merges points are taken from, and given back to, who remains', async () => {
  const { merge, settle, balance } = await aCustomer()
  const all = async () => [await balance('1'), await balance('2'), await balance('3'), await balance('4')]
  await merge('1', '2')
  assert.deepEqual([await settle({ refunded: 1500 }), await all()], [[[-25, 0]], [0, 75, 0, 0]])
  await merge('2', '3')
  assert.deepEqual([await settle({ refunded: 3000 }), await all()], [[[-25, 0]], [0, 0, 50, 0]])
  await merge('3', '4')
  assert.deepEqual([await settle({ refunded: 6000 }), await all()], [[[-50, 0]], [0, 0, 0, 0]])
  assert.deepEqual([await settle({ refunded: 0 }), await all()], [[[100, 0]], [0, 0, 0, 100]])
})
