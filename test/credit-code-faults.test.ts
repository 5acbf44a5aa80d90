// Codes that spend store credit when answers are lost, codes are used at the last moment, and people or backups change what is there.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditWarnings } from '#audit'
import { int, row, sql } from '#kit/postgres'
import type { PlatformFailure } from '#platform'
import { requestedScopes } from '#platform'
import { releaseStore } from '#sync'
import { holdRestoredStore } from '../src/sync/restored-store.ts'
import { aCodeShop, deliverFacts, runOut } from './credit-codes.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db } = service
const aShop = () => aCodeShop(service)

/** A mutation whose answer is lost: it was carried out, or never heard. */
const LOST: PlatformFailure = { kind: 'unavailable', message: 'The answer was lost', outcomeUnknown: true }

test('a code whose answer is lost is found by itself and not made twice', async () => {
  const { join, request, code, connector, engine, storeId, wake, onPlatform, credit } = await aShop()
  const ada = await join()
  const { id } = (await request(ada, { amount: 10 })).body.data
  let calls = 0
  const lossy = engine({
    discounts: {
      async createCode(...args) {
        calls++
        assert.ok((await connector.discounts.createCode(...args)).ok)
        return { ok: false, failure: LOST }
      }
    }
  })
  await runOut(lossy, storeId)
  assert.equal((await code(ada, id)).status, 'pending')
  await wake()
  await runOut(lossy, storeId)
  const made = await code(ada, id)
  assert.deepEqual([made.status, calls], ['active', 1])
  assert.deepEqual(await onPlatform(), [{ code: made.code, uses: 0, isOver: 0 }])
  assert.equal((await credit(ada)).reserved, 10)
})

test('a code that was revoked while the call that makes it was under way is taken off before its credit is released', async () => {
  const { join, request, code, revoke, connector, engine, storeId, wake, onPlatform, credit, store, settle, findings } =
    await aShop()
  const ada = await join()
  const { id } = (await request(ada, { amount: 10 })).body.data
  const late: Parameters<typeof connector.discounts.createCode>[] = []
  const deaf = engine({
    discounts: {
      async createCode(...args) {
        late.push(args)
        return { ok: false, failure: LOST }
      }
    }
  })
  await runOut(deaf, storeId)
  assert.equal((await revoke(ada, id)).body.data.status, 'ending')
  await runOut(deaf, storeId)
  assert.equal((await code(ada, id)).status, 'ending', 'the call may still arrive')
  assert.equal((await credit(ada)).reserved, 10)
  // It arrives now.
  assert.ok((await connector.discounts.createCode(...late[0]!)).ok)
  await wake()
  await runOut(deaf, storeId)
  assert.equal((await onPlatform())[0]!.isOver, 1)
  assert.equal((await credit(ada)).reserved, 10, 'an order may have used it just before')
  await store.advance({ by: 'PT10M' })
  await settle()
  assert.deepEqual(await onPlatform(), [])
  assert.deepEqual(await credit(ada), { balance: 25, reserved: 0, available: 25 })
  assert.equal((await code(ada, id)).status, 'ended')
  assert.deepEqual(await findings(), [])
})

test('a code that nobody has sent yet is revoked at once', async () => {
  const { join, request, revoke, credit, settle, onPlatform } = await aShop()
  const ada = await join()
  const { id } = (await request(ada)).body.data
  const revoked = await revoke(ada, id)
  assert.deepEqual([revoked.body.data.status, revoked.body.data.code], ['ended', revoked.body.data.code])
  assert.equal((await credit(ada)).reserved, 0)
  await settle()
  assert.deepEqual(await onPlatform(), [])
  assert.equal((await revoke(ada, id)).status, 400)
})

