// A rule for purchases elsewhere: from the photo that a customer sends to points, and back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../database.ts'
import { startService } from '../service-builder.ts'
import { aStory } from './story.ts'

const { url } = await testDatabase()
const service = await startService(url)

test('upload_receipt: points when an operator approves it, other points over another amount, and none of what is refused after all', async () => {
  const { store, rule, customer, operate, ask, sendReceipt, has, progress } = await aStory(service)
  const rules = { points_per_dollar: 2, max_points: 100, accepted_retailers: ['Corner Store'] }
  const id = await rule('upload_receipt', rules, { reward_type: 'points' })
  const ada = await customer('ada@example.com')
  const printed = { rule_id: String(id), retailer: 'corner store', purchased_on: '2026-01-31' }
  const send = (amount: string) => sendReceipt(ada, { ...printed, amount, receipt_number: amount, says: amount })
  const decide = (receipt: number, ...how: string[]) => operate('receipt', ...how, '--id', String(receipt))

  const first = await send('29.99')
  const { status, points, retailer } = first.body.data
  assert.deepEqual([first.status, status, points, retailer], [200, 'waiting', null, 'Corner Store'])
  assert.deepEqual([await has(ada), await progress(id, 'upload_receipt', ada)], [[0, 0, 0, 0, 0], null])
  await store.advance({ by: 'P1D' })
  await decide(first.body.data.id, 'approve')
  assert.deepEqual(await has(ada), [59, 0, 59, 0, 0])
  await decide(first.body.data.id, 'approve', '--amount', '20.00')
  assert.deepEqual(await has(ada), [40, 0, 40, 0, 0])

  const again = await send('29.99')
  assert.deepEqual([again.status, Object.keys(again.body.errors)], [422, ['file']])
  const second = await send('80.00')
  await decide(second.body.data.id, 'refuse', '--reason', 'It cannot be read')
  assert.deepEqual(await has(ada), [40, 0, 40, 0, 0])
  // After all it can be: the rule gives at most 100 points for it.
  await decide(second.body.data.id, 'approve')
  assert.deepEqual(await has(ada), [140, 0, 140, 0, 0])
  await decide(first.body.data.id, 'refuse', '--reason', 'A copy')
  assert.deepEqual(await has(ada), [100, 0, 100, 0, 0])

  // What was spent cannot be taken back.
  const template = await operate(
    'template',
    'create',
    '--name',
    '$5 off',
    '--type',
    'fixed_amount',
    ...[...['--rules', '{"amount": 5}', '--points', '70']]
  )
  await ask(`/coupons/${template.id}/redemption`, ada, {}, 'POST')
  await decide(second.body.data.id, 'refuse', '--reason', 'A copy')
  assert.deepEqual(await has(ada), [0, 0, 0, 0, 1])
  await store.soundBooks()
})

test('upload_receipt: a rule that approves receipts itself gives at most its max_points at once, and an operator takes that back', async () => {
  const { store, rule, customer, operate, sendReceipt, has } = await aStory(service)
  const rules = { points_per_dollar: 1, max_points: 50, auto_approve: true }
  const id = await rule('upload_receipt', rules, { reward_type: 'points' })
  const ada = await customer('ada@example.com')
  const printed = { rule_id: String(id), retailer: 'Café', purchased_on: '2026-01-31' }
  const { body } = await sendReceipt(ada, { ...printed, amount: '1000.00', says: 'much' })
  assert.deepEqual([body.data.status, body.data.points], ['approved', 50])
  await sendReceipt(ada, { ...printed, amount: '12.50', says: 'little' })
  assert.deepEqual(await has(ada), [62, 0, 62, 0, 0])
  await operate('receipt', 'refuse', '--id', String(body.data.id), '--reason', 'Typed too much')
  assert.deepEqual(await has(ada), [12, 0, 12, 0, 0])
  await store.soundBooks()
})
