// Store credit on gift cards of the platform (a plan of the kind `giftcard`). With the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int, nullable, row, sql, text } from '#kit/postgres'
import { type PlatformFailure, requestedScopes } from '#platform'
import { recheckAccounts } from '#spending'
import { setClock } from '#stores'
import { openCode } from '../src/spending/platform-account/gift-card-codes.ts'
import { aCreditShop, deliverFacts, runOut, wake } from './credit-shop.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { testVault } from './store-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db } = service

const OurCard = row({ status: text, code: nullable(text), reference: text, platformId: nullable(text), mirrored: int })
const Card = row({ id: text, code: text, balance: int, isOn: text, note: nullable(text) })

async function aShop(kindAtFirst = 'giftcard') {
  const shop = await aCreditShop(service)
  const { storeId, inStore, plan, connector, controls } = shop
  const created = await plan('Gold', 'vip', kindAtFirst)
  await shop.settle()
  /** A member of the plan, with the credit of the first cycle, which is on no card yet where the kind was another at first. */
  const join = async (email: string) => {
    const id = await shop.join(email, 'Gold')
    // From now on; nothing is told of it.
    await inStore((ctx) => ctx.tx.run(sql`update plans set credit_type = 'giftcard' where store_id = ${ctx.storeId}`))
    return id
  }
  /** The cards of a customer on the platform, as the shop's staff sees them. */
  const onPlatform = (customerId: string) =>
    db.inInstallation((tx) =>
      tx.many(
        Card,
        sql`
        select id::text as id, code, balance_minor::bigint as balance, (deactivated_at is null)::text as is_on, note from sandbox.gift_cards
         where store_id = ${storeId} and customer_id = ${customerId} order by gift_cards.id`
      )
    )
  const balances = async (customerId: string) =>
    (await onPlatform(customerId)).map(({ balance, isOn }) => (isOn === 'true' ? balance : `${balance} off`))
  const ours = (customerId: string) =>
    inStore((ctx) =>
      ctx.tx.many(
        OurCard,
        sql`
        select g.status, encode(g.code, 'base64') as code, g.reference, g.platform_gift_card_id as platform_id,
               g.mirrored_minor as mirrored
          from spending_gift_cards g join members m on m.store_id = ${ctx.storeId} and m.id = g.member_id
         where g.store_id = ${ctx.storeId} and m.platform_customer_id = ${customerId} order by g.id`
      )
    )
  const byHand = async (cardId: string, amountMinor: number) => {
    const { credit, debit } = connector.giftCards
    const move = { amountMinor: Math.abs(amountMinor), currency: 'USD', note: 'a gift' }
    const done = amountMinor > 0 ? await credit(cardId, move) : await debit(cardId, move)
    assert.ok(done.ok, JSON.stringify(done))
  }
  /** Until what no order has moved is judged: three minutes later. */
  const walkOut = async () => {
    await wake(inStore)
    await shop.walk()
    await shop.store.advance({ by: 'PT3M' })
  }
  const spend = async (customerId: string, total: string, code: string) =>
    controls.order({ storeId, customerId, total, giftCard: code })
  return { ...shop, created, join, onPlatform, balances, ours, byHand, walkOut, spend }
}

test('a member whose plan pays out gift cards has one card with what the ledger has available', async () => {
  const { storeId, join, add, balances, onPlatform, ours, balance, change, settle, account, findings } = await aShop()
  const id = await join('ada@example.com')
  assert.deepEqual(await balances(id), [500])
  await add(id, '20.00')
  assert.deepEqual(await balances(id), [2500])
  await change(id, 'deduct', '10.00')
  await settle()
  const [card] = await onPlatform(id)
  assert.equal(card!.balance, 1500)
  assert.equal(await balance(id), 15)
  const [known] = await ours(id)
  assert.deepEqual([known!.status, known!.platformId, known!.mirrored], ['active', card!.id, 1500])
  const sealed = { reference: known!.reference, code: Buffer.from(known!.code!, 'base64') }
  assert.equal(openCode(testVault, storeId, sealed), card!.code)
  assert.deepEqual(await account(id), { mirrored: 0, isDue: false, problem: null, lastError: null, attempts: 0 })
  assert.deepEqual(await findings(), [])
})

