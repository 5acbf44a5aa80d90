import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audit } from '#audit'
import { type Ctx, sql } from '#kit/postgres'
import { followMerges, markCustomersDeleted, markCustomersMerged, upsertCustomers } from '#members'
import { atOnce } from '../../test/at-once.ts'
import { testDatabase } from '../../test/database.ts'
import { aStore } from '../../test/store-builder.ts'
import { changeCredits } from './change-credits.ts'
import type { CreditChange } from './credit.ts'
import { accountOf, at, moveTo, START } from './credit-account.test-helper.ts'
import { createCreditEngine } from './credit-engine.ts'
import { captureReservation, findReservationOf, releaseReservation } from './end-reservation.ts'
import { findCredit } from './find-credit.ts'
import { forfeitCredit } from './forfeits/forfeit-credit.ts'
import { reconcileCredit } from './reconcile-credit.ts'
import { reserveCredit } from './reserve-credit.ts'
import { restoreCredit } from './restore-credit.ts'
import { transferCredit } from './transfer-credit.ts'

const { db } = await testDatabase()

let last = 0
const aChange = (memberId: number, amountMinor: number, over: Partial<CreditChange> = {}): CreditChange => ({
  memberId,
  type: amountMinor > 0 ? 'manual_add' : 'manual_deduct',
  amountMinor,
  reason: 'test',
  operationId: `merged:${++last}`,
  ...over
})
const aReservation = (memberId: number, amountMinor: number) => ({
  memberId,
  amountMinor,
  reason: 'checkout',
  operationId: `merged:${++last}`,
  expiresAt: at(START).add({ hours: 1 })
})

/** A store with customers 1, 2, … in the order of our numbers. */
async function customers(count = 2) {
  const store = await aStore(db, { clockAt: at(START) })
  const reported = Array.from({ length: count }, (_, i) => `${i + 1}`).map((id) => ({
    id,
    email: `c${id}@example.com`,
    firstName: null,
    lastName: null
  }))
  const known = await store.inStore((ctx) => upsertCustomers(ctx, reported))
  const ids = reported.map(({ id }) => known.get(id)!.id)
  const merge = (from: number, into: number) => (ctx: Ctx) => mergeIn(ctx, `${from + 1}`, `${into + 1}`)
  const change = async (...changes: CreditChange[]) => store.inStore((ctx) => changeCredits(ctx, changes))
  const balances = () =>
    Promise.all(ids.map(async (id) => (await store.inStore((ctx) => findCredit(ctx, id))).balanceMinor))
  const isRight = async () => assert.deepEqual((await store.inStore(audit)).findings, [])
  return { store, ids, merge, change, balances, isRight, inStore: store.inStore }
}

/** What a merge does to credit. */
async function mergeIn(ctx: Ctx, deletedId: string, keptId: string) {
  const both = await markCustomersMerged(ctx, { deletedId, keptId })
  if (both) await transferCredit(ctx, both.from, both.to, `merge:${both.from}:${both.to}`)
  return both
}

test('whatever is changed of a merged customer is changed of who was kept, over several merges', async () => {
  const { ids, merge, change, balances, isRight, inStore, store } = await customers(4)
  const [first, , , kept] = ids as [number, number, number, number]
  await change(aChange(first, 500))
  for (const from of [0, 1, 2]) await inStore(merge(from, from + 1))
  assert.deepEqual(await balances(), [0, 0, 0, 500])

  const [added, deducted] = await change(aChange(first, 700), aChange(first, -100))
  assert.deepEqual([added!.entry!.memberId, added!.credit!.memberId], [kept, kept])
  assert.equal(deducted!.credit!.balanceMinor, 1100)
  const [{ reservation }] = (await inStore((ctx) => reserveCredit(ctx, [aReservation(first, 100)]))) as any
  assert.equal(reservation.memberId, kept)
  const { entry } = await inStore((ctx) => captureReservation(ctx, kept, reservation.id))
  await inStore((ctx) =>
    restoreCredit(ctx, [
      { entryId: entry.id, memberId: first, type: 'redemption_restored', reason: 'x', operationId: 'back' }
    ])
  )
  assert.deepEqual(await balances(), [0, 0, 0, 1100])
  const counted = { memberId: first, balanceMinor: 900, reason: 'x', operationId: 'counted' }
  assert.equal((await inStore((ctx) => reconcileCredit(ctx, counted))).credit.memberId, kept)
  const [forfeited] = await inStore((ctx) =>
    forfeitCredit(ctx, [{ memberId: first, reason: 'x', operationId: 'gone' }])
  )
  assert.deepEqual([forfeited!.memberId, forfeited!.amountMinor], [kept, -900])
  const { events } = await accountOf(store, kept)
  assert.deepEqual(
    events.filter(({ data }) => data.customer).map(({ data }) => (data.customer as { email: string }).email),
    Array(7).fill('c4@example.com')
  )
  await isRight()
})

