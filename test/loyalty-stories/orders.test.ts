// Rules that count orders: from what happens in the shop to what the theme shows, and back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../database.ts'
import { startService } from '../service-builder.ts'
import { aStory } from './story.ts'

const { url } = await testDatabase()
const service = await startService(url)

test('points_for_purchases: points wait, are earned, buy a coupon that an order uses, and go with a refund, a dispute and a cancellation', async () => {
  const { store, rule, customer, order, refund, dispute, cancel, has, progress, ask, coupons, useCode, usesInShop } =
    await aStory(service, { hold_days: 2 })
  const id = await rule('points_for_purchases', { points_per_dollar: 2, minimum_order: 20 }, { reward_type: 'points' })
  const ada = await customer('ada@example.com')
  const first = await order(ada, '60.00')
  await order(ada, '19.99')
  const third = await order(ada, '40.00')
  assert.deepEqual(await has(ada), [0, 200, 0, 0, 0])
  assert.equal(await progress(id, 'points_for_purchases', ada), null)
  await store.advance({ by: 'P2D' })
  assert.deepEqual(await has(ada), [200, 0, 200, 0, 0])
  await refund(first, '30.00')
  assert.deepEqual(await has(ada), [140, 0, 140, 0, 0])

  const template = await service.admin('POST', `${store.at}/loyalty/templates`, {
    ...{ name: '$5 off', type: 'fixed_amount', rules: { amount: 5 }, required_points: 100 }
  })
  await ask(`/coupons/${template.id}/redemption`, ada, {}, 'POST')
  await store.settle()
  assert.deepEqual(await has(ada), [40, 0, 140, 0, 1])
  assert.deepEqual(await coupons(ada), [{ type: 'amount_off_orders', amount: '5.00', status: 1, uses: 0 }])
  const withCode = await useCode(ada, { total: '10.00' })
  assert.equal(await usesInShop(ada), 1)
  assert.deepEqual(await coupons(ada), [{ type: 'amount_off_orders', amount: '5.00', status: 0, uses: 1 }])

  // Of 80 points 40 are left to be taken; when the dispute is won, those come back.
  await dispute(third, 'needs_response')
  assert.deepEqual(await has(ada), [0, 0, 60, 0, 0])
  await dispute(third, 'won')
  assert.deepEqual(await has(ada), [40, 0, 140, 0, 0])
  await cancel(third)
  assert.deepEqual(await has(ada), [0, 0, 60, 0, 0])
  await cancel(withCode)
  assert.deepEqual(await coupons(ada), [{ type: 'amount_off_orders', amount: '5.00', status: 0, uses: 1 }])
  await store.soundBooks()
})

test('goal_spend: a percentage off, which is taken off the shop with a refund, and is there again when more is spent', async () => {
  const { store, rule, customer, order, refund, has, progress, coupons, useCode, usesInShop } = await aStory(service)
  const reward = { reward_type: 'discount', discount_type: 'percentage', discount_amount: 12.5, code_prefix: 'GOAL-' }
  const id = await rule('goal_spend', { goal_amount: 100 }, reward)
  const shown = (as: string) => progress(id, 'goal_spend', as)
  const ada = await customer('ada@example.com')
  const coupon = { type: 'amount_off_orders', amount: '12.50' }
  await order(ada, '49.99')
  assert.deepEqual([await shown(ada), await coupons(ada)], [[49, 100, 49], []])
  const second = await order(ada, '50.01')
  assert.deepEqual(
    [await shown(ada), await has(ada)],
    [
      [100, 100, 100],
      [0, 0, 0, 1, 1]
    ]
  )
  assert.deepEqual(await coupons(ada), [{ ...coupon, status: 1, uses: 0 }])
  await refund(second, '0.01')
  assert.deepEqual(
    [await shown(ada), await has(ada)],
    [
      [99, 100, 99],
      [0, 0, 0, 0, 0]
    ]
  )
  assert.deepEqual([await coupons(ada), await usesInShop(ada)], [[{ ...coupon, status: 0, uses: 0 }], null])
  await order(ada, '0.01')
  assert.deepEqual(await coupons(ada), [
    { ...coupon, status: 0, uses: 0 },
    { ...coupon, status: 1, uses: 0 }
  ])
  await useCode(ada, { total: '1.00' })
  assert.equal(await usesInShop(ada), 1)
  // What was used stays used.
  await refund(second)
  assert.deepEqual(await coupons(ada), [
    { ...coupon, status: 0, uses: 0 },
    { ...coupon, status: 0, uses: 1 }
  ])
  await store.soundBooks()
})

test('punch_card: free shipping for every second purchase, which a cancellation takes back', async () => {
  const { store, rule, customer, order, cancel, has, progress, coupons, useCode, usesInShop } = await aStory(service)
  const rules = { required_purchases: 2, minimum_order_amount: 10, resets: true }
  const id = await rule('punch_card', rules, { reward_type: 'free_shipping' })
  const shown = (as: string) => progress(id, 'punch_card', as)
  const ada = await customer('ada@example.com')
  const shipping = { type: 'free_shipping', amount: '100.00' }
  await order(ada, '9.99')
  await order(ada, '10.00')
  assert.deepEqual([await shown(ada), await coupons(ada)], [[1, 2, 50], []])
  const third = await order(ada, '25.00')
  assert.deepEqual([await shown(ada), await coupons(ada)], [[0, 2, 0], [{ ...shipping, status: 1, uses: 0 }]])
  await cancel(third)
  assert.deepEqual([await shown(ada), await coupons(ada)], [[1, 2, 50], [{ ...shipping, status: 0, uses: 0 }]])
  await order(ada, '10.00')
  assert.deepEqual(await has(ada), [0, 0, 0, 1, 1])
  await useCode(ada, { total: '20.00', shipping: '8.00' })
  assert.equal(await usesInShop(ada), 1)
  assert.deepEqual(await shown(ada), [1, 2, 50])
  assert.deepEqual(await coupons(ada), [
    { ...shipping, status: 0, uses: 0 },
    { ...shipping, status: 0, uses: 1 }
  ])
  await store.soundBooks()
})
