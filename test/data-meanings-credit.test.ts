// What the ledger, the credit history and the topics of the Collection API mean, each by its name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { releaseReservation, reserveCredit } from '#credits'
import { testServer } from '../src/http/server.test-helper.ts'
import { testDatabase } from './database.ts'
import { aStoreOfOne } from './meant-rows.ts'

const { db } = await testDatabase()
const { app } = testServer(db)

const aShop = (given?: object) => aStoreOfOne(db, app, given)
type Shop = Awaited<ReturnType<typeof aShop>>

const CODES = [
  [1, 'membership_charge'],
  [2, 'manual_add'],
  [3, 'manual_deduct'],
  [4, 'redemption'],
  [5, 'redemption_restored'],
  [6, 'refund'],
  [7, 'forfeit'],
  [8, 'expired'],
  [9, 'reconciled'],
  [10, 'churn_offer'],
  [11, 'loyalty_reward'],
  [12, 'import'],
  [13, 'dispute']
] as const
const ADDS = [1, 2, 5, 9, 10, 11, 12]

test('type: the thirteen codes, value signed', async () => {
  const { memberId, credit, rows } = await aShop()
  await credit({ memberId, type: 'import', amountMinor: 10_000 })
  const ids: number[] = []
  for (const [code, type] of CODES) {
    const amountMinor = ADDS.includes(code) ? 10 : -10
    ids[code] = await credit({ memberId, type, amountMinor, ...(code === 5 && { reversesId: ids[4] }) })
  }
  const [, ...ledger] = await rows('store-credits', ['type', 'value'])
  assert.deepEqual(ledger, [
    { type: 1, value: '0.10' },
    { type: 2, value: '0.10' },
    { type: 3, value: '-0.10' },
    { type: 4, value: '-0.10' },
    { type: 5, value: '0.10' },
    { type: 6, value: '-0.10' },
    { type: 7, value: '-0.10' },
    { type: 8, value: '-0.10' },
    { type: 9, value: '0.10' },
    { type: 10, value: '0.10' },
    { type: 11, value: '0.10' },
    { type: 12, value: '0.10' },
    { type: 13, value: '-0.10' }
  ])
})

/** An entry that adds 50.00 and a redemption of 12.00 on order #1001 of the point of sale. */
async function withRedemption({ memberId, order, credit }: Shop) {
  const orderId = await order({ member_id: memberId, platform_order_id: '31', name: '#1001', channel: 'Point of Sale' })
  await credit({ memberId, type: 'manual_add', amountMinor: 5000, reason: 'Sorry', at: '2026-02-02T02:00:00Z' })
  const spent = { memberId, type: 'redemption', amountMinor: -1200, reason: 'Order #1001', orderId } as const
  const redeemed = await credit({ ...spent, at: '2026-03-01T15:00:00Z' })
  return { orderId, redeemed }
}

test('numbers: credit has the decimals of the currency of the store', async () => {
  for (const [currency, value] of [
    ['JPY', '2905'],
    ['KWD', '2.905']
  ]) {
    const { memberId, credit, only } = await aShop({ currency })
    await credit({ memberId, type: 'import', amountMinor: 2905 })
    assert.equal((await only('store-credits')).value, value)
    assert.equal((await only('credits-history')).value, value)
    assert.equal((await only('customers')).total_store_credits_charged, value)
    assert.equal((await only('members')).balance_from_svc, value)
  }
})

