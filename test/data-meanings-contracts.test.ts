// What the fields of /data/subscriptions and /data/cancellation-reasons mean, each by its name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from '../src/http/server.test-helper.ts'
import { testDatabase } from './database.ts'
import { aStoreOfOne } from './meant-rows.ts'

const { db } = await testDatabase()
const { app } = testServer(db)

const aShop = (given?: object) => aStoreOfOne(db, app, given)
const ended = { cancelled_at: '2026-03-01T15:00:00Z', cancel_reason: 'too_expensive' }

test('formats: an active contract that was never charged has empty texts and a whole interval_count', async () => {
  const { memberId, subscription, only } = await aShop()
  await subscription({ member_id: memberId, platform_contract_id: '91', next_billing_at: '2026-07-05T12:00:00Z' })
  assert.deepEqual(await only('subscriptions'), {
    shopify_customer_gid: '77',
    customer_email: 'ann@example.com',
    customer_name: 'Ann Ito',
    shopify_contract_id: '91',
    status: 'ACTIVE',
    type: 'Club',
    price: '29.00',
    currency: 'USD',
    start_date: '2026-01-05 07:00',
    cancelled_date: '',
    last_charge_date: '',
    last_charge_status: '',
    next_charge_date: '2026-07-05 08:00',
    interval_name: 'MONTH',
    interval_count: 1,
    churn_offer_status: '',
    offer_type: '',
    price_with_offer: '',
    offer_accepted_date: '',
    offer_cancel_date: ''
  })
})

test('status is in upper case, and cancelled_date is when the contract ended, however that was', async () => {
  const { memberId, subscription, rows } = await aShop()
  await subscription({ member_id: memberId, status: 'paused', paused_at: '2026-02-01T15:00:00Z' })
  for (const status of ['cancelled', 'failed', 'expired']) await subscription({ member_id: memberId, status, ...ended })
  assert.deepEqual(await rows('subscriptions', ['status', 'cancelled_date', 'next_charge_date']), [
    { status: 'PAUSED', cancelled_date: '', next_charge_date: '' },
    { status: 'CANCELLED', cancelled_date: '2026-03-01 10:00', next_charge_date: '' },
    { status: 'FAILED', cancelled_date: '2026-03-01 10:00', next_charge_date: '' },
    { status: 'EXPIRED', cancelled_date: '2026-03-01 10:00', next_charge_date: '' }
  ])
})

test('next_charge_date of a contract that is paused until a date is the next date of its series after that', async () => {
  const { memberId, subscription, only } = await aShop()
  const until = { paused_at: '2026-02-01T15:00:00Z', resumes_at: '2026-07-20T12:00:00Z' }
  await subscription({ member_id: memberId, status: 'paused', anchor_at: '2026-01-31T15:00:00Z', ...until })
  assert.equal((await only('subscriptions')).next_charge_date, '2026-07-31 10:00')
})

test('numbers: price has the decimals of the currency of its contract', async () => {
  const { memberId, subscription, rows } = await aShop()
  for (const currency of ['USD', 'JPY', 'KWD']) await subscription({ member_id: memberId, currency, price_minor: 2905 })
  assert.deepEqual(await rows('subscriptions', ['price', 'currency']), [
    { price: '29.05', currency: 'USD' },
    { price: '2905', currency: 'JPY' },
    { price: '2.905', currency: 'KWD' }
  ])
})

test('last_charge_date and last_charge_status are of the attempt that finished last, not of a pending one or one never sent', async () => {
  const { memberId, subscription, attempt, rows } = await aShop()
  const failed = { status: 'failed', error_code: 'card_declined' }
  const one = await subscription({ member_id: memberId })
  await attempt({ subscription_id: one, ...failed, attempt_number: 1, completed_at: '2026-03-01T15:00:00Z' })
  await attempt({ subscription_id: one, cycle_index: 1, completed_at: '2026-02-01T15:00:00Z' })
  const voided = { ...failed, error_code: 'voided', cycle_index: 3, completed_at: '2026-04-01T15:00:00Z' }
  await attempt({ subscription_id: one, ...voided })
  await attempt({ subscription_id: one, status: 'pending', cycle_index: 4, check_at: '2026-05-01T15:00:00Z' })
  const two = await subscription({ member_id: memberId })
  await attempt({ subscription_id: two, completed_at: '2026-02-01T15:00:00Z' })
  assert.deepEqual(await rows('subscriptions', ['last_charge_date', 'last_charge_status']), [
    { last_charge_date: '2026-03-01 10:00', last_charge_status: 'Failed' },
    { last_charge_date: '2026-02-01 10:00', last_charge_status: 'Successful' }
  ])
})

