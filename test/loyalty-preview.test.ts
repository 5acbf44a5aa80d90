// What an order would earn: the answer is what it earns when it is placed, and nothing is written.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { row, sql, text } from '#kit/postgres'
import { adminOf } from './admin-calls.ts'
import { testDatabase } from './database.ts'
import { aLoyaltyShop } from './loyalty-shop.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { call } = adminOf(service)

const POINTS = { reward_type: 'points' }
const FIFTY = { reward_type: 'points', amount: 50 }

async function aShop() {
  const shop = await aLoyaltyShop(service)
  const { nodes } = await shop.store.shop(
    'query { products(first: 50) { nodes { id title collections(first: 5) { nodes { id handle } } } } }'
  )
  const digits = (gid: string) => Number(gid.slice(gid.lastIndexOf('/') + 1))
  const product = (title: string) => nodes.find((one: { title: string }) => one.title === title)
  return {
    ...shop,
    product: (title: string) => digits(product(title).id),
    collection: (title: string) => digits(product(title).collections.nodes[0].id),
    preview: (lines: object[], more: object = {}, customer?: string) =>
      service.admin('POST', `${shop.store.at}/loyalty/preview`, {
        platform_order: { currency: 'USD', line_items: lines, ...more },
        ...(customer && { customer })
      })
  }
}

const outcomes = ({ rules }: { rules: { outcome: string; rewards: number; points: number }[] }) =>
  rules.map(({ outcome, rewards, points }) => [outcome, rewards, points])

test('each rule says what comes of the order, and the order earns that', async () => {
  const { store, rule, customer, order, points, product, collection, preview } = await aShop()
  const bowl = { product_id: product('Tea bowl'), price: '22.00', quantity: 1 }
  await rule('points_for_purchases', { points_per_dollar: 2 }, POINTS)
  await rule('points_for_purchases', { points_per_dollar: 0.001 }, POINTS)
  await rule('points_for_purchases', { minimum_order: 23 }, POINTS)
  await rule('points_for_purchases', { product_ids: ['77'] }, POINTS)
  await rule('points_for_purchases', { collection_ids: [collection('Tea bowl')] }, POINTS)
  await rule(
    'points_for_purchases',
    { customer_settings: { apply_to: 'members', action: 'include', tags: [] } },
    POINTS
  )
  await rule('points_for_purchases', {}, POINTS, { start_date: '2030-01-01' })
  await rule('punch_card', { required_purchases: 1 }, FIFTY)
  await rule('punch_card', { required_purchases: 3, minimum_order_amount: 20 }, FIFTY)
  await rule('product_recharge_punch_card', { required_recharges: 1 }, FIFTY)
  await rule('goal_spend', { goal_amount: 100 }, FIFTY)
  await rule('email_subscription', {}, FIFTY)
  const id = await customer('ada@example.com')
  const shown = await preview([bowl], {}, id)
  assert.deepEqual(outcomes(shown), [
    ['rewarded', 1, 44],
    ['no_points', 0, 0],
    ['below_minimum', 0, 0],
    ['other_products', 0, 0],
    ['rewarded', 1, 22],
    ['not_for_customer', 0, 0],
    ['not_active', 0, 0],
    ['rewarded', 1, 50],
    ['counted', 0, 0],
    ['no_renewal', 0, 0],
    ['counted', 0, 0]
  ])
  assert.deepEqual([shown.eligible, shown.points], [22, 116])
  assert.deepEqual(
    shown.rules
      .slice(-1)
      .map(({ current, required, percentage }: Record<string, number>) => [current, required, percentage]),
    [[22, 100, 22]]
  )
  assert.deepEqual(await points(id), [0, 0, 0])
  await order(id, '', { total: undefined, lines: [{ variant: 'BOWL' }] })
  assert.deepEqual(await points(id), [116, 0, 116])
  const again = await preview([bowl], {}, id)
  assert.deepEqual(outcomes(again)[7], ['limit_reached', 0, 0])
  assert.deepEqual(again.rules[8].current, 2)
  await service.admin('PATCH', `${store.at}/settings`, { loyalty: { enabled: 'off' } })
  assert.deepEqual(new Set(outcomes(await preview([bowl])).map(([outcome]) => outcome)), new Set(['loyalty_off']))
})

test('a preview writes nothing, and burns no ids', async () => {
  const { storeId, rule, customer, product, preview } = await aShop()
  await rule('points_for_purchases', {}, POINTS)
  await rule('punch_card', { required_purchases: 1, resets: true }, { reward_type: 'free_shipping' })
  await rule('punch_card', { required_purchases: 1 }, { reward_type: 'store_credit', amount: 5 })
  const id = await customer('ada@example.com')
  const state = () =>
    service.db.inStore(storeId, ({ tx }) =>
      tx.one(
        row({ text }),
        sql`
        select concat_ws(' ', (select json_agg(s order by sequencename) from (select sequencename, last_value from pg_sequences
                                where schemaname = 'public' and sequencename ~ '^(loyalty|points|credit|facts)') s),
                         (select count(*) from facts where store_id = ${storeId}),
                         (select count(*) from loyalty_counts where store_id = ${storeId})) as text`
      )
    )
  const before = await state()
  const shown = await preview([{ product_id: product('Tea bowl'), price: '22.00', quantity: 2 }], {}, id)
  assert.deepEqual(outcomes(shown), [
    ['rewarded', 1, 44],
    ['rewarded', 1, 0],
    ['rewarded', 1, 0]
  ])
  assert.deepEqual(await state(), before)
})

