import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authenticateKey, SCOPES } from '#stores'
import { testDatabase } from '../../../test/database.ts'
import { aPlatform, data } from '../../../test/fake-platform.ts'
import { aStore } from '../../../test/store-builder.ts'
import { testServer } from '../server.test-helper.ts'

const { db } = await testDatabase()
const { admin } = testServer(db)

test('keys: made with the text shown once, listed without it, revoked', async () => {
  const store = await aStore(db)
  const created = await admin('POST', `/stores/${store.domain}/keys`, { name: 'CRM', scopes: ['read:members'] })
  const { id, key, created_at, ...rest } = created.json()

  assert.equal(created.statusCode, 201)
  assert.match(key, /^svc_test_/)
  assert.deepEqual(rest, {
    name: 'CRM',
    mode: 'test',
    hint: key.slice(-4),
    scopes: ['read:members'],
    last_used_at: null,
    expires_at: null,
    revoked_at: null
  })
  assert.ok(await authenticateKey(db, key))
  assert.deepEqual((await admin('GET', `/stores/${store.domain}/keys`)).json(), { data: [{ id, created_at, ...rest }] })

  const rolled = await admin('POST', `/stores/${store.domain}/keys/${id}/roll`, { overlap: 3 })
  assert.equal(rolled.statusCode, 201)
  assert.deepEqual([rolled.json().name, rolled.json().scopes], ['CRM', ['read:members']])
  assert.ok(await authenticateKey(db, rolled.json().key))
  const { expires_at } = (await admin('GET', `/stores/${store.domain}/keys`)).json().data[1]
  assert.ok(Date.parse(expires_at) - Date.parse(created_at) >= 3 * 3_600_000, expires_at)
  const refused = await admin('POST', `/stores/${store.domain}/keys/${id}/roll`, { overlap: 169 })
  assert.equal(refused.json().error.details[0].field, 'overlap')

  const revoked = await admin('DELETE', `/stores/${store.domain}/keys/${id}`)
  assert.equal(revoked.statusCode, 200)
  assert.ok(revoked.json().revoked_at)
  assert.equal(await authenticateKey(db, key), null)
})

test('keys: an empty list of scopes is refused and makes no key; left out or null, the key has all scopes', async () => {
  const store = await aStore(db)
  const refused = await admin('POST', `/stores/${store.domain}/keys`, { name: 'X', scopes: [] })
  assert.equal(refused.statusCode, 400)
  assert.match(refused.json().error.message, /^scopes must name a scope/)
  assert.deepEqual((await admin('GET', `/stores/${store.domain}/keys`)).json().data, [])
  for (const body of [{ name: 'Y' }, { name: 'Y', scopes: null }]) {
    assert.deepEqual((await admin('POST', `/stores/${store.domain}/keys`, body)).json().scopes, SCOPES)
  }
})

test("keys: an unknown scope is refused with those there are; another store's key is unknown", async () => {
  const [mine, theirs] = [await aStore(db), await aStore(db)]
  const refused = await admin('POST', `/stores/${mine.domain}/keys`, { name: 'X', scopes: ['admin'] })
  assert.equal(refused.statusCode, 400)
  assert.equal(refused.json().error.message, `scopes must be any of ${SCOPES.join(', ')}; "admin" is not one of them`)
  const { id } = (await admin('POST', `/stores/${theirs.domain}/keys`, { name: 'T' })).json()
  for (const key of [id, 'key_999999', 'nonsense']) {
    const response = await admin('DELETE', `/stores/${mine.domain}/keys/${key}`)
    assert.equal(response.statusCode, 404)
    assert.deepEqual(response.json(), { error: { code: 'not_found', message: `There is no API key ${key}` } })
  }
})

