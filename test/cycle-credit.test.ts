// Store credit per cycle: each paid cycle of a plan with credit issues it once, however the payment is reported.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audit } from '#audit'
import { type Ctx, int, row, type Statement, sql } from '#kit/postgres'
import type { Member, StoreCreditEntry } from '../sdk/src/index.ts'
import { testDatabase } from './database.ts'
import { aStoreWithEvents, types } from './recorded-events.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

async function aStoreWithCredit(plan: Record<string, unknown> = {}) {
  const store = await aStoreWithEvents(service)
  await store.plan({ name: 'Gold', type: 'vip', credit: '5.00', ...plan })
  const join = async (email = 'ada@example.com') => {
    const member = await store.member(email, 'Gold')
    await store.settle()
    return member
  }
  const credit = async (customerId: string) => {
    const [{ customer }] = (await store.client.members.list({}).toArray({ atMost: 9 })).filter((m: Member) =>
      m.customer.shopify_id!.endsWith(`/${customerId}`)
    ) as [{ customer: { id: string } }]
    const { balance } = await store.client.storeCredits.get(customer.id)
    const entries = await store.client.storeCredits.history(customer.id).toArray({ atMost: 20 })
    return { balance, entries }
  }
  return { ...store, join, credit }
}

test('the checkout and each renewal issue credit once, in the order of payment', async () => {
  const store = await aStoreWithCredit()
  let id = ''
  const joined = await store.recorded(async () => {
    id = (await store.join()).customer.id
  })
  assert.deepEqual(types(joined), [
    'member.created',
    'subscription.created',
    'subscription.activated',
    'store_credit.added'
  ])
  const renewed = await store.recorded(() => store.advance({ to: '2026-03-01T00:00:00Z' }))
  assert.deepEqual(types(renewed), ['billing.pending', 'billing.success', 'store_credit.added'])
  const { data } = renewed[2]!
  assert.deepEqual(
    [data.amount, data.previous_balance, data.new_balance, data.reason, data.order_id],
    [5, 5, 10, 'membership charge', renewed[1]!.data.order.id]
  )
  assert.deepEqual(await store.recorded(store.replay), [])
  const { balance, entries } = await store.credit(id)
  assert.equal(balance, 10)
  assert.deepEqual(
    entries.map(({ type, amount, order_id }: StoreCreditEntry) => [type, amount, order_id !== null]),
    [
      ['membership_charge', 5, true],
      ['membership_charge', 5, true]
    ]
  )
  await store.soundBooks()
})

test('the auditor reports a paid cycle whose credit is missing, different, or not due', async () => {
  const store = await aStoreWithCredit()
  await store.join()
  await store.advance({ to: '2026-03-01T00:00:00Z' })
  const inStore = <T>(work: (ctx: Ctx) => Promise<T>) => service.db.inStore(store.storeId, work)
  const { id } = await inStore(({ tx, storeId }) =>
    tx.one(row({ id: int }), sql`select id from billing_attempts where store_id = ${storeId} and credit_minor = 500`)
  )
  const found = async (change: (ctx: Ctx) => Statement) => {
    await inStore((ctx) => ctx.tx.run(change(ctx)))
    const { findings } = await inStore(audit)
    return findings
      .filter(({ check }) => check === 'cycle_credits_issued')
      .map(({ subject, message }) => [subject, message])
  }
  const due = (minor: number | null) => (ctx: Ctx) =>
    sql`update billing_attempts set credit_minor = ${minor} where store_id = ${ctx.storeId} and id = ${id}`
  assert.deepEqual(await found(due(500)), [])
  const about = (text: string) => [[`ba_${id}`, `should issue ${text}`]]
  assert.deepEqual(await found(due(700)), about('7.00 USD of store credit and issued 5.00 USD'))
  assert.deepEqual(await found(due(null)), about('no store credit and issued 5.00 USD'))
  await inStore((ctx) => ctx.tx.run(due(500)(ctx)))
  const away = ({ storeId }: Ctx) =>
    sql`update credit_entries set operation_id = 'x' where store_id = ${storeId} and operation_id = ${`charge:ba_${id}`}`
  assert.deepEqual(await found(away), about('5.00 USD of store credit and issued none'))
  // Restored, since the auditor of the other tests reads every store.
  const back = ({ storeId }: Ctx) =>
    sql`update credit_entries set operation_id = ${`charge:ba_${id}`} where store_id = ${storeId} and operation_id = 'x'`
  assert.deepEqual(await found(back), [])
})

for (const [outcome, days, balance] of [
  ['duplicate', 1, 10],
  ['lost', 1, 10],
  ['late', 3, 10],
  ['insufficient_funds', 1, 5],
  ['3ds', 1, 5]
] as const) {
  test(`a renewal whose card is ${outcome}`, async () => {
    const store = await aStoreWithCredit()
    const { customer } = await store.join()
    await store.card(customer.id, outcome)
    await store.advance({ to: '2026-02-28T15:00:00Z' })
    await store.advance({ by: `P${days}D` })
    assert.equal((await store.credit(customer.id)).balance, balance)
    await store.card(customer.id, 'success')
    await store.advance({ to: '2026-03-09T00:00:00Z' })
    assert.equal((await store.credit(customer.id)).balance, 10, 'paid in the end')
    await store.soundBooks()
  })
}

test('a payment that was reported as failed issues its credit when it is corrected', async () => {
  const store = await aStoreWithCredit()
  const { customer } = await store.join()
  await store.card(customer.id, 'reported_failed')
  await store.advance({ to: '2026-02-28T15:00:00Z' })
  assert.equal((await store.credit(customer.id)).balance, 5)
  await store.advance({ by: 'P4D' })
  const { balance, entries } = await store.credit(customer.id)
  assert.equal(balance, 10)
  assert.notEqual(entries[0]!.order_id, null)
  await store.soundBooks()
})

test('a trial issues credit with its first payment', async () => {
  const store = await aStoreWithCredit({ trial_type: 'days', trial_days: 7 })
  const { customer } = await store.join()
  assert.equal((await store.credit(customer.id)).balance, 0)
  await store.advance({ by: 'P8D' })
  assert.equal((await store.credit(customer.id)).balance, 5)
})

test('a plan issues its credit whatever the type, and one without credit issues none', async () => {
  for (const [perks, isIssued] of [
    [{ store_credit: { amount: 5, type: 'coupon' } }, true],
    [{}, false]
  ] as const) {
    const store = await aStoreWithEvents(service)
    await store.plan({ name: 'Other', type: 'elite', perks })
    const recorded = await store.recorded(async () => {
      await store.member('bob@example.com', 'Other')
      await store.advance({ by: 'P1M' })
    })
    assert.equal(types(recorded).includes('billing.success'), true)
    assert.equal(types(recorded).includes('store_credit.added'), isIssued)
  }
})