test('an order that used a revoked code at the last moment captures it, although no message came', async () => {
  const { join, aCode, revoke, order, controls, storeId, store, settle, entries, code, credit, findings } =
    await aShop()
  const ada = await join()
  const made = await aCode(ada, { amount: 10 })
  await controls.setWebhookFaults({ storeId, faults: { drop: 1 } })
  const placed = await order(ada, '40.00', [made.code])
  assert.equal((await revoke(ada, made.id)).body.data.status, 'ending')
  await settle()
  assert.equal((await credit(ada)).reserved, 10)
  await store.advance({ by: 'PT10M' })
  await settle()
  assert.deepEqual(await entries(ada), [[4, -1000, placed.id]])
  assert.equal((await code(ada, made.id)).status, 'used')
  assert.equal((await credit(ada)).reserved, 0)
  assert.deepEqual(await findings(), [])
})

test('when the time of an unused code is over, it goes from the platform and its credit is available again', async () => {
  const { join, aCode, code, store, settle, credit, onPlatform, entries, findings } = await aShop()
  const ada = await join()
  const made = await aCode(ada, { duration: 30 })
  await store.advance({ by: 'PT29M' })
  assert.equal((await credit(ada)).reserved, 25)
  await store.advance({ by: 'PT10M' })
  await settle()
  const ended = await code(ada, made.id)
  assert.deepEqual([ended.status, ended.ended_by], ['ended', 'expired'])
  assert.deepEqual(await credit(ada), { balance: 25, reserved: 0, available: 25 })
  assert.deepEqual(await onPlatform(), [])
  assert.deepEqual(await entries(ada), [])
  assert.deepEqual(await findings(), [])
})

test('an order that turns up when the credit is gone takes what is left, and doctor names the shortfall', async () => {
  const {
    join,
    aCode,
    order,
    engine,
    connector,
    storeId,
    settle,
    wake,
    credit,
    call,
    entries,
    code,
    controls,
    inStore
  } = await aShop()
  const ada = await join()
  const made = await aCode(ada, { amount: 20, duration: 30 })
  await controls.setWebhookFaults({ storeId, faults: { drop: 1 } })
  const placed = await order(ada, '40.00', [made.code])
  // The platform has not counted the use yet, and does not find the order.
  const blind = engine({
    orders: { findIdsWithCode: async () => ({ ok: true, value: [] }) },
    discounts: {
      findById: async (id) => {
        const found = await connector.discounts.findById(id)
        return found.ok && found.value ? { ok: true, value: { ...found.value, uses: 0 } } : found
      }
    }
  })
  await db.inStore(storeId, (ctx) =>
    ctx.tx.run(
      sql`update credit_codes set status = 'ending', ended_by = 'revoked', due_at = ${ctx.now} where store_id = ${storeId}`
    )
  )
  await runOut(blind, storeId)
  await db.inStore(storeId, (ctx) =>
    ctx.tx.run(sql`update credit_codes set due_at = ${ctx.now} where store_id = ${storeId}`)
  )
  await wake()
  await runOut(blind, storeId)
  assert.equal((await code(ada, made.id)).status, 'ended')
  const spent = await call('POST', `/store-credits/${ada}/deduct`, { amount: '20.00', reason: 'a test' })
  assert.equal(spent.status, 200)
  await controls.setWebhookFaults({ storeId, faults: null })
  assert.equal((await call('POST', '/reconcile', {})).status, 202)
  await settle()
  assert.deepEqual(await entries(ada), [
    [3, -2000],
    [4, -500, 'short 1500', placed.id]
  ])
  assert.equal((await credit(ada)).balance, 0)
  assert.equal((await code(ada, made.id)).status, 'used')
  assert.deepEqual(
    (await inStore(auditWarnings)).map(({ check }) => check),
    ['credit_redemptions_covered']
  )
})

test('a code that somebody deletes on the platform ends at its time, and one that somebody disables too', async () => {
  const { join, aCode, connector, store, settle, credit, code, findings } = await aShop()
  const ada = await join()
  const first = await aCode(ada, { amount: 5, duration: 30 })
  const second = await aCode(ada, { amount: 6, duration: 30 })
  for (const [{ code: text }, act] of [
    [first, 'delete'],
    [second, 'deactivate']
  ] as const) {
    const found = await connector.discounts.findByCode(text)
    assert.ok(found.ok && found.value)
    assert.ok((await connector.discounts[act](found.value.id)).ok)
  }
  await store.advance({ by: 'PT40M' })
  await settle()
  assert.deepEqual([(await code(ada, first.id)).status, (await code(ada, second.id)).status], ['ended', 'ended'])
  assert.equal((await credit(ada)).reserved, 0)
  assert.deepEqual(await findings(), [])
})

