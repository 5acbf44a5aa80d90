// How much of an order earns: tax inside prices, pieces that an edit has removed, and refunds in small parts. With the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from './database.ts'
import { aLoyaltyShop } from './loyalty-shop.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { controls } = service.sandbox

const POINTS = { reward_type: 'points' }

async function aShop(rules: object = {}) {
  const shop = await aLoyaltyShop(service)
  await shop.rule('points_for_purchases', rules, POINTS)
  const id = await shop.customer('ada@example.com')
  let last = 9000
  const line = (price: string, more: object = {}) => {
    const n = ++last
    return { id: n, product_id: n, variant_id: n, title: 'Mug', quantity: 1, price, ...more }
  }
  /** Reports an order as the platform would: paid, and changed a second later each time. */
  const report = async (topic: string, order: object, seconds = 0) => {
    const at = '2026-01-31T15:00:00Z'
    const body = JSON.stringify({
      ...{ name: '#1', order_number: 1, currency: 'USD', financial_status: 'paid', payment_gateway_names: ['bogus'] },
      ...{ created_at: at, processed_at: at, total_tax: '0.00', taxes_included: false, customer: { id: Number(id) } },
      ...{ updated_at: Temporal.Instant.from(at).add({ seconds }).toString(), ...order }
    })
    await controls.sendMessage({ storeId: shop.storeId, topic, body })
    await shop.settle()
  }
  return { ...shop, id, line, report, balance: async () => (await shop.points(id))[0] }
}

test('tax that prices include earns nothing, whatever else the total has', async () => {
  const { store, line, report, balance } = await aShop()
  const goods = { subtotal_price: '120.00', total_tax: '20.00', taxes_included: true, line_items: [line('120.00')] }
  await report('orders/create', { id: 1, total_price: '120.00', ...goods })
  assert.equal(await balance(), 100)
  await report('orders/create', { id: 2, total_price: '150.00', total_tip_received: '30.00', ...goods })
  assert.equal(await balance(), 200)
  await report('orders/create', { id: 3, total_price: '145.00', ...goods })
  assert.equal(await balance(), 300)
  await store.soundBooks()
})

test('orders that the platform sends and that are read from it say whether prices include tax', async () => {
  const { store, id, order, balance, rule } = await aShop({ minimum_order: 1 })
  await rule('goal_spend', { goal_amount: 100 }, { reward_type: 'points', amount: 7 })
  await order(id, '110.00', { taxPercent: 10, taxesIncluded: true })
  assert.equal(await balance(), 107)
  await order(id, '110.00', { taxPercent: 10 })
  assert.equal(await balance(), 217)
  await store.soundBooks()
})

test('what an edit has removed before it was paid earns nothing, and refunds take their share of the rest', async () => {
  const { store, line, report, balance } = await aShop()
  const [kept, removed] = [line('60.00', { current_quantity: 1 }), line('40.00', { current_quantity: 1 })]
  const placed = { id: 1, total_price: '100.00', subtotal_price: '100.00' }
  await report('orders/create', { ...placed, financial_status: 'pending', line_items: [kept, removed] })
  assert.equal(await balance(), 0)
  const edited = { ...placed, current_total_price: '60.00', line_items: [kept, { ...removed, current_quantity: 0 }] }
  await report('orders/updated', edited, 1)
  assert.equal(await balance(), 60)
  const refunds = [aRefund(1, '15.00')]
  await report('orders/updated', { ...edited, current_total_price: '45.00', refunds }, 2)
  assert.equal(await balance(), 45)
  await store.soundBooks()
})

test('what was removed of a paid order and what was refunded are gone once', async () => {
  const { store, line, report, balance } = await aShop()
  const [kept, gone] = [line('60.00', { current_quantity: 1 }), line('20.00', { quantity: 2, current_quantity: 2 })]
  const placed = { id: 1, total_price: '100.00', subtotal_price: '100.00' }
  await report('orders/create', { ...placed, current_total_price: '100.00', line_items: [kept, gone] })
  assert.equal(await balance(), 100)
  const edited = { ...placed, line_items: [kept, { ...gone, current_quantity: 0 }] }
  await report('orders/updated', { ...edited, current_total_price: '60.00' }, 1)
  assert.equal(await balance(), 60)
  await report('orders/updated', { ...edited, current_total_price: '60.00', refunds: [aRefund(1, '20.00')] }, 2)
  assert.equal(await balance(), 60)
  const refunds = [aRefund(1, '20.00'), aRefund(2, '20.00')]
  await report('orders/updated', { ...edited, current_total_price: '60.00', refunds }, 3)
  assert.equal(await balance(), 60)
  await store.soundBooks()
})

test('a gift card earns nothing when it is bought, and what it pays earns', async () => {
  const { line, report, balance } = await aShop()
  const sold = [line('100.00', { gift_card: true }), line('10.00')]
  await report('orders/create', { id: 1, total_price: '110.00', subtotal_price: '110.00', line_items: sold })
  assert.equal(await balance(), 10)
  const paid = { payment_gateway_names: ['gift_card'], line_items: [line('100.00')] }
  await report('orders/create', { id: 2, total_price: '100.00', subtotal_price: '100.00', ...paid })
  assert.equal(await balance(), 110)
})

test('points of what refunds leave are rounded down, once', async () => {
  const { store, id, order, refund, balance, points } = await aShop()
  const first = await order(id, '10.00')
  assert.equal(await balance(), 10)
  for (let i = 0; i < 10; i++) await refund(first, '0.99')
  assert.equal(await balance(), 0)
  const second = await order(id, '10.99')
  assert.equal(await balance(), 10)
  await refund(second, '0.50')
  assert.equal(await balance(), 10)
  await refund(second, '0.59')
  assert.deepEqual(await points(id), [9, 0, 9])
  await store.soundBooks()
})

test('pending points and points of a tier are rounded down by what is left as well', async () => {
  const shop = await aLoyaltyShop(service, { hold_days: 3 })
  await shop.rule('points_for_purchases', {}, POINTS)
  await service.admin('POST', `${shop.store.at}/loyalty/tiers`, {
    name: 'All',
    entry_rules: {},
    multiplier_points: 1.5
  })
  await shop.settle()
  const id = await shop.customer('eve@example.com')
  const first = await shop.order(id, '10.99')
  // 16.485 points.
  assert.deepEqual(await shop.points(id), [0, 16, 0])
  await shop.refund(first, '0.32')
  assert.deepEqual(await shop.points(id), [0, 16, 0])
  await shop.refund(first, '0.01')
  assert.deepEqual(await shop.points(id), [0, 15, 0])
  await shop.store.soundBooks()
})

const aRefund = (id: number, amount: string) => ({
  ...{ id, created_at: '2026-01-31T15:00:01Z' },
  transactions: [{ id, kind: 'refund', status: 'success', amount, created_at: '2026-01-31T15:00:01Z' }]
})