test('who was merged leads in one step to who was kept, also when messages of merges come in the wrong order', async () => {
  const { ids, merge, inStore, change, balances, isRight } = await customers(4)
  const [a, b, c, d] = ids as [number, number, number, number]
  await change(aChange(a, 1), aChange(b, 20), aChange(c, 300))
  assert.deepEqual(await inStore(merge(1, 2)), { from: b, to: c })
  assert.deepEqual(await inStore(merge(0, 1)), { from: a, to: c })
  assert.deepEqual(await inStore(merge(2, 3)), { from: c, to: d })
  assert.deepEqual(await balances(), [0, 0, 0, 321])
  const steps = await inStore(({ tx, storeId }) =>
    tx.run(sql`select from members where store_id = ${storeId} and merged_into = ${d}`)
  )
  assert.equal(steps, 3)
  assert.deepEqual(await inStore((ctx) => followMerges(ctx, [a, b, c, d])), new Map(ids.map((id) => [id, d])))
  assert.equal(await inStore(merge(3, 0)), null, 'the last one cannot be merged into those who lead to them')
  await isRight()
})

for (const before of [0, 50]) {
  const what = before > 0 ? 'an account' : 'no account'
  test(`a change that waits for the merge of a customer with ${what} is one of who was kept`, async () => {
    const { store, ids, merge, change, balances, isRight } = await customers()
    const [from, to] = ids as [number, number]
    if (before > 0) await change(aChange(from, before))
    const added = await atOnce(store, merge(0, 1), (ctx) => changeCredits(ctx, [aChange(from, 10), aChange(from, -1)]))
    assert.equal(added.status === 'fulfilled' && added.value[0]!.entry!.memberId, to)
    assert.deepEqual(await balances(), [0, before + 9])
    await isRight()
  })

  test(`a merge waits for a change of a customer with ${what}, and moves what was added`, async () => {
    const { store, ids, merge, change, balances, isRight } = await customers()
    if (before > 0) await change(aChange(ids[0]!, before))
    let hasWaited = false
    const merged = await atOnce(
      store,
      (ctx) => changeCredits(ctx, [aChange(ids[0]!, 10)]),
      merge(0, 1),
      async () => {
        hasWaited = true
      }
    )
    assert.deepEqual([merged.status, hasWaited], ['fulfilled', true])
    assert.deepEqual(await balances(), [0, before + 10])
    await isRight()
  })
}

test('a reservation that waits for a merge holds the credit of who was kept', async () => {
  const { store, ids, merge, change, isRight } = await customers()
  await change(aChange(ids[0]!, 50))
  const reserved = await atOnce(store, merge(0, 1), (ctx) => reserveCredit(ctx, [aReservation(ids[0]!, 50)]))
  assert.equal(reserved.status === 'fulfilled' && reserved.value[0]!.reservation!.memberId, ids[1])
  await isRight()
})

test('a merge of a customer without credit leaves no account behind', async () => {
  const { ids, merge, inStore } = await customers()
  await inStore(merge(0, 1))
  await inStore(async ({ tx, storeId }) => {
    const accounts = sql`select from credit_accounts where store_id = ${storeId} and member_id = any(${ids}::bigint[])`
    assert.equal(await tx.run(accounts), 0)
  })
})

