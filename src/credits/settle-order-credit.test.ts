import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../test/database.ts'
import { accountOf } from './credit-account.test-helper.ts'
import * as customers from './order-credit.test-helper.ts'

const { db } = await testDatabase()
const { day } = customers
const aCustomer = () => customers.aCustomer(db)

test('a refund in parts takes back the credit of its order in proportion, rounded down, and all of it in the end', async () => {
  const { issue, change, settle, available, totals, isRight } = await aCustomer()
  await issue(1000)
  await change('manual_add', 500)
  assert.deepEqual(await settle({ refunded: 1000 }), [[-166, 0]])
  assert.deepEqual(await settle({ refunded: 2000 }), [[-167, 0]])
  assert.deepEqual(await settle({ refunded: 2000 }), [])
  assert.deepEqual(await settle({ refunded: 6000 }), [[-667, 0]])
  assert.deepEqual(await settle({ refunded: 9000 }), [])
  assert.equal(await available(), 500)
  assert.equal((await totals()).refundedMinor, 1000)
  await isRight()
})

test('a refund takes at most what is available; the shortfall is on its entry, which names the entry that it reverses', async () => {
  const { issue, change, settle, entries, isRight } = await aCustomer()
  const { entry: issued } = await issue(1000)
  await change('manual_deduct', -900)
  assert.deepEqual(await settle({ refunded: 6000 }), [[-100, 900]])
  assert.deepEqual(await settle({ refunded: 6000 }), [])
  const taken = (await entries()).at(-1)!
  assert.deepEqual([taken.type, taken.reversesId, taken.balanceAfterMinor], ['refund', issued!.id, 0])
  await isRight()
})

test('a refund that can take nothing has an entry of its shortfall, and no event', async () => {
  const { store, memberId, issue, change, settle, isRight } = await aCustomer()
  await issue(1000)
  await change('manual_deduct', -1000)
  assert.deepEqual(await settle({ refunded: 6000 }), [[0, 1000]])
  const { entries, events } = await accountOf(store, memberId)
  assert.deepEqual([entries, events.length], [3, 2])
  await change('manual_add', 700)
  assert.deepEqual(await settle({}), [])
  await isRight()
})

test('what is left of the credit of the refunded order goes first, then what expires first', async () => {
  const { issue, change, settle, lots } = await aCustomer()
  await change('manual_add', 100, { expiresAt: day(2) })
  await issue(300)
  await change('manual_add', 100, { expiresAt: day(5) })
  await settle({ refunded: 3000 })
  assert.deepEqual(await lots(), [
    [100, 2],
    [100, 5],
    [150, null]
  ])
  await change('manual_deduct', -220)
  assert.deepEqual(await lots(), [[130, null]])
  await change('manual_add', 100, { expiresAt: day(3) })
  await settle({ refunded: 6000 })
  assert.deepEqual(await lots(), [[80, 3]])
})

test('refunds and disputes of an order together take back no more than it has issued, in either order', async () => {
  for (const disputeFirst of [true, false]) {
    const { issue, change, settle, available, totals, isRight } = await aCustomer()
    await issue(1000)
    await change('manual_add', 5000)
    if (disputeFirst) {
      assert.deepEqual(await settle({ disputed: 6000 }), [[-1000, 0]])
      assert.deepEqual(await settle({ refunded: 3000 }), [])
    } else {
      assert.deepEqual(await settle({ refunded: 3000 }), [[-500, 0]])
      assert.deepEqual(await settle({ disputed: 6000 }), [[-500, 0]])
    }
    assert.equal(await available(), 5000)
    const { refundedMinor, disputedMinor } = await totals()
    assert.equal(refundedMinor + disputedMinor, 1000)
    await isRight()
  }
})

test('a refund or dispute takes its own share: not what an earlier one could not take, whichever of the two that was', async () => {
  for (const [first, second] of [
    ['refunded', 'disputed'],
    ['disputed', 'refunded']
  ] as const) {
    const { issue, change, settle, available, totals, isRight } = await aCustomer()
    await issue(1000)
    await change('manual_deduct', -800)
    assert.deepEqual(await settle({ [first]: 3000 }), [[-200, 300]])
    await change('manual_add', 2000)
    assert.deepEqual(await settle({ [second]: 3000 }), [[-500, 0]])
    assert.equal(await available(), 1500)
    assert.deepEqual(await settle({}), [])
    const { refundedMinor, disputedMinor } = await totals()
    assert.deepEqual([refundedMinor, disputedMinor].toSorted(), [200, 500])
    await isRight()
  }
})

