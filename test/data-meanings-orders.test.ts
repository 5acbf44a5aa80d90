// What the fields of /data/orders mean, each by its name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from '../src/http/server.test-helper.ts'
import { newCreditCode } from '../src/spending/codes/code-form.ts'
import { testDatabase } from './database.ts'
import { aMeantStore } from './meant-rows.ts'

const { db } = await testDatabase()
const { app } = testServer(db)
const aShop = (given?: object) => aMeantStore(db, app, given)

test('formats: an order of which nothing else is known has empty texts, decimal sums and a whole number of failures', async () => {
  const { order, only } = await aShop()
  await order({ platform_order_id: '1', name: '#1001' })
  assert.deepEqual(await only('orders'), {
    shopify_customer_gid: '',
    customer_email: '',
    customer_name: '',
    order_id: 'gid://platform/Order/1',
    order_name: '#1001',
    order_date: '2026-01-05 07:00',
    financial_status: 'paid',
    payment_gateway: '',
    refund_date: '',
    customer_first_order_date: '',
    customer_first_vip_order_date: '',
    customer_first_recharge_order_date: '',
    checkout_type: '',
    checkout_type_first_order: '',
    revenue: '40.00',
    tax: '3.50',
    currency: 'USD',
    order_tag: '',
    coupon_code: '',
    coupon_code_amount: '',
    store_credit_used: '0.00',
    autocharge_status: '',
    dispute_status: '',
    dispute_initiated_date: '',
    dispute_last_updated_date: '',
    dispute_reason: '',
    brand: '',
    store_credit_deducted: '',
    deduction_date: '',
    sales_channel: '',
    auto_charge_failed_count: 0,
    auto_charge_failure_reasons: '',
    customer_first_ps_order_date: '',
    customer_first_ps_recharge_order_date: '',
    country_code: '',
    province: ''
  })
})

test('numbers: revenue and tax have the decimals of the currency of their order', async () => {
  const { order, rows } = await aShop()
  for (const currency of ['USD', 'JPY', 'KWD']) await order({ currency, total_minor: 123_456, tax_minor: 5 })
  assert.deepEqual(await rows('orders', ['currency', 'revenue', 'tax']), [
    { currency: 'USD', revenue: '1234.56', tax: '0.05' },
    { currency: 'JPY', revenue: '123456', tax: '5' },
    { currency: 'KWD', revenue: '123.456', tax: '0.005' }
  ])
})

test('order_date is when the order was processed, in the time zone of the shop', async () => {
  const { order, only } = await aShop({ timezone: 'Asia/Kolkata' })
  await order({ processed_at: '2026-02-28T19:00:30Z', created_at: '2026-04-01T00:00:00Z' })
  assert.equal((await only('orders')).order_date, '2026-03-01 00:30')
})

test('revenue is the total as placed, and refund_date the own time of the latest refund', async () => {
  const { order, refund, only } = await aShop()
  const id = await order({ total_minor: 4000, refunded_minor: 3000, financial_status: 'partially_refunded' })
  await refund({ order_id: id, amount_minor: 1000, refunded_at: '2026-03-02T15:00:00Z' })
  await refund({ order_id: id, amount_minor: 2000, refunded_at: '2026-02-01T15:00:00Z' })
  assert.deepEqual(await only('orders', ['revenue', 'financial_status', 'refund_date']), {
    revenue: '40.00',
    financial_status: 'partially_refunded',
    refund_date: '2026-03-02 10:00'
  })
})

test('customer_email and customer_name are those of the order, else those of the customer', async () => {
  const { member, order, rows } = await aShop()
  const ann = await member({})
  await order({ member_id: ann, email: 'billing@example.com', customer_name: 'Bill Ing' })
  await order({ member_id: ann })
  assert.deepEqual(await rows('orders', ['customer_email', 'customer_name']), [
    { customer_email: 'billing@example.com', customer_name: 'Bill Ing' },
    { customer_email: 'ann@example.com', customer_name: 'Ann Ito' }
  ])
})

