// Store credit that a discount function of the platform takes off orders (a plan of the kind `function`). With the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditWarnings } from '#audit'
import { sql } from '#kit/postgres'
import { recordReports } from '#orders'
import { anOrder, orderDetails } from './contract-builder.ts'
import { aCodeShop } from './credit-codes.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

async function aShop(creditType = 'function') {
  const shop = await aCodeShop(service, creditType)
  const { storeId, controls, store } = shop
  const order = (customerId: string, total: string, amount: string, title = 'Store credit') =>
    controls.order({ storeId, customerId, total, appDiscount: { title, amount } })
  const setTitle = (title: string) => service.admin('PATCH', `${store.at}/settings`, { credit_function: { title } })
  const reconcile = async () => {
    await service.admin('POST', `${store.at}/reconcile`, {})
    await shop.settle()
  }
  return { ...shop, order, setTitle, reconcile }
}

test('what the function took off is a redemption on the order, once, whatever reports it', async () => {
  const { join, order, settle, entries, credit, tagsOf, reconcile, controls, storeId, findings } = await aShop()
  const ada = await join()
  await controls.setWebhookFaults({ storeId, faults: { duplicate: 1 } })
  const placed = await order(ada, '40.00', '10.00')
  await settle()
  await reconcile()
  assert.deepEqual(await entries(ada), [[4, -1000, placed.id]])
  assert.equal((await credit(ada)).balance, 15)
  assert.deepEqual(await tagsOf(placed.id), ['credits-redeemed', 'Gold'])
  assert.deepEqual(await findings(), [])
})

test('an order whose messages are lost is found by reading', async () => {
  const { join, order, settle, entries, reconcile, controls, storeId } = await aShop()
  const ada = await join()
  await controls.setWebhookFaults({ storeId, faults: { drop: 1 } })
  const placed = await order(ada, '40.00', '7.50')
  await settle()
  assert.deepEqual(await entries(ada), [])
  await reconcile()
  assert.deepEqual(await entries(ada), [[4, -750, placed.id]])
})

test('a refund gives its part back, a cancelled order all of it', async () => {
  const { join, order, settle, entries, controls, storeId, tagsOf, findings } = await aShop()
  const ada = await join()
  const refunded = await order(ada, '40.00', '10.00')
  await settle()
  await controls.refund({ storeId, orderId: refunded.id, amount: '15.00' })
  await settle()
  const cancelled = await order(ada, '20.00', '8.00')
  await settle()
  await controls.cancelOrder({ storeId, orderId: cancelled.id, refund: 'all' })
  await settle()
  assert.deepEqual(await entries(ada), [
    [4, -1000, refunded.id],
    [5, 500, refunded.id],
    [4, -800, cancelled.id],
    [5, 800, 'order_cancelled', cancelled.id]
  ])
  assert.deepEqual(await tagsOf(refunded.id), ['credits-redeemed', 'credits-redeemed-restored', 'Gold'])
  assert.deepEqual(await findings(), [])
})

test('what it took beyond the balance is the shortfall of the entry, which doctor names', async () => {
  const { join, order, settle, entries, credit, inStore } = await aShop()
  const ada = await join()
  const placed = await order(ada, '90.00', '60.00')
  await settle()
  assert.deepEqual(await entries(ada), [[4, -2500, 'short 3500', placed.id]])
  assert.equal((await credit(ada)).balance, 0)
  const warnings = await inStore(auditWarnings)
  assert.deepEqual(
    warnings.map(({ check }) => check),
    ['credit_redemptions_covered']
  )
})

test('it is known by its title, whatever its case; other automatic discounts spend nothing', async () => {
  const { join, order, settle, entries, setTitle } = await aShop()
  const ada = await join()
  await order(ada, '40.00', '1.00', 'Summer sale')
  const named = await order(ada, '40.00', '2.00', 'STORE CREDIT')
  await settle()
  assert.deepEqual(await entries(ada), [[4, -200, named.id]])
  await setTitle('Wallet')
  await order(ada, '40.00', '3.00')
  const wallet = await order(ada, '40.00', '4.00', 'Wallet')
  await settle()
  assert.deepEqual((await entries(ada)).slice(1), [[4, -400, wallet.id]])
  await assert.rejects(setTitle(''), /title/)
})

test('what it took off an order in another currency than the store spends nothing', async () => {
  const { join, inStore, settle, entries, findings } = await aShop()
  const ada = await join()
  const at = await inStore(async (ctx) => ctx.now)
  const details = orderDetails({ automaticDiscounts: [{ title: 'Store credit', amountMinor: 500 }] })
  const [foreign, own] = ['EUR', 'USD'].map((currency) => anOrder(at, { customerId: ada, currency, details }))
  const reports = { orders: [foreign!, own!], refunds: [], transactions: [], disputes: [] }
  await inStore((ctx) => recordReports(ctx, reports, 'platform'))
  await settle()
  assert.deepEqual(await entries(ada), [[4, -500, own!.id]])
  assert.deepEqual(await findings(), [])
})

test('without a plan whose credit is spent by the function, its title means nothing', async () => {
  const { join, order, settle, entries } = await aShop('coupon')
  const ada = await join()
  await order(ada, '40.00', '5.00')
  await settle()
  assert.deepEqual(await entries(ada), [])
})

test('doctor names a redemption of the function whose entry is another', async () => {
  const { join, order, settle, inStore, storeId, findings } = await aShop()
  const ada = await join()
  await order(ada, '40.00', '5.00')
  await settle()
  await inStore((ctx) =>
    ctx.tx.run(sql`update discount_redemptions set amount_minor = 499 where store_id = ${storeId}`)
  )
  assert.deepEqual(
    (await findings()).map(({ check }) => check),
    ['discounts_redeemed']
  )
})
