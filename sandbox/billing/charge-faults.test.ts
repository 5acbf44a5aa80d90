import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../test/database.ts'
import { startSandbox } from '../start-sandbox.test-helper.ts'
import { type ChargeFaults, outcomeOfSuccess } from './charge-faults.ts'

const { db } = await testDatabase()
const { aShop, bugs } = await startSandbox(db)

/** A shop with a member whose first cycle is due, and a receiver of its messages. */
async function aShopWith(chargeFaults: ChargeFaults | null) {
  const shop = await aShop({ chargeFaults })
  await shop.aPlan()
  const { contract } = await shop.aMember()
  const received = await shop.aReceiver([
    'ORDERS_CREATE',
    'SUBSCRIPTION_BILLING_ATTEMPTS_SUCCESS',
    'SUBSCRIPTION_BILLING_ATTEMPTS_FAILURE'
  ])
  shop.advance({ hours: 24 * 28 })
  const charge = async (index: number, key: string) => {
    const { data } = await shop.charge(contract, index, key)
    const { id } = data.subscriptionBillingAttemptCreate.subscriptionBillingAttempt
    await shop.settle()
    return id as string
  }
  const read = async (id: string) => {
    const { data } = await shop.graphql(
      'query($id: ID!) { subscriptionBillingAttempt(id: $id) { idempotencyKey state { __typename } errorCode } }',
      { id }
    )
    const { state, errorCode, idempotencyKey } = data.subscriptionBillingAttempt
    return { state: /Attempt([A-Za-z]+)State/.exec(state.__typename)![1], errorCode, idempotencyKey }
  }
  const pass = async (duration: Temporal.DurationLike) => {
    shop.advance(duration)
    await shop.settle()
  }
  const charges = () => shop.sandbox.controls.charges(shop.storeId)
  return { shop, contract, received, charge, read, pass, charges }
}

test('a paid cycle is paid again under another key, and both charges are for one period', async () => {
  const { charge, read, charges } = await aShopWith({ paysAgain: true })
  const ids = [await charge(1, 'one'), await charge(1, 'two'), await charge(1, 'one')]
  assert.equal(ids[2], ids[0])
  assert.equal((await read(ids[1]!)).state, 'Success')
  const [one, two, ...more] = await charges()
  assert.deepEqual(more, [])
  assert.notEqual(one!.orderId, two!.orderId)
  assert.deepEqual([one!.periodAt!.toString(), two!.periodAt!.toString()], Array(2).fill('2026-02-28T15:00:00Z'))
})

test('a key is forgotten after its minutes, not before, and then charges again; its attempts still show it', async () => {
  const { charge, read, pass, charges } = await aShopWith({ paysAgain: true, keyMinutes: 5 })
  const first = await charge(1, 'key')
  await pass({ minutes: 4 })
  assert.equal(await charge(1, 'key'), first)
  await pass({ minutes: 1 })
  const second = await charge(1, 'key')
  assert.notEqual(second, first)
  assert.deepEqual([(await read(first)).idempotencyKey, (await read(second)).idempotencyKey], ['key', 'key'])
  assert.equal(await charge(1, 'key'), second)
  assert.equal((await charges()).length, 2)
})

test('an edit numbers the cycles anew from 1 and does not know the paid ones; the periods stay', async () => {
  for (const renumbers of [false, true]) {
    const { shop, contract, charge, read, charges } = await aShopWith({ renumbers })
    await charge(1, 'one')
    const next = '2026-03-31T14:00:00Z'
    await shop.mutate(
      `mutation($id: ID!, $date: DateTime!) { subscriptionContractSetNextBillingDate(contractId: $id, date: $date) {
         userErrors { message } } }`,
      { id: contract, date: next }
    )
    const { data } = await shop.graphql(
      `query($id: ID!, $date: DateTime!) { subscriptionBillingCycles(contractId: $id, first: 1,
         billingCyclesDateRangeSelector: { startDate: $date, endDate: $date }) { nodes { cycleIndex status } } }`,
      { id: contract, date: next }
    )
    const number = renumbers ? 1 : 2
    assert.deepEqual(data.subscriptionBillingCycles.nodes, [{ cycleIndex: number, status: 'UNBILLED' }])
    const second = await charge(number, 'two')
    assert.equal((await read(second)).state, 'Success')
    assert.deepEqual(
      (await charges()).map(({ periodAt }) => periodAt!.toString()),
      ['2026-02-28T15:00:00Z', next]
    )
  }
})

