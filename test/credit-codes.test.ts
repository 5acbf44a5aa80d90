// Store credit that is spent by discount codes (a plan of the kind `coupon`). With the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Ctx, int, row, sql } from '#kit/postgres'
import { recordReports } from '#orders'
import { isCreditCode, requestCode } from '#spending'
import { atOnce } from './at-once.ts'
import { anOrder, orderDetails } from './contract-builder.ts'
import { aCodeShop } from './credit-codes.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const aShop = () => aCodeShop(service)

test('a code reserves the credit, only its customer can use it, and what the order does not use is available again', async () => {
  const { join, aCode, code, order, settle, credit, entries, onPlatform, tagsOf, findings } = await aShop()
  const ada = await join()
  const bob = await join('bob@example.com')
  const made = await aCode(ada)
  assert.ok(isCreditCode(made.code))
  assert.deepEqual(await credit(ada), { balance: 25, reserved: 25, available: 0 })
  await assert.rejects(order(bob, '40.00', [made.code]), /belongs to another customer/)
  const placed = await order(ada, '10.00', [made.code.toLowerCase()])
  await settle()
  assert.deepEqual(await entries(ada), [[4, -1000, placed.id]])
  assert.deepEqual(await credit(ada), { balance: 15, reserved: 0, available: 15 })
  const used = await code(ada, made.id)
  assert.deepEqual([used.status, used.used_amount, used.amount], ['used', 10, 25])
  assert.ok(used.transaction_id.startsWith('sct_') && used.order_id.startsWith('ord_'))
  assert.deepEqual(await tagsOf(placed.id), ['credits-redeemed', 'Gold'])
  assert.deepEqual(await onPlatform(), [{ code: made.code, uses: 1, isOver: 1 }])
  await assert.rejects(order(ada, '10.00', [made.code]), /has expired|used/)
  assert.deepEqual(await findings(), [])
})

test('a code of a part takes that part; the rest of the credit is available meanwhile', async () => {
  const { join, aCode, order, settle, credit, entries, findings } = await aShop()
  const ada = await join()
  const made = await aCode(ada, { amount: 10.5 })
  assert.deepEqual(await credit(ada), { balance: 25, reserved: 10.5, available: 14.5 })
  const placed = await order(ada, '40.00', [made.code])
  await settle()
  assert.deepEqual(await entries(ada), [[4, -1050, placed.id]])
  assert.deepEqual(await findings(), [])
})

test('a request that is repeated under its key makes one code', async () => {
  const { join, request, settle, credit, onPlatform } = await aShop()
  const ada = await join()
  const once = await request(ada, { amount: 5 }, { 'idempotency-key': 'k1' })
  const twice = await request(ada, { amount: 5 }, { 'idempotency-key': 'k1' })
  assert.deepEqual(twice.body, once.body)
  await settle()
  assert.equal((await onPlatform()).length, 1)
  assert.equal((await credit(ada)).reserved, 5)
})

test('what is wrong with a request is said with its field, and nothing is reserved', async () => {
  const { join, request, credit, store, plan } = await aShop()
  const ada = await join()
  const refused = async (body: object, field: string, message: RegExp) => {
    const { status, body: answer } = await request(ada, body)
    assert.equal(status, 400, JSON.stringify(answer))
    assert.match(answer.error.message, message)
    assert.equal(answer.error.details[0].field, field)
  }
  await refused({ amount: 0 }, 'amount', /above 0/)
  await refused({ amount: -5 }, 'amount', /above 0/)
  await refused({ amount: 1.005 }, 'amount', /decimals/)
  await refused({ amount: 25.01 }, 'amount', /has 25.00 USD available/)
  await refused({ amount: '5' }, 'amount', /number/)
  await refused({ duration: 0 }, 'duration', /from 1 to 1440/)
  await refused({ duration: 1441 }, 'duration', /from 1 to 1440/)
  await refused({ ampunt: 5 }, 'ampunt', /./)
  assert.deepEqual(await credit(ada), { balance: 25, reserved: 0, available: 25 })
  await service.admin('PATCH', `${store.at}/plans/${plan.id}`, { perks: { store_credit: { type: 'giftcard' } } })
  await refused({ amount: 5 }, 'customer_id', /their plan has the type giftcard/)
  const unknown = await request('cust_999999', {})
  assert.equal(unknown.status, 404)
  const nobody = await service.post(`/store-credits/${ada}/codes/scc_999999/revoke`, store.key, {})
  assert.deepEqual([nobody.status, nobody.body.error.details[0].field], [404, 'code_id'])
})

test('a customer without credit gets no code, and nobody more than ten', async () => {
  const { join, request, call } = await aShop()
  const ada = await join()
  for (let n = 0; n < 10; n++) assert.equal((await request(ada, { amount: 1 })).status, 200)
  const eleventh = await request(ada, { amount: 1 })
  assert.equal(eleventh.status, 400)
  assert.match(eleventh.body.error.message, /10 open codes/)
  const bob = await join('bob@example.com')
  await call('POST', `/store-credits/${bob}/forfeit`, { reason: 'a test' })
  const none = await request(bob)
  assert.equal(none.status, 400)
  assert.match(none.body.error.message, /no available store credit/)
})

test('of two requests at once for the tenth code one is refused', async () => {
  const { join, request, inStore } = await aShop()
  const ada = await join()
  for (let n = 0; n < 9; n++) assert.equal((await request(ada, { amount: 1 })).status, 200)
  const { id: memberId } = await inStore((ctx) =>
    ctx.tx.one(
      row({ id: int }),
      sql`select id from members where store_id = ${ctx.storeId} and platform_customer_id = ${ada}`
    )
  )
  const ask = (ctx: Ctx) => requestCode(ctx, { memberId, amountMinor: 100, minutes: 30 })
  const second = await atOnce({ inStore }, ask, ask)
  assert.match(String(second.status === 'rejected' && second.reason), /10 open codes/)
})

