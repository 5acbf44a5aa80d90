import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audit } from '#audit'
import { instant, int, nullable, row, sql, text } from '#kit/postgres'
import { markCustomersMerged, upsertCustomers } from '#members'
import { setClock } from '#stores'
import { testDatabase } from '../../test/database.ts'
import { aStore } from '../../test/store-builder.ts'
import { adjustPoints } from './adjust-points.ts'
import { type Earning, earnPoints } from './earn-points.ts'
import { createPointsEngine } from './points-engine.ts'
import { findPoints } from './queries.ts'
import { reversePoints } from './reverse-points.ts'
import { spendPoints } from './spend-points.ts'
import { transferPoints } from './transfer-points.ts'

const { db } = await testDatabase()
const START = Temporal.Instant.from('2026-03-07T15:00:00Z')

async function customers() {
  const store = await aStore(db, { clockAt: START })
  const reported = ['1', '2'].map((id) => ({ id, email: null, firstName: null, lastName: null }))
  const known = await store.inStore((ctx) => upsertCustomers(ctx, reported))
  const [ada, bob] = reported.map(({ id }) => known.get(id)!.id) as [number, number]
  const engine = createPointsEngine({ db })
  let last = 0
  return {
    store,
    ada,
    bob,
    engine,
    earn: (memberId: number, points: number, given: Partial<Earning> = {}) =>
      store.inStore(async (ctx) => {
        const cause = { memberId, points, reason: 'x', operationId: `earn:${++last}` }
        const [entry] = await earnPoints(ctx, [
          { ...cause, readyAt: null, expireAfterDays: null, isShared: false, ...given }
        ])
        return entry!.id
      }),
    spend: (memberId: number, points: number, operationId = `spend:${++last}`) =>
      store.inStore((ctx) => spendPoints(ctx, { memberId, points, reason: 'x', operationId })),
    points: async (memberId: number) => {
      const found = (await store.inStore((ctx) => findPoints(ctx, [memberId]))).get(memberId)
      return found ? [found.balance, found.pendingPoints, found.lifetimePoints] : null
    },
    lots: (memberId: number) =>
      store.inStore(async ({ tx, storeId }) => {
        const rows = await tx.many(
          row({ left: int, expiresAt: nullable(instant) }),
          sql`select remaining_points as left, expires_at from points_lots
               where store_id = ${storeId} and member_id = ${memberId} order by expires_at, entry_id`
        )
        return rows.map(({ left, expiresAt }) => [left, expiresAt?.toString() ?? null])
      }),
    moveTo: (at: string) => store.inStore((ctx) => setClock(ctx, Temporal.Instant.from(at))),
    settle: async () => {
      while ((await engine.runOnce(store.storeId)) > 0);
    },
    async findings() {
      const { findings } = await store.inStore(audit)
      return findings.filter(({ check }) => check.startsWith('points_') && check !== 'points_events_complete')
    }
  }
}

test('points that wait are earned at their time, which the engine knows, and are then kept for days of the shop', async () => {
  const { store, ada, earn, spend, points, lots, moveTo, settle, engine, findings } = await customers()
  // The clocks of New York go forward in between: two of its days are 47 hours.
  await earn(ada, 100, { readyAt: START.add({ hours: 1 }), expireAfterDays: 2 })
  assert.deepEqual([await points(ada), await lots(ada)], [[0, 100, 0], []])
  const { refusal } = await spend(ada, 1)
  assert.match(refusal!.message, /needs 1 points; the customer has 0, and 100 are pending/)
  assert.equal((await engine.nextDueAt(store.storeId))!.toString(), '2026-03-07T16:00:00Z')
  await moveTo('2026-03-07T16:00:00Z')
  await settle()
  assert.deepEqual([await points(ada), await lots(ada)], [[100, 0, 100], [[100, '2026-03-09T15:00:00Z']]])
  await spend(ada, 30)
  await moveTo('2026-03-09T15:00:00Z')
  await settle()
  assert.deepEqual([await points(ada), await lots(ada), await engine.nextDueAt(store.storeId)], [[0, 0, 100], [], null])
  assert.deepEqual(await findings(), [])
})