test('what a card pays is a redemption on its order; a refund and a cancelled order give it back', async () => {
  const { storeId, join, add, onPlatform, balances, spend, controls, settle, entries, findings } = await aShop()
  const id = await join('ada@example.com')
  await add(id, '25.00')
  const [card] = await onPlatform(id)
  const order = await spend(id, '10.00', card!.code)
  await settle()
  assert.deepEqual(await balances(id), [2000])
  await controls.refund({ storeId, orderId: order.id, amount: '4.00' })
  await settle()
  const other = await spend(id, '8.00', card!.code)
  await controls.cancelOrder({ storeId, orderId: other.id, refund: 'all' })
  await settle()
  assert.deepEqual(await entries(id), [
    [1, 500, 'order'],
    [2, 2500],
    [4, -1000, 'order'],
    [5, 400, 'order'],
    [4, -800, 'order'],
    [5, 800, 'order_cancelled', 'order']
  ])
  assert.deepEqual(await balances(id), [2400])
  assert.deepEqual(await findings(), [])
})

test('somebody else may spend the card: the credit is that of its customer', async () => {
  const { join, onPlatform, spend, settle, entries, balance, findings } = await aShop()
  const [ada, bob] = [await join('ada@example.com'), await join('bob@example.com')]
  const [card] = await onPlatform(ada)
  await spend(bob, '3.00', card!.code)
  await settle()
  assert.deepEqual(await entries(ada), [
    [1, 500, 'order'],
    [4, -300, 'order']
  ])
  assert.equal(await balance(bob), 5)
  assert.deepEqual(await findings(), [])
})

test('what somebody changes on a card by hand is drift, once no order is found that did it', async () => {
  const { join, add, onPlatform, byHand, walk, walkOut, entries, balance, balances, account, findings } = await aShop()
  const id = await join('ada@example.com')
  await add(id, '20.00')
  const [card] = await onPlatform(id)
  await byHand(card!.id, 700)
  await byHand(card!.id, -200)
  await walk()
  assert.equal((await entries(id)).length, 2, 'an order may still be reported')
  assert.match((await account(id))!.lastError!, /No order is known/)
  await walkOut()
  assert.deepEqual(await entries(id), [
    [1, 500, 'order'],
    [2, 2000],
    [9, 700, 'drift'],
    [9, -200, 'drift']
  ])
  assert.equal(await balance(id), 30)
  assert.deepEqual(await balances(id), [3000])
  assert.deepEqual(await findings(), [])
})

test('after an outage the order is looked for first that has moved the credit of a card, however long ago that was', async () => {
  const { storeId, join, add, onPlatform, spend, controls, inStore, change, engine, account, walk, entries, findings } =
    await aShop()
  const id = await join('ada@example.com')
  await add(id, '20.00')
  const [card] = await onPlatform(id)
  await controls.setWebhookFaults({ storeId, faults: { drop: 1, seed: 7 } })
  await spend(id, '10.00', card!.code)
  await inStore((ctx) => setClock(ctx, ctx.now.add({ hours: 1 })))
  await change(id, 'add', '1.00')
  await deliverFacts(db, storeId)
  await runOut(engine({}), storeId)
  assert.match((await account(id))!.lastError!, /No order is known/)
  await walk()
  assert.deepEqual(await entries(id), [
    [1, 500, 'order'],
    [2, 2000],
    [2, 100],
    [4, -1000, 'order']
  ])
  assert.deepEqual(await findings(), [])
})

/** A mutation whose answer is lost: it was carried out, or never heard. */
const LOST: PlatformFailure = { kind: 'unavailable', message: 'The answer was lost', outcomeUnknown: true }
const settleCalls = (inStore: Awaited<ReturnType<typeof aShop>>['inStore']) =>
  inStore((ctx) =>
    ctx.tx.run(sql`update credit_pushes set settles_at = statement_timestamp() - interval '1 second'
                    where store_id = ${ctx.storeId} and status = 'sent'`)
  )

