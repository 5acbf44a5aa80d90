// What a reward in goods is worth at the checkout, and how it ends.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { row, sql, text } from '#kit/postgres'
import { testDatabase } from '../database.ts'
import { startService } from '../service-builder.ts'
import { aStory } from './story.ts'

const { url } = await testDatabase()
const service = await startService(url)

test('a free product is free in one order and its coupon is used then; one that is no longer earned is taken by no order', async () => {
  const { store, storeId, rule, customer, order, refund, has, progress, ask, coupons, useCode, usesInShop, lastOrder } =
    await aStory(service)
  const { id: mug } = await service.db.inStore(storeId, ({ tx }) =>
    tx.one(
      row({ id: text }),
      sql`select id::text as id from sandbox.products where store_id = ${storeId} and handle = 'stoneware-mug'`
    )
  )
  const reward = { reward_type: 'free_product', product_id: mug, code_prefix: 'MUG-' }
  const id = await rule('goal_spend', { goal_amount: 50 }, reward)
  const [ada, bob] = [await customer('ada@example.com'), await customer('bob@example.com')]
  const [adas, bobs] = [await order(ada, '50.00'), await order(bob, '60.00')]
  const free = { type: 'free_product', amount: '100.00' }
  for (const one of [ada, bob]) {
    assert.deepEqual(
      [await progress(id, 'goal_spend', one), await has(one), await coupons(one)],
      [[one === ada ? 50 : 60, 50, 100], [0, 0, 0, 1, 1], [{ ...free, status: 1, uses: 0 }]]
    )
  }
  // Two large mugs and a bowl, less the price of the cheapest mug, once.
  await useCode(ada, { lines: [{ variant: 'MUG-BLACK-L', quantity: 2 }, { variant: 'BOWL' }] })
  assert.ok(await lastOrder(ada, 22 + 22 + 22 - 18))
  assert.deepEqual([await usesInShop(ada), await coupons(ada)], [1, [{ ...free, status: 0, uses: 1 }]])
  assert.deepEqual(await has(ada), [0, 0, 0, 1, 0])
  const [used] = await ask(`/customers/${ada}/coupons`, ada)
  const mugs = { lines: [{ variant: 'MUG-BLACK-L' }], codes: [used.discount_code] }
  await assert.rejects(service.sandbox.controls.order({ storeId, customerId: ada, ...mugs }), /used/)
  // What was used stays used when the reward is not earned any more.
  await refund(adas)
  assert.deepEqual([await coupons(ada), await has(ada)], [[{ ...free, status: 0, uses: 1 }], [0, 0, 0, 0, 0]])

  const [unused] = await ask(`/customers/${bob}/coupons`, bob)
  await refund(bobs, '10.01')
  assert.deepEqual([await usesInShop(bob), await coupons(bob)], [null, [{ ...free, status: 0, uses: 0 }]])
  assert.deepEqual(
    [await progress(id, 'goal_spend', bob), await has(bob)],
    [
      [49, 50, 98],
      [0, 0, 0, 0, 0]
    ]
  )
  const none = { lines: [{ variant: 'MUG-BLACK-L' }], codes: [unused.discount_code] }
  await assert.rejects(service.sandbox.controls.order({ storeId, customerId: bob, ...none }), /There is no coupon/)
  await store.soundBooks()
})
