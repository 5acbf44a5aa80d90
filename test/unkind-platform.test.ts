// A platform that protects nobody: each thing that it may do, and what follows here. With the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { sql } from '#kit/postgres'
import { pauseSubscription, resumeSubscription } from '#lifecycle'
import type { PlatformAttempt } from '#platform'
import { requestedScopes } from '#platform'
import { listAlerts } from '#stores'
import { UNKIND } from '../sandbox/index.ts'
import { startSandbox } from '../sandbox/start-sandbox.test-helper.ts'
import { insertAttempts } from '../src/billing/attempts/attempt.ts'
import { type AttemptResult, resultOf } from '../src/billing/attempts/attempt-result.ts'
import { claimAttempts } from '../src/billing/charging/claims.ts'
import { openDueAttempts } from '../src/billing/charging/open-attempts.ts'
import { retryAttempt } from '../src/billing/charging/retry-attempt.ts'
import { adoptPayments } from '../src/billing/settling/adopt-payments.ts'
import { settleAttempts } from '../src/billing/settling/settle-attempts.ts'
import { aChargedMember } from './charged-member.ts'
import { withCalls } from './connectors.ts'
import { testDatabase } from './database.ts'
import { theValue } from './fake-platform.ts'
import { submitAttempts } from './submit-attempts.ts'

const { db } = await testDatabase()
const sandbox = await startSandbox(db, requestedScopes)
const SECOND = '2026-02-28T15:00:00Z'
const THIRD = '2026-03-31T14:00:00Z'
const at = (when: string) => Temporal.Instant.from(when)

type Member = Awaited<ReturnType<typeof aChargedMember>>
const aMember = (outcome?: string | string[], ...rest: [] | [Parameters<typeof aChargedMember>[3]]) =>
  aChargedMember(db, sandbox, outcome, ...rest)

/** Applies results, as a message or a reconciliation does. */
async function apply(m: Member, results: AttemptResult[]): Promise<number> {
  const settled = await m.inStore((ctx) => settleAttempts(ctx, results))
  return settled + (await m.inStore((ctx) => adoptPayments(ctx, results)))
}

/** Reads these attempts and applies what the platform says of them now. */
async function report(m: Member, ...ids: string[]): Promise<number> {
  const found: Map<string, PlatformAttempt> = theValue(await m.connector.billing.findAttempts(ids))
  const results = [...found.values()].flatMap((attempt) => resultOf(attempt) ?? [])
  return apply(m, results)
}

/** The shop's staff charges a cycle of the contract by hand. */
async function chargeByHand(m: Member, cycleAt: string, key = 'by-hand'): Promise<string> {
  const cycle = { originTime: at(cycleAt), cycleAt: at(cycleAt) }
  const { id } = theValue(
    await m.connector.billing.createAttempt({ contractId: m.contractId, idempotencyKey: key, ...cycle })
  )
  await m.shop.settle()
  return id
}

/** The platform's charges: their keys, and that no period has two. */
async function keysOfCharges(m: Member): Promise<string[]> {
  assert.deepEqual(
    (await m.disagreements()).filter((message) => /charged \d+ times/.test(message)),
    []
  )
  return m.charges()
}

const alertOf = async (m: Member, kind: string) =>
  (await m.inStore((ctx) => listAlerts(ctx))).alerts.filter((alert) => alert.kind === kind)

test('the unkind platform does charge a cycle twice, and the doctor counts it by the orders', async () => {
  const m = await aMember()
  await m.goTo(SECOND)
  await m.bill()
  await chargeByHand(m, SECOND)
  assert.equal((await m.charges()).length, 2)
  const [twice] = (await m.disagreements()).filter((message) =>
    /charged 2 times for the period of 2026-02-28/.test(message)
  )
  assert.ok(twice)
})

// Keys are forgotten.

test('after a lost answer the platform is searched for the attempt before its forgotten key is sent again', async () => {
  for (const minutes of [5, 0]) {
    const m = await aMember(['lost', 'success'])
    const faults = { ...UNKIND, keyMinutes: minutes }
    await m.shop.sandbox.controls.setChargeFaults({ storeId: m.shop.storeId, faults })
    await m.goTo(SECOND)
    await m.bill()
    assert.deepEqual(await m.shown(), [['success', null]])
    assert.equal((await keysOfCharges(m)).length, 1)
  }
})