test('points that were spent in the moment in which they were earned come back with their date', async () => {
  const { store, ada, earn, spend, points, lots, moveTo, findings } = await customers()
  await earn(ada, 100, { readyAt: START.add({ hours: 1 }), expireAfterDays: 10 })
  await earn(ada, 5)
  await moveTo('2026-03-07T16:00:00Z')
  // Nobody has looked at the account since they are ready.
  for (const spent of [60, 100]) {
    const { entry } = await spend(ada, spent)
    const reversal = { entryId: entry!.id, reason: 'x', operationId: `back:${spent}` }
    await store.inStore((ctx) => reversePoints(ctx, [reversal]))
    const all = [
      [100, '2026-03-17T15:00:00Z'],
      [5, null]
    ]
    assert.deepEqual([await points(ada), await lots(ada)], [[105, 0, 105], all])
  }
  assert.deepEqual(await findings(), [])
})

for (const [what, readyAt, spentAt, first] of [
  ['as they lasted from the beginning', null, '2026-03-07T15:00:00Z', '2026-03-14T14:00:00Z'],
  // A day of the two had passed before somebody looked at the account.
  ['as they lasted once they were ready', START.add({ hours: 1 }), '2026-03-08T15:00:00Z', '2026-03-13T15:00:00Z']
] as const) {
  test(`points that are spent after their date was moved come back for as long ${what}`, async () => {
    const { store, ada, earn, spend, lots, moveTo, settle, findings } = await customers()
    await earn(ada, 100, { readyAt, expireAfterDays: 2 })
    await moveTo(spentAt)
    const comesBack = (entryId: number) =>
      store.inStore((ctx) => reversePoints(ctx, [{ entryId, reason: 'x', operationId: `back:${entryId}` }]))
    let spent = (await spend(ada, 60)).entry!
    // The two days had 47 hours: the clocks of New York went forward.
    for (const [day, until] of [
      ['2026-03-12', first],
      ['2026-03-13', '2026-03-15T14:00:00Z'],
      ['2026-03-20', '2026-03-22T14:00:00Z']
    ] as const) {
      await moveTo(`${day}T15:00:00Z`)
      await settle()
      await comesBack(spent.id)
      assert.deepEqual(await lots(ada), [[60, until]], day)
      spent = (await spend(ada, 60)).entry!
    }
    assert.deepEqual(await findings(), [])
  })
}

test('of many who want the same points at once, as many get them as there are', async () => {
  const { ada, earn, spend, points, findings } = await customers()
  await earn(ada, 250)
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => spend(ada, 100)))
  assert.equal(outcomes.filter(({ refusal }) => !refusal).length, 2)
  assert.deepEqual([await points(ada), await findings()], [[50, 0, 250], []])
})

test('the same operation twice at once happens once', async () => {
  const { ada, earn, spend, points } = await customers()
  await earn(ada, 250)
  const outcomes = await Promise.all([spend(ada, 100, 'same'), spend(ada, 100, 'same')])
  assert.deepEqual(outcomes.map(({ isRepeated }) => isRepeated).sort(), [false, true])
  assert.deepEqual(await points(ada), [150, 0, 250])
})

