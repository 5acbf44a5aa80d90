// Store credit that a checkout has reserved and captured for an order, and what becomes of it when the order is refunded or cancelled.
// With the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditWarnings } from '#audit'
import { sql } from '#kit/postgres'
import { aCodeShop } from './credit-codes.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

async function aShop() {
  const shop = await aCodeShop(service)
  const { store, storeId, controls } = shop
  const post = async (path: string, body: object) => {
    const { status, body: answer } = await service.post(`/store-credits/${path}`, store.key, body)
    assert.equal(status, 200, JSON.stringify(answer))
    return answer.data
  }
  return {
    ...shop,
    /** Reserves an amount and captures it for an order. */
    capture: async (customerId: string, orderId: string, amount: number) => {
      const { id } = await post(`${customerId}/reservations`, { amount })
      await post(`${customerId}/reservations/${id}/capture`, { order_id: orderId })
    },
    /** An order that the service knows. */
    anOrder: async (customerId: string, total: string) => {
      const { id } = await controls.order({ storeId, customerId, total })
      await shop.settle()
      return id
    },
    refund: async (orderId: string, amount: string) => {
      await controls.refund({ storeId, orderId, amount })
      await shop.settle()
    },
    cancel: async (orderId: string, refund: 'all' | 'none' = 'none') => {
      await controls.cancelOrder({ storeId, orderId, refund })
      await shop.settle()
    }
  }
}

test('a refund gives back its part of what was captured for the order, each refund once', async () => {
  const { join, anOrder, capture, refund, entries, credit, tagsOf, controls, storeId, findings } = await aShop()
  const ada = await join()
  const order = await anOrder(ada, '40.00')
  await capture(ada, order, 10)
  await controls.setWebhookFaults({ storeId, faults: { duplicate: 1 } })
  await refund(order, '10.00')
  await refund(order, '5.00')
  assert.deepEqual(await entries(ada), [
    [4, -1000, order],
    [5, 250, order],
    [5, 125, order]
  ])
  await refund(order, '25.00')
  assert.deepEqual((await entries(ada)).at(-1), [5, 625, order])
  assert.deepEqual(await credit(ada), { balance: 25, reserved: 0, available: 25 })
  assert.deepEqual(await tagsOf(order), ['credits-redeemed', 'credits-redeemed-restored', 'Gold'])
  assert.deepEqual(await findings(), [])
})

test('a cancelled order gives back all that was captured for it, as cancelled', async () => {
  const { join, anOrder, capture, cancel, entries, credit, findings } = await aShop()
  const ada = await join()
  const order = await anOrder(ada, '40.00')
  await capture(ada, order, 10)
  await capture(ada, order, 3)
  await cancel(order)
  assert.deepEqual(await entries(ada), [
    [4, -1000, order],
    [4, -300, order],
    [5, 1000, 'order_cancelled', order],
    [5, 300, 'order_cancelled', order]
  ])
  assert.deepEqual(await credit(ada), { balance: 25, reserved: 0, available: 25 })
  assert.deepEqual(await findings(), [])
})

test('what is captured after its order was cancelled or refunded is given back too', async () => {
  const { join, anOrder, capture, refund, cancel, settle, entries, credit } = await aShop()
  const ada = await join()
  const cancelled = await anOrder(ada, '40.00')
  await cancel(cancelled)
  await capture(ada, cancelled, 10)
  await settle()
  const refunded = await anOrder(ada, '40.00')
  await refund(refunded, '20.00')
  await capture(ada, refunded, 5)
  await settle()
  assert.deepEqual(await entries(ada), [
    [4, -1000, cancelled],
    [5, 1000, 'order_cancelled', cancelled],
    [4, -500, refunded],
    [5, 250, refunded]
  ])
  assert.deepEqual(await credit(ada), { balance: 22.5, reserved: 0, available: 22.5 })
})

test('after a merge of customers the one who is kept gets what is given back', async () => {
  const { join, anOrder, capture, cancel, settle, credit, controls, storeId } = await aShop()
  const ada = await join()
  const bob = await join('bob@example.com')
  const order = await anOrder(bob, '40.00')
  await capture(bob, order, 10)
  await controls.mergeCustomers({ storeId, customerId: bob, intoId: ada })
  await settle()
  assert.equal((await credit(ada)).balance, 40)
  await cancel(order)
  assert.equal((await credit(ada)).balance, 50)
})

test('a refund that comes before the cancellation of its order is marked with it, and the rest is restored', async () => {
  const { join, aCode, anOrder, capture, refund, cancel, settle, order: place, entries, credit } = await aShop()
  const ada = await join()
  const refunded = await anOrder(ada, '40.00')
  await capture(ada, refunded, 10)
  await refund(refunded, '10.00')
  await refund(refunded, '30.00')
  const made = await aCode(ada, { amount: 4 })
  const { id: inPart } = await place(ada, '40.00', [made.code])
  await settle()
  await refund(inPart, '18.00')
  assert.deepEqual(await entries(ada), [
    [4, -1000, refunded],
    [5, 250, refunded],
    [5, 750, refunded],
    [4, -400, inPart],
    [5, 200, inPart]
  ])
  await cancel(refunded)
  await cancel(inPart)
  assert.deepEqual(await entries(ada), [
    [4, -1000, refunded],
    [5, 250, 'order_cancelled', refunded],
    [5, 750, 'order_cancelled', refunded],
    [4, -400, inPart],
    [5, 200, 'order_cancelled', inPart],
    [5, 200, 'order_cancelled', inPart]
  ])
  assert.equal((await credit(ada)).balance, 25)
})