test('an attempt whose call never arrived is sent again, under its own key', async () => {
  const m = await aMember()
  await m.goTo(SECOND)
  await m.open()
  await m.inStore((ctx) => claimAttempts(ctx, 10, 1))
  await m.inStore(({ tx }) =>
    tx.run(sql`update billing_attempts set leased_until = null where store_id = ${m.storeId}`)
  )
  await m.submit()
  await m.goTo('2026-02-28T16:12:00Z')
  await m.submit()
  // Contract, cycle and number of the try: the same after a restore of a backup.
  assert.deepEqual(await keysOfCharges(m), [`svc-${m.contractId}-2-1`])
  assert.deepEqual(await m.shown(), [['success', null]])
})

test('while the platform cannot be searched, nothing is sent again', async () => {
  const m = await aMember(['lost', 'success'])
  await m.goTo(SECOND)
  await m.open()
  await m.submit()
  const failure = { kind: 'unavailable' as const, message: 'down' }
  const blind = withCalls(m.connector, { billing: { findAttemptsByKeys: async () => ({ ok: false, failure }) } })
  for (const when of ['2026-02-28T15:11:00Z', '2026-02-28T16:12:00Z', '2026-03-01T16:00:00Z']) {
    await m.goTo(when)
    await submitAttempts(db, m.storeId, blind, 1)
  }
  assert.deepEqual(await m.shown(), [['pending', null]])
  assert.equal((await m.charges()).length, 1)
  await m.goTo('2026-03-02T17:00:00Z')
  await m.submit()
  assert.deepEqual(await m.shown(), [['success', null]])
  assert.equal((await keysOfCharges(m)).length, 1)
})

test('an outcome that is unknown is given no other key by a pause and a resumption', async () => {
  const m = await aMember(['lost', 'success'])
  await m.goTo(SECOND)
  await m.open()
  await m.submit()
  await m.inStore((ctx) => pauseSubscription(ctx, m.id, null, 'api'))
  await m.inStore((ctx) => resumeSubscription(ctx, m.id, null, 'api'))
  await m.goTo('2026-02-28T15:30:00Z')
  await m.bill()
  assert.equal((await keysOfCharges(m)).length, 1)
})

// A stable key and the search before it is sent again: each holds alone.

test('without the search, the stable key alone keeps a platform that remembers keys from charging again', async () => {
  const m = await aMember(['lost', 'success'])
  await m.shop.sandbox.controls.setChargeFaults({
    storeId: m.shop.storeId,
    faults: { paysAgain: true, renumbers: true }
  })
  const blind = withCalls(m.connector, { billing: { findAttemptsByKeys: async () => ({ ok: true, value: [] }) } })
  await m.goTo(SECOND)
  await m.open()
  await submitAttempts(db, m.storeId, blind, 1)
  for (const when of ['2026-02-28T15:11:00Z', '2026-02-28T16:12:00Z']) {
    await m.goTo(when)
    await submitAttempts(db, m.storeId, blind, 1)
  }
  assert.deepEqual(await m.shown(), [['success', null]])
  assert.equal((await keysOfCharges(m)).length, 1)
})

test('without a memory of keys, the search alone keeps a repeated call from charging again', async () => {
  const m = await aMember(['lost', 'lost', 'success'])
  await m.shop.sandbox.controls.setChargeFaults({ storeId: m.shop.storeId, faults: { paysAgain: true, keyMinutes: 0 } })
  await m.goTo(SECOND)
  await m.open()
  await m.submit()
  for (let crash = 0; crash < 3; crash++) {
    await m.goTo(m.shop.now.add({ minutes: 1 }).toString())
    await m.inStore(({ tx }) =>
      tx.run(
        sql`update billing_attempts set check_at = ${m.shop.now} where store_id = ${m.storeId} and status = 'pending'`
      )
    )
    await m.submit()
  }
  assert.equal((await keysOfCharges(m)).length, 1)
  assert.deepEqual(await m.shown(), [['success', null]])
})

// The lock of the subscription and the constraint of one open or paid attempt: each holds alone.