test('without the scope for discounts a code fails with the reason, and its credit is available', async () => {
  const { join, request, controls, storeId, settle, code, credit, findings } = await aShop()
  const ada = await join()
  await controls.setAccess({ storeId, scopes: requestedScopes.filter((scope) => scope !== 'write_discounts') })
  const { id } = (await request(ada)).body.data
  await settle()
  const failed = await code(ada, id)
  assert.deepEqual([failed.status, failed.code], ['failed', null])
  assert.match(failed.problem, /[Aa]ccess denied/)
  assert.deepEqual(await credit(ada), { balance: 25, reserved: 0, available: 25 })
  assert.deepEqual(await findings(), [])
})

test('the reservation of a code cannot be captured or released by itself', async () => {
  const { join, request, store, inStore, credit } = await aShop()
  const ada = await join()
  await request(ada)
  const { id } = await inStore((ctx) =>
    ctx.tx.one(
      row({ id: int }),
      sql`select max(id)::int as id from credit_reservations where store_id = ${ctx.storeId}`
    )
  )
  for (const action of ['release', 'capture']) {
    const { status, body } = await service.post(`/store-credits/${ada}/reservations/scr_${id}/${action}`, store.key, {})
    assert.equal(status, 400)
    assert.match(body.error.message, /belongs to a store credit code/)
  }
  assert.equal((await credit(ada)).reserved, 25)
})

test('a plan that changes to another kind makes no more codes; those that are open stay good', async () => {
  const { join, aCode, request, order, store, plan, settle, entries, credit, findings } = await aShop()
  const ada = await join()
  const { code } = await aCode(ada, { amount: 10 })
  await service.admin('PATCH', `${store.at}/plans/${plan.id}`, { perks: { store_credit: { type: 'storecredit' } } })
  await settle()
  assert.equal((await request(ada)).status, 400)
  const placed = await order(ada, '40.00', [code])
  await settle()
  assert.deepEqual(await entries(ada), [[4, -1000, placed.id]])
  assert.equal((await credit(ada)).balance, 15)
  assert.deepEqual(await findings(), [])
})

test('when customers are merged, the open codes of the one that is gone end, and a use of the last moment is the kept one’s', async () => {
  const { join, aCode, order, store, settle, entries, code, credit, onPlatform, findings } = await aShop()
  const ada = await join()
  const bob = await join('bob@example.com')
  const open = await aCode(ada, { amount: 5 })
  const used = await aCode(ada, { amount: 10 })
  const placed = await order(ada, '40.00', [used.code])
  await service.admin('POST', `${store.at}/sandbox/merges`, { customer: ada, into: bob })
  await settle()
  await store.advance({ by: 'PT10M' })
  await settle()
  const merged = await code(bob, open.id)
  assert.deepEqual([merged.status, merged.ended_by], ['ended', 'merged'])
  const spent = [...(await entries(ada)), ...(await entries(bob))].filter(([type]) => type === 4)
  assert.deepEqual(spent, [[4, -1000, placed.id]])
  assert.deepEqual(await credit(bob), { balance: 40, reserved: 0, available: 40 })
  assert.deepEqual(
    (await onPlatform()).map(({ isOver }) => isOver),
    [1]
  )
  assert.deepEqual(await findings(), [])
})

test('a deleted customer gets no code, and an open one ends at its time', async () => {
  const { join, aCode, request, controls, storeId, store, settle, credit, findings } = await aShop()
  const ada = await join()
  await aCode(ada, { amount: 5, duration: 30 })
  const waiting = await request(ada, { amount: 5, duration: 30 })
  assert.equal(waiting.status, 200)
  await controls.deleteCustomer({ storeId, customerId: ada })
  await settle()
  const refused = await request(ada, { amount: 5 })
  assert.deepEqual([refused.status, refused.body.error.details[0].field], [400, 'customer_id'])
  await store.advance({ by: 'PT40M' })
  await settle()
  assert.equal((await credit(ada)).reserved, 0)
  assert.deepEqual(await findings(), [])
})

