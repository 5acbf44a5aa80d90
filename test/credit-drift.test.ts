// What somebody changes on the platform by hand: the store's clock has it compared daily, and doctor names it at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant, nullable, row, sql } from '#kit/postgres'
import { readCreditDifferences } from '#spending'
import { setClock } from '#stores'
import { auditCredit, CREDIT_CALLS } from '../src/audit/audit-credit.ts'
import { allow } from '../src/audit/platform-calls.ts'
import { adminOf } from './admin-calls.ts'
import { type ConnectorCalls, withCalls } from './connectors.ts'
import { aCreditShop, deliverFacts, runOut } from './credit-shop.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { call } = adminOf(service)

async function aShop(creditType: 'storecredit' | 'giftcard' = 'storecredit') {
  const shop = await aCreditShop(service)
  const { store, storeId, connector } = shop
  await shop.plan('Gold', 'vip', creditType)
  const join = (email: string) => shop.join(email, 'Gold')
  const cardOf = async (customerId: string) => {
    const found = await connector.giftCards.findOfCustomer(customerId, 'USD')
    assert.ok(found.ok)
    return found.value[0]!
  }
  const onCard = async (customerId: string, amountMinor: number) => {
    const { credit, debit } = connector.giftCards
    const move = { amountMinor: Math.abs(amountMinor), currency: 'USD', note: 'by hand' }
    const done = await (amountMinor > 0 ? credit : debit)((await cardOf(customerId)).id, move)
    assert.ok(done.ok, JSON.stringify(done))
  }
  const doctor = async () => {
    const report = await service.admin('POST', '/doctor', { store: store.id })
    return {
      found: report.findings.map(({ check, message }: any) => [check, message]),
      notChecked: report.not_checked.map(({ check, message }: any) => [check, message]),
      checked: report.checked.platform_credit_agrees as number,
      problems: report.problems as object[]
    }
  }
  /** As of a store on a platform that is not the sandbox. */
  const auditElsewhere = (calls: ConnectorCalls = {}, limits: Partial<typeof CREDIT_CALLS> = {}) =>
    auditCredit(service.db, storeId, async () => withCalls(connector, calls), allow({ ...CREDIT_CALLS, ...limits }), {
      isSandbox: false
    })
  const compare = (customerId: string) => service.admin('GET', `${store.at}/store-credits/${customerId}/platform`)
  return { ...shop, call, join, cardOf, onCard, doctor, auditElsewhere, compare }
}

const RULE = 'platform_credit_agrees'

test('doctor finds an account that was changed by hand, and a test clock that passes a day has it entered', async () => {
  const { store, join, byHand, doctor, compare, entries } = await aShop()
  const id = await join('ada@example.com')
  assert.deepEqual(await doctor(), { found: [], notChecked: [], checked: 1, problems: [] })
  await byHand(id, 200)
  const { available, on_platform: there, in_step: inStep, waits } = await compare(id)
  assert.deepEqual([available, there, inStep, waits], [5, 7, false, null])
  assert.deepEqual((await doctor()).found, [
    [RULE, 'has 700 on the platform, and 500 by what is known here (minor units)']
  ])
  await store.advance({ by: 'PT23H' })
  assert.equal((await entries(id)).length, 1, 'a day has not passed')
  await store.advance({ by: 'PT2H' })
  assert.deepEqual(await entries(id), [
    [1, 500, 'order'],
    [9, 200, 'drift']
  ])
  assert.deepEqual(await doctor(), { found: [], notChecked: [], checked: 1, problems: [] })
})

test('where a clock passes many days at once the change is entered on the first of them', async () => {
  const { store, join, byHand, call } = await aShop()
  await join('ada@example.com')
  const bob = await join('bob@example.com')
  await byHand(bob, -100)
  await store.advance({ by: 'P4D' })
  const { body } = await call(store, 'GET', `/store-credits/${bob}`)
  assert.deepEqual(
    body.entries.map(({ type, amount, created_at: at }: any) => [type, amount, at]),
    [
      ['reconciled', -1, '2026-02-01T15:00:00.000Z'],
      ['membership_charge', 5, '2026-01-31T15:00:00.000Z']
    ]
  )
})