test('one cycle gets one attempt at a time: by the lock without the constraint, and by the constraint without the lock', async () => {
  const { db: own, url } = await testDatabase()
  const ownSandbox = await startSandbox(own)
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  await owner.query('drop index billing_attempts_one_open_or_paid')
  await owner.end()
  const locked = await aChargedMember(own, ownSandbox, ['insufficient_funds', 'success'])
  await locked.goTo(SECOND)
  await locked.bill()
  const [declined] = await locked.attempts()
  await locked.goTo('2026-03-02T16:00:00Z')
  const tries = await Promise.allSettled([
    ...Array.from({ length: 6 }, () => locked.inStore((ctx) => retryAttempt(ctx, declined!.id, 'api'))),
    ...Array.from({ length: 3 }, () => locked.inStore((ctx) => openDueAttempts(ctx, 10)))
  ])
  const unexpected = tries.filter((t) => t.status === 'rejected' && t.reason.code !== 'conflict')
  assert.deepEqual(unexpected, [])
  assert.equal((await locked.attempts()).filter(({ status }) => status === 'pending').length, 1)

  const m = await aMember()
  await m.goTo(SECOND)
  const cycle = {
    subscriptionId: m.id,
    platformContractId: m.contractId,
    cycle: 2,
    cycleAt: at(SECOND),
    amountMinor: 2900,
    currency: 'USD',
    attemptsRemaining: 4
  }
  const inserted = await Promise.all(Array.from({ length: 8 }, () => m.inStore((ctx) => insertAttempts(ctx, [cycle]))))
  assert.equal(inserted.flat().length, 1)
  assert.equal((await m.attempts()).length, 1)
})

// Cycles are renumbered by an edit.

test('edits that renumber the cycles lead to no second charge of a period, neither in dunning nor after it', async () => {
  const m = await aMember(['insufficient_funds', 'success'])
  const edit = async (priceMinor: number) => {
    const contract = theValue(await m.connector.contracts.find(m.contractId))!
    const line = { id: contract.lines[0]!.id, priceMinor, sold: null }
    const edited = { contractId: m.contractId, currency: 'USD', lines: [line], total: null, policy: null }
    theValue(await m.connector.contracts.edit({ ...edited, paymentMethodGid: null }))
    await m.sync()
  }
  await edit(2800)
  await m.goTo(SECOND)
  await m.bill()
  await edit(2700)
  await m.goTo('2026-03-02T16:00:00Z')
  await m.bill()
  assert.deepEqual(
    (await m.shown()).map(([status]) => status),
    ['failed', 'success']
  )
  await edit(2600)
  await edit(2500)
  await m.goTo('2026-03-20T15:00:00Z')
  await m.open()
  await m.submit()
  assert.equal((await keysOfCharges(m)).length, 1)
  theValue(await m.connector.contracts.setNextBillingDate(m.contractId, at(THIRD)))
  await edit(2400)
  await m.goTo(THIRD)
  await m.bill()
  assert.deepEqual(await m.now(), ['active', 3, 3, 0, '2026-04-30T14:00:00Z'])
  assert.equal((await keysOfCharges(m)).length, 2)
  assert.deepEqual(await m.disagreements(), [])
})

test('a platform that calls a renumbered cycle paid by mistake is not charged around it', async () => {
  const m = await aMember(['success', 'invoice_already_paid', 'success'])
  await m.goTo(SECOND)
  await m.bill()
  theValue(await m.connector.contracts.setNextBillingDate(m.contractId, at(THIRD)))
  await m.goTo(THIRD)
  await m.bill()
  await m.submit()
  assert.deepEqual((await m.shown()).at(-1), ['failed', 'already_paid'])
  assert.deepEqual(await m.alerts(), ['paid_elsewhere'])
  assert.equal((await keysOfCharges(m)).length, 1)
})

// A result never comes, comes late, or comes twice and differs.

test('an attempt without a result stays pending under its key, and the doctor reports it', async () => {
  const m = await aMember('never')
  await m.goTo(SECOND)
  await m.bill()
  for (let day = 1; day <= 9; day++) {
    await m.goTo(
      at(SECOND)
        .add({ hours: 24 * day })
        .toString()
    )
    await m.open()
    await m.submit()
  }
  assert.deepEqual(await m.shown(), [['pending', null]])
  assert.equal((await m.shop.sandbox.controls.counts(m.shop.storeId)).attempts, 1)
  assert.ok((await m.findings()).includes('outcomes_known'))
})