test('a result never comes, or comes a day late', async () => {
  const never = await aShopWith({ never: 1 })
  const [id] = [await never.charge(1, 'one')]
  await never.pass({ hours: 24 * 400 })
  assert.equal((await never.read(id)).state, 'Pending')
  assert.deepEqual([never.received, await never.charges()], [[], []])

  const late = await aShopWith({ late: 1 })
  const other = await late.charge(1, 'one')
  await late.pass({ hours: 25 })
  assert.equal((await late.read(other)).state, 'Pending')
  await late.pass({ hours: 1 })
  assert.equal((await late.read(other)).state, 'Success')
})

test('a result comes twice and differs, and a success comes after a failure without a message', async () => {
  const topics = { failure: 'subscription_billing_attempts/failure', success: 'subscription_billing_attempts/success' }
  for (const [faults, first, then, messages, ordersFirst] of [
    [{ reversed: 1 }, 'Success', 'Failed', ['orders/create', topics.success, topics.failure], 1],
    [{ corrected: 1 }, 'Failed', 'Success', [topics.failure, 'orders/create', topics.success], 0],
    [{ reportedFailed: 1 }, 'Failed', 'Success', [topics.failure], 0]
  ] as const) {
    const { charge, read, pass, charges, received } = await aShopWith(faults)
    const id = await charge(1, 'one')
    assert.equal((await read(id)).state, first)
    assert.equal((await charges()).length, ordersFirst)
    await pass({ minutes: 60 })
    assert.equal((await read(id)).state, then)
    assert.deepEqual(
      received.map(({ topic }) => topic),
      messages
    )
    // By its order the charge is effective, whatever the attempt is called.
    assert.equal((await charges()).length, 1)
  }
})

test('shares choose by seed and key, and only among charges that would succeed', async () => {
  const faults: ChargeFaults = { never: 0.1, late: 0.1, reversed: 0.1, corrected: 0.1, reportedFailed: 0.1, seed: 7 }
  const keys = Array.from({ length: 2_000 }, (_, n) => `key-${n}`)
  const outcomes = keys.map((key) => outcomeOfSuccess(faults, '1', key))
  assert.deepEqual(
    outcomes,
    keys.map((key) => outcomeOfSuccess(faults, '1', key))
  )
  const counts = Map.groupBy(outcomes, (outcome) => outcome)
  for (const outcome of ['never', 'late', 'reversed', 'corrected', 'reported_failed']) {
    const { length } = counts.get(outcome)!
    assert.ok(length > 140 && length < 260, `${outcome}: ${length} of 2000`)
  }
  assert.notDeepEqual(
    outcomes,
    keys.map((key) => outcomeOfSuccess({ ...faults, seed: 8 }, '1', key))
  )
  const { shop, charge, read } = await aShopWith({ reversed: 1 })
  const [customer] = await shop.sandbox.controls.listCustomers(shop.storeId)
  await shop.sandbox.controls.setCard({ storeId: shop.storeId, customerId: customer!.id, outcome: 'expired_card' })
  assert.equal((await read(await charge(1, 'one'))).errorCode, 'EXPIRED_CARD')
})

test('shares that are none, or more than all charges, are refused', async () => {
  const { storeId, sandbox } = await aShop()
  for (const faults of [{ late: 2 }, { never: 0.6, late: 0.6 }, { keyMinutes: -1 }]) {
    await assert.rejects(sandbox.controls.setChargeFaults({ storeId, faults }), { code: 'invalid_request' })
  }
})

test('no request of this file caused an internal error', () => assert.deepEqual(bugs, []))
