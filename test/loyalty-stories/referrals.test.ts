// A rule for who brings friends: from the link to the rewards of both, and back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../database.ts'
import { startService } from '../service-builder.ts'
import { aStory } from './story.ts'

const { url } = await testDatabase()
const service = await startService(url)

const NOTHING = [0, 0, 0, 0, 0]
/** What the theme shows of a reward of 500 points that waits, of which a rule is complete. */
const PENDING = [0, 500, 0, 1, 0]
const EARNED = [500, 0, 500, 1, 0]

test('referral: the first order by the link of a customer rewards both after some days; a refund and a cancellation take that back', async () => {
  const { store, rule, customer, order, refund, cancel, has, progress, referralCode } = await aStory(service, {
    hold_days: 2
  })
  const rules = { minimum_order: 20, limit: 2, referred_reward: { reward_type: 'points', amount: 40 } }
  const id = await rule('referral', rules, { reward_type: 'points', amount: 500 })
  const people = ['ada', 'ben', 'cyd', 'dan'].map((name) => customer(`${name}@example.com`))
  const [ada, ben, cyd, dan] = (await Promise.all(people)) as [string, string, string, string]
  const code = await referralCode(ada)
  const shown = () => progress(id, 'referral', ada)
  assert.deepEqual([await shown(), await has(ada)], [[0, 2, 0], NOTHING])
  const bens = await order(ben, '50.00', { codes: [code] })
  assert.deepEqual([await shown(), await has(ada), await has(ben)], [[1, 2, 50], PENDING, [0, 40, 0, 0, 0]])
  // Only the first order of a friend counts.
  await store.advance({ by: 'PT1M' })
  await order(ben, '50.00')
  await refund(bens, '20.00')
  await store.advance({ by: 'P2D' })
  assert.deepEqual([await shown(), await has(ada), await has(ben)], [[1, 2, 50], EARNED, [40, 0, 40, 0, 0]])
  // 50.00 less the smallest amount, which the code takes off, and less 30.00 is not 20.00 any more.
  await refund(bens, '10.00')
  assert.deepEqual([await shown(), await has(ada), await has(ben)], [[0, 2, 0], NOTHING, NOTHING])

  const cyds = await order(cyd, '50.00', { codes: [code] })
  await order(dan, '50.00', { codes: [code] })
  assert.deepEqual([await shown(), (await has(ada))[1]], [[2, 2, 100], 1000])
  await cancel(cyds)
  assert.deepEqual([await shown(), await has(cyd), await has(dan)], [[1, 2, 50], NOTHING, [0, 40, 0, 0, 0]])
  await store.advance({ by: 'P2D' })
  assert.deepEqual([await has(ada), await has(cyd), await has(dan)], [EARNED, NOTHING, [40, 0, 40, 0, 0]])
  await store.soundBooks()
})

test('referral: nobody brings themselves, and a link takes nothing off any more when the rule has ended', async () => {
  const { store, rule, customer, order, has, progress, referralCode, ask, operate, lastOrder } = await aStory(service)
  const half = { reward_type: 'discount', discount_type: 'percentage', discount_amount: 50 }
  const id = await rule('referral', { limit: 1, referred_reward: half }, { reward_type: 'points', amount: 500 })
  const ada = await customer('ada@example.com')
  const code = await referralCode(ada)
  const home = { country: 'US', street: '12 Elm St.' }
  await order(ada, '50.00', { codes: [code], ...home })
  await order(await customer('Ada+new@example.com'), '50.00', { codes: [code] })
  await order(await customer('eve@example.com'), '50.00', { codes: [code], ...home })
  assert.deepEqual([await progress(id, 'referral', ada), await has(ada)], [[0, 1, 0], NOTHING])
  const ben = await customer('ben@example.com')
  await order(ben, '50.00', { codes: [code] })
  assert.ok(await lastOrder(ben, 25))
  assert.deepEqual([await progress(id, 'referral', ada), await has(ada)], [[1, 1, 100], EARNED])
  const { data } = await operate('referral', 'list')
  assert.deepEqual(
    data.map(({ status, reason }: Record<string, string>) => [status, reason]),
    [
      ['counted', null],
      ['refused', 'same_address'],
      ['refused', 'same_email'],
      ['refused', 'same_customer']
    ]
  )
  await operate('rule', 'disable', '--id', String(id))
  assert.equal((await ask(`/customers/${ada}`, ada)).referral_url, null)
  await assert.rejects(order(await customer('cyd@example.com'), '50.00', { codes: [code] }), /expired/)
  assert.deepEqual(await has(ada), EARNED)
  await store.soundBooks()
})
