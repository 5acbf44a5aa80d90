// The commands about how members spend store credit, run as processes against the running service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { row, sql, text } from '#kit/postgres'
import { countReconciled, endOfLedger, reconcileWithPlatform } from '#spending'
import { commandLine } from './command-line.ts'
import { aCreditShop } from './credit-shop.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { run, json } = commandLine(service)

/** A member whose plan has this type, and the credit of its first cycle. */
async function aMember(creditType: string, amount = '25.00') {
  const shop = await aCreditShop(service)
  await shop.plan('Gold', 'vip', creditType, amount)
  const customer = await shop.join('ada@example.com', 'Gold')
  await shop.settle()
  const at = ['--store', shop.store.domain]
  return { ...shop, at, customer, of: [...at, '--customer', customer] }
}

test('a code is made of a part of the credit, spent on an order and listed; another is revoked', async () => {
  const { at, of, customer } = await aMember('coupon')
  const code = await json('credit', 'code', 'create', ...of, '--amount', '10.00', '--duration', '30')
  assert.match(code.code, /^SC(-[0-9A-Z]{4}){4}$/)
  assert.deepEqual([code.status, code.amount], ['active', 10])
  assert.equal((Date.parse(code.expires_at) - Date.parse(code.created_at)) / 60_000, 30)
  const { balance, reserved, available } = await json('credit', 'show', ...of)
  assert.deepEqual([balance, reserved, available], [25, 10, 15])

  const order = ['sandbox', 'order', ...at, '--customer', customer, '--code', code.code]
  await json(...order, '--total', '7.50')
  const rest = await json('credit', 'code', 'create', ...of)
  assert.deepEqual([rest.status, rest.amount], ['active', 17.5])
  // By the code itself too, which is what a customer knows.
  for (const wrong of ['sc_3', 'WELCOME']) {
    const { code: exit, err } = await run(['credit', 'code', 'revoke', ...of, '--code', wrong])
    assert.equal(exit, 1)
    assert.match(
      err,
      /--code cannot be '\w+'\. It must be the id of a credit code such as scc_3, or the code itself, which/
    )
  }
  const revoked = await json('credit', 'code', 'revoke', ...of, '--code', rest.code.toLowerCase())
  assert.deepEqual([revoked.id, revoked.status, revoked.ended_by], [rest.id, 'ending', 'revoked'])

  const { data } = await json('credit', 'code', 'list', ...of)
  assert.deepEqual(
    data.map((one: any) => [one.id, one.status, one.amount, one.used_amount]),
    [
      [rest.id, 'ending', 17.5, null],
      [code.id, 'used', 10, 7.5]
    ]
  )
  const list = await run(['credit', 'code', 'list', ...of])
  assert.match(list.out, new RegExp(`${code.id} +used +${code.code} +10 +7\\.5 +${data[1].order_id}`))
  // The id of the order is in what credit shows, so it finds the order.
  const shown = await json('orders', 'show', data[1].order_id, ...at)
  assert.deepEqual([shown.discount_codes, shown.credit_used], [[code.code], 7.5])
})

test('orders say which of their codes spend store credit, and which are coupons of the shop', async () => {
  const { at, of, customer, storeId, settle, inStore } = await aMember('coupon')
  const ours = await json('credit', 'code', 'create', ...of, '--amount', '5.00')
  // The last has the form of ours, and its check characters do not fit.
  const shops = ['SC-WELCOME', 'SC-2222-2222-2222-2222']
  const connector = await service.deps.connectorOf(storeId)
  const { now } = await inStore(async (ctx) => ({ now: ctx.now }))
  for (const code of shops) {
    const terms = { customerId: customer, amountMinor: 100, currency: 'USD', title: 'A coupon' }
    const made = await connector.discounts.createCode({
      ...terms,
      code,
      startsAt: now,
      endsAt: now.add({ hours: 1 })
    })
    assert.ok(made.ok, JSON.stringify(made))
  }
  const codes = [shops[0], ours.code, shops[1]]
  const { id } = await json('sandbox', 'order', ...of, '--total', '40.00', '--code', codes.join(','))
  await settle()
  const shown = await json('orders', 'show', id, ...at)
  assert.deepEqual([shown.discount_codes.toSorted(), shown.credit_codes], [codes.toSorted(), [ours.code]])
  assert.equal(shown.coupons.length, 3)
  const listed = await json('orders', 'list', ...at)
  assert.deepEqual(
    listed.data.map((order: any) => order.credit_codes),
    [[ours.code], []]
  )
})

test('`credit reconcile` of a store says what it has compared, what somebody else had changed, and what waits', async () => {
  const { at, of, customer, byHand, join, settle, inStore } = await aMember('storecredit')
  await join('bob@example.com', 'Gold')
  await settle()
  const done = { scope: 'store', accounts: 2, compared: 2, waiting: 0 }
  assert.deepEqual(await json('credit', 'reconcile', ...at), { ...done, drift_entries: 0, drift_amount: 0 })
  await byHand(customer, -1166)
  assert.deepEqual(await json('credit', 'reconcile', ...at), { ...done, drift_entries: 1, drift_amount: -11.66 })
  assert.equal((await json('credit', 'show', ...of)).balance, 13.34)
  assert.deepEqual(await json('credit', 'reconcile', ...at), { ...done, drift_entries: 0, drift_amount: 0 })
  assert.match((await run(['credit', 'reconcile', ...at])).out, /^drift_amount +0$/m)
  // Of a live store it happens in the background.
  const begun = await inStore(async (ctx) => {
    const since = await endOfLedger(ctx)
    await reconcileWithPlatform(ctx, null)
    return countReconciled(ctx, since)
  })
  assert.deepEqual(begun, { accounts: 2, waiting: 2, drift: { entries: 0, minor: 0 } })
  await settle()
})

