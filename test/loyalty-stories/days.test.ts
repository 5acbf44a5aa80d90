// Rules for days of the year, by the clock of the store: what was given on a day stays.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../database.ts'
import { startService } from '../service-builder.ts'
import { aStory } from './story.ts'

const { url } = await testDatabase()
const service = await startService(url)

test('birthday_reward: a coupon at midnight of the shop, once a year, complete until the year ends, whatever date is entered then', async () => {
  const { store, rule, member, enterBirthDate, has, progress, coupons, useCode, usesInShop } = await aStory(service)
  const reward = { reward_type: 'discount', discount_type: 'percentage', discount_amount: 20, code_prefix: 'BDAY-' }
  const id = await rule('birthday_reward', {}, reward)
  const ada = await member('ada@example.com')
  const shown = async () => [await progress(id, 'birthday_reward', ada), await coupons(ada)]
  await enterBirthDate(ada, '1990-02-10')
  // It is the 9th in New York.
  await store.advance({ to: '2026-02-10T04:59:00Z' })
  assert.deepEqual(await shown(), [[0, 1, 0], []])
  await store.advance({ to: '2026-02-10T05:00:00Z' })
  const coupon = { type: 'amount_off_orders', amount: '20.00' }
  assert.deepEqual(await shown(), [[1, 1, 100], [{ ...coupon, status: 1, uses: 0 }]])
  await enterBirthDate(ada, '1990-02-12')
  await store.advance({ to: '2026-02-13T05:00:00Z' })
  assert.deepEqual(await shown(), [[1, 1, 100], [{ ...coupon, status: 1, uses: 0 }]])
  await useCode(ada)
  assert.deepEqual([await usesInShop(ada), await has(ada)], [1, [0, 0, 0, 1, 0]])
  await store.advance({ to: '2027-01-01T05:00:00Z' })
  assert.deepEqual(await shown(), [[0, 1, 0], [{ ...coupon, status: 0, uses: 1 }]])
  await store.advance({ to: '2027-02-12T05:00:00Z' })
  assert.deepEqual(await shown(), [
    [1, 1, 100],
    [
      { ...coupon, status: 0, uses: 1 },
      { ...coupon, status: 1, uses: 0 }
    ]
  ])
  await store.soundBooks()
})

test('anniversary_reward: points each year for who is a member, and none for who is one no more', async () => {
  const { store, rule, member, has, progress } = await aStory(service)
  const id = await rule('anniversary_reward', {}, { reward_type: 'points', amount: 100 })
  const [ada, bob] = [await member('ada@example.com'), await member('bob@example.com')]
  const shown = (as: string) => progress(id, 'anniversary_reward', as)
  await store.advance({ to: '2027-01-31T04:59:00Z' })
  assert.deepEqual(
    [await shown(ada), await has(ada)],
    [
      [0, 1, 0],
      [0, 0, 0, 0, 0]
    ]
  )
  await store.advance({ to: '2027-01-31T05:00:00Z' })
  for (const one of [ada, bob]) {
    assert.deepEqual(
      [await shown(one), await has(one)],
      [
        [1, 1, 100],
        [100, 0, 100, 1, 0]
      ]
    )
  }
  const { body } = await service.get(`/subscriptions?customer_id=${bob}`, store.key)
  assert.equal((await service.post(`/subscriptions/${body.data[0].id}/cancel`, store.key, {})).status, 200)
  await store.settle()
  assert.deepEqual(await has(bob), [100, 0, 100, 1, 0])
  await store.advance({ to: '2028-01-31T05:00:00Z' })
  assert.deepEqual(
    [await has(ada), await has(bob)],
    [
      [200, 0, 200, 1, 0],
      [100, 0, 100, 1, 0]
    ]
  )
  assert.deepEqual(await shown(bob), [0, 1, 0])
  await store.soundBooks()
})