test('cancellations: a row for each cancelled or failed ending, also a reversed one, and none for an expired contract', async () => {
  const { memberId, subscription, activity, rows } = await aShop()
  const subscription_id = await subscription({ member_id: memberId })
  const happened = (kind: string, month: number) =>
    activity({ subscription_id, member_id: memberId, kind, occurred_at: `2026-0${month}-01T15:00:00Z` })
  await happened('cancelled', 2)
  await happened('reactivated', 3)
  await happened('failed', 4)
  await happened('expired', 5)
  assert.deepEqual(await rows('cancellation-reasons', ['cancel_date']), [
    { cancel_date: '2026-02-01 10:00' },
    { cancel_date: '2026-04-01 11:00' }
  ])
})

test('cancel_reason is the alias, or the comment when `other` has one; the plan is the tier, of product plans the plan', async () => {
  const { memberId, subscription, activity, rows } = await aShop()
  const subscription_id = await subscription({ member_id: memberId })
  const cancelled = (reason: string, notes: string | null, plan_group_name: string | null) =>
    activity({
      subscription_id,
      member_id: memberId,
      kind: 'cancelled',
      refs: { reason },
      notes,
      plan_group_name,
      plan_name: 'Monthly',
      occurred_at: '2026-02-01T15:00:00Z'
    })
  await cancelled('too_expensive', 'Far too much', 'Gold')
  await cancelled('other', 'I moved', 'Gold')
  await cancelled('other', null, null)
  const row = { shopify_customer_gid: '77', customer_email: 'ann@example.com', cancel_date: '2026-02-01 10:00' }
  assert.deepEqual(await rows('cancellation-reasons'), [
    { ...row, subscription_plan_name: 'Gold', cancel_reason: 'too_expensive' },
    { ...row, subscription_plan_name: 'Gold', cancel_reason: 'I moved' },
    { ...row, subscription_plan_name: 'Monthly', cancel_reason: 'other' }
  ])
})

test('since_date goes by the day of the shop: of subscriptions from their creation, of cancellations from their time', async () => {
  const { memberId, subscription, activity, page } = await aShop()
  const at = ['2026-03-02T04:59:00Z', '2026-03-02T05:00:00Z']
  const ids = []
  for (const created_at of at) ids.push(await subscription({ member_id: memberId, created_at }))
  for (const occurred_at of at) {
    await activity({ subscription_id: ids[0], member_id: memberId, kind: 'cancelled', occurred_at })
  }
  const since = { since_date: '2026-03-02' }
  const { data: contracts } = await page('subscriptions', since)
  const { data: cancellations } = await page('cancellation-reasons', since)
  assert.deepEqual(
    contracts.map((row) => row.start_date),
    ['2026-03-02 00:00']
  )
  assert.deepEqual(
    cancellations.map((row) => row.cancel_date),
    ['2026-03-02 00:00']
  )
})

for (const [timezone, day, first, shown] of [
  // The clocks go from 24:00 to 01:00.
  ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00Z', '01:00'],
  ['Asia/Beirut', '2026-03-29', '2026-03-28T22:00:00Z', '01:00'],
  // They went from 23:30 to 00:30.
  ['America/Toronto', '1919-03-31', '1919-03-31T04:30:00Z', '00:30']
] as const) {
  test(`since_date and since_updated: a day without a midnight begins with the first moment that it has (${timezone})`, async () => {
    const { memberId, order, subscription, page } = await aShop({ timezone })
    const begin = Temporal.Instant.from(first)
    for (const [name, time] of [
      // By the other offset of this night it would be of the day.
      ['59 minutes before', begin.subtract({ minutes: 59 })],
      ['a second before', begin.subtract({ seconds: 1 })],
      ['first', begin],
      ['29 minutes after', begin.add({ minutes: 29 })]
    ] as const) {
      const at = time.toString()
      await order({ name, processed_at: at, updated_at: at })
      await subscription({ member_id: memberId, name, created_at: at, updated_at: at })
    }
    for (const [endpoint, name] of [
      ['orders', 'order_name'],
      ['subscriptions', 'type']
    ] as const) {
      for (const filter of ['since_date', 'since_updated']) {
        const { data } = await page(endpoint, { [filter]: day })
        const names = data.map((row) => row[name])
        assert.deepEqual(names, ['first', '29 minutes after'], `${endpoint} by ${filter}`)
      }
    }
    assert.equal((await page('orders', { since_date: day })).data[0]!.order_date, `${day} ${shown}`)
  })
}
