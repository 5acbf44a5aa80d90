// What refunds and disputes take back of credit that reservations hold.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audit } from '#audit'
import { sql } from '#kit/postgres'
import { testDatabase } from '../../test/database.ts'
import { moveTo } from './credit-account.test-helper.ts'
import { forfeitCredit } from './forfeits/forfeit-credit.ts'
import * as customers from './order-credit.test-helper.ts'
import { transferCredit } from './transfer-credit.ts'

const { db } = await testDatabase()
const { day } = customers
const aCustomer = () => customers.aCustomer(db)

test('what a reservation holds is taken when it is released: by an entry of the same type and order, linked', async () => {
  const { orderId, issue, settle, reserve, release, entries, available, totals, isRight } = await aCustomer()
  const { entry: issued } = await issue(1000)
  const held = await reserve(1000)
  assert.deepEqual(await settle({ refunded: 6000 }), [[0, 1000]])
  assert.deepEqual(await settle({}), [])
  await release(held)
  const [first, later] = (await entries()).slice(-2)
  assert.deepEqual(
    [later!.type, later!.orderId, later!.reason, later!.reversesId, later!.amountMinor, later!.shortfallMinor],
    ['refund', orderId, 'order refunded', issued!.id, -1000, -1000]
  )
  assert.equal(later!.operationId, `ended:${held}:${first!.id}`)
  assert.deepEqual([await available(), (await totals()).refundedMinor], [0, 1000])
  assert.deepEqual(await settle({}), [])
  await isRight()
})

test('of a partial capture the rest is taken; what was captured is not, nor credit that comes later', async () => {
  const { issue, change, settle, reserve, release, capture, entries, available, isRight } = await aCustomer()
  await issue(1000)
  const [one, other] = [await reserve(600), await reserve(300)]
  assert.deepEqual(await settle({ refunded: 6000 }), [[-100, 900]])
  await change('manual_add', 5000)
  const later = await reserve(100)
  await capture(one, 400)
  assert.deepEqual(
    (await entries()).slice(-2).map(({ type, amountMinor }) => [type, amountMinor]),
    [
      ['redemption', -400],
      ['refund', -200]
    ]
  )
  await release(later)
  await capture(other)
  assert.equal((await entries()).at(-1)!.amountMinor, -300)
  assert.equal(await available(), 5000)
  await isRight()
})

test('several reservations give back no more than was missing, and each refund or dispute gets its own, the oldest first', async () => {
  const { issue, change, settle, reserve, release, entries, available, totals, isRight } = await aCustomer()
  await issue(1000)
  await change('manual_add', 200)
  const [one, other] = [await reserve(700), await reserve(500)]
  assert.deepEqual(await settle({ refunded: 3000 }), [[0, 500]])
  assert.deepEqual(await settle({ disputed: 1800 }), [[0, 300]])
  await release(one)
  assert.deepEqual(
    (await entries()).slice(-2).map(({ type, amountMinor }) => [type, amountMinor]),
    [
      ['refund', -500],
      ['dispute', -200]
    ]
  )
  await release(other)
  assert.equal((await entries()).at(-1)!.amountMinor, -100)
  assert.deepEqual([await available(), (await totals()).refundedMinor, (await totals()).disputedMinor], [400, 500, 300])
  await isRight()
})

test('a reservation whose time is over gives back to the refund before anybody else can spend it', async () => {
  const { store, issue, change, settle, reserve, expire, available, entries, isRight } = await aCustomer()
  await issue(1000)
  await change('manual_add', 100)
  await reserve(1100, day(1))
  assert.deepEqual(await settle({ refunded: 6000 }), [[0, 1000]])
  await moveTo(store, day(1).toString())
  // Nobody has ended it yet.
  assert.equal(await available(), 100)
  assert.match((await change('manual_deduct', -101)).refusal!.message, /1\.00 USD available/)
  assert.equal((await entries()).at(-1)!.amountMinor, -1000)
  await expire()
  assert.equal(await available(), 100)
  await isRight()
})

test('a forfeit that ends a reservation whose time is over takes what that gives back, and lacks what the others hold', async () => {
  const { store, memberId, issue, reserve, release, entries, available, isRight } = await aCustomer()
  await issue(1000)
  await reserve(300, day(1))
  const open = await reserve(500, day(5))
  await moveTo(store, day(1).toString())
  await store.inStore((ctx) => forfeitCredit(ctx, [{ memberId, reason: 'x', operationId: 'forfeit' }]))
  const { amountMinor, shortfallMinor } = (await entries()).at(-1)!
  assert.deepEqual([amountMinor, shortfallMinor], [-500, 500])
  await isRight()
  await release(open)
  assert.deepEqual([(await entries()).at(-1)!.amountMinor, await available()], [-500, 0])
  await isRight()
})

test('what an order redeemed and the customer did not have is not taken of what a reservation gives back', async () => {
  const { issue, redeem, reserve, release, entries, available, isRight } = await aCustomer()
  await issue(1000)
  const held = await reserve(600)
  const { amountMinor, shortfallMinor } = await redeem(700)
  assert.deepEqual([amountMinor, shortfallMinor], [-400, 300])
  const before = (await entries()).length
  await release(held)
  assert.deepEqual([(await entries()).length, await available()], [before, 600])
  await isRight()
})