test('a result that comes a day late is read without a message, and the cycle is charged once', async () => {
  const m = await aMember('late')
  await m.goTo(SECOND)
  await m.bill()
  for (const hours of [1, 7, 25]) {
    await m.goTo(at(SECOND).add({ hours, minutes: 30 }).toString())
    await m.submit()
  }
  assert.deepEqual(await m.shown(), [['pending', null]])
  await m.goTo(at(SECOND).add({ hours: 60 }).toString())
  await m.submit()
  assert.deepEqual(await m.shown(), [['success', null]])
  assert.deepEqual(await m.now(), ['active', 2, 2, 0, THIRD])
  assert.equal((await keysOfCharges(m)).length, 1)
})

test('a charge that is reported as paid and then as failed stays paid, is reported once, and is not charged again', async () => {
  const m = await aMember(['reversed', 'success'])
  await m.goTo(SECOND)
  await m.bill()
  assert.deepEqual(await m.shown(), [['success', null]])
  const [attempt] = await m.attempts()
  await m.goTo('2026-02-28T17:00:00Z')
  for (let times = 0; times < 3; times++) await report(m, attempt!.platform!)
  assert.deepEqual(await m.shown(), [['success', null]])
  assert.equal((await alertOf(m, 'charge_reversed')).length, 1)
  assert.equal((await m.kinds()).filter((kind) => kind === 'reconciled').length, 1)
  assert.ok((await m.warnings()).includes('charge_reversed'))
  await m.goTo('2026-03-20T15:00:00Z')
  await m.bill()
  assert.equal((await keysOfCharges(m)).length, 1)
  assert.deepEqual(await m.disagreements(), [])
  assert.deepEqual(await m.now(), ['active', 2, 2, 0, THIRD])
})

test('a stale report of a failure that was corrected since takes nothing back', async () => {
  const m = await aMember('corrected')
  await m.goTo(SECOND)
  await m.bill()
  const [attempt] = await m.attempts()
  const [stale] = [...theValue(await m.connector.billing.findAttempts([attempt!.platform!])).values()]
  await m.goTo('2026-02-28T17:00:00Z')
  await report(m, attempt!.platform!)
  await apply(m, [resultOf(stale!)!])
  assert.deepEqual(await m.shown(), [['success', null]])
  assert.deepEqual(await m.alerts(), [])
})

// A charge succeeds after it was reported as failed.

test('a late success stops the dunning: no retry, no charge, no end', async () => {
  for (const outcome of ['corrected', 'reported_failed']) {
    const m = await aMember([outcome, 'success'])
    await m.goTo(SECOND)
    await m.bill()
    const [failed] = await m.attempts()
    assert.deepEqual([failed!.status, (await m.now())[3]], ['failed', 1])
    await m.goTo('2026-02-28T17:00:00Z')
    await report(m, failed!.platform!)
    assert.deepEqual(await m.now(), ['active', 2, 2, 0, THIRD], outcome)
    for (const when of ['2026-03-02T16:00:00Z', '2026-03-07T16:00:00Z', '2026-03-21T16:00:00Z']) {
      await m.goTo(when)
      await m.bill()
    }
    assert.deepEqual(await m.shown(), [['success', null]], outcome)
    assert.equal((await keysOfCharges(m)).length, 1)
  }
})

test('a retry that a person asks for before the platform corrects itself is recorded as a second charge', async () => {
  const m = await aMember(['reported_failed', 'success'])
  await m.goTo(SECOND)
  await m.bill()
  const [failed] = await m.attempts()
  await m.inStore((ctx) => retryAttempt(ctx, failed!.id, 'api'))
  await m.bill()
  await m.goTo('2026-02-28T17:00:00Z')
  await report(m, failed!.platform!)
  assert.deepEqual(await m.shown(), [
    ['failed', 'card_declined'],
    ['success', null]
  ])
  assert.deepEqual(await m.alerts(), ['charged_twice'])
  assert.equal((await m.charges()).length, 2)
})

// A cycle is paid under a key that is not ours.