test('first-order facts: each date is that of its own kind, and the type is that of the first order', async () => {
  const { member, order, firsts, only } = await aShop()
  const ann = await member({})
  await order({ member_id: ann })
  await firsts({
    member_id: ann,
    first_at: '2026-01-01T15:00:00Z',
    membership_at: '2026-01-02T15:00:00Z',
    membership_renewal_at: '2026-01-03T15:00:00Z',
    product_at: '2026-01-04T15:00:00Z',
    product_renewal_at: '2026-01-05T15:00:00Z',
    checkout_type: 'PAYG'
  })
  const dates = {
    customer_first_order_date: '2026-01-01 10:00',
    customer_first_vip_order_date: '2026-01-02 10:00',
    customer_first_recharge_order_date: '2026-01-03 10:00',
    customer_first_ps_order_date: '2026-01-04 10:00',
    customer_first_ps_recharge_order_date: '2026-01-05 10:00',
    checkout_type_first_order: 'PAYG'
  }
  assert.deepEqual(await only('orders', Object.keys(dates)), dates)
})

test('classification: checkout_type, order_tag and autocharge_status are what the order was classified as, else empty', async () => {
  const { order, effects, rows } = await aShop()
  const renewal = { checkout_type: 'VIP', order_tag: 'recharge', autocharge_status: 'Dispute' }
  await effects({ order_id: await order({}), ...renewal })
  const waiting = { checkout_type: null, order_tag: null, autocharge_status: null }
  await effects({ order_id: await order({}), classified_at: null, ...waiting })
  assert.deepEqual(await rows('orders', Object.keys(renewal)), [
    renewal,
    { checkout_type: '', order_tag: '', autocharge_status: '' }
  ])
})

test('coupon_code leaves our own credit codes out, and coupon_code_amount is the sum of the others', async () => {
  const { order, rows } = await aShop()
  const ours = newCreditCode()
  const [save, own, more] = [
    { code: 'SAVE', amountMinor: 150 },
    { code: ours, amountMinor: 900 },
    { code: 'MORE', amountMinor: 25 }
  ]
  await order({ coupons: [save, own, more], discount_codes: ['SAVE', ours, 'MORE'] })
  await order({ coupons: [own], discount_codes: [ours] })
  // What the codes took off is not known yet.
  await order({ discount_codes: ['SAVE', ours, 'MORE'] })
  assert.deepEqual(await rows('orders', ['coupon_code', 'coupon_code_amount']), [
    { coupon_code: 'SAVE,MORE', coupon_code_amount: '1.75' },
    { coupon_code: '', coupon_code_amount: '' },
    { coupon_code: 'SAVE,MORE', coupon_code_amount: '' }
  ])
})

test('store_credit_used is what was redeemed less what was restored', async () => {
  const { member, order, credit, only } = await aShop()
  const ann = await member({})
  const orderId = await order({ member_id: ann })
  await credit({ memberId: ann, type: 'manual_add', amountMinor: 5000 })
  const redeemed = await credit({ memberId: ann, type: 'redemption', amountMinor: -1500, orderId })
  await credit({ memberId: ann, type: 'redemption_restored', amountMinor: 400, orderId, reversesId: redeemed })
  const fields = ['store_credit_used', 'store_credit_deducted', 'deduction_date']
  assert.deepEqual(await only('orders', fields), {
    store_credit_used: '11.00',
    store_credit_deducted: '',
    deduction_date: ''
  })
})

test('store_credit_deducted is what refunds and disputes deducted less what came back; deduction_date is the latest deduction', async () => {
  const { member, order, credit, only } = await aShop()
  const ann = await member({})
  const orderId = await order({ member_id: ann })
  await credit({ memberId: ann, type: 'manual_add', amountMinor: 5000 })
  await credit({ memberId: ann, type: 'refund', amountMinor: -700, orderId, at: '2026-02-01T15:00:00Z' })
  const lost = await credit({ memberId: ann, type: 'dispute', amountMinor: -500, orderId, at: '2026-02-02T15:00:00Z' })
  const back = { memberId: ann, type: 'dispute', amountMinor: 200, orderId, reversesId: lost } as const
  await credit({ ...back, at: '2026-02-03T15:00:00Z' })
  const fields = ['store_credit_used', 'store_credit_deducted', 'deduction_date']
  assert.deepEqual(await only('orders', fields), {
    store_credit_used: '0.00',
    store_credit_deducted: '10.00',
    deduction_date: '2026-02-02 10:00'
  })
})

