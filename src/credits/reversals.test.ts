import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audit, auditStore } from '#audit'
import { int, row, sql } from '#kit/postgres'
import { testDatabase } from '../../test/database.ts'
import { at, moveTo, START } from './credit-account.test-helper.ts'
import { findCredit } from './find-credit.ts'
import * as customers from './order-credit.test-helper.ts'
import { reconcileCredit } from './reconcile-credit.ts'
import { reserveCredit } from './reserve-credit.ts'

const { db } = await testDatabase()
const { day } = customers
const aCustomer = () => customers.aCustomer(db)

test('a redemption is recorded once per order; what the customer did not have is its shortfall', async () => {
  const { store, change, redeem, available, entries, isRight } = await aCustomer()
  await change('manual_add', 500)
  const first = await redeem(300)
  assert.equal((await redeem(300)).id, first.id)
  assert.equal(await available(), 200)
  const short = await redeem(300, 'second transaction')
  assert.deepEqual([short.amountMinor, short.shortfallMinor], [-200, 100])
  assert.deepEqual(
    (await entries()).map(({ type }) => type),
    ['manual_add', 'redemption', 'redemption']
  )
  const { warnings } = await auditStore(db, store.storeId)
  assert.deepEqual(
    warnings.filter(({ check }) => check === 'credit_redemptions_covered').map(({ subject }) => subject),
    [`sct_${short.id}`]
  )
  await isRight()
})

test('a restored redemption returns to the lots that it was spent from, those that expire last first', async () => {
  const { change, redeem, restore, lots, totals, isRight } = await aCustomer()
  await change('manual_add', 100, { expiresAt: day(10) })
  await change('manual_add', 100, { expiresAt: day(20) })
  await change('manual_add', 100)
  const spent = await redeem(250)
  const part = await restore(spent.id, 70)
  assert.deepEqual(
    [part!.entry!.amountMinor, part!.entry!.reversesId, part!.entry!.type],
    [70, spent.id, 'redemption_restored']
  )
  assert.deepEqual(await lots(), [
    [20, 20],
    [100, null]
  ])
  await restore(spent.id)
  assert.deepEqual(await lots(), [
    [100, 10],
    [100, 20],
    [100, null]
  ])
  assert.equal(await restore(spent.id), null)
  assert.equal((await totals()).usedMinor, 0)
  await isRight()
})

test('credit whose date has passed meanwhile comes back for as long as it had left when it was spent', async () => {
  const { store, change, redeem, restore, lots, expire, isRight } = await aCustomer()
  await change('manual_add', 100, { expiresAt: day(10) })
  await change('manual_add', 100, { expiresAt: day(20) })
  await moveTo(store, day(4).toString())
  const spent = await redeem(150)
  await moveTo(store, day(12).toString())
  await restore(spent.id)
  assert.deepEqual(await lots(), [
    [100, 18],
    [100, 20]
  ])
  await moveTo(store, day(18).toString())
  await expire()
  assert.deepEqual(await lots(), [[100, 20]])
  await isRight()
})

test('a restoration never gives more than was redeemed, and an operation restores once', async () => {
  const { redeem, change, restore, available, isRight } = await aCustomer()
  await change('manual_add', 500)
  const spent = await redeem(300)
  await restore(spent.id, 200, { operationId: 'once' })
  const again = await restore(spent.id, 200, { operationId: 'once' })
  assert.equal(again?.refusal === undefined && again?.isRepeated, true)
  assert.equal((await restore(spent.id, 200))!.entry!.amountMinor, 100)
  assert.equal(await available(), 500)
  await isRight()
})

test('a redemption restored because its order was cancelled is marked', async () => {
  const { redeem, change, restore } = await aCustomer()
  await change('manual_add', 500)
  const { id } = await redeem(300)
  const restored = await restore(id, undefined, { mark: 'order_cancelled' })
  assert.equal(restored!.entry!.mark, 'order_cancelled')
})

test('a redemption is restored to whom its customer was merged into, with its dates', async () => {
  const { store, redeem, change, restore, other, lots, available, isRight } = await aCustomer()
  const added = await change('manual_add', 500, { expiresAt: day(9) })
  const spent = await redeem(500)
  await restore(spent.id, undefined, { memberId: other })
  assert.deepEqual([await available(), await available(other)], [0, 500])
  assert.deepEqual(await lots(other), [[500, 9]])
  const lotOf = await store.inStore(({ tx, storeId }) =>
    tx.one(row({ entryId: int }), sql`select entry_id from credit_lots where store_id = ${storeId}`)
  )
  assert.notEqual(lotOf.entryId, added.entry!.id, 'a lot of the restoration, not that of the other account')
  await isRight()
})

test('what was spent from credit with a date and credit without one comes back as credit without a date, also as one lot after a merge', async () => {
  const { change, redeem, restore, other, lots, isRight } = await aCustomer()
  await change('manual_add', 100, { expiresAt: day(10) })
  await change('manual_add', 100)
  const spent = await redeem(200)
  const part = await restore(spent.id, 150)
  assert.equal(part!.entry!.expiresAt, null)
  assert.deepEqual(await lots(), [
    [50, 10],
    [100, null]
  ])
  const again = await redeem(150, 'again')
  const moved = await restore(again.id, undefined, { memberId: other })
  assert.equal(moved!.entry!.expiresAt, null)
  assert.deepEqual(await lots(other), [[150, null]])
  await isRight()
})