test('the payload of the platform is accepted as it is, for its customer or anybody; what it needs is named', async () => {
  const { store, rule, customer, preview } = await aShop()
  await rule('points_for_purchases', {}, POINTS)
  const id = await customer('ada@example.com')
  const file = new URL('./fixtures/platform/payloads/orders__create.json', import.meta.url)
  const payload = JSON.parse(await readFile(file, 'utf8'))
  const given = {
    ...payload,
    currency: 'USD',
    customer: { ...payload.customer, id: Number(id), admin_graphql_api_id: undefined }
  }
  const post = (body: object) => call(store, 'POST', '/loyalty/preview', body)
  const { body } = await post({ platform_order: given })
  assert.match(body.customer_id, /^cust_/)
  assert.equal((await preview([{ price: '1.00', quantity: 3 }])).customer_id, null)
  for (const [wrong, field, message] of [
    [{ currency: 'USD' }, 'platform_order.line_items', /a list with at least one line/],
    [{ currency: 'EUR', line_items: [{ price: '1', quantity: 1 }] }, 'platform_order.currency', /must be USD/],
    [
      { currency: 'USD', line_items: [{ price: 'x', quantity: 1 }] },
      'platform_order.line_items.0.price',
      /is no amount of USD/
    ],
    [{ currency: 'USD', line_items: [7] }, 'platform_order.line_items.0', /must/]
  ] as const) {
    const { status, body: answer } = await post({ platform_order: wrong })
    assert.equal(status, 400)
    assert.equal(answer.error.details[0].field, field)
    assert.match(answer.error.details[0].message, message)
  }
})

test('a preview takes off the tax that prices include, pieces that are gone, and gift cards', async () => {
  const { rule, preview } = await aShop()
  await rule('points_for_purchases', {}, POINTS)
  const eligible = async (lines: object[], more: object = {}) => (await preview(lines, more)).eligible
  const line = { price: '20.00', quantity: 2 }
  assert.equal(await eligible([line], { total_tax: '6.67', taxes_included: true }), 33.33)
  assert.equal(await eligible([line], { total_tax: '6.67', taxes_included: true, total_price: '90.00' }), 33.33)
  assert.equal(await eligible([line], { total_tax: '6.67' }), 40)
  assert.equal(await eligible([{ ...line, current_quantity: 1 }], { current_total_price: '20.00' }), 20)
  assert.equal(await eligible([line, { price: '50.00', quantity: 1, gift_card: true }]), 40)
})

test('amounts and numbers of pieces that no shop has are refused with the field', async () => {
  const { store } = await aShop()
  const line = { price: '20.00', quantity: 2 }
  const amount = /^must be an amount from 0 to 1000000000$/
  const pieces = /^must be a whole number from 0 to 1000000$/
  for (const [wrong, field, message] of [
    [{ line_items: [{ ...line, price: '-1.00' }] }, 'line_items.0.price', amount],
    [{ line_items: [line, { ...line, price: '1000000000.01' }] }, 'line_items.1.price', amount],
    [{ line_items: [{ ...line, quantity: -1 }] }, 'line_items.0.quantity', pieces],
    [{ line_items: [{ ...line, quantity: 2_000_000_000 }] }, 'line_items.0.quantity', pieces],
    [
      { line_items: [{ price: '1000000000.00', quantity: 1_000_000 }] },
      'line_items.0.price',
      /^must be at most 1000000000 for all pieces of the line$/
    ],
    [
      { line_items: [{ ...line, discount_allocations: [{ amount: '40.01', discount_application_index: 0 }] }] },
      'line_items.0.discount_allocations',
      /^must be amounts from 0, together at most the price of the line$/
    ],
    [{ line_items: [line], total_tax: '-0.01' }, 'total_tax', amount],
    [{ line_items: [line], total_price: '-5' }, 'total_price', amount],
    [{ line_items: [line], subtotal_price: '2000000000.00' }, 'subtotal_price', amount],
    [
      { line_items: Array.from({ length: 11 }, () => ({ price: '100000000.00', quantity: 1 })) },
      'line_items',
      /^must be lines that come to at most 1000000000 together$/
    ]
  ] as const) {
    const body = { platform_order: { currency: 'USD', ...wrong } }
    const { status, body: answer } = await call(store, 'POST', '/loyalty/preview', body)
    assert.equal(status, 400, JSON.stringify(wrong))
    assert.equal(answer.error.details[0].field, `platform_order.${field}`)
    assert.match(answer.error.details[0].message, message)
  }
  const most = { currency: 'USD', line_items: [{ price: '1000.00', quantity: 1_000_000 }] }
  const { status, body } = await call(store, 'POST', '/loyalty/preview', { platform_order: most })
  assert.deepEqual([status, body.eligible], [200, 1_000_000_000])
})