test('a won dispute gives back what it took, once, by a linked entry, to the lots that it came from', async () => {
  const { issue, change, settle, entries, lots, totals, isRight } = await aCustomer()
  await issue(1000, { expiresAt: day(30) })
  await change('manual_deduct', -400)
  await change('manual_add', 100)
  assert.deepEqual(await settle({ disputed: 6000 }), [[-700, 300]])
  assert.deepEqual(await lots(), [])
  assert.deepEqual(await settle({ disputed: 0 }), [[700, -300]])
  assert.deepEqual(await settle({}), [])
  assert.deepEqual(await lots(), [
    [600, 30],
    [100, null]
  ])
  const [taken, given] = (await entries()).slice(-2)
  assert.deepEqual(
    [given!.type, given!.reversesId, given!.amountMinor, given!.reason],
    ['dispute', taken!.id, 700, 'dispute won']
  )
  assert.equal((await totals()).disputedMinor, 0)
  // After it the refund of the same order takes its share.
  assert.deepEqual(await settle({ refunded: 3000 }), [[-500, 0]])
  await isRight()
})

test('a won dispute that could take nothing asks for nothing any more: one that is lost later asks again, and so does a refund', async () => {
  for (const later of ['disputed', 'refunded'] as const) {
    const { store, memberId, issue, change, settle, available, isRight } = await aCustomer()
    await issue(1000)
    await change('manual_deduct', -1000)
    assert.deepEqual(await settle({ disputed: 6000 }), [[0, 1000]])
    const { events } = await accountOf(store, memberId)
    assert.deepEqual(await settle({ disputed: 0 }), [[0, -1000]])
    assert.equal((await accountOf(store, memberId)).events.length, events.length)
    await change('manual_add', 700)
    assert.deepEqual(await settle({ [later]: 3000 }), [[-500, 0]])
    assert.equal(await available(), 200)
    await isRight()
  }
})

test('a won dispute leaves what a refund took, and what that could not take', async () => {
  const { issue, change, settle, entries, available } = await aCustomer()
  await issue(1000)
  await change('manual_deduct', -800)
  await settle({ refunded: 1500 })
  await change('manual_add', 900)
  await settle({ disputed: 6000 })
  assert.deepEqual(await settle({ disputed: 0 }), [[750, 0]])
  assert.deepEqual(
    (await entries()).map(({ type, amountMinor, shortfallMinor }) => [type, amountMinor, shortfallMinor]),
    [
      ['membership_charge', 1000, 0],
      ['manual_deduct', -800, 0],
      ['refund', -200, 50],
      ['manual_add', 900, 0],
      ['dispute', -750, 0],
      ['dispute', 750, 0]
    ]
  )
  assert.equal(await available(), 900)
})

test('less is refunded or disputed after all: that gives back, what could not be taken goes first', async () => {
  const { issue, change, settle, totals, isRight } = await aCustomer()
  await issue(1000)
  const taken = async () => {
    const { refundedMinor, disputedMinor } = await totals()
    return [refundedMinor, disputedMinor]
  }
  await settle({ refunded: 1500 })
  await settle({ disputed: 1500 })
  assert.deepEqual(await taken(), [250, 250])
  assert.deepEqual(await settle({ disputed: 900 }), [[100, 0]])
  // The dispute keeps its share, though it came later.
  assert.deepEqual(await settle({ refunded: 600 }), [[150, 0]])
  assert.deepEqual(await taken(), [100, 150])
  await change('manual_deduct', -700)
  assert.deepEqual(await settle({ refunded: 3000 }), [[-50, 350]])
  assert.deepEqual(await settle({ refunded: 2400 }), [[0, -100]])
  assert.deepEqual(await settle({ refunded: 0 }), [
    [50, -250],
    [100, 0]
  ])
  assert.deepEqual(await taken(), [0, 150])
  await isRight()
})

test('what is undone of several refunds was asked for last: what an earlier one could not take stays so', async () => {
  const { issue, change, settle, available, isRight } = await aCustomer()
  await issue(1000)
  await change('manual_deduct', -800)
  assert.deepEqual(await settle({ refunded: 3000 }), [[-200, 300]])
  await change('manual_add', 800)
  assert.deepEqual(await settle({ refunded: 4800 }), [[-300, 0]])
  assert.deepEqual(await settle({ refunded: 3000 }), [[300, 0]])
  assert.equal(await available(), 800)
  await isRight()
})

test('whatever an order has issued is taken back: the charge, a churn offer, a loyalty reward; nothing else of it', async () => {
  const { orderId, issue, change, settle, isRight } = await aCustomer()
  await issue(1000)
  await change('churn_offer', 500, { orderId })
  await change('loyalty_reward', 300, { orderId })
  await change('manual_add', 200, { orderId })
  await change('import', 200, { orderId })
  assert.deepEqual(await settle({ refunded: 3000 }), [
    [-500, 0],
    [-250, 0],
    [-150, 0]
  ])
  await isRight()
})