test('ledger rows: redeemed_from_svc and used_in are on redemptions only, created_at is a day of the shop', async () => {
  const shop = await aShop()
  const { orderId } = await withRedemption(shop)
  const refunded = { type: 'refund', amountMinor: -300, reason: 'Sent back', orderId } as const
  await shop.credit({ memberId: shop.memberId, ...refunded, at: '2026-03-02T15:00:00Z' })
  assert.deepEqual(await shop.rows('store-credits'), [
    {
      shopify_customer_gid: '77',
      type: 2,
      message: 'Sorry',
      value: '50.00',
      redeemed_from_svc: '',
      order_gid: '',
      created_at: '2026-02-01',
      used_in: ''
    },
    {
      shopify_customer_gid: '77',
      type: 4,
      message: 'Order #1001',
      value: '-12.00',
      redeemed_from_svc: '12.00',
      order_gid: 'gid://platform/Order/31',
      created_at: '2026-03-01',
      used_in: 'Point of Sale'
    },
    {
      shopify_customer_gid: '77',
      type: 6,
      message: 'Sent back',
      value: '-3.00',
      redeemed_from_svc: '',
      order_gid: 'gid://platform/Order/31',
      created_at: '2026-03-02',
      used_in: ''
    }
  ])
})

test('history rows: newest first, unit money, status 0 above zero and else 1, order_name on redemptions only', async () => {
  const shop = await aShop()
  await withRedemption(shop)
  const row = { shopify_customer_gid: '77', unit: 'money' }
  const spent = { body: 'Order #1001', value: '-12.00', status: 1, created_at: '2026-03-01 10:00', order_name: '#1001' }
  const added = { body: 'Sorry', value: '50.00', status: 0, created_at: '2026-02-01 21:00' }
  assert.deepEqual(await shop.rows('credits-history'), [
    { ...row, ...spent },
    { ...row, ...added }
  ])
})

test('exclusions: a redemption wholly restored because its order was cancelled is hidden with what restored it, everywhere', async () => {
  const shop = await aShop()
  const { orderId, redeemed } = await withRedemption(shop)
  const back = { memberId: shop.memberId, type: 'redemption_restored', orderId, reversesId: redeemed } as const
  await shop.credit({ ...back, amountMinor: 200 })
  await shop.credit({ ...back, amountMinor: 1000, mark: 'order_cancelled' })
  assert.deepEqual(await shop.rows('store-credits', ['type', 'value']), [{ type: 2, value: '50.00' }])
  assert.deepEqual(await shop.rows('credits-history', ['value']), [{ value: '50.00' }])
  const history = (await shop.dump('store_credit_history')).json()
  assert.deepEqual(
    history['77'].map(({ value, total }: Record<string, string>) => [value, total]),
    [['50.00', '50.00']]
  )
})

test('exclusions: other restorations stay, also a part that was restored because of a cancellation, and a whole one that was not', async () => {
  for (const [amountMinor, mark, shown] of [
    [1100, 'order_cancelled', '11.00'],
    [1200, null, '12.00']
  ] as const) {
    const shop = await aShop()
    const { orderId, redeemed } = await withRedemption(shop)
    const back = { memberId: shop.memberId, type: 'redemption_restored', orderId, reversesId: redeemed } as const
    await shop.credit({ ...back, amountMinor, mark })
    assert.deepEqual(await shop.rows('store-credits', ['type', 'value']), [
      { type: 2, value: '50.00' },
      { type: 4, value: '-12.00' },
      { type: 5, value: shown }
    ])
    assert.equal((await shop.rows('credits-history')).length, 3)
  }
})

test('exclusions: a reservation that was released (aborted) is no entry', async () => {
  const shop = await aShop()
  await withRedemption(shop)
  const { memberId } = shop
  await shop.store.inStore(async (ctx) => {
    const expiresAt = ctx.now.add({ hours: 1 })
    const [held] = await reserveCredit(ctx, [
      { memberId, amountMinor: 700, reason: 'checkout', operationId: 'held', expiresAt }
    ])
    assert.ok(held?.reservation)
    await releaseReservation(ctx, memberId, held.reservation.id)
  })
  assert.equal((await shop.rows('store-credits')).length, 2)
  assert.equal((await shop.rows('credits-history')).length, 2)
})