test('the engine, too, takes what a reservation gives back whose time is over', async () => {
  const { store, issue, settle, reserve, expire, entries, isRight } = await aCustomer()
  await issue(1000)
  await reserve(1000, day(1))
  await settle({ disputed: 6000 })
  await moveTo(store, day(1).toString())
  await expire()
  const { type, amountMinor, balanceAfterMinor } = (await entries()).at(-1)!
  assert.deepEqual([type, amountMinor, balanceAfterMinor], ['dispute', -1000, 0])
  await isRight()
})

test('what was held and is past its date when it is given back expires: it is not taken', async () => {
  const { store, issue, change, settle, reserve, release, expire, entries, available, isRight } = await aCustomer()
  await issue(700)
  await change('manual_deduct', -200)
  await change('manual_add', 300, { expiresAt: day(2) })
  const held = await reserve(800, day(5))
  await settle({ refunded: 6000 })
  await moveTo(store, day(3).toString())
  await release(held)
  // Of 7.00 that were missing 2.00 still are.
  assert.equal((await entries()).at(-1)!.amountMinor, -500)
  await isRight()
  await expire()
  assert.deepEqual([(await entries()).at(-1)!.type, await available()], ['expired', 0])
  await isRight()
})

test('the credit that is refunded is taken first of what a reservation gives back, then what expires first', async () => {
  const { issue, change, settle, reserve, release, lots, isRight } = await aCustomer()
  await change('manual_add', 100, { expiresAt: day(4) })
  await change('manual_add', 100, { expiresAt: day(3) })
  await issue(300)
  const held = await reserve(500)
  await settle({ refunded: 6000 })
  await change('manual_add', 50, { expiresAt: day(2) })
  await release(held)
  assert.deepEqual(await lots(), [
    [50, 2],
    [100, 3],
    [100, 4]
  ])
  await isRight()
})

test('a won dispute gives back both parts, and what it has not got yet is not taken any more', async () => {
  const { issue, change, settle, reserve, release, lots, totals, isRight } = await aCustomer()
  await issue(1000, { expiresAt: day(30) })
  const [one, other] = [await reserve(300), await reserve(500)]
  assert.deepEqual(await settle({ disputed: 6000 }), [[-200, 800]])
  await release(one)
  await change('manual_add', 50)
  // The last part comes back first.
  assert.deepEqual(await settle({ disputed: 0 }), [
    [300, -500],
    [200, 0]
  ])
  await release(other)
  assert.deepEqual(await lots(), [
    [1000, 30],
    [50, null]
  ])
  assert.equal((await totals()).disputedMinor, 0)
  await isRight()
})

test('a part that was taken late belongs to its refund: what is undone was asked for last', async () => {
  const { issue, change, settle, reserve, release, entries, totals, isRight } = await aCustomer()
  await issue(1000)
  await change('manual_deduct', -400)
  const held = await reserve(600)
  assert.deepEqual(await settle({ refunded: 4200 }), [[0, 700]])
  await change('manual_add', 200)
  assert.deepEqual(await settle({ refunded: 5400 }), [[-200, 0]])
  await release(held)
  assert.equal((await entries()).at(-1)!.amountMinor, -600)
  // 3.00 less: the second refund first, then what is missing of the first.
  assert.deepEqual(await settle({ refunded: 3600 }), [
    [200, 0],
    [0, -100]
  ])
  assert.equal((await totals()).refundedMinor, 600)
  await isRight()
})

test('after a merge of customers what reservations of the first held was taken, and the rest has moved', async () => {
  const { store, memberId, other, issue, change, settle, reserve, available, isRight } = await aCustomer()
  await issue(500)
  await change('manual_add', 200)
  await reserve(700)
  await settle({ refunded: 6000 })
  await store.inStore((ctx) => transferCredit(ctx, memberId, other, 'merge:1'))
  assert.deepEqual([await available(), await available(other)], [0, 200])
  await isRight()
})

test('doctor names what a reservation gave back and was not taken, and more taken than was missing', async () => {
  const { store, issue, settle, reserve, release, entries } = await aCustomer()
  await issue(1000)
  const held = await reserve(1000)
  await settle({ refunded: 6000 })
  const first = (await entries()).at(-1)!
  await release(held)
  const named = async () =>
    (await store.inStore(audit)).findings
      .filter(({ check }) => check === 'credit_shortfalls_collected')
      .map(({ subject, message }) => [subject, message])
  assert.deepEqual(await named(), [])
  const later = (await entries()).at(-1)!
  const linkedTo = (operationId: string, shortfallMinor: number) =>
    store.inStore(({ tx, storeId }) =>
      tx.run(sql`
        update credit_entries set operation_id = ${operationId}, shortfall_minor = ${shortfallMinor}
         where store_id = ${storeId} and id = ${later.id}`)
    )
  await linkedTo('other', -900)
  assert.deepEqual(await named(), [
    [
      `sct_${first.id}`,
      `lacks 100; scr_${held} held credit then and gave back 1000, of which 0 were taken (minor units)`
    ]
  ])
  await linkedTo('other', -1001)
  assert.deepEqual(await named(), [[`sct_${first.id}`, 'lacks -1 (minor units)']])
})