/** What the rules about restorations say of a store. */
async function rulesOf({ inStore, findings }: Awaited<ReturnType<typeof aShop>>) {
  const found = [...(await findings()), ...(await inStore(auditWarnings))]
  return found.flatMap(({ check, message }) => (check.startsWith('redemptions_restored') ? `${check}: ${message}` : []))
}

/** As an earlier version left credit: what was spent on one order counts for another, which is cancelled or refunded already. */
async function moveSpent({ inStore }: Awaited<ReturnType<typeof aShop>>, from: string, to: string) {
  await inStore(({ tx, storeId }) =>
    tx.run(sql`
      update credit_entries
         set order_id = (select id from orders where store_id = ${storeId} and platform_order_id = ${to})
       where store_id = ${storeId}
         and order_id = (select id from orders where store_id = ${storeId} and platform_order_id = ${from})`)
  )
}

test('credit of orders that were cancelled or refunded before it was restored is named by doctor, and restored by `credit reconcile`', async () => {
  const shop = await aShop()
  const { join, anOrder, capture, refund, cancel, entries, call, inStore } = shop
  const [ada, bob] = [await join(), await join('bob@example.com')]
  const [first, second] = [await anOrder(ada, '50.00'), await anOrder(bob, '50.00')]
  await capture(ada, first, 10)
  await capture(bob, second, 9.99)
  const [cancelled, refunded] = [await anOrder(ada, '40.00'), await anOrder(bob, '40.00')]
  await cancel(cancelled)
  await refund(refunded, '10.00')
  assert.deepEqual(await rulesOf(shop), [])
  await moveSpent(shop, first, cancelled)
  await moveSpent(shop, second, refunded)
  const wrong = [
    `redemptions_restored: redeems 10.00 USD on order ${cancelled}, which is cancelled; 0.00 USD were restored, and 10.00 USD are to be`,
    `redemptions_restored: redeems 9.99 USD on order ${refunded}, which is refunded; 0.00 USD were restored, and 2.49 USD are to be`
  ]
  assert.deepEqual(await rulesOf(shop), wrong)
  assert.equal((await call('POST', '/store-credits/reconcile', { customer: bob })).status, 202)
  assert.deepEqual(await entries(bob), [
    [4, -999, refunded],
    [5, 249, refunded]
  ])
  assert.deepEqual(await rulesOf(shop), wrong.slice(0, 1))
  for (let n = 0; n < 2; n++) {
    assert.equal((await call('POST', '/store-credits/reconcile', {})).status, 202)
    assert.deepEqual(await entries(ada), [
      [4, -1000, cancelled],
      [5, 1000, 'order_cancelled', cancelled]
    ])
    assert.deepEqual(await rulesOf(shop), [])
  }
  await inStore(({ tx, storeId }) => tx.run(sql`update credit_entries set mark = null where store_id = ${storeId}`))
  assert.match(
    (await rulesOf(shop)).join(),
    /; 10\.00 USD were restored, and 10\.00 USD are to be, marked as of a cancelled order/
  )
  await call('POST', '/store-credits/reconcile', {})
  assert.deepEqual(await rulesOf(shop), [])
})

test('credit that was spent by somebody who was merged into a customer is restored with that customer', async () => {
  const shop = await aShop()
  const { join, anOrder, capture, cancel, call, settle, credit, controls, storeId } = shop
  const [ada, bob] = [await join(), await join('bob@example.com')]
  const order = await anOrder(bob, '50.00')
  await capture(bob, order, 10)
  const cancelled = await anOrder(bob, '40.00')
  await cancel(cancelled)
  await controls.mergeCustomers({ storeId, customerId: bob, intoId: ada })
  await settle()
  await moveSpent(shop, order, cancelled)
  assert.equal((await rulesOf(shop)).length, 1)
  await call('POST', '/store-credits/reconcile', { customer: ada })
  assert.equal((await credit(ada)).balance, 50)
  assert.deepEqual(await rulesOf(shop), [])
})

test('doctor warns of more that was restored than the refunds ask for', async () => {
  const shop = await aShop()
  const { join, anOrder, capture, refund } = shop
  const ada = await join()
  const [half, less] = [await anOrder(ada, '40.00'), await anOrder(ada, '40.00')]
  await capture(ada, half, 10)
  await refund(half, '20.00')
  await refund(less, '19.99')
  assert.deepEqual(await rulesOf(shop), [])
  await moveSpent(shop, half, less)
  assert.deepEqual(await rulesOf(shop), [
    `redemptions_restored_within: redeems 10.00 USD on order ${less}; 5.00 USD were restored, and 4.99 USD are to be`
  ])
})
