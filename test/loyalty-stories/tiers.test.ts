// A rule for those in a tier, by the clock of the store.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../database.ts'
import { startService } from '../service-builder.ts'
import { aStory } from './story.ts'

const { url } = await testDatabase()
const service = await startService(url)

test('a rule for Gold alone: it counts from the next order on, a refund takes its share, and what was earned stays when Gold is lost', async () => {
  const { store, rule, customer, order, refund, operate, has, progress, tierOf } = await aStory(service)
  await operate('tier', 'create', '--name', 'Open')
  const gold = await operate(
    ...['tier', 'create', '--name', 'Gold', '--entry', '{"min_spend": 100}', '--multiplier', '1.5']
  )
  const forGold = { tier_ids: [gold.id] }
  await rule('points_for_purchases', forGold, { reward_type: 'points' })
  const card = await rule('punch_card', { ...forGold, required_purchases: 2 }, { reward_type: 'free_shipping' })
  const shown = (as: string) => progress(card, 'punch_card', as)
  const [ada, bob] = [await customer('ada@example.com'), await customer('bob@example.com')]
  assert.deepEqual(await tierOf(ada), ['Open', 'Gold'])
  await order(bob, '99.99')
  await order(ada, '100.00')
  // Whoever reaches Gold by an order was not in it before.
  assert.deepEqual(
    [await tierOf(ada), await tierOf(bob)],
    [
      ['Gold', null],
      ['Open', 'Gold']
    ]
  )
  for (const one of [ada, bob])
    assert.deepEqual(
      [await has(one), await shown(one)],
      [
        [0, 0, 0, 0, 0],
        [0, 2, 0]
      ]
    )
  await store.advance({ by: 'P100D' })
  const second = await order(ada, '30.00')
  assert.deepEqual(
    [await has(ada), await shown(ada)],
    [
      [45, 0, 45, 0, 0],
      [1, 2, 50]
    ]
  )
  await refund(second, '10.00')
  assert.deepEqual(
    [await has(ada), await shown(ada)],
    [
      [30, 0, 30, 0, 0],
      [1, 2, 50]
    ]
  )
  // The order that led to Gold is older than a year; those of the last year come to 20.00.
  await store.advance({ by: 'P265D' })
  assert.deepEqual(await tierOf(ada), ['Open', 'Gold'])
  await order(ada, '10.00')
  assert.deepEqual(
    [await has(ada), await shown(ada)],
    [
      [30, 0, 30, 0, 0],
      [1, 2, 50]
    ]
  )
  // Who is in Gold again goes on with the same card.
  await order(ada, '70.00')
  await order(ada, '1.00')
  assert.deepEqual(
    [await tierOf(ada), await shown(ada)],
    [
      ['Gold', null],
      [2, 2, 100]
    ]
  )
  assert.deepEqual(await has(ada), [31, 0, 31, 1, 1])
  await store.soundBooks()
})