test('a disconnected store makes no codes; one that was open when it came back late is settled', async () => {
  const { join, aCode, order, call, store, storeId, settle, entries } = await aShop()
  const ada = await join()
  const { code } = await aCode(ada, { amount: 10, duration: 30 })
  const placed = await order(ada, '40.00', [code])
  assert.equal((await call('POST', '/disconnect', {})).status, 200)
  // By the operator: keys of a disconnected store are refused.
  const refused = await call('POST', `/store-credits/${ada}/codes`, {})
  assert.equal(refused.status, 409)
  assert.match(refused.body.error.message, /disconnected/)
  assert.equal((await call('GET', `/store-credits/${ada}`)).body.reserved, 10)
  await service.admin('POST', `${store.at}/connect`, {})
  await store.advance({ by: 'PT1H' })
  await service.deps.settle(storeId)
  await settle()
  assert.deepEqual(await entries(ada), [[4, -1000, placed.id]])
})

test('after a restore a code that the backup does not know redeems from the customer of its order', async () => {
  const { join, aCode, order, storeId, store, settle, entries, credit, inStore, findings } = await aShop()
  const ada = await join()
  const known = await aCode(ada, { amount: 5 })
  const unknown = await aCode(ada, { amount: 10 })
  // As the backup has it: the first was wanted and not sent, the second was never asked for.
  await inStore(async (ctx) => {
    await ctx.tx.run(sql`
      update credit_codes set status = 'pending', sent_at = null, platform_discount_id = null, due_at = ${ctx.now}
       where store_id = ${storeId} and code = ${known.code}`)
    const reserved = sql`select reservation_id from credit_codes where store_id = ${storeId} and code = ${unknown.code}`
    const { reservationId } = await ctx.tx.one(row({ reservationId: int }), reserved)
    await ctx.tx.run(sql`delete from credit_codes where store_id = ${storeId} and code = ${unknown.code}`)
    await ctx.tx.run(
      sql`update credit_reservations set expires_at = ${ctx.now} where store_id = ${storeId} and id = ${reservationId}`
    )
  })
  await inStore(holdRestoredStore)
  const placed = await order(ada, '40.00', [unknown.code])
  await releaseStore(db, { storeId })
  await settle()
  await store.advance({ by: 'PT1M' })
  await settle()
  assert.deepEqual(await entries(ada), [[4, -1000, placed.id]])
  assert.deepEqual(await credit(ada), { balance: 15, reserved: 5, available: 10 })
  const found = await service.get(`/store-credits/${ada}/codes/${known.id}`, store.key)
  assert.equal(found.body.data.status, 'active')
  assert.deepEqual(await findings(), [])
})

test('facts about an order that come again change nothing', async () => {
  const { join, aCode, order, settle, storeId, inStore, entries, controls } = await aShop()
  const ada = await join()
  const { code } = await aCode(ada, { amount: 10 })
  const placed = await order(ada, '40.00', [code])
  await controls.refund({ storeId, orderId: placed.id, amount: '15.00' })
  await settle()
  const before = await entries(ada)
  const { settleDiscountedOrders } = await import('../src/spending/redemptions/settle-orders.ts')
  const { id } = await inStore((ctx) =>
    ctx.tx.one(
      row({ id: int }),
      sql`select id::int as id from orders where store_id = ${ctx.storeId} and platform_order_id = ${placed.id}`
    )
  )
  await inStore((ctx) => settleDiscountedOrders(ctx, [id, id]))
  await inStore((ctx) => settleDiscountedOrders(ctx, [id]))
  await deliverFacts(db, storeId)
  assert.deepEqual(await entries(ada), before)
  assert.deepEqual(before, [
    [4, -1000, placed.id],
    [5, 500, placed.id]
  ])
})