test('reconciling brings the account to the given balance by one entry of the difference, and not below what is reserved', async () => {
  const { store, memberId, other, change, entries, isRight } = await aCustomer()
  await change('manual_add', 500)
  const reconcile = (balanceMinor: number, operationId: string, who = memberId, mark: 'drift' | null = null) =>
    store.inStore((ctx) => reconcileCredit(ctx, { memberId: who, balanceMinor, reason: 'counted', operationId, mark }))
  assert.equal((await reconcile(420, 'a')).entry!.amountMinor, -80)
  assert.equal((await reconcile(1, 'a')).entry!.amountMinor, -80)
  assert.equal((await reconcile(420, 'b')).entry, null)
  assert.equal((await reconcile(600, 'c')).entry!.amountMinor, 180)
  assert.equal((await reconcile(50, 'd', other, 'drift')).entry!.mark, 'drift')
  const held = { memberId, amountMinor: 100, reason: 'x', operationId: 'held', expiresAt: day(1) }
  await store.inStore((ctx) => reserveCredit(ctx, [held]))
  await assert.rejects(reconcile(99, 'e'), {
    message: 'balance must be at least 1.00 USD, which open reservations hold; 0.99 was given'
  })
  assert.equal((await reconcile(100, 'f')).entry!.amountMinor, -500)
  assert.deepEqual(
    (await entries()).slice(1).map(({ type }) => type),
    ['reconciled', 'reconciled', 'reconciled']
  )
  await isRight()
})

test('credit that is past its date and not expired yet is left out of the balance that is reconciled', async () => {
  const { store, memberId, change, entries, expire, available, isRight } = await aCustomer()
  await change('manual_add', 300, { expiresAt: day(1) })
  await change('manual_add', 500)
  await moveTo(store, day(2).toString())
  const { credit } = await store.inStore((ctx) =>
    reconcileCredit(ctx, { memberId, balanceMinor: 450, reason: 'counted', operationId: 'count' })
  )
  assert.equal(credit.availableMinor, 450)
  assert.equal((await entries()).at(-1)!.amountMinor, -50)
  await expire()
  assert.deepEqual([await available(), (await entries()).at(-1)!.balanceAfterMinor], [450, 450])
  await isRight()
})

test('each type of entry counts in its total, and the totals sum to the balance', async () => {
  const { store, memberId, change, totals, isRight } = await aCustomer()
  for (const [type, amountMinor] of [
    ['membership_charge', 10_000],
    ['manual_add', 2_000],
    ['manual_deduct', -100],
    ['redemption', -1_000],
    ['redemption_restored', 300],
    ['refund', -40],
    ['forfeit', -7],
    ['expired', -5],
    ['reconciled', 60],
    ['churn_offer', 900],
    ['loyalty_reward', 800],
    ['import', 700],
    ['dispute', -50],
    ['dispute', 20]
  ] as const) {
    assert.equal((await change(type, amountMinor)).refusal, undefined, type)
  }
  assert.deepEqual(await totals(), {
    chargedMinor: 12_400,
    usedMinor: 700,
    refundedMinor: 40,
    disputedMinor: 30,
    forfeitMinor: 12,
    reconciledMinor: 1_960,
    forfeitedAt: at(START),
    reconciledAt: at(START)
  })
  assert.equal((await store.inStore((ctx) => findCredit(ctx, memberId))).balanceMinor, 13_578)
  await isRight()
})

test('the date of the last manual adjustment leaves out what a merge or a correction of drift wrote', async () => {
  const { store, change, totals } = await aCustomer()
  await change('manual_add', 100)
  await moveTo(store, day(1).toString())
  for (const mark of ['merge', 'drift'] as const) await change('reconciled', 100, { mark })
  const { reconciledAt, reconciledMinor, forfeitedAt } = await totals()
  assert.deepEqual([reconciledAt, reconciledMinor, forfeitedAt], [at(START), 300, null])
  await change('expired', -1)
  assert.deepEqual((await totals()).forfeitedAt, day(1))
})

test('entries that older code writes without the totals are counted by the next change', async () => {
  const { store, memberId, change, totals } = await aCustomer()
  await change('manual_add', 100)
  await store.inStore(({ tx, storeId, now }) =>
    tx.run(sql`
      with entered as (
        insert into credit_entries (store_id, member_id, position, type, amount_minor, balance_after_minor, reason,
                                    operation_id, created_at)
        values (${storeId}, ${memberId}, 2, 1, 50, 150, 'x', 'older', ${now}) returning id),
      lot as (
        insert into credit_lots (store_id, entry_id, member_id, remaining_minor)
        select ${storeId}, id, ${memberId}, 50 from entered returning entry_id)
      update credit_accounts set balance_minor = 150, entries = 2 where store_id = ${storeId} and member_id = ${memberId}`)
  )
  assert.equal((await totals()).chargedMinor, 0)
  await change('manual_deduct', -10)
  const { chargedMinor, reconciledMinor } = await totals()
  assert.deepEqual([chargedMinor, reconciledMinor], [50, 90])
  const { findings } = await store.inStore(audit)
  assert.deepEqual(
    findings.filter(({ check }) => check !== 'credit_events_complete' && check.startsWith('credit_')),
    []
  )
})