test('an unknown store is 404 on every route', async () => {
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['GET', '/keys', undefined],
    ['POST', '/keys', { name: 'x' }],
    ['GET', '/settings', undefined],
    ['PATCH', '/settings', {}],
    ['GET', '/plans', undefined],
    ['GET', '/webhooks', undefined],
    ['GET', '/webhooks/we_1', undefined],
    ['PATCH', '/webhooks/we_1', { description: 'x' }],
    ['DELETE', '/webhooks/we_1', undefined],
    ['POST', '/webhooks/we_1/enable', {}],
    ['POST', '/webhooks/we_1/disable', {}],
    ['POST', '/webhooks/we_1/roll', {}],
    ['POST', '/webhooks/we_1/end-roll', {}],
    ['POST', '/webhooks/we_1/test', { event: 'member.created' }],
    ['GET', '/webhook-deliveries', undefined],
    ['GET', '/webhook-deliveries/wh_1', undefined],
    ['POST', '/webhook-deliveries/wh_1/resend', {}],
    ['POST', '/webhook-deliveries/resend-failed', { since: '2026-01-31' }],
    ['GET', '/alerts', undefined],
    ['POST', '/clock/advance', { by: 'P1D' }],
    ['POST', '/sandbox/joins', { customer: '1', plan: 'VIP' }],
    ['POST', '/seed', { members: 1, months: 1 }]
  ] as const) {
    const response = await admin(method, `/stores/store_999999${path}`, body)
    assert.equal(response.statusCode, 404, path)
    assert.deepEqual(response.json(), { error: { code: 'not_found', message: 'There is no store store_999999' } })
  }
})

test('plans: made on the platform first, then listed', async () => {
  const platform = await aPlatform((res, { operation }) => {
    const product = {
      id: 'gid://platform/Product/1',
      variants: { nodes: [{ id: 'gid://platform/ProductVariant/2', price: '29.00' }] }
    }
    const sellingPlanGroup = {
      id: 'gid://platform/SellingPlanGroup/3',
      merchantCode: 'x',
      sellingPlans: { nodes: [{ id: 'gid://platform/SellingPlan/4', pricingPolicies: [] }] }
    }
    const userErrors: unknown[] = []
    if (operation === 'PlanProductByHandle') return data(res, { productByIdentifier: null })
    if (operation === 'PlanProductCreate') return data(res, { productCreate: { product, userErrors } })
    if (operation === 'PlanPriceUpdate') {
      return data(res, { productVariantsBulkUpdate: { productVariants: product.variants.nodes, userErrors } })
    }
    if (operation === 'PlanProductChannels') {
      return data(res, { publications: { nodes: [] }, product: { resourcePublicationsV2: { nodes: [] } } })
    }
    return data(res, { sellingPlanGroupCreate: { sellingPlanGroup, userErrors } })
  })
  const store = await aStore(db, { platformUrl: platform.url })
  const path = `/stores/${store.domain}/plans`
  const created = await admin('POST', path, {
    name: 'VIP',
    type: 'vip',
    price: '29.00',
    interval: 'month',
    credit: 10.5
  })
  const { id, created_at, ...rest } = created.json()

  assert.equal(created.statusCode, 201)
  assert.match(id, /^plan_\d+$/)
  assert.deepEqual(rest, {
    name: 'VIP',
    type: 'vip',
    status: 'enabled',
    tier: 'VIP',
    price: 29,
    currency: 'USD',
    interval: 'month',
    interval_count: 1,
    max_cycles: null,
    trial_type: null,
    trial_days: 0,
    trial_price: null,
    credit: 10.5,
    allowed_countries: [],
    perks: {
      discount: null,
      welcome_offer: null,
      free_shipping: null,
      store_credit: { amount: 10.5, type: 'storecredit' }
    },
    version: 1,
    product_ids: ['1'],
    selling_plan_id: '4'
  })
  assert.deepEqual((await admin('GET', path)).json(), { data: [{ id, created_at, ...rest }] })
  assert.equal((await admin('POST', path, { name: 'VIP', type: 'vip', price: 1, interval: 'month' })).statusCode, 409)
  for (const [wrong, message] of [
    [{ price: '29.001' }, 'price must have at most 2 decimals in USD'],
    [{ price: -1 }, 'price must be an amount of 0 or more'],
    [{ interval: 'fortnight' }, 'interval must be day, week, month or year'],
    [{ type: 'gold' }, 'type must be vip, elite or product'],
    [{ interval_count: 1.5 }, 'interval_count must be an integer from 1 to 28'],
    [
      { trial_days: -1 },
      'trial_days must be a whole number from 1 to 365, or 0, without trial_type, for no trial of days'
    ]
  ] as const) {
    const refused = await admin('POST', path, { name: 'X', type: 'vip', price: '1', interval: 'month', ...wrong })
    assert.equal(refused.statusCode, 400)
    assert.equal(refused.json().error.message, message)
  }
})