test('a card whose making was not answered is found by its code, and no second one is made', async () => {
  const { join, change, onPlatform, balances, connector, engine, storeId, settle, findings, ours } =
    await aShop('coupon')
  let calls = 0
  const lossy = engine({
    giftCards: {
      async create(...args) {
        calls++
        assert.ok((await connector.giftCards.create(...args)).ok)
        return { ok: false, failure: LOST }
      }
    }
  })
  const id = await join('ada@example.com')
  await change(id, 'add', '20.00')
  await deliverFacts(db, storeId)
  await runOut(lossy, storeId)
  assert.equal(calls, 1)
  assert.equal((await onPlatform(id)).length, 1)
  await settle()
  assert.deepEqual(await balances(id), [2500])
  assert.deepEqual(
    (await ours(id)).map(({ status, mirrored }) => [status, mirrored]),
    [['active', 2500]]
  )
  assert.deepEqual(await findings(), [])
})

test('a card whose making is not found is asked for again with its code, which exists once', async () => {
  const { join, change, onPlatform, balances, connector, engine, storeId, settle, inStore, findings } =
    await aShop('coupon')
  const codes = new Set<string>()
  let isLagging = true
  let calls = 0
  const lossy = engine({
    giftCards: {
      async create(...args) {
        codes.add(args[0].code)
        const done = await connector.giftCards.create(...args)
        return calls++ === 0 ? { ok: false, failure: LOST } : done
      },
      // The platform's search is behind.
      findByCode: async (...args) => (isLagging ? { ok: true, value: [] } : connector.giftCards.findByCode(...args))
    }
  })
  const id = await join('ada@example.com')
  await change(id, 'add', '20.00')
  await deliverFacts(db, storeId)
  await runOut(lossy, storeId)
  assert.equal(calls, 1, 'it may still be on its way')
  await settleCalls(inStore)
  await wake(inStore)
  await runOut(lossy, storeId)
  assert.equal(calls, 2)
  assert.equal((await onPlatform(id)).length, 1)
  isLagging = false
  await wake(inStore)
  await runOut(lossy, storeId)
  await settle()
  assert.equal(codes.size, 1)
  assert.deepEqual(await balances(id), [2500])
  assert.deepEqual(await findings(), [])
})

test('a card that was never made is made by a later call, also when the credit is gone by then', async () => {
  const { join, change, onPlatform, balances, connector, engine, storeId, settle, inStore, findings } =
    await aShop('coupon')
  let calls = 0
  const deaf = engine({
    giftCards: {
      create: async (...args) => (calls++ === 0 ? { ok: false, failure: LOST } : connector.giftCards.create(...args))
    }
  })
  const id = await join('ada@example.com')
  await change(id, 'add', '20.00')
  await deliverFacts(db, storeId)
  await runOut(deaf, storeId)
  assert.deepEqual(await balances(id), [])
  await change(id, 'deduct', '25.00')
  await deliverFacts(db, storeId)
  await settleCalls(inStore)
  await wake(inStore)
  await runOut(deaf, storeId)
  await settle()
  assert.equal((await onPlatform(id)).length, 1)
  assert.deepEqual(await balances(id), [0])
  assert.deepEqual(await findings(), [])
})

test('a credit of a card whose answer is lost is known by its note, also among changes of the same amount', async () => {
  const {
    join,
    change,
    onPlatform,
    connector,
    engine,
    storeId,
    inStore,
    byHand,
    walkOut,
    entries,
    balances,
    findings
  } = await aShop()
  const id = await join('ada@example.com')
  const [card] = await onPlatform(id)
  await change(id, 'add', '24.00')
  await deliverFacts(db, storeId)
  let calls = 0
  const deaf = engine({
    giftCards: {
      credit: async (...args) => (calls++ === 0 ? { ok: false, failure: LOST } : connector.giftCards.credit(...args))
    }
  })
  await runOut(deaf, storeId)
  // Somebody gives exactly as much, and the call has not arrived.
  await byHand(card!.id, 2400)
  await settleCalls(inStore)
  await wake(inStore)
  await runOut(deaf, storeId)
  await walkOut()
  assert.deepEqual(await entries(id), [
    [1, 500, 'order'],
    [2, 2400],
    [9, 2400, 'drift']
  ])
  assert.deepEqual(await balances(id), [5300])
  assert.deepEqual(await findings(), [])
})