test('a customer who spends credit in another way gets no code, and an order is paid with more than no credit', async () => {
  const { at, of } = await aMember('giftcard')
  const { err } = await run(['credit', 'code', 'create', ...of])
  assert.equal(
    err,
    'perennial: --customer (customer_id) must be a customer who spends store credit by codes (store_credit_type `coupon`); their plan has the type giftcard\n'
  )
  const order = await run(['sandbox', 'order', ...of, '--total', '40.00', '--credit', '0'])
  assert.deepEqual(
    [order.code, order.err],
    [1, 'perennial: --credit must be above 0; without it nothing is paid with store credit\n']
  )
  assert.equal((await json('orders', 'list', ...at)).data.length, 1)
})

test('what a code cannot be made of is refused, and nothing is reserved', async () => {
  const { at, of } = await aMember('coupon')
  const refused = async (pattern: RegExp, ...args: string[]) => {
    const { code, err } = await run(['credit', 'code', 'create', ...args])
    assert.deepEqual([code, pattern.test(err)], [1, true], err)
  }
  await refused(/--amount is more than the available store credit: cust_\d+ has 25\.00/, ...of, '--amount', '25.01')
  await refused(/--amount must have at most 2 decimals/, ...of, '--amount', '1.001')
  await refused(/--amount must be an amount above 0/, ...of, '--amount', '0')
  await refused(/--amount cannot be '-1'/, ...of, '--amount', '-1')
  await refused(/--duration cannot be '1441'/, ...of, '--duration', '1441')
  await refused(/There is no customer with the address/, ...at, '--customer', 'nobody@example.com')
  assert.deepEqual(await json('credit', 'code', 'list', ...of), { data: [] })
  assert.equal((await json('credit', 'show', ...of)).reserved, 0)
  const unknown = await run(['credit', 'code', 'revoke', ...of, '--code', 'scc_999'])
  assert.equal(unknown.code, 1)
  assert.match(unknown.err, /There is no store credit code scc_999/)
})

test('`credit platform` shows the gift card without its code, and whether it is in step', async () => {
  const { at, of, customer, storeId } = await aMember('giftcard')
  const { code } = await service.db.inInstallation((tx) =>
    tx.one(
      row({ code: text }),
      sql`select code from sandbox.gift_cards where store_id = ${storeId} and customer_id = ${customer}`
    )
  )
  const onCard = (minor: number) =>
    service.db.inInstallation((tx) =>
      tx.run(
        sql`update sandbox.gift_cards set balance_minor = ${minor} where store_id = ${storeId} and customer_id = ${customer}`
      )
    )
  const inStep = await json('credit', 'platform', ...of)
  const { created_at, notified_at, ...shown } = inStep.gift_card
  assert.deepEqual(shown, { last_characters: code.slice(-4), balance: 25 })
  assert.ok(created_at && notified_at)
  const { way, available, on_platform, in_step, waits, problem } = inStep
  assert.deepEqual([way, available, on_platform, in_step], ['giftcard', 25, 25, true])
  assert.deepEqual([waits, problem], [null, null])

  // Somebody in the shop takes a part of it: it is seen, and changed only by `reconcile`.
  await onCard(2000)
  const apart = await json('credit', 'platform', ...of)
  assert.deepEqual([apart.available, apart.on_platform, apart.gift_card.balance, apart.in_step], [25, 20, 20, false])
  await onCard(2500)

  await json('sandbox', 'order', ...at, '--customer', customer, '--total', '6.00', '--gift-card', code)
  const reconciled = await json('credit', 'reconcile', ...of)
  assert.deepEqual([reconciled.available, reconciled.gift_card.balance, reconciled.in_step], [19, 19, true])
  for (const command of ['platform', 'show', 'reconcile']) {
    const { code: exit, out } = await run(['credit', command, ...of])
    assert.equal(exit, 0)
    assert.ok(!out.includes(code), `credit ${command} shows the whole code`)
  }
  assert.match((await run(['credit', 'platform', ...of])).out, /^gift_card\.last_characters +\w{4}$/m)
})

test('of the other types `credit platform` shows what is there, without a card', async () => {
  const mirrored = await aMember('storecredit')
  const account = await json('credit', 'platform', ...mirrored.of)
  assert.deepEqual(
    [account.way, account.on_platform, account.in_step, account.gift_card],
    ['storecredit', 25, true, null]
  )
  const coupon = await aMember('coupon')
  const none = await json('credit', 'platform', ...coupon.of)
  assert.deepEqual([none.available, none.on_platform, none.in_step, none.gift_card], [25, 0, true, null])
})

test('`sandbox order --app-discount` takes off what a discount function would, which spends the credit', async () => {
  const { at, of, customer } = await aMember('function')
  const order = ['sandbox', 'order', ...at, '--customer', customer, '--total', '40.00', '--app-discount']
  const { id } = await json(...order, 'Store credit=5.00')
  const { balance, entries } = await json('credit', 'show', ...of)
  assert.deepEqual([balance, entries[0].type, entries[0].amount], [20, 'redemption', -5])
  assert.equal((await json('orders', 'show', id, ...at)).total, 35)
  const refused = await run([...order, 'Store credit=5.001'])
  assert.equal(refused.code, 1)
  assert.match(refused.err, /--app-discount must have at most 2 decimals/)
})

test('an entry that took less than it should shows its shortfall in the list', async () => {
  const { at, of, customer } = await aMember('function')
  await json('sandbox', 'order', ...at, '--customer', customer, '--total', '90.00', '--app-discount', 'Store credit=60')
  const { out } = await run(['credit', 'show', ...of])
  assert.match(out, /redemption +-25 +35 +0 /)
})
