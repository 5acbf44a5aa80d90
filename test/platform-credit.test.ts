// Store credit in the platform's own accounts (a plan of the kind `storecredit`). With the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bool, int, row, sql } from '#kit/postgres'
import type { PlatformFailure } from '#platform'
import { recheckAccounts, reconcileWithPlatform } from '#spending'
import { adminOf } from './admin-calls.ts'
import { aCreditShop, deliverFacts, runOut, wake } from './credit-shop.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { call } = adminOf(service)
const aShop = () => aCreditShop(service)

test('a member whose plan pays out store credit has on the platform what the ledger has available', async () => {
  const { join, add, onPlatform, balance, change, settle, account, findings } = await aShop()
  const id = await join('ada@example.com')
  await add(id, '25.00')
  assert.equal(await onPlatform(id), 2500)
  await change(id, 'deduct', '10.00')
  await settle()
  assert.equal(await onPlatform(id), 1500)
  assert.equal(await balance(id), 15)
  assert.deepEqual(await account(id), { mirrored: 1500, isDue: false, problem: null, lastError: null, attempts: 0 })
  assert.deepEqual(await findings(), [])
})

test('credit that is spent at the checkout of the platform is a redemption on its order', async () => {
  const { join, add, onPlatform, order, settle, entries, findings } = await aShop()
  const id = await join('ada@example.com')
  await add(id, '25.00')
  await order(id, '40.00', '10.00')
  await settle()
  assert.deepEqual(await entries(id), [
    [2, 2500],
    [4, -1000, 'order']
  ])
  assert.equal(await onPlatform(id), 1500)
  assert.deepEqual(await findings(), [])
})

/** A mutation whose answer is lost: it was carried out, or never heard. */
const LOST: PlatformFailure = { kind: 'unavailable', message: 'The answer was lost', outcomeUnknown: true }

test('an answer that is lost gives no credit twice: the account is read before anything is repeated', async () => {
  const { join, add, change, onPlatform, entries, connector, engine, storeId, settle, findings } = await aShop()
  const id = await join('ada@example.com')
  await add(id, '1.00')
  await change(id, 'add', '24.00')
  let calls = 0
  const lossy = engine({
    storeCredit: {
      async credit(...args) {
        calls++
        const done = await connector.storeCredit.credit(...args)
        assert.ok(done.ok)
        return { ok: false, failure: LOST }
      }
    }
  })
  await deliverFacts(service.db, storeId)
  await runOut(lossy, storeId)
  assert.equal(calls, 1)
  assert.equal(await onPlatform(id), 2500)
  await settle()
  assert.equal(await onPlatform(id), 2500)
  assert.deepEqual(await entries(id), [
    [2, 100],
    [2, 2400]
  ])
  assert.deepEqual(await findings(), [])
})

test('a call that never arrived is repeated only when it cannot arrive any more', async () => {
  const { join, add, change, onPlatform, connector, engine, storeId, account, inStore } = await aShop()
  const id = await join('ada@example.com')
  await add(id, '1.00')
  await change(id, 'add', '24.00')
  await deliverFacts(service.db, storeId)
  let heard = 0
  const deaf = engine({
    storeCredit: {
      async credit(...args) {
        if (heard++ === 0) return { ok: false, failure: LOST }
        return connector.storeCredit.credit(...args)
      }
    }
  })
  await runOut(deaf, storeId)
  await wake(inStore)
  await runOut(deaf, storeId)
  assert.equal(heard, 1, 'it may still be on its way')
  assert.equal(await onPlatform(id), 100)
  assert.equal((await account(id))!.isDue, true)
  await inStore((ctx) =>
    ctx.tx.run(sql`update credit_pushes set settles_at = statement_timestamp() - interval '1 second'
                    where store_id = ${ctx.storeId} and status = 'sent'`)
  )
  await wake(inStore)
  await runOut(deaf, storeId)
  assert.equal(heard, 2)
  assert.equal(await onPlatform(id), 2500)
  assert.equal((await account(id))!.isDue, false)
})

test('an account that waits to be tried again goes on with its tries, however often it is asked for', async () => {
  const { join, add, change, storeId, engine, account, onPlatform, inStore } = await aShop()
  const id = await join('ada@example.com')
  const { id: memberId } = await inStore((ctx) =>
    ctx.tx.one(
      row({ id: int }),
      sql`select id from members where store_id = ${ctx.storeId} and platform_customer_id = ${id}`
    )
  )
  await add(id, '1.00')
  await change(id, 'add', '24.00')
  await deliverFacts(service.db, storeId)
  const away = engine({
    storeCredit: { findMany: async () => ({ ok: false, failure: { kind: 'unavailable', message: 'not now' } }) }
  })
  for (const tries of [1, 2, 3]) {
    await runOut(away, storeId)
    assert.equal((await account(id))!.attempts, tries)
    await inStore((ctx) => reconcileWithPlatform(ctx, memberId))
    await change(id, 'deduct', '1.00')
    await deliverFacts(service.db, storeId)
    assert.equal((await account(id))!.attempts, tries)
    await runOut(away, storeId)
    assert.equal((await account(id))!.attempts, tries, 'it rests until its time')
    await wake(inStore)
  }
  await runOut(engine({}), storeId)
  assert.deepEqual(await account(id), { mirrored: 2200, isDue: false, problem: null, lastError: null, attempts: 0 })
  assert.equal(await onPlatform(id), 2200)
})