test('a credit of a card that arrived without an answer is ours, and nothing is sent twice', async () => {
  const { join, change, connector, engine, storeId, walkOut, entries, balances, findings } = await aShop()
  const id = await join('ada@example.com')
  await change(id, 'add', '24.00')
  await deliverFacts(db, storeId)
  const lossy = engine({
    giftCards: {
      async credit(...args) {
        assert.ok((await connector.giftCards.credit(...args)).ok)
        return { ok: false, failure: LOST }
      }
    }
  })
  await runOut(lossy, storeId)
  await walkOut()
  assert.deepEqual(await entries(id), [
    [1, 500, 'order'],
    [2, 2400]
  ])
  assert.deepEqual(await balances(id), [2900])
  assert.deepEqual(await findings(), [])
})

test('a card that is deactivated or expires is replaced by another, and its code is worth nothing', async () => {
  const { storeId, join, add, onPlatform, connector, walk, balances, findings, balance, ours } = await aShop()
  const id = await join('ada@example.com')
  await add(id, '20.00')
  const [first] = await onPlatform(id)
  assert.ok((await connector.giftCards.deactivate(first!.id)).ok)
  await walk()
  assert.deepEqual(await balances(id), ['2500 off', 2500])
  const [, second] = await onPlatform(id)
  assert.notEqual(second!.code, first!.code)
  await db.inInstallation((tx) =>
    tx.run(
      sql`update sandbox.gift_cards set expires_on = '2020-01-01' where store_id = ${storeId} and id = ${second!.id}`
    )
  )
  await walk()
  await walk()
  assert.deepEqual(await balances(id), ['2500 off', '2500 off', 2500])
  assert.deepEqual(
    (await ours(id)).map(({ status }) => status),
    ['closed', 'closed', 'active']
  )
  assert.equal(await balance(id), 25)
  assert.deepEqual(await findings(), [])
})

test('credit is in one place: a change of the kind empties the card before the account is filled, and back', async () => {
  const { store, created, join, add, connector, balances, onPlatform, settle, balance, findings } = await aShop()
  const id = await join('ada@example.com')
  await add(id, '20.00')
  const setKind = async (type: string) => {
    await service.admin('PATCH', `${store.at}/plans/${created.id}`, { perks: { store_credit: { type } } })
    await settle()
  }
  const onAccount = async () => {
    const found = await connector.storeCredit.findMany([id], 'USD')
    return found.ok ? (found.value.get(id)?.balanceMinor ?? 0) : null
  }
  await setKind('storecredit')
  assert.deepEqual([await balances(id), await onAccount()], [[0], 2500])
  await setKind('coupon')
  assert.deepEqual([await balances(id), await onAccount()], [[0], 0])
  await setKind('giftcard')
  assert.deepEqual([await balances(id), await onAccount()], [[2500], 0])
  assert.equal((await onPlatform(id)).length, 1, 'the same card')
  assert.equal(await balance(id), 25)
  assert.deepEqual(await findings(), [])
})

test('a refund to the card of a customer whose plan pays out in another way comes back to the ledger', async () => {
  const { store, storeId, created, join, add, onPlatform, spend, controls, settle, balances, balance, findings } =
    await aShop()
  const id = await join('ada@example.com')
  await add(id, '20.00')
  const [card] = await onPlatform(id)
  const order = await spend(id, '10.00', card!.code)
  await service.admin('PATCH', `${store.at}/plans/${created.id}`, { perks: { store_credit: { type: 'coupon' } } })
  await settle()
  assert.deepEqual(await balances(id), [0])
  await controls.refund({ storeId, orderId: order.id, amount: '10.00' })
  await settle()
  assert.equal(await balance(id), 25)
  assert.deepEqual(await balances(id), [0])
  assert.deepEqual(await findings(), [])
})

