// What customers earn by orders: from the cause to points, and back, with the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from './database.ts'
import { aLoyaltyShop } from './loyalty-shop.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { controls } = service.sandbox

const fifty = { reward_type: 'points', amount: 50 }
const aShop = (settings?: Record<string, unknown>) => aLoyaltyShop(service, settings)

test('points for purchases: what was paid for goods counts, and refunds and disputes take their shares', async () => {
  const { store, rule, customer, order, refund, dispute, points } = await aShop()
  await rule('points_for_purchases', { points_per_dollar: 2, minimum_order: 20 }, { reward_type: 'points' })
  const id = await customer('ada@example.com')
  await order(id, '19.99')
  assert.deepEqual(await points(id), [0, 0, 0])
  const first = await order(id, '49.99', { shipping: '10.00', taxPercent: 10 })
  assert.deepEqual(await points(id), [99, 0, 99])
  const second = await order(id, '30.00')
  assert.deepEqual(await points(id), [159, 0, 159])
  await refund(second, '10.00')
  assert.deepEqual(await points(id), [139, 0, 139])
  await refund(second)
  assert.deepEqual(await points(id), [99, 0, 99])
  await dispute(first, 'needs_response')
  assert.deepEqual(await points(id), [0, 0, 0])
  await dispute(first, 'won')
  assert.deepEqual(await points(id), [99, 0, 99])
  await store.soundBooks()
})

test('a punch card counts purchases of which something is left, and begins anew', async () => {
  const { store, rule, customer, order, refund, points } = await aShop()
  await rule(
    'punch_card',
    { required_purchases: 2, minimum_order_amount: 10, resets: true },
    { reward_type: 'points', amount: 50 }
  )
  const id = await customer('ada@example.com')
  await order(id, '5.00')
  await order(id, '10.00')
  assert.deepEqual(await points(id), [0, 0, 0])
  const second = await order(id, '20.00')
  assert.deepEqual(await points(id), [50, 0, 50])
  // Of 20.00 are 9.00 left: it is a purchase no more.
  await refund(second, '11.00')
  assert.deepEqual(await points(id), [0, 0, 0])
  await order(id, '10.00')
  await order(id, '10.00')
  await order(id, '10.00')
  assert.deepEqual(await points(id), [100, 0, 100])
  await store.soundBooks()
})

test('a goal of spending is reached once, and what is refunded counts no more', async () => {
  const { store, rule, customer, order, refund, points } = await aShop()
  await rule('goal_spend', { goal_amount: 100 }, { reward_type: 'store_credit', amount: 7.5 })
  const id = await customer('ada@example.com')
  const credit = async () => (await service.get(`/store-credits/${id}`, store.key)).body.data.balance as number
  await order(id, '60.00')
  assert.equal(await credit(), 0)
  const second = await order(id, '40.00')
  assert.equal(await credit(), 7.5)
  await order(id, '300.00')
  assert.equal(await credit(), 7.5)
  await refund(second)
  assert.equal(await credit(), 7.5)
  assert.deepEqual(await points(id), [0, 0, 0])
  await store.soundBooks()
})

test('points of an order wait for the days that the shop has set, so that a quick refund never pays', async () => {
  const { store, rule, customer, order, refund, points } = await aShop({ hold_days: 3 })
  await rule('points_for_purchases', {}, { reward_type: 'points' })
  const id = await customer('ada@example.com')
  const first = await order(id, '40.00')
  await order(id, '10.00')
  assert.deepEqual(await points(id), [0, 50, 0])
  await refund(first)
  assert.deepEqual(await points(id), [0, 10, 0])
  await store.advance({ by: 'P3D' })
  assert.deepEqual(await points(id), [10, 0, 10])
  await store.soundBooks()
})

test('a rule that is changed, ended or switched off changes nothing that was earned', async () => {
  const { store, rule, customer, order, refund, points } = await aShop()
  const id = await rule('points_for_purchases', {}, { reward_type: 'points' })
  const ada = await customer('ada@example.com')
  const first = await order(ada, '40.00')
  await service.admin('PATCH', `${store.at}/loyalty/rules/${id}`, { rules: { points_per_dollar: 10 } })
  await refund(first, '10.00')
  assert.deepEqual(await points(ada), [30, 0, 30])
  await order(ada, '1.00')
  assert.deepEqual(await points(ada), [40, 0, 40])
  await service.admin('PATCH', `${store.at}/loyalty/rules/${id}`, { enabled: false })
  await order(ada, '1.00')
  assert.deepEqual(await points(ada), [40, 0, 40])
  await refund(first)
  assert.deepEqual(await points(ada), [10, 0, 10])
  await service.admin('PATCH', `${store.at}/loyalty/rules/${id}`, { enabled: true })
  await service.admin('PATCH', `${store.at}/settings`, { loyalty: { enabled: 'off' } })
  await order(ada, '1.00')
  assert.deepEqual(await points(ada), [10, 0, 10])
  await store.soundBooks()
})