test('a cancelled order gives all of it back as cancelled, a refund its part', async () => {
  const { join, aCode, order, settle, controls, storeId, entries, tagsOf, credit, findings } = await aShop()
  const ada = await join()
  const first = await aCode(ada, { amount: 10 })
  const refunded = await order(ada, '40.00', [first.code])
  await settle()
  await controls.refund({ storeId, orderId: refunded.id, amount: '10.00' })
  await settle()
  await controls.refund({ storeId, orderId: refunded.id, amount: '5.00' })
  await settle()
  const second = await aCode(ada, { amount: 8 })
  const cancelled = await order(ada, '40.00', [second.code])
  await settle()
  await controls.cancelOrder({ storeId, orderId: cancelled.id, refund: 'all' })
  await settle()
  assert.deepEqual(await entries(ada), [
    [4, -1000, refunded.id],
    [5, 333, refunded.id],
    [5, 167, refunded.id],
    [4, -800, cancelled.id],
    [5, 800, 'order_cancelled', cancelled.id]
  ])
  assert.deepEqual(await tagsOf(refunded.id), ['credits-redeemed', 'credits-redeemed-restored', 'Gold'])
  assert.equal((await credit(ada)).balance, 20)
  assert.deepEqual(await findings(), [])
})

test('a code spends at most its amount, whatever an order says that it took off; on an order in another currency it spends nothing', async () => {
  const { join, aCode, code, inStore, settle, entries, credit, findings } = await aShop()
  const ada = await join()
  const made = await aCode(ada, { amount: 10 })
  const report = async (currency: string) => {
    const coupons = [{ code: made.code, amountMinor: 3000 }]
    const at = await inStore(async (ctx) => ctx.now)
    const placed = anOrder(at, { customerId: ada, currency, totalMinor: 5000, details: orderDetails({ coupons }) })
    const reports = { orders: [placed], refunds: [], transactions: [], disputes: [] }
    await inStore((ctx) => recordReports(ctx, reports, 'platform'))
    await settle()
    return placed.id
  }
  await report('EUR')
  assert.deepEqual(await entries(ada), [])
  assert.deepEqual(await credit(ada), { balance: 25, reserved: 10, available: 15 })
  assert.equal((await code(ada, made.id)).status, 'active')
  const orderId = await report('USD')
  assert.deepEqual(await entries(ada), [[4, -1000, orderId]])
  assert.deepEqual(await credit(ada), { balance: 15, reserved: 0, available: 15 })
  // Of the other currency nobody can say how much it was.
  const named = (await findings()).map(({ check, message }) => `${check}: ${message}`)
  assert.deepEqual(named, [`discounts_redeemed: carries ${made.code}, and the ledger has no redemption of it`])
})

test('an order that credit has paid alone gives it back when it is cancelled', async () => {
  const { join, aCode, order, settle, controls, storeId, entries, credit } = await aShop()
  const ada = await join()
  const { code } = await aCode(ada)
  const placed = await order(ada, '25.00', [code])
  await controls.cancelOrder({ storeId, orderId: placed.id })
  await settle()
  assert.deepEqual(await entries(ada), [
    [4, -2500, placed.id],
    [5, 2500, 'order_cancelled', placed.id]
  ])
  assert.deepEqual(await credit(ada), { balance: 25, reserved: 0, available: 25 })
})

test('an order whose messages are lost is found by reading, and counted once', async () => {
  const { join, aCode, order, settle, controls, storeId, store, entries, findings } = await aShop()
  const ada = await join()
  const { code } = await aCode(ada, { amount: 10, duration: 30 })
  await controls.setWebhookFaults({ storeId, faults: { drop: 1 } })
  const placed = await order(ada, '40.00', [code])
  await settle()
  assert.deepEqual(await entries(ada), [])
  // The time of the code is over: the platform is asked who used it, before anything is released.
  await store.advance({ by: 'PT1H' })
  await settle()
  assert.deepEqual(await entries(ada), [[4, -1000, placed.id]])
  await controls.setWebhookFaults({ storeId, faults: { duplicate: 1 } })
  await controls.refund({ storeId, orderId: placed.id, amount: '30.00' })
  await settle()
  assert.deepEqual(await entries(ada), [
    [4, -1000, placed.id],
    [5, 1000, placed.id]
  ])
  assert.deepEqual(await findings(), [])
})

test('the admin API makes, lists and revokes codes', async () => {
  const { join, call, credit, store, settle, onPlatform } = await aShop()
  const ada = await join()
  const made = await call('POST', `/store-credits/${ada}/codes`, { amount: '5.00', duration: 30 })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  assert.deepEqual([made.body.status, made.body.amount], ['active', 5])
  const wrong = await call('POST', `/store-credits/${ada}/codes`, { amount: '5.001' })
  assert.deepEqual([wrong.status, wrong.body.error.details[0].field], [400, 'amount'])
  const revoked = await call('POST', `/store-credits/${ada}/codes/${made.body.id}/revoke`, {})
  assert.deepEqual([revoked.status, revoked.body.status, revoked.body.ended_by], [200, 'ending', 'revoked'])
  assert.equal((await credit(ada)).reserved, 5)
  await store.advance({ by: 'PT10M' })
  await settle()
  assert.deepEqual(await credit(ada), { balance: 25, reserved: 0, available: 25 })
  const { data } = (await call('GET', `/store-credits/${ada}/codes`)).body
  assert.deepEqual(
    data.map(({ id, status }: { id: string; status: string }) => [id, status]),
    [[made.body.id, 'ended']]
  )
  assert.deepEqual(await onPlatform(), [])
})