test('a call that arrives after it was given up is no gift: what came twice is taken back', async () => {
  const { join, add, change, onPlatform, connector, engine, storeId, balance, inStore, byHand, walk, findings } =
    await aShop()
  const id = await join('ada@example.com')
  await add(id, '1.00')
  await change(id, 'add', '24.00')
  await deliverFacts(service.db, storeId)
  let calls = 0
  const deaf = engine({
    storeCredit: {
      credit: async (...args) => (calls++ === 0 ? { ok: false, failure: LOST } : connector.storeCredit.credit(...args))
    }
  })
  await runOut(deaf, storeId)
  await inStore((ctx) =>
    ctx.tx.run(sql`update credit_pushes set settles_at = statement_timestamp() - interval '1 second'
                    where store_id = ${ctx.storeId} and status = 'sent'`)
  )
  await wake(inStore)
  await runOut(deaf, storeId)
  assert.equal(await onPlatform(id), 2500)
  // The first call arrives now.
  await byHand(id, 2400)
  await walk()
  assert.equal(await onPlatform(id), 2500)
  assert.equal(await balance(id), 25)
  assert.deepEqual(await findings(), [])
})

test('what somebody changes by hand on the platform is drift: an entry of type 9 with that mark', async () => {
  const { join, add, byHand, walk, entries, onPlatform, balance, account, findings } = await aShop()
  const id = await join('ada@example.com')
  await add(id, '25.00')
  await byHand(id, 700)
  await byHand(id, -200)
  await walk()
  assert.deepEqual(await entries(id), [
    [2, 2500],
    [9, 700, 'drift'],
    [9, -200, 'drift']
  ])
  assert.equal(await balance(id), 30)
  assert.equal(await onPlatform(id), 3000)
  assert.deepEqual(await findings(), [])
  assert.equal((await account(id))!.mirrored, 3000)
})

test('drift below what the ledger has leaves its shortfall on the entry, and no balance below zero', async () => {
  const { join, add, byHand, change, walk, entries, onPlatform, balance } = await aShop()
  const id = await join('ada@example.com')
  await add(id, '25.00')
  // The ledger loses 20.00, and before the account follows, 25.00 are taken there.
  await change(id, 'deduct', '20.00')
  await byHand(id, -2500)
  await walk()
  assert.deepEqual(await entries(id), [
    [2, 2500],
    [3, -2000],
    [9, -500, 'drift', 'short 2000']
  ])
  assert.equal(await balance(id), 0)
  assert.equal(await onPlatform(id), 0)
})

test('a refund and a cancellation that give credit back restore the redemption; a cancelled order has its mark', async () => {
  const { join, add, order, controls, storeId, settle, entries, onPlatform, findings } = await aShop()
  const id = await join('ada@example.com')
  await add(id, '30.00')
  const refunded = await order(id, '10.00', '10.00')
  await controls.refund({ storeId, orderId: refunded.id, amount: '4.00' })
  await settle()
  const cancelled = await order(id, '8.00', '8.00')
  await controls.cancelOrder({ storeId, orderId: cancelled.id, refund: 'all' })
  await settle()
  assert.deepEqual(await entries(id), [
    [2, 3000],
    [4, -1000, 'order'],
    [5, 400, 'order'],
    [4, -800, 'order'],
    [5, 800, 'order_cancelled', 'order']
  ])
  assert.equal(await onPlatform(id), 2400)
  assert.deepEqual(await findings(), [])
})

test('what was given back in part before its order was cancelled without a refund is not marked as of a cancelled order', async () => {
  const { join, add, order, controls, storeId, settle, entries, onPlatform, findings } = await aShop()
  const id = await join('ada@example.com')
  await add(id, '30.00')
  const { id: orderId } = await order(id, '10.00', '10.00')
  await controls.refund({ storeId, orderId, amount: '4.00' })
  await settle()
  await controls.cancelOrder({ storeId, orderId })
  await settle()
  assert.deepEqual(await entries(id), [
    [2, 3000],
    [4, -1000, 'order'],
    [5, 400, 'order']
  ])
  assert.equal(await onPlatform(id), 2400)
  assert.deepEqual(await findings(), [])
})