test('two rules on one order give both, and an order that is cancelled gives nothing', async () => {
  const { store, storeId, rule, customer, order, points, settle } = await aShop()
  await rule('points_for_purchases', {}, { reward_type: 'points' })
  await rule('punch_card', { required_purchases: 1 }, { reward_type: 'points', amount: 5 })
  const id = await customer('ada@example.com')
  const first = await order(id, '40.00')
  assert.deepEqual(await points(id), [45, 0, 45])
  await store.advance({ by: 'PT1M' })
  await controls.cancelOrder({ storeId, orderId: first })
  await settle()
  assert.deepEqual(await points(id), [0, 0, 0])
  await store.soundBooks()
})

test('an order that is cancelled while its dispute has taken all of its points gives none when that is won', async () => {
  const { store, rule, customer, order, dispute, settle, points } = await aShop()
  await rule('points_for_purchases', {}, { reward_type: 'points' })
  const ada = await customer('ada@example.com')
  const first = await order(ada, '60.00')
  await dispute(first, 'needs_response')
  await controls.cancelOrder({ storeId: store.storeId, orderId: first })
  await settle()
  await dispute(first, 'won')
  assert.deepEqual(await points(ada), [0, 0, 0])
  await store.soundBooks()
})

test('what a purchase was counted by stays with it when the rule asks for more later', async () => {
  const { store, rule, customer, order, refund, points } = await aShop()
  const id = await rule('punch_card', { required_purchases: 1, minimum_order_amount: 10 }, fifty)
  const ada = await customer('ada@example.com')
  const first = await order(ada, '15.00')
  assert.deepEqual(await points(ada), [50, 0, 50])
  const rules = { required_purchases: 1, minimum_order_amount: 20 }
  await service.admin('PATCH', `${store.at}/loyalty/rules/${id}`, { rules })
  await refund(first, '1.00')
  assert.deepEqual(await points(ada), [50, 0, 50])
  await refund(first, '5.00')
  assert.deepEqual(await points(ada), [0, 0, 0])
  await store.soundBooks()
})

test('while loyalty is off nothing is given, also not for what counts again', async () => {
  const { store, rule, customer, order, dispute, points } = await aShop()
  await rule('punch_card', { required_purchases: 1 }, fifty)
  const ada = await customer('ada@example.com')
  const first = await order(ada, '15.00')
  await dispute(first, 'needs_response')
  assert.deepEqual(await points(ada), [0, 0, 0])
  await service.admin('PATCH', `${store.at}/settings`, { loyalty: { enabled: 'off' } })
  await dispute(first, 'won')
  assert.deepEqual(await points(ada), [0, 0, 0])
  await store.soundBooks()
})

test('an order of before the rule counts nothing, also when it changes later', async () => {
  const { store, rule, customer, order, refund, points } = await aShop()
  const ada = await customer('ada@example.com')
  const first = await order(ada, '15.00')
  await store.advance({ by: 'PT1M' })
  await rule('punch_card', { required_purchases: 1 }, fifty)
  await refund(first, '1.00')
  assert.deepEqual(await points(ada), [0, 0, 0])
  await order(ada, '15.00')
  assert.deepEqual(await points(ada), [50, 0, 50])
  await store.soundBooks()
})

test('reviews and actions earn as often as the rule lets them', async () => {
  const { store, rule, customer, settle, points } = await aShop()
  await rule('reviews', { limit: 2 }, fifty)
  await rule('custom_action', { action_key: 'quiz', one_time: true }, { reward_type: 'points', amount: 7 })
  const ada = await customer('ada@example.com')
  const report = async (event: Record<string, string>) => {
    await service.admin('POST', `${store.at}/loyalty/events`, { customer: ada, ...event })
    await settle()
    return (await points(ada))[0]
  }
  assert.equal(await report({ type: 'review', provider: 'stars', event_id: 'r1' }), 50)
  assert.equal(await report({ type: 'review', provider: 'stars', event_id: 'r2' }), 100)
  assert.equal(await report({ type: 'review', provider: 'stars', event_id: 'r3' }), 100)
  assert.equal(await report({ type: 'custom_action', action_key: 'quiz', event_id: 'q1' }), 107)
  assert.equal(await report({ type: 'custom_action', action_key: 'quiz', event_id: 'q2' }), 107)
  await store.soundBooks()
})

test('an order that comes while the rule is disabled, or while loyalty is off, counts for nothing later', async () => {
  const { store, rule, customer, order, refund, points } = await aShop()
  const id = await rule('punch_card', { required_purchases: 1 }, fifty)
  const ada = await customer('ada@example.com')
  const setRule = (enabled: boolean) => service.admin('PATCH', `${store.at}/loyalty/rules/${id}`, { enabled })
  const setLoyalty = (enabled: string) => service.admin('PATCH', `${store.at}/settings`, { loyalty: { enabled } })
  for (const [stop, begin] of [
    [() => setRule(false), () => setRule(true)],
    [() => setLoyalty('off'), () => setLoyalty('on')]
  ] as const) {
    await stop()
    const missed = await order(ada, '15.00')
    await store.advance({ by: 'PT1M' })
    await begin()
    await refund(missed, '1.00')
    assert.deepEqual(await points(ada), [0, 0, 0])
  }
  await order(ada, '15.00')
  assert.deepEqual(await points(ada), [50, 0, 50])
  await store.soundBooks()
})
