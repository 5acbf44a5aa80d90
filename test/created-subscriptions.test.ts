// Memberships that operators create without a checkout, with the sandbox platform.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adminOf, aSubscriptionRequest } from './admin-calls.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { call, planOf, members, recorded, activity } = adminOf(service)

type Store = Awaited<ReturnType<typeof service.aStore>>
const settle = (store: Store) => service.deps.settle(store.storeId)

/** A store with customers who have a card and no membership. */
async function aShop(given: Record<string, unknown> = {}) {
  const store = await service.aStore(given)
  const ada = await store.customer('ada@example.com')
  await store.customer('bo@example.com')
  await settle(store)
  const plan = await planOf(store)
  const requested = { customer: 'ada@example.com', plan_id: plan, next_billing_date: '2026-02-10' }
  const create = (over: object = {}, key?: string) =>
    call(store, 'POST', '/subscriptions', { ...requested, ...over }, key)
  const contracts = async () => (await service.sandbox.controls.counts(store.storeId)).contracts
  return { store, ada, plan, create, contracts }
}

test('a subscription created by an operator is first charged on its date, and then like any other', async () => {
  const { store, ada, create, contracts } = await aShop()
  const created = await create({ customer: ada.id, price: '19.00', max_cycles: 2 })
  assert.equal(created.status, 201, JSON.stringify(created.body))
  const { id, status, price, max_cycles, next_billing_date, plan_name } = created.body
  assert.deepEqual(
    { status, price, max_cycles, next_billing_date, plan_name },
    { status: 'active', price: 19, max_cycles: 2, next_billing_date: '2026-02-10T05:00:00.000Z', plan_name: 'VIP' }
  )
  await settle(store)
  assert.equal(await contracts(), 1)
  assert.deepEqual(await service.sandbox.controls.charges(store.storeId), [])
  const events = (await recorded(store)).map(({ type }) => type)
  assert.deepEqual(events, ['member.created', 'subscription.created'])
  const [line] = await activity(store, id)
  assert.deepEqual([line.kind, line.actor], ['created', 'operator'])

  await store.advance({ to: '2026-04-15T00:00:00Z' })
  const charged = (await service.get(`/billing-attempts?subscription_id=${id}`, store.key)).body.data
  assert.deepEqual(
    charged.map((a: any) => [a.date.slice(0, 10), a.status, a.amount]),
    [
      ['2026-03-10', 'success', 19],
      ['2026-02-10', 'success', 19]
    ]
  )
  assert.equal((await call(store, 'GET', `/subscriptions/${id}`)).body.status, 'expired')
  await store.soundBooks()
})

test('a paused subscription created as a gift makes the receiver a member, and not the giver', async () => {
  const { store, create } = await aShop()
  const created = await create({ receiver: 'bo@example.com', status: 'paused' })
  assert.equal(created.status, 201, JSON.stringify(created.body))
  assert.deepEqual([created.body.status, created.body.gift.receiver_email], ['paused', 'bo@example.com'])
  assert.deepEqual(await members(store), { 'bo@example.com': ['paused', 'VIP', null] })
  assert.deepEqual(
    (await recorded(store)).map(({ type }) => type),
    ['member.created', 'subscription.created', 'subscription.updated']
  )
  assert.deepEqual(
    (await activity(store, created.body.id)).map(({ kind, actor }) => [kind, actor]),
    [
      ['created', 'operator'],
      ['gifted', 'operator']
    ]
  )
  await settle(store)
  await store.soundBooks()
})

test('repeating a request with its Idempotency-Key returns the first subscription; another request with the key is refused', async () => {
  const { create, contracts } = await aShop()
  const first = await create({}, 'order-1')
  const again = await create({}, 'order-1')
  assert.deepEqual([first.status, again.status, again.body.id], [201, 200, first.body.id])
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  const other = await create({ price: 5 }, 'order-1')
  assert.deepEqual([other.status, /another request/.test(other.body.error.message)], [400, true])
  assert.equal((await create()).status, 201)
  assert.equal(await contracts(), 2)
})

/** The same request as a function call, with a platform whose responses can be lost. */
async function aLossyShop() {
  const { store, plan, contracts } = await aShop()
  const receiver = { memberId: null, platformId: null, email: 'bo@example.com' }
  return {
    store,
    contracts,
    ...(await aSubscriptionRequest(service, store, { planId: Number(plan.slice('plan_'.length)), receiver }))
  }
}