test('dispute fields are those of the newest dispute, inquiries included', async () => {
  const { order, dispute, only } = await aShop()
  const orderId = await order({})
  const older = { order_id: orderId, status: 'lost', reason: 'fraudulent' }
  await dispute({ ...older, initiated_at: '2026-02-01T15:00:00Z', reported_at: '2026-05-01T15:00:00Z' })
  const newer = { order_id: orderId, type: 'inquiry', began_as: 'inquiry', status: 'won', reason: 'duplicate' }
  await dispute({ ...newer, initiated_at: '2026-03-01T15:00:00Z', reported_at: '2026-04-01T15:00:00Z' })
  const shown = {
    dispute_status: 'won',
    dispute_initiated_date: '2026-03-01 10:00',
    dispute_last_updated_date: '2026-04-01 11:00',
    dispute_reason: 'duplicate'
  }
  assert.deepEqual(await only('orders', Object.keys(shown)), shown)
})

test("sales_channel is the app's name, else the source; brand, gateway and address are the order's", async () => {
  const { order, rows } = await aShop()
  const own = { brand: 'House', gateway: 'bogus', country_code: 'US', province: 'Ohio' }
  await order({ ...own, channel: 'Point of Sale', source_name: 'pos' })
  await order({ source_name: 'web' })
  assert.deepEqual(await rows('orders', ['sales_channel', 'brand', 'payment_gateway', 'country_code', 'province']), [
    { sales_channel: 'Point of Sale', brand: 'House', payment_gateway: 'bogus', country_code: 'US', province: 'Ohio' },
    { sales_channel: 'web', brand: '', payment_gateway: '', country_code: '', province: '' }
  ])
})

test('failure columns are the definite failures of the cycle that the order paid, oldest first', async () => {
  const { member, subscription, order, attempt, link, only } = await aShop()
  const subscription_id = await subscription({ member_id: await member({}) })
  const failed = (error_code: string, error_message: string | null, day: number, more: object = {}) =>
    attempt({
      subscription_id,
      status: 'failed',
      error_code,
      error_message,
      completed_at: `2026-02-0${day}T12:00:00Z`,
      ...more
    })
  await failed('expired_card', null, 2, { attempt_number: 2 })
  await failed('card_declined', 'Declined\nby the bank', 1)
  await failed('voided', 'Not sent', 3, { attempt_number: 3 })
  await failed('card_declined', 'Another cycle', 5, { cycle_index: 3 })
  const paidLate = { attempt_number: 4, late_success_at: '2026-02-05T12:00:00Z' }
  const attempt_id = await failed('card_declined', 'Paid after all', 4, paidLate)
  await link({ order_id: await order({}), subscription_id, attempt_id })
  assert.deepEqual(await only('orders', ['auto_charge_failed_count', 'auto_charge_failure_reasons']), {
    auto_charge_failed_count: 2,
    auto_charge_failure_reasons: 'Declined by the bank\nexpired_card'
  })
})

test('dispute fields: of disputes that began at the same time the one with the higher id is the newest', async () => {
  const { order, dispute, rows } = await aShop()
  const at = '2026-02-01T15:00:00Z'
  // In the order in which they are stored, and against it.
  for (const [first, second] of [
    [81, 82],
    [92, 91]
  ] as const) {
    const order_id = await order({})
    for (const id of [first, second])
      await dispute({ order_id, id, initiated_at: at, reported_at: at, reason: `reason ${id}` })
  }
  assert.deepEqual(await rows('orders', ['dispute_reason']), [
    { dispute_reason: 'reason 82' },
    { dispute_reason: 'reason 92' }
  ])
})