test('an order that gives back more than it took from the account was refunded in credit: the rest is a change by somebody else', async () => {
  const { join, add, order, store, storeId, settle, walk, entries, onPlatform, balance, findings } = await aShop()
  const id = await join('ada@example.com')
  await add(id, '30.00')
  const post = (path: string, body: object) => service.post(`/store-credits/${id}/reservations${path}`, store.key, body)
  const reserved = await post('', { amount: 7, reason: 'a test' })
  await settle()
  const { id: orderId } = await order(id, '40.00', '10.00')
  await settle()
  const captured = await post(`/${reserved.body.data.id}/capture`, { order_id: orderId })
  assert.equal(captured.status, 200, JSON.stringify(captured.body))
  await settle()
  assert.equal(await onPlatform(id), 1300)

  // What the platform does when somebody refunds in store credit what was paid by card.
  const refundInCredit = (minor: number) =>
    service.sandboxDb.inInstallation((tx) =>
      tx.run(sql`
        with account as (
          update sandbox.credit_accounts set balance_minor = balance_minor + ${minor}
           where store_id = ${storeId} and customer_id = ${id}::bigint returning id, balance_minor)
        insert into sandbox.credit_transactions (store_id, account_id, amount_minor, balance_after_minor, event, order_transaction_id, created_at)
        select ${storeId}, account.id, ${minor}, account.balance_minor, 'ORDER_REFUND', t.order_transaction_id, t.created_at
          from account join sandbox.credit_transactions t on t.store_id = ${storeId} and t.account_id = account.id and t.event = 'ORDER_PAYMENT'`)
    )
  await refundInCredit(4_00)
  await walk()
  await refundInCredit(26_00)
  await walk()
  assert.deepEqual((await entries(id)).slice(1), [
    [4, -1000, 'order'],
    [4, -700, 'order'],
    [5, 400, 'order'],
    [9, 2000, 'drift', 'order'],
    [5, 600, 'order']
  ])
  assert.equal(await onPlatform(id), 4300)
  assert.equal(await balance(id), 43)
  assert.deepEqual(await findings(), [])
})

test('what is reserved is not on the platform, so that it cannot be spent twice; released, it is there again', async () => {
  const { store, join, add, onPlatform, settle, findings } = await aShop()
  const id = await join('ada@example.com')
  await add(id, '25.00')
  const reserved = await service.post(`/store-credits/${id}/reservations`, store.key, {
    amount: 10,
    reason: 'a checkout'
  })
  assert.equal(reserved.status, 200, JSON.stringify(reserved.body))
  await settle()
  assert.equal(await onPlatform(id), 1500)
  const path = `/store-credits/${id}/reservations/${reserved.body.data.id}`
  assert.equal((await service.post(`${path}/release`, store.key, {})).status, 200)
  await settle()
  assert.equal(await onPlatform(id), 2500)
  assert.deepEqual(await findings(), [])
})

test('credit that is forfeited, expires or is taken back goes from the platform too', async () => {
  const { store, join, onPlatform, settle, inStore, findings } = await aShop()
  const id = await join('ada@example.com')
  const add = (body: object) =>
    call(store, 'POST', `/store-credits/${id}/add`, { amount: '10.00', reason: 'a test', ...body })
  const now = await inStore(async (ctx) => ctx.now)
  assert.equal((await add({ expires_at: now.add({ hours: 48 }).toString() })).status, 200)
  assert.equal((await add({})).status, 200)
  await settle()
  assert.equal(await onPlatform(id), 2000)
  await store.advance({ by: 'P3D' })
  await settle()
  assert.equal(await onPlatform(id), 1000)
  assert.equal((await call(store, 'POST', `/store-credits/${id}/forfeit`, { reason: 'a test' })).status, 200)
  await settle()
  assert.equal(await onPlatform(id), 0)
  assert.deepEqual(await findings(), [])
})

test('when the plan changes to another kind, the credit leaves the platform, and comes back with it', async () => {
  const { store, plan, add, onPlatform, balance, settle, findings } = await aShop()
  const gold = await plan('Gold', 'vip', 'storecredit')
  const { customer } = await store.member('ada@example.com', 'Gold')
  const id = customer.id
  await settle()
  await add(id, '20.00')
  assert.equal(await onPlatform(id), 2500)
  const setKind = async (type: string) => {
    await service.admin('PATCH', `${store.at}/plans/${gold.id}`, { perks: { store_credit: { type } } })
    await settle()
  }
  await setKind('coupon')
  assert.equal(await onPlatform(id), 0)
  assert.equal(await balance(id), 25)
  await setKind('storecredit')
  assert.equal(await onPlatform(id), 2500)
  assert.deepEqual(await findings(), [])
})