const STILL_PENDING = { code: 'unavailable', message: /^The subscription may still be created/ }

test("after a lost response, repeating the request returns the created subscription, with or without the platform's message", async () => {
  for (const isReported of [true, false]) {
    const { store, create, responseLost, contracts } = await aLossyShop()
    await assert.rejects(responseLost(), STILL_PENDING)
    if (isReported) await settle(store)
    const created = await create()
    assert.equal(created.isRepeated, isReported)
    assert.equal(await contracts(), 1)
    assert.deepEqual(await members(store), { 'bo@example.com': ['active', 'VIP', '2026-02-10'] })
    assert.deepEqual(
      (await activity(store, `sub_${created.id}`)).map(({ kind, actor }) => [kind, actor]),
      [
        ['created', 'operator'],
        ['gifted', 'operator']
      ]
    )
    // The first request got its response, so the same request is another one: it is refused while the receiver has the first membership.
    await assert.rejects(create(), { message: /^receiver must be a customer without an active membership/ })
    assert.equal((await call(store, 'POST', `/subscriptions/sub_${created.id}/cancel`, {})).status, 200)
    assert.notEqual((await create()).id, created.id)
    assert.equal(await contracts(), 2)
    await settle(store)
    await store.soundBooks()
  }
})

test('a lost request is sent again once no response can still arrive', async () => {
  const { create, callLost, aMinuteLater, contracts, connector } = await aLossyShop()
  await assert.rejects(callLost(), STILL_PENDING)
  await assert.rejects(create(), STILL_PENDING)
  await aMinuteLater()
  // Two at once: both look for the contract before either asks the platform for one.
  const bothLooked = Promise.withResolvers<void>()
  let looked = 0
  const findIdByKey: typeof connector.contracts.findIdByKey = async (...of) => {
    const found = await connector.contracts.findIdByKey(...of)
    if (++looked === 2) bothLooked.resolve()
    await bothLooked.promise
    return found
  }
  const responses = await Promise.allSettled([
    create({ contracts: { findIdByKey } }),
    create({ contracts: { findIdByKey } })
  ])
  assert.deepEqual(responses.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  assert.equal(await contracts(), 1)
})

test('an invalid request is refused and leaves no rows', async () => {
  const { store, ada, plan, create, contracts } = await aShop()
  const refused = async (over: object) => {
    const { status, body } = await create(over)
    return `${status} ${body.error?.message} (${body.error?.details[0].code})`
  }
  for (const plan_id of ['plan_999', 'nonsense']) {
    assert.match(await refused({ plan_id }), /^400 plan_id must be the id of a plan of this store \(not_found\)/)
  }
  const nobody = /^400 (customer|receiver) must be a customer of the store: .* \(not_found\)/
  assert.match(await refused({ customer: 'nobody@example.com' }), nobody)
  assert.match(await refused({ receiver: 'nobody@example.com' }), nobody)
  assert.match(await refused({ next_billing_date: '2026-01-30' }), /^400 next_billing_date must be a date after now/)
  assert.match(await refused({ next_billing_date: '2036-01-30' }), /^400 next_billing_date must be a date after now/)
  assert.match(await refused({ receiver: ada.id }), /^400 receiver must be another customer/)
  assert.match(
    await refused({ payment_method_id: 'nothing' }),
    /^400 payment_method_id must be one of the payment methods/
  )
  await service.admin('POST', `${store.at}/sandbox/revocations`, { customer: ada.id })
  assert.match(await refused({}), /^400 The customer has no payment method that can be charged/)
  await service.admin('PATCH', `${store.at}/plans/${plan}`, { allowed_countries: ['US'] })
  await service.admin('POST', `${store.at}/sandbox/customers`, { email: 'fr@example.com', country: 'FR' })
  assert.match(await refused({ customer: 'fr@example.com' }), /^400 customer must be a customer in US/)
  await service.admin('PATCH', `${store.at}/plans/${plan}`, { status: 'disabled' })
  assert.match(await refused({}), /^409 Plan plan_\d+ is disabled/)
  assert.equal(await contracts(), 0)
  assert.deepEqual(await members(store), {})
})