test('doctor names a code without its reservation, a redemption without its entry, and an order without a redemption', async () => {
  const { join, aCode, order, settle, storeId, inStore, findings } = await aShop()
  const ada = await join()
  await aCode(ada, { amount: 5 })
  const { code } = await aCode(ada, { amount: 10 })
  await order(ada, '40.00', [code])
  await settle()
  await inStore(async (ctx) => {
    await ctx.tx.run(sql`update discount_redemptions set amount_minor = 999 where store_id = ${storeId}`)
    await ctx.tx.run(sql`update credit_codes set amount_minor = 499 where store_id = ${storeId} and status = 'active'`)
  })
  assert.deepEqual((await findings()).map(({ check }) => check).sort(), ['credit_codes_reserved', 'discounts_redeemed'])
  await inStore((ctx) => ctx.tx.run(sql`delete from discount_redemptions where store_id = ${storeId}`))
  const messages = (await findings())
    .filter(({ check }) => check === 'discounts_redeemed')
    .map(({ message }) => message)
  assert.equal(messages.length, 2)
})

test('doctor names codes for which nothing is scheduled, or too late, and no others', async () => {
  const { join, request, inStore, findings, storeId } = await aShop()
  const ada = await join()
  assert.equal((await request(ada, { amount: 5 })).status, 200)
  const cases: [state: string, changed: string, problem: RegExp | null][] = [
    ['pending', 'due_at = null', /^is pending and has no next step$/],
    ['active', 'due_at = null', /^is active and has no next step$/],
    ['active', "due_at = null, ends_at = $2 - interval '1 day'", /^is active and has no next step$/],
    ['ending', 'due_at = null', /^is ending and has no next step$/],
    ['active', 'closed_at = $2', /^is active and is off the platform since /],
    ['used', 'due_at = null', /^is used and is to be taken off the platform, and nothing does$/],
    ['ended', 'due_at = null', /^is ended and was never taken off the platform$/],
    ['failed', 'due_at = null', /^is failed and was never taken off the platform$/],
    ['ending', "due_at = $2 - interval '61 minutes'", /^is ending and has been due since /],
    ['pending', "due_at = $2 - interval '59 minutes'", null],
    ['used', 'closed_at = null', null],
    ['used', 'due_at = null, closed_at = $2', null],
    ['ended', 'due_at = null, closed_at = $2', null],
    ['active', "due_at = $2 + interval '1 hour'", null],
    // Tried again later, tried right now, or named by the warning with its error.
    ['ending', "due_at = $2 - interval '1 day', rests_until = statement_timestamp() + interval '2 minutes'", null],
    ['ending', "due_at = $2 - interval '1 day', leased_until = statement_timestamp() + interval '2 minutes'", null],
    ['ending', "due_at = $2 - interval '1 day', attempts = 4", null]
  ]
  const named = async () =>
    (await findings()).filter(({ check }) => check === 'credit_codes_scheduled').map(({ message }) => message)
  for (const [state, changed, problem] of cases) {
    await inStore(async ({ tx, now }) => {
      const reset = 'due_at = $2, closed_at = null, rests_until = null, leased_until = null, attempts = 0'
      for (const set of [`status = '${state}', ${reset}`, changed]) {
        const text = `update credit_codes set ${set} where store_id = $1 and ($2::timestamptz is not null)`
        await tx.run({ name: '', text, values: [storeId, now] })
      }
    })
    const found = await named()
    assert.equal(found.length, problem === null ? 0 : 1, `${state}, ${changed}: ${found.join()}`)
    if (problem) assert.match(found[0]!, problem)
  }
  await inStore(({ tx, now }) =>
    tx.run(
      sql`update credit_codes set status = 'ending', attempts = 0, due_at = ${now.subtract({ hours: 2 })} where store_id = ${storeId}`
    )
  )
  assert.equal((await named()).length, 1)
  await inStore(({ tx }) => tx.run(sql`update stores set status = 'disconnected' where store_id = ${storeId}`))
  assert.deepEqual(await named(), [], 'a disconnected store has no platform to work on')
  await inStore(({ tx }) => tx.run(sql`update stores set status = 'active' where store_id = ${storeId}`))
})