test('a merged customer brings lots with their dates, pending points and all that were earned; what came from them is undone at who was kept', async () => {
  const { store, ada, bob, earn, spend, points, lots, moveTo, settle, findings } = await customers()
  const pending = await earn(ada, 40, { readyAt: START.add({ hours: 24 }) })
  const earned = await earn(ada, 60, { expireAfterDays: 10 })
  await earn(bob, 5)
  const { entry } = await spend(ada, 10)
  await store.inStore(async (ctx) => {
    const { from, to } = (await markCustomersMerged(ctx, { deletedId: '1', keptId: '2' }))!
    await transferPoints(ctx, from, to, `merge:${from}:${to}`)
  })
  assert.deepEqual(
    [await points(ada), await points(bob)],
    [
      [0, 0, 0],
      [55, 40, 65]
    ]
  )
  assert.deepEqual(await lots(bob), [
    [50, '2026-03-17T14:00:00Z'],
    [5, null]
  ])
  // Whoever has not seen the merge earns for who was kept.
  await earn(ada, 1)
  assert.deepEqual(await points(bob), [56, 40, 66])
  const undo = (entryId: number) =>
    store.inStore((ctx) => reversePoints(ctx, [{ entryId, reason: 'x', operationId: `undo:${entryId}` }]))
  await undo(entry!.id)
  await undo(earned)
  await undo(pending)
  assert.deepEqual(
    [await points(bob), await lots(bob)],
    [
      [6, 0, 6],
      [
        [5, null],
        [1, null]
      ]
    ]
  )
  await moveTo('2026-03-09T15:00:00Z')
  await settle()
  assert.deepEqual([await points(bob), await findings()], [[6, 0, 6], []])
})

test('what a node of before has added and taken, without lots, is made up for', async () => {
  const { store, ada, earn, points, lots, settle, findings } = await customers()
  await earn(ada, 50, { expireAfterDays: 5 })
  const older = (change: number, operationId: string) =>
    store.inStore(({ tx, storeId, now }) =>
      tx.run(sql`
        with account as (
          update points_accounts set balance = balance + ${change} where store_id = ${storeId} and member_id = ${ada}
          returning balance)
        insert into points_entries (store_id, member_id, points, balance_after, reason, operation_id, created_at)
        select ${storeId}, ${ada}, ${change}, balance, 'x', ${operationId}, ${now} from account`)
    )
  await older(30, 'more')
  await settle()
  assert.deepEqual(await lots(ada), [
    [50, '2026-03-12T14:00:00Z'],
    [30, null]
  ])
  await older(-60, 'less')
  await store.inStore((ctx) => adjustPoints(ctx, [{ memberId: ada, balance: 15, reason: 'x', operationId: 'set' }]))
  assert.deepEqual([await points(ada), await lots(ada), await findings()], [[15, 0, 50], [[15, null]], []])
})

test('points that were spent come back to their lots, once, also those whose date has passed meanwhile', async () => {
  const { store, ada, earn, spend, points, lots, moveTo, findings } = await customers()
  await earn(ada, 50, { expireAfterDays: 5 })
  await earn(ada, 50)
  const { entry } = await spend(ada, 70)
  await moveTo('2026-03-20T15:00:00Z')
  const restore = (operationId: string) =>
    store.inStore((ctx) => reversePoints(ctx, [{ entryId: entry!.id, reason: 'x', operationId }]))
  assert.equal((await restore('first')).length, 1)
  assert.equal((await restore('second')).length, 0)
  assert.deepEqual(
    [await points(ada), await lots(ada)],
    [
      [100, 0, 100],
      [
        // Five days less the hour that New York had not: as long as it was when they were spent.
        [50, '2026-03-25T14:00:00Z'],
        [50, null]
      ]
    ]
  )
  assert.deepEqual(await findings(), [])
})

test('of points that are undone the balance is never below zero, and the rest is on the entry', async () => {
  const { store, ada, earn, spend, points, findings } = await customers()
  const entryId = await earn(ada, 100)
  await spend(ada, 80)
  const [undone] = await store.inStore((ctx) => reversePoints(ctx, [{ entryId, reason: 'x', operationId: 'undo' }]))
  const { shortfall } = await store.inStore(({ tx, storeId }) =>
    tx.one(
      row({ shortfall: int, type: text }),
      sql`select shortfall_points as shortfall, type from points_entries where store_id = ${storeId} and id = ${undone!.id}`
    )
  )
  assert.deepEqual([undone!.points, shortfall, await points(ada)], [-20, 80, [0, 0, 0]])
  assert.deepEqual(await findings(), [])
})
