// The coupons of the Loyalty API as a theme calls them, through the signed proxy (spec 2, Loyalty API).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCustomerId, parseCustomerId } from '#members'
import { earnPoints } from '#points'
import { platformAccess } from '#stores'
import { testDatabase } from '../../../test/database.ts'
import { startService } from '../../../test/service-builder.ts'
import { testVault } from '../../../test/store-builder.ts'
import { signedQuery } from './signed.test-helper.ts'

const { url } = await testDatabase()
const service = await startService(url)
const base = `${service.url}/apps/svc-api/v1/loyalty`

async function aShop() {
  const store = await service.aStore({ profile: 'platform' })
  const { storeId } = store
  const { proxySecret } = await platformAccess(service.db, testVault, storeId)
  const signer = { domain: store.domain, credentials: { accessToken: '', appSecret: '', proxySecret } }
  const customer = async (email: string, points: number) => {
    const { id } = await service.sandbox.controls.createCustomer({ storeId, email })
    await service.deps.settle(storeId)
    await service.db.inStore(storeId, async (ctx) => {
      const memberId = (await findCustomerId(ctx, parseCustomerId(id, 'platform')))!
      const earned = { memberId, points, reason: 'a test', operationId: `test:${id}`, orderId: null, isShared: false }
      await earnPoints(ctx, [{ ...earned, readyAt: null, expireAfterDays: null }])
    })
    return id
  }
  const template = async (more: object = {}) =>
    (
      await service.admin('POST', `${store.at}/loyalty/templates`, {
        ...{ name: '$5 off', type: 'fixed_amount', rules: { amount: 5, minimum_subtotal: 30 }, required_points: 500 },
        ...more
      })
    ).id as number
  const ask = async (path: string, customerId = '', { method = 'GET', parameters = {}, body }: Asked = {}) => {
    const response = await fetch(`${base}${path}?${signedQuery(signer, parameters, { customerId })}`, {
      method,
      ...(method !== 'GET' && { headers: { 'content-type': 'application/json' } }),
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    return { status: response.status, body: (await response.json()) as any }
  }
  return {
    store,
    customer,
    template,
    ask,
    redeem: (templateId: number | string, customerId: string, body?: object) =>
      ask(`/coupons/${templateId}/redemption`, customerId, { method: 'POST', body }),
    list: (customerId: string, parameters: Record<string, string> = {}) =>
      ask(`/customers/${customerId}/coupons`, customerId, { parameters }),
    settle: () => service.deps.settle(storeId)
  }
}
type Asked = { method?: string; parameters?: Record<string, string>; body?: object }

test('a customer buys a coupon, sees it made, and finds it in the list with its filters', async () => {
  const { customer, template, redeem, list, settle } = await aShop()
  const ada = await customer('ada@example.com', 1200)
  const id = await template()
  const bought = await redeem(id, ada)
  assert.equal(bought.status, 200, JSON.stringify(bought.body))
  const { data } = bought.body
  assert.deepEqual(
    [data.status, data.shopify_id, data.info],
    [
      0,
      '',
      {
        type: 'amount_off_orders',
        amount: '5.00',
        product: null,
        rule_name: '$5 off',
        discount_type: 'fixed_amount',
        minimum: { type: 'subtotal', value: '30.00' }
      }
    ]
  )
  await settle()
  assert.equal((await redeem(id, ada, {})).body.data.id, data.id)
  const share = await template({ name: '10% off', type: 'percentage', rules: { amount: 10 }, required_points: 100 })
  const second = (await redeem(share, ada, { request_id: 'one' })).body.data
  await settle()
  const { status, body } = await list(ada)
  assert.equal(status, 200)
  assert.deepEqual(
    body.data.map((one: any) => [one.id, one.status, one.usage_count, one.deleted_at, one.expires_at]),
    [
      [second.id, 1, 0, null, null],
      [data.id, 1, 0, null, null]
    ]
  )
  assert.match(body.data[0].shopify_id, /^gid:\/\/\w+\/DiscountCodeNode\/\d+$/)
  assert.deepEqual(body.data[0].info, {
    type: 'amount_off_orders',
    amount: '10.00',
    product: null,
    rule_name: '10% off',
    discount_type: 'percentage',
    minimum: { type: 'none', value: null }
  })
  const countOf = async (parameters: Record<string, string>) => (await list(ada, parameters)).body.data.length
  assert.deepEqual(
    [
      await countOf({ status: '1' }),
      await countOf({ status: '0' }),
      await countOf({ type: 'amount_off_orders' }),
      await countOf({ type: 'free_product', theme: 'x' })
    ],
    [2, 0, 2, 0]
  )
})

test('nobody but the customer who is logged in reads coupons, before anything else is looked at', async () => {
  const { customer, template, ask, redeem, list } = await aShop()
  const ada = await customer('ada@example.com', 10)
  const bob = await customer('bob@example.com', 10)
  const path = `/customers/${ada}/coupons`
  for (const who of ['', bob]) {
    assert.equal((await ask(path, who)).status, 403)
    assert.equal((await ask(path, who, { parameters: { type: 'nothing', status: '7' } })).status, 403)
  }
  assert.equal((await ask('/customers/nobody/coupons', ada)).status, 403)
  assert.equal((await redeem(await template(), '')).status, 403)
  assert.equal((await redeem('nothing', '')).status, 403)
  // Known to the platform, and not here.
  assert.equal((await list('99887766')).status, 404)
  const wrong = await list(ada, { type: 'nothing', status: '7' })
  assert.deepEqual([wrong.status, Object.keys(wrong.body.errors)], [422, ['type', 'status']])
  assert.match(wrong.body.errors.status[0], /must be 1 or 0/)
})

test('a redemption that cannot be is refused with its reason', async () => {
  const { store, customer, template, redeem, list } = await aShop()
  const ada = await customer('ada@example.com', 499)
  const id = await template()
  const poor = await redeem(id, ada)
  assert.deepEqual([poor.status, poor.body.message], [403, 'This needs 500 points; the customer has 499'])
  assert.equal((await redeem(999_999, ada)).status, 404)
  assert.equal((await redeem('x', ada)).status, 404)
  const wrong = await redeem(id, ada, { request_id: 'a b' })
  assert.deepEqual([wrong.status, Object.keys(wrong.body.errors)], [422, ['request_id']])
  const other = await aShop()
  assert.equal((await redeem(await other.template(), ada)).status, 404)
  await service.admin('PATCH', `${store.at}/settings`, { loyalty: { enabled: 'off' } })
  const off = await redeem(await template({ required_points: 1 }), ada)
  assert.deepEqual([off.status, off.body.message], [403, 'The shop has switched loyalty off'])
  assert.deepEqual((await list(ada)).body.data, [])
})

test('an operator lists coupons and ends one, once', async () => {
  const { store, customer, template, redeem, list, settle } = await aShop()
  const ada = await customer('ada@example.com', 500)
  const { id } = (await redeem(await template(), ada)).body.data
  await settle()
  const at = `${store.at}/loyalty/coupons`
  const { data, next } = await service.admin('GET', `${at}?customer=${ada}&limit=1`)
  assert.deepEqual(
    [data.map((one: any) => [one.id, one.status, one.platform_customer_id]), next],
    [[[id, 'active', ada]], null]
  )
  const ended = await service.admin('POST', `${at}/${id}/end`, {})
  assert.deepEqual([ended.status, ended.ended_by, ended.deleted_at], ['ended', 'revoked', null])
  await settle()
  const [after] = (await list(ada)).body.data
  assert.deepEqual([after.status, after.deleted_at !== null], [0, true])
  await assert.rejects(service.admin('POST', `${at}/999999/end`, {}), /There is no coupon 999999/)
})