test('customers with credit on the platform are not merged; once it is only in the ledger, it moves to the one who stays', async () => {
  const {
    storeId,
    join,
    add,
    onPlatform,
    balance,
    order,
    controls,
    settle,
    account,
    entries,
    findings,
    inStore,
    walk
  } = await aShop()
  const [ada, bob] = [await join('ada@example.com'), await join('bob@example.com')]
  await add(ada, '10.00')
  await add(bob, '25.00')
  await order(bob, '40.00', '5.00')
  await settle()
  const merge = () => controls.mergeCustomers({ storeId, customerId: bob, intoId: ada })
  const message = `Customers with store credit cannot be merged: customer ${ada} has 10.00 USD`
  await assert.rejects(merge, { code: 'conflict', message })
  assert.equal(await onPlatform(bob), 2000)
  const spendBy = async (type: string) => {
    await inStore((ctx) => ctx.tx.run(sql`update plans set credit_type = ${type} where store_id = ${ctx.storeId}`))
    await walk()
  }
  await spendBy('coupon')
  assert.deepEqual([await onPlatform(ada), await onPlatform(bob)], [0, 0])
  await merge()
  await settle()
  assert.equal(await balance(ada), 30)
  await spendBy('storecredit')
  assert.equal(await onPlatform(ada), 3000)
  assert.equal((await account(bob))!.mirrored, 0)
  assert.deepEqual(
    (await entries(ada)).map(([type, amount, mark]) => [type, amount, mark]),
    [
      [2, 1000, undefined],
      [9, 2000, 'merge']
    ]
  )
  assert.deepEqual(await findings(), [])
})

test('the account of a customer who was deleted is forgotten, and the credit stays in the ledger', async () => {
  const { storeId, join, add, change, controls, settle, account, balance, inStore, findings } = await aShop()
  const id = await join('ada@example.com')
  await add(id, '25.00')
  await controls.deleteCustomer({ storeId, customerId: id })
  await settle()
  assert.deepEqual(await account(id), { mirrored: 0, isDue: false, problem: null, lastError: null, attempts: 0 })
  assert.equal(await balance(id), 25)
  await change(id, 'deduct', '5.00')
  await settle()
  const { sent } = await inStore((ctx) =>
    ctx.tx.one(row({ sent: int }), sql`select count(*) as sent from credit_pushes where store_id = ${ctx.storeId}`)
  )
  assert.equal(sent, 0, 'nothing is sent for who is gone')
  assert.deepEqual(await findings(), [])
})

test('after a restore from a backup the ledger decides: what was sent since then is no drift, and what was spent is a redemption', async () => {
  const { storeId, join, add, order, onPlatform, balance, entries, inStore, settle, findings } = await aShop()
  const id = await join('ada@example.com')
  await add(id, '25.00')
  await order(id, '40.00', '10.00')
  await settle()
  // As a backup from before the credit was sent: here nothing is known of the account, and nothing of the order's credit.
  await inStore(async ({ tx }) => {
    await tx.run(sql`delete from platform_credit_transactions where store_id = ${storeId}`)
    await tx.run(sql`delete from credit_pushes where store_id = ${storeId}`)
    await tx.run(sql`update spending_accounts set mirrored_minor = 0, last_key = null where store_id = ${storeId}`)
  })
  await inStore((ctx) => recheckAccounts(ctx))
  await settle()
  assert.equal(await balance(id), 15)
  assert.equal(await onPlatform(id), 1500)
  assert.deepEqual(await entries(id), [
    [2, 2500],
    [4, -1000, 'order']
  ])
  assert.deepEqual(await findings(), [])
  // What somebody changes from then on is drift again.
  const { isRestored } = await inStore((ctx) =>
    ctx.tx.one(
      row({ isRestored: bool }),
      sql`select bool_or(is_restored) as is_restored from spending_accounts where store_id = ${ctx.storeId}`
    )
  )
  assert.equal(isRestored, false)
})

test('what is claimed while the work of the store is ended records no push that is not sent', async () => {
  const { join, change, engine, storeId, inStore, onPlatform, settle } = await aShop()
  const id = await join('ada@example.com')
  await change(id, 'add', '25.00')
  await deliverFacts(service.db, storeId)
  const ending = engine({})
  const running = ending.runOnce(storeId)
  await ending.endUnderWay!(storeId)
  await running
  await ending.endUnderWay!(storeId)
  const { refused } = await inStore((ctx) =>
    ctx.tx.one(
      row({ refused: int }),
      sql`select count(*) as refused from credit_pushes where store_id = ${ctx.storeId} and status = 'refused'`
    )
  )
  assert.equal(refused, 0)
  await settle()
  assert.equal(await onPlatform(id), 2500)
})