test('the platform merges no customers with gift cards; should it do so, the card of the one who is gone is kept empty, and what was paid with it can be given back', async () => {
  const { storeId, join, add, onPlatform, spend, controls, settle, balance, entries, findings } = await aShop()
  const [ada, bob] = [await join('ada@example.com'), await join('bob@example.com')]
  await add(bob, '20.00')
  const [card] = await onPlatform(bob)
  const order = await spend(bob, '10.00', card!.code)
  await settle()
  const merge = () => controls.mergeCustomers({ storeId, customerId: bob, intoId: ada })
  await assert.rejects(merge, {
    code: 'conflict',
    message: `Customers with gift cards cannot be merged: customer ${ada} has one`
  })
  const holders = [await onPlatform(ada), [card!]].flatMap((of) => of.map(({ id }) => id))
  await db.inInstallation((tx) =>
    tx.run(sql`update sandbox.gift_cards set customer_id = null where store_id = ${storeId}`)
  )
  await merge()
  await settle()
  assert.equal(await balance(ada), 20)
  const cards = () =>
    db.inInstallation(async (tx) =>
      (
        await tx.many(
          row({ balance: int }),
          sql`select balance_minor::bigint as balance from sandbox.gift_cards
               where store_id = ${storeId} and id = any(${holders}::bigint[]) order by gift_cards.id`
        )
      ).map(({ balance: minor }) => minor)
    )
  assert.deepEqual(await cards(), [2000, 0])
  await controls.refund({ storeId, orderId: order.id, amount: '10.00' })
  await settle()
  assert.equal(await balance(ada), 30)
  assert.deepEqual(await cards(), [3000, 0])
  assert.deepEqual((await entries(ada)).at(-1), [5, 1000, 'order'])
  assert.deepEqual(await findings(), [])
})

test('the card of a customer who was deleted is deactivated, and its code is forgotten', async () => {
  const { storeId, join, controls, settle, balances, ours, findings, balance } = await aShop()
  const id = await join('ada@example.com')
  await controls.deleteCustomer({ storeId, customerId: id })
  await settle()
  assert.deepEqual(await balances(id), ['500 off'])
  assert.deepEqual(
    (await ours(id)).map(({ status, code }) => [status, code]),
    [['closed', null]]
  )
  assert.equal(await balance(id), 5)
  assert.deepEqual(await findings(), [])
})

test('without the access scopes nothing is made and the doctor says so; once they are granted the card is made', async () => {
  const { storeId, join, controls, balances, walk, settle, account, change, inStore } = await aShop('coupon')
  const id = await join('ada@example.com')
  const scopes = requestedScopes.filter((scope) => !scope.includes('gift_card'))
  await controls.setAccess({ storeId, scopes })
  await change(id, 'add', '20.00')
  await settle()
  assert.deepEqual(await balances(id), [])
  const { problem, lastError } = (await account(id))!
  assert.match(`${problem} ${lastError}`, /access/i)
  await controls.setAccess({ storeId, scopes: [...requestedScopes] })
  await wake(inStore)
  await walk()
  assert.deepEqual(await balances(id), [2500])
})

test('a card that the backup does not know is found by its note: no second one gets credit', async () => {
  const { storeId, join, add, balances, inStore, settle, ours, findings, balance } = await aShop()
  const id = await join('ada@example.com')
  await add(id, '20.00')
  // As a backup from before the card: nothing of it is known here.
  await inStore(async ({ tx }) => {
    await tx.run(sql`delete from platform_credit_transactions where store_id = ${storeId}`)
    await tx.run(sql`delete from credit_pushes where store_id = ${storeId}`)
    await tx.run(sql`delete from spending_gift_cards where store_id = ${storeId}`)
    await tx.run(sql`delete from spending_accounts where store_id = ${storeId}`)
  })
  await inStore((ctx) => recheckAccounts(ctx))
  await settle()
  assert.deepEqual(await balances(id), [2500])
  assert.equal(await balance(id), 25)
  assert.deepEqual(
    (await ours(id)).map(({ status, code }) => [status, code]),
    [['active', null]]
  )
  assert.deepEqual(await findings(), [])
})

test('the API shows the last characters of a card, and its code to who may write', async () => {
  const { store, join, onPlatform } = await aShop()
  const id = await join('ada@example.com')
  const [card] = await onPlatform(id)
  const read = await service.get(`/store-credits/${id}/gift-card`, store.key)
  assert.equal(read.status, 200, JSON.stringify(read.body))
  const { last_characters, code, notified_at } = read.body.data
  assert.deepEqual([last_characters, code], [card!.code.slice(-4), card!.code])
  assert.notEqual(notified_at, null)
  const { key } = await service.admin('POST', `${store.at}/keys`, { name: 'reads', scopes: ['read:store_credits'] })
  const shown = await service.get(`/store-credits/${id}/gift-card`, key)
  assert.deepEqual([shown.status, shown.body.data.last_characters, shown.body.data.code], [200, last_characters, null])
  const { customer } = await store.member('bob@example.com', 'VIP')
  assert.equal((await service.get(`/store-credits/${customer.id}/gift-card`, store.key)).status, 404)
})