test('a gift card that was changed by hand is found, waits by the clock of the store, and is entered when that passes', async () => {
  const { store, join, onCard, doctor, compare, call, entries, settle } = await aShop('giftcard')
  const id = await join('ada@example.com')
  const { last_characters: last } = (await compare(id)).gift_card
  await onCard(id, -200)
  const found = [[RULE, `has 300 on the gift card ${last}, and 500 by what is known here (minor units)`]]
  assert.deepEqual((await doctor()).found, found)
  await call(store, 'POST', '/store-credits/reconcile', { customer: id })
  await settle()
  const { waits, problem } = await compare(id)
  assert.equal(waits, '2026-01-31T15:03:00.000Z')
  assert.match(problem, /No order is known/)
  const left = [RULE, '1 customers were left out whose credit waits to be compared with the platform']
  assert.deepEqual(await doctor(), { found: [], notChecked: [left], checked: 0, problems: [] })
  const { problems } = await store.advance({ by: 'PT2M' })
  assert.deepEqual([problems, (await entries(id)).length], [[], 1], 'an order may still be reported')
  await store.advance({ by: 'PT1M' })
  assert.deepEqual(await entries(id), [
    [1, 500, 'order'],
    [9, -200, 'drift']
  ])
  assert.deepEqual(await doctor(), { found: [], notChecked: [], checked: 1, problems: [] })
})

test('a gift card that somebody has deactivated is found, and replaced by the daily comparison', async () => {
  const { store, join, connector, cardOf, doctor, compare } = await aShop('giftcard')
  const id = await join('ada@example.com')
  const { id: cardId, lastCharacters } = await cardOf(id)
  assert.ok((await connector.giftCards.deactivate(cardId)).ok)
  const message = `the gift card ${lastCharacters} cannot be used any more on the platform, and is in use here`
  assert.deepEqual((await doctor()).found, [[RULE, message]])
  const problem = `The gift card ${lastCharacters} cannot be used any more; comparing the account replaces it`
  const dead = await compare(id)
  assert.deepEqual([dead.available, dead.on_platform, dead.in_step, dead.problem], [5, 5, false, problem])
  await store.advance({ by: 'P1D' })
  assert.deepEqual((await doctor()).found, [])
  const alive = await compare(id)
  assert.deepEqual([alive.in_step, alive.problem], [true, null])
  const { gift_card: card } = await compare(id)
  assert.deepEqual([card.balance, card.last_characters === lastCharacters], [5, false])
})

test('an order that the platform does not show is awaited for two hours of the store, whatever comes meanwhile', async () => {
  const { storeId, join, order, controls, settle, inStore, engine, change, account, entries } = await aShop()
  const id = await join('ada@example.com')
  await controls.setWebhookFaults({ storeId, faults: { drop: 1, seed: 7 } })
  await order(id, '40.00', '3.00')
  await settle()
  const hidden = engine({ orders: { findWhole: async () => ({ ok: true, value: new Map() }) } })
  await change(id, 'add', '1.00')
  await deliverFacts(service.db, storeId)
  await runOut(hidden, storeId)
  const dueAt = () =>
    inStore((ctx) =>
      ctx.tx.one(
        row({ dueAt: nullable(instant) }),
        sql`select due_at from spending_accounts where store_id = ${ctx.storeId}`
      )
    )
  const began = await inStore(async ({ now }) => now)
  let tries = 0
  for (let due = (await dueAt()).dueAt; due !== null; due = (await dueAt()).dueAt) {
    assert.match((await account(id))!.lastError!, /does not show an order/)
    // As often as something else happens to the credit.
    await change(id, 'add', '0.01')
    await deliverFacts(service.db, storeId)
    await runOut(hidden, storeId)
    await inStore((ctx) => setClock(ctx, due))
    await runOut(hidden, storeId)
    tries++
  }
  const waited = (await inStore(async ({ now }) => now)).since(began, { largestUnit: 'minute' })
  assert.ok(waited.minutes >= 120 && waited.minutes < 240, `${waited} and ${tries} tries`)
  // Whose order is not known is spent all the same.
  assert.ok((await entries(id)).some(([type, amount]) => type === 4 && amount === -300))
})

test('after an outage an order that the platform does not show is awaited from when it is missed, however old it is', async () => {
  const { storeId, join, order, controls, settle, inStore, engine, change, account, entries } = await aShop()
  const id = await join('ada@example.com')
  await controls.setWebhookFaults({ storeId, faults: { drop: 1, seed: 7 } })
  await order(id, '40.00', '3.00')
  await settle()
  await inStore((ctx) => setClock(ctx, ctx.now.add({ hours: 5 })))
  const hidden = engine({ orders: { findWhole: async () => ({ ok: true, value: new Map() }) } })
  await change(id, 'add', '1.00')
  await deliverFacts(service.db, storeId)
  await runOut(hidden, storeId)
  assert.match((await account(id))!.lastError!, /does not show an order/)
  assert.deepEqual(await entries(id), [
    [1, 500, 'order'],
    [2, 100]
  ])
})