test('a payment by hand that was reported before the cycle is due has paid it', async () => {
  const m = await aMember()
  await m.goTo('2026-02-27T15:00:00Z')
  const id = await chargeByHand(m, SECOND)
  assert.equal(await report(m, id), 1)
  assert.equal(await report(m, id), 0)
  await m.goTo(SECOND)
  await m.bill()
  assert.deepEqual(await m.shown(), [['success', null]])
  assert.deepEqual(await keysOfCharges(m), ['by-hand'])
  assert.deepEqual(await m.disagreements(), [])
  assert.deepEqual(await m.now(), ['active', 2, 2, 0, THIRD])
  assert.deepEqual(
    (await m.events()).map(({ type }) => type),
    ['billing.pending', 'billing.success']
  )
  await report(m, id)
  assert.deepEqual(await m.alerts(), [])
})

test('a payment by hand in dunning has paid the cycle: its retry is not made', async () => {
  const m = await aMember(['insufficient_funds', 'success'])
  await m.goTo(SECOND)
  await m.bill()
  await m.goTo('2026-03-01T15:00:00Z')
  await report(m, await chargeByHand(m, SECOND))
  assert.deepEqual(
    (await m.attempts()).map(({ status, retryAt }) => [status, retryAt]),
    [
      ['failed', null],
      ['success', null]
    ]
  )
  for (const when of ['2026-03-02T16:00:00Z', '2026-03-07T16:00:00Z']) {
    await m.goTo(when)
    await m.bill()
  }
  assert.deepEqual(await keysOfCharges(m), ['by-hand'])
  assert.deepEqual(await m.now(), ['active', 2, 2, 0, THIRD])
})

test('a payment by hand before our attempt is sent settles that attempt', async () => {
  const m = await aMember()
  await m.goTo(SECOND)
  await m.open()
  await report(m, await chargeByHand(m, SECOND))
  await m.submit()
  assert.deepEqual(await m.shown(), [['success', null]])
  assert.deepEqual(await keysOfCharges(m), ['by-hand'])
})

test('a payment by hand while our attempt is under way has paid the cycle as soon as ours is declined', async () => {
  const m = await aMember(['3ds', 'success'])
  await m.goTo(SECOND)
  await m.open()
  await m.submit()
  await m.shop.settle()
  const id = await chargeByHand(m, SECOND)
  assert.equal(await report(m, id), 0)
  assert.equal((await alertOf(m, 'paid_outside')).length, 1)
  await report(m, id)
  assert.equal((await alertOf(m, 'paid_outside')).length, 1)
  // Nobody confirms ours within seven days.
  await m.goTo('2026-03-08T15:00:00Z')
  await m.submit()
  assert.equal((await m.shown())[0]![0], 'failed')
  assert.deepEqual(
    (await m.attempts()).map(({ status, platform, retryAt }) => [status, platform === id, retryAt]),
    [
      ['failed', false, null],
      ['success', true, null]
    ]
  )
  assert.deepEqual(await m.now(), ['active', 2, 2, 0, THIRD])
  assert.deepEqual(await keysOfCharges(m), ['by-hand'])
  assert.equal((await alertOf(m, 'charged_twice')).length, 0)
})

test('a charge of ours that we have lost the record of has paid its cycle', async () => {
  const m = await aMember()
  await m.goTo(SECOND)
  // As after a restore of yesterday's backup: the platform has our charge of the cycle, and we do not.
  const id = await chargeByHand(m, SECOND, `svc-${m.contractId}-2-1`)
  assert.equal(await report(m, id), 1)
  await m.bill()
  assert.deepEqual(await m.shown(), [['success', null]])
  assert.equal((await keysOfCharges(m)).length, 1)
})

test('a payment by hand of a cycle that is paid is reported once, and counts for no cycle', async () => {
  const m = await aMember()
  await m.goTo(SECOND)
  await m.bill()
  const id = await chargeByHand(m, SECOND)
  for (let times = 0; times < 2; times++) assert.equal(await report(m, id), 0)
  assert.equal((await alertOf(m, 'paid_outside')).length, 1)
  assert.deepEqual(await m.now(), ['active', 2, 2, 0, THIRD])
})

test('no request of this file caused an internal error', () => assert.deepEqual(sandbox.bugs, []))
