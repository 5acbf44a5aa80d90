// Rules for what themes and other programs report.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../database.ts'
import { startService } from '../service-builder.ts'
import { aStory } from './story.ts'

const { url } = await testDatabase()
const service = await startService(url)

test('social: a visit that the theme reports gives free shipping once, and nothing takes it back', async () => {
  const { store, rule, customer, ask, progress, coupons, settle, useCode, usesInShop } = await aStory(service)
  const rules = { platform: 'instagram', url: 'https://www.instagram.com/example' }
  const id = await rule('social', rules, { reward_type: 'free_shipping' })
  const ada = await customer('ada@example.com')
  assert.deepEqual(await progress(id, 'social', ada), [0, 1, 0])
  for (let times = 0; times < 2; times++) {
    const visited = await ask(`/social/${id}`, ada, {}, 'POST')
    assert.deepEqual(visited.completion_progress, { current: 1, required: 1, percentage: 100 })
    await settle()
  }
  const shipping = { type: 'free_shipping', amount: '100.00' }
  assert.deepEqual(await coupons(ada), [{ ...shipping, status: 1, uses: 0 }])
  await useCode(ada, { total: '20.00', shipping: '8.00' })
  assert.equal(await usesInShop(ada), 1)
  await service.admin('PATCH', `${store.at}/loyalty/rules/${id}`, { enabled: false })
  assert.deepEqual(await coupons(ada), [{ ...shipping, status: 0, uses: 1 }])
  assert.deepEqual((await ask(`/rules/${id}`, ada)).completion_progress.percentage, 100)
  await store.soundBooks()
})

test('custom_action: store credit for each action, once for each event, and it stays', async () => {
  const { store, rule, customer, event, has, progress, credit } = await aStory(service)
  const [each, once] = [
    await rule('custom_action', { action_key: 'quiz' }, { reward_type: 'store_credit', amount: 2 }),
    await rule('custom_action', { action_key: 'quiz', one_time: true }, { reward_type: 'points', amount: 25 })
  ]
  const ada = await customer('ada@example.com')
  const shown = async () => [await progress(each, 'custom_action', ada), await progress(once, 'custom_action', ada)]
  assert.deepEqual(await shown(), [null, [0, 1, 0]])
  const quiz = (id: string) => event('ada@example.com', '--type', 'custom_action', '--action', 'quiz', '--event-id', id)
  assert.equal((await quiz('1')).rules.length, 2)
  await quiz('1')
  assert.deepEqual([await shown(), await has(ada), await credit(ada)], [[null, [1, 1, 100]], [25, 0, 25, 1, 0], 2])
  await quiz('2')
  assert.deepEqual([await has(ada), await credit(ada)], [[25, 0, 25, 1, 0], 4])
  await store.soundBooks()
})

test('reviews: points for as many as the rule takes, and a review that is deleted takes its own back for good', async () => {
  const { store, rule, customer, event, has, progress } = await aStory(service)
  const id = await rule('reviews', { limit: 2 }, { reward_type: 'points', amount: 100 })
  const ada = await customer('ada@example.com')
  const review = (nth: string, ...more: string[]) =>
    event('ada@example.com', '--type', 'review', '--provider', 'judge.me', '--event-id', nth, ...more)
  const shown = async () => [await progress(id, 'reviews', ada), await has(ada)]
  await review('1')
  assert.deepEqual(await shown(), [
    [1, 2, 50],
    [100, 0, 100, 1, 0]
  ])
  for (const nth of ['2', '3']) await review(nth)
  const both = [
    [2, 2, 100],
    [200, 0, 200, 1, 0]
  ]
  assert.deepEqual(await shown(), both)
  await review('1', '--deleted')
  await review('1')
  assert.deepEqual(await shown(), [
    [1, 2, 50],
    [100, 0, 100, 1, 0]
  ])
  await review('4')
  assert.deepEqual(await shown(), both)
  await store.soundBooks()
})