test('what an order may have spent is left out for five minutes on another platform, a change of an account is not', async () => {
  const { storeId, join, order, controls, settle, auditElsewhere, byHand, inStore, doctor } = await aShop()
  const [ada, bob] = [await join('ada@example.com'), await join('bob@example.com')]
  await controls.setWebhookFaults({ storeId, faults: { drop: 1, seed: 7 } })
  await order(ada, '40.00', '3.00')
  await settle()
  await byHand(bob, 700)
  const said = async () => {
    const { findings, notChecked, checked } = await auditElsewhere()
    return [checked, findings.map(({ message }) => message), notChecked]
  }
  const ofBob = 'has 1200 on the platform, and 500 by what is known here (minor units)'
  const ofAda = 'has 200 on the platform, and 500 by what is known here (minor units)'
  const left =
    '1 customers have something else on the platform than is known here, which an order or event may explain that is still to come'
  assert.deepEqual(await said(), [2, [ofBob], [left]])
  assert.deepEqual(
    (await doctor()).found.map(([, message]: any) => message),
    [ofAda, ofBob]
  )
  await inStore((ctx) => setClock(ctx, ctx.now.add({ minutes: 6 })))
  assert.deepEqual(await said(), [2, [ofAda, ofBob], []])
})

test('while an event about the credit waits, what differs is not called wrong', async () => {
  const { join, byHand, change, auditElsewhere } = await aShop()
  const id = await join('ada@example.com')
  await byHand(id, 200)
  await change(id, 'add', '1.00')
  const { findings, notChecked } = await auditElsewhere()
  assert.deepEqual([findings.length, notChecked.length], [0, 1])
})

test('a customer whose credit is sent while the platform is read is left out', async () => {
  const { join, add, auditElsewhere, connector } = await aShop()
  const id = await join('ada@example.com')
  const findMany: typeof connector.storeCredit.findMany = async (...asked) => {
    await add(id, '1.00')
    return connector.storeCredit.findMany(...asked)
  }
  const { checked, findings, notChecked } = await auditElsewhere({ storeCredit: { findMany } })
  assert.deepEqual([checked, findings, notChecked.length], [0, [], 1])
})

test('what the limits leave out is said: calls, time, and a platform that does not respond', async () => {
  const { storeId, join, byHand, auditElsewhere } = await aShop()
  const ids = [await join('ada@example.com'), await join('bob@example.com'), await join('eve@example.com')]
  for (const id of ids) await byHand(id, 100)
  const notAll = 'credit of customers on the platform was not all compared: '
  const none = { checked: 0, findings: [] }
  assert.deepEqual(await auditElsewhere({}, { calls: 0 }), {
    ...none,
    notChecked: [`${notAll}they take more than 0 calls`]
  })
  const away = async () => ({ ok: false as const, failure: { kind: 'unavailable' as const, message: 'not now' } })
  assert.deepEqual(await auditElsewhere({ storeCredit: { findMany: away } }), {
    ...none,
    notChecked: [`${notAll}not now`]
  })
  // Page by page nobody is left out.
  const seen: number[] = []
  const { storeCredit, giftCards } = await service.deps.connectorOf(storeId)
  for (let afterId: number | null = 0; afterId !== null; ) {
    const page: Awaited<ReturnType<typeof readCreditDifferences>> = await readCreditDifferences(
      service.db,
      storeId,
      { afterId, limit: 2, orderWithin: null },
      { accounts: storeCredit.findMany, cards: giftCards.findMany }
    )
    assert.ok(page.ok)
    seen.push(page.value.differences.length)
    afterId = page.value.next
  }
  assert.deepEqual(seen, [2, 1])
})

test('an account that rested in real time waits since the end of its rest, however far the clock was moved', async () => {
  const { store, storeId, join, change, engine, inStore } = await aShop()
  const id = await join('ada@example.com')
  await change(id, 'add', '1.00')
  await deliverFacts(service.db, storeId)
  const away = engine({
    storeCredit: { findMany: async () => ({ ok: false, failure: { kind: 'unavailable', message: 'not now' } }) }
  })
  await runOut(away, storeId)
  await inStore((ctx) => setClock(ctx, ctx.now.add({ hours: 6 })))
  const restedUntil = (seconds: number) =>
    inStore((ctx) =>
      ctx.tx.run(sql`update spending_accounts set rests_until = statement_timestamp() - ${seconds} * interval '1 second'
                      where store_id = ${ctx.storeId}`)
    )
  const waiting = async () =>
    (await service.admin('GET', `/status?store=${store.domain}`)).problems
      .map(({ subject }: any) => subject)
      .filter((subject: string) => subject === 'credit-accounts')
  await restedUntil(5)
  assert.deepEqual(await waiting(), [])
  await restedUntil(90)
  assert.deepEqual(await waiting(), ['credit-accounts'])
})