test('reservations that a merge has ended are those of who was kept, and say how they ended', async () => {
  const { ids, merge, change, inStore } = await customers(3)
  const [from, to, other] = ids as [number, number, number]
  await change(aChange(from, 50))
  const [outcome] = await inStore((ctx) => reserveCredit(ctx, [aReservation(from, 50)]))
  const { id } = outcome!.reservation!
  await inStore(merge(0, 1))
  assert.equal((await inStore((ctx) => findReservationOf(ctx, to, id)))!.abortedBy, 'merged')
  assert.equal(await inStore((ctx) => findReservationOf(ctx, other, id)), null)
  const ends: ((ctx: Ctx, memberId: number, id: number) => Promise<unknown>)[] = [
    captureReservation,
    releaseReservation
  ]
  for (const end of ends) {
    await assert.rejects(
      inStore((ctx) => end(ctx, to, id)),
      /ended at .*, when its customer was merged into another/
    )
    await assert.rejects(
      inStore((ctx) => end(ctx, other, id)),
      { code: 'not_found' }
    )
  }
})

test('the auditor names the credit of merged customers, and what is past its date expires where it is', async () => {
  const { store, ids, merge, change, inStore } = await customers()
  const [from, to] = ids as [number, number]
  const end = at(START).add({ hours: 1 })
  await change(aChange(from, 30, { expiresAt: end }))
  await moveTo(store, end.toString())
  await inStore(merge(0, 1))
  const findings = async () => (await inStore(audit)).findings
  assert.deepEqual(await findings(), [])
  await change(aChange(from, 1166, { type: 'reconciled', isOwn: true }))
  assert.deepEqual(await findings(), [
    {
      check: 'credit_of_merged_customers',
      subject: `cust_${from}`,
      message: `was merged into cust_${to} and has 11.96 USD of store credit, 11.96 USD of it in lots`
    }
  ])
  assert.equal(await createCreditEngine({ db }).runOnce(store.storeId), 1)
  assert.match((await findings())[0]!.message, /has 11\.66 USD/)
  await change(aChange(from, -1166, { isOwn: true }))
  assert.deepEqual(await findings(), [])
})

test('for a customer who is deleted on the platform nobody adds or reserves credit; it is read, deducted and given back', async () => {
  const { ids, change, inStore, balances, isRight } = await customers(2)
  const [who, never] = ids as [number, number]
  const [, spent] = await change(aChange(who, 500), aChange(who, -200, { type: 'redemption' }))
  await inStore((ctx) => markCustomersDeleted(ctx, ['1', '2']))
  const refusal = (id: number) => ({
    code: 'invalid_request',
    message: `customer_id must be a customer who is not deleted on the platform: cust_${id} was deleted there, and their store credit can only be read and deducted`
  })
  for (const id of [who, never]) {
    for (const type of ['manual_add', 'import'] as const) {
      const [added] = await change(aChange(id, 100, { type }))
      assert.deepEqual({ code: added!.refusal?.code, message: added!.refusal?.message }, refusal(id))
    }
    const [reserved] = await inStore((ctx) => reserveCredit(ctx, [aReservation(id, 100)]))
    assert.equal(reserved!.refusal?.message, refusal(id).message)
    const counted = { memberId: id, balanceMinor: 900, reason: 'x', operationId: `counted:${id}` }
    await assert.rejects(
      inStore((ctx) => reconcileCredit(ctx, counted)),
      refusal(id)
    )
  }
  assert.deepEqual(await balances(), [300, 0])
  const [deducted] = await change(aChange(who, -100))
  assert.equal(deducted!.credit!.balanceMinor, 200)
  const back = { entryId: spent!.entry!.id, memberId: who, reason: 'x', operationId: 'back' }
  await inStore((ctx) => restoreCredit(ctx, [{ ...back, type: 'redemption_restored' }]))
  const less = { memberId: who, balanceMinor: 100, reason: 'x', operationId: 'less' }
  assert.equal((await inStore((ctx) => reconcileCredit(ctx, less))).credit.balanceMinor, 100)
  const drift = { memberId: who, balanceMinor: 150, reason: 'x', operationId: 'drift', mark: 'drift' as const }
  assert.equal((await inStore((ctx) => reconcileCredit(ctx, drift))).credit.balanceMinor, 150)
  await isRight()
})