test('member: an array of the number, the address and the balance as a decimal; Deprecation is said', async () => {
  const shop = await aShop()
  await withRedemption(shop)
  await shop.member({ platform_customer_id: '78', status: null, member_since: null })
  const { headers, json } = await shop.dump('member').then((response) => ({
    headers: response.headers,
    json: response.json()
  }))
  assert.equal(headers.deprecation, '@1767225600')
  assert.deepEqual(json, [{ shopify_customer_gid: '77', email: 'ann@example.com', balance_from_svc: '38.00' }])
})

test('store_credit_history: an object by customer id, oldest first, total the running sum, status a text', async () => {
  const shop = await aShop()
  await withRedemption(shop)
  const other = await shop.member({ platform_customer_id: '78' })
  await shop.credit({ memberId: other, type: 'import', amountMinor: 300, reason: 'Import', at: '2026-01-10T15:00:00Z' })
  const sorry = { body: 'Sorry', value: '50.00', total: '50.00', status: '0', created_at: '2026-02-01 21:00' }
  const spent = { body: 'Order #1001', value: '-12.00', total: '38.00', status: '1', created_at: '2026-03-01 10:00' }
  const moved = { body: 'Import', value: '3.00', total: '3.00', status: '0', created_at: '2026-01-10 10:00' }
  assert.deepEqual((await shop.dump('store_credit_history')).json(), {
    77: [
      { shopify_customer_gid: '77', ...sorry },
      { shopify_customer_gid: '77', ...spent, order_name: '#1001' }
    ],
    78: [{ shopify_customer_gid: '78', ...moved }]
  })
})

test('activity_log_m: all contracts in order of the entries, contract_id a number, values that are missing are empty', async () => {
  const shop = await aShop()
  const { memberId: member_id } = shop
  for (const [platform_contract_id, text, more] of [
    ['92', 'Made', { plan_group_name: 'Gold', notes: 'By phone' }],
    ['91', 'Ended', {}]
  ] as const) {
    const subscription_id = await shop.subscription({ member_id, platform_contract_id })
    const happened = { kind: 'created', text, occurred_at: '2026-02-01T15:00:00Z' }
    await shop.activity({ subscription_id, member_id, plan_name: 'Monthly', ...happened, ...more })
  }
  const row = { shopify_customer_gid: '77', plan_name: 'Monthly', created_at: '2026-02-01 10:00' }
  assert.deepEqual((await shop.dump('activity_log_m')).json(), [
    { ...row, contract_id: 92, text: 'Made', notes: 'By phone', plan_group_name: 'Gold' },
    { ...row, contract_id: 91, text: 'Ended', notes: '', plan_group_name: 'Monthly' }
  ])
})

test('subscription_contract: numbers and texts as worded, price_in_store_currency is the code of the store currency', async () => {
  const shop = await aShop()
  const contract = { member_id: shop.memberId, platform_contract_id: '91', currency: 'KWD', price_minor: 2905 }
  await shop.subscription({ ...contract, interval_count: 3 })
  assert.deepEqual((await shop.dump('subscription_contract')).json(), [
    {
      created_at: '2026-01-05 07:00',
      contract_id: 91,
      status: 'ACTIVE',
      price: '2.905',
      currency_code: 'KWD',
      price_in_store_currency: 'USD',
      type: 'Club',
      interval_name: 'MONTH',
      interval_count: 3,
      billing_day: '5',
      shopify_customer_gid: '77'
    }
  ])
})

test('billing_day: the day of the month in shop time, the weekday for weeks, empty for days', async () => {
  const shop = await aShop()
  for (const interval of ['month', 'year', 'week', 'day']) {
    // 31 January in New York, a Saturday; in UTC it is 1 February.
    await shop.subscription({ member_id: shop.memberId, interval, anchor_at: '2026-02-01T02:00:00Z' })
  }
  const contracts = (await shop.dump('subscription_contract')).json() as Record<string, string>[]
  assert.deepEqual(
    contracts.map(({ interval_name, billing_day }) => [interval_name, billing_day]),
    [
      ['MONTH', '31'],
      ['YEAR', '31'],
      ['WEEK', 'Saturday'],
      ['DAY', '']
    ]
  )
})
