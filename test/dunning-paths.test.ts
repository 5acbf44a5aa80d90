// Every path of dunning after a failed charge, with the sandbox over its socket.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { requestedScopes } from '#platform'
import { updateSettings } from '#stores'
import { lockSubscriptions } from '#subscriptions'
import { scheduleSettings } from '#subscriptions/settings'
import { startSandbox } from '../sandbox/start-sandbox.test-helper.ts'
import { retryHeldCharges } from '../src/billing/dunning/retry-on-payment-method-update.ts'
import { endChargesPastDeadline } from '../src/billing/settling/end-charges-past-deadline.ts'
import { aChargedMember } from './charged-member.ts'
import { withCalls } from './connectors.ts'
import { testDatabase } from './database.ts'
import { theValue } from './fake-platform.ts'
import { submitAttempts } from './submit-attempts.ts'

const { db } = await testDatabase()
const sandbox = await startSandbox(db, requestedScopes)
const SECOND = '2026-02-28T15:00:00Z'
type Given = Parameters<typeof aChargedMember>
const aMember = (outcome?: Given[2], dunning?: Given[3]) => aChargedMember(db, sandbox, outcome, dunning)

for (const [onFailure, end] of [
  ['cancel', 'cancelled'],
  ['pause', 'paused'],
  ['fail', 'failed']
] as const) {
  test(`after a hard decline the charge waits for a new card, and then on_failure applies: ${onFailure}`, async () => {
    const m = await aMember('expired_card', { onFailure, hardDeclineWaitDays: 10 })
    await m.goTo(SECOND)
    await m.bill()
    assert.deepEqual(await m.now(), ['active', 1, 1, 1, null])
    await m.goTo('2026-03-10T14:00:00Z')
    assert.equal(await m.inStore((ctx) => endChargesPastDeadline(ctx, 10)), 0)
    await m.goTo('2026-03-10T16:00:00Z')
    assert.equal(await m.inStore((ctx) => endChargesPastDeadline(ctx, 10)), 1)
    assert.equal((await m.now())[0], end)
    assert.equal(await m.inStore((ctx) => endChargesPastDeadline(ctx, 10)), 0)
    assert.ok((await m.kinds()).includes('retries_exhausted'))
  })
}

test('a charge that waits for a card ends at the deadline only if it is still waiting', async () => {
  const m = await aMember('expired_card')
  await m.goTo(SECOND)
  await m.bill()
  await m.card('success')
  await m.inStore((ctx) => retryHeldCharges(ctx, [m.contractId]))
  await m.bill()
  assert.deepEqual(await m.now(), ['active', 2, 2, 0, '2026-03-31T14:00:00Z'])
  assert.deepEqual((await m.kinds()).slice(0, 2), ['recovered', 'charge_succeeded'])
  await m.goTo('2026-03-30T00:00:00Z')
  assert.equal(await m.inStore((ctx) => endChargesPastDeadline(ctx, 10)), 0)
  const forEver = await aMember('expired_card', { hardDeclineWaitDays: null })
  await forEver.goTo(SECOND)
  await forEver.bill()
  await forEver.goTo('2027-02-28T15:00:00Z')
  assert.equal(await forEver.inStore((ctx) => endChargesPastDeadline(ctx, 10)), 0)
})

test('a new card moves the next retry of a soft decline forward', async () => {
  const m = await aMember('insufficient_funds')
  await m.goTo(SECOND)
  await m.bill()
  await m.goTo('2026-03-01T00:00:00Z')
  await m.card('success')
  await m.inStore((ctx) => retryHeldCharges(ctx, [m.contractId]))
  assert.deepEqual((await m.attempts())[0]!.retryAt, '2026-03-01 00:00:00+00')
  await m.bill()
  assert.deepEqual(await m.shown(), [
    ['failed', 'card_declined'],
    ['success', null]
  ])
  assert.equal((await m.charges()).length, 1)
})

test('another payment method of the contract has the same effect as a new card', async () => {
  for (const code of ['insufficient_funds', 'expired_card']) {
    const m = await aMember(code)
    await m.sync()
    await m.goTo(SECOND)
    await m.bill()
    await m.card('success')
    assert.deepEqual((await m.sync()).changed, [m.contractId])
    await m.bill()
    assert.deepEqual((await m.now()).slice(1, 4), [2, 2, 0], code)
    assert.deepEqual((await m.sync()).changed, [])
  }
})

test('missing stock has its own retry schedule, which a new card does not shorten, and then the cycle is missed', async () => {
  const m = await aMember('insufficient_inventory', { inventory: { retryAfterDays: [1, 2] } })
  await m.goTo(SECOND)
  await m.bill()
  const retry = (await m.now())[4]
  assert.deepEqual(await m.now(), ['active', 1, 1, 0, retry])
  assert.match(String(retry), /^2026-03-01T15:/)
  await m.inStore((ctx) => retryHeldCharges(ctx, [m.contractId]))
  assert.deepEqual((await m.now())[4], retry)
  await m.goTo('2026-03-01T16:00:00Z')
  await m.bill()
  await m.goTo('2026-03-03T17:00:00Z')
  await m.bill()
  assert.deepEqual(await m.shown(), Array(3).fill(['failed', 'insufficient_inventory']))
  // Cycle 3 is next, and declines of cycle 2 do not count for it.
  assert.deepEqual(await m.now(), ['active', 1, 1, 0, '2026-03-31T14:00:00Z'])
  const [s] = await m.inStore((ctx) => lockSubscriptions(ctx, [m.id]))
  assert.deepEqual([s!.nextCycle, s!.inventoryFailures], [3, 0])
  assert.ok((await m.kinds()).includes('skipped'))
  await m.card('success')
  await m.goTo('2026-03-31T14:00:00Z')
  await m.bill()
  assert.deepEqual(await m.now(), ['active', 3, 2, 0, '2026-04-30T14:00:00Z'])
})

test('a call that the platform rejects is repeated with its key, then held with an alert; the retry schedule is unaffected', async () => {
  const m = await aMember()
  await m.goTo(SECOND)
  const failure = { kind: 'rejected' as const, code: 'processing_failed', message: 'Failed to process' }
  const keys = new Set<string>()
  const refusing = withCalls(m.connector, {
    billing: {
      createAttempts: async (requests) =>
        requests.map(({ idempotencyKey }) => {
          keys.add(idempotencyKey)
          return { ok: false, failure }
        })
    }
  })
  await m.open()
  for (let calls = 1; calls <= 5; calls++) {
    await submitAttempts(db, m.storeId, refusing, 1)
    assert.deepEqual(await m.shown(), [calls < 5 ? ['pending', null] : ['failed', 'not_accepted']])
    await m.goTo(
      Temporal.Instant.from(SECOND)
        .add({ hours: calls * 25 })
        .toString()
    )
  }
  assert.equal(keys.size, 1)
  assert.deepEqual(await m.now(), ['active', 1, 1, 0, null])
  assert.deepEqual(await m.alerts(), ['charge_not_accepted'])
  await m.inStore((ctx) => retryHeldCharges(ctx, [m.contractId]))
  await m.bill()
  assert.deepEqual(await m.now(), ['active', 2, 2, 0, '2026-03-31T14:00:00Z'])
})

test('an error of the shop is retried, with one alert a day', async () => {
  const m = await aMember('merchant_account_error')
  await m.goTo(SECOND)
  await m.bill()
  assert.deepEqual(await m.shown(), [['failed', 'merchant_problem']])
  assert.deepEqual(await m.alerts(), ['merchant_problem'])
  assert.equal((await m.now())[3], 1)
})

test('a contract that was paused on the platform for a moment is billed once, an hour later', async () => {
  const m = await aMember()
  await m.goTo(SECOND)
  theValue(await m.connector.contracts.pause(m.contractId))
  await m.open()
  await m.submit()
  assert.deepEqual(await m.shown(), [['failed', 'contract_not_billable']])
  theValue(await m.connector.contracts.activate(m.contractId))
  await m.sync()
  assert.deepEqual(await m.now(), ['active', 1, 1, 0, '2026-02-28T16:00:00Z'])
  await m.goTo('2026-02-28T16:00:00Z')
  await m.bill()
  assert.deepEqual(await m.now(), ['active', 2, 2, 0, '2026-03-31T14:00:00Z'])
  assert.equal((await m.charges()).length, 1)
  assert.deepEqual(await m.alerts(), [])
})

for (const [catchUp, charged] of [
  ['latest', [5]],
  ['all', [2, 3, 4, 5]]
] as const) {
  test(`cycles that were missed while the service was down: ${catchUp}`, async () => {
    const m = await aMember()
    await m.inStore((ctx) => updateSettings(ctx, scheduleSettings, { catchUp }))
    await m.goTo('2026-06-10T00:00:00Z')
    for (let i = 0; i < 6; i++) await m.bill()
    const keys = (await m.attempts()).map(({ key }) => Number(key.split('-')[2]))
    assert.deepEqual(keys, charged)
    assert.equal((await m.charges()).length, charged.length)
    assert.deepEqual(await m.now(), ['active', 5, 1 + charged.length, 0, '2026-06-30T14:00:00Z'])
  })
}

test('max_cycles counts paid cycles, not missed ones', async () => {
  const m = await aMember()
  await m.inStore(({ tx }) => tx.run(sql`update subscriptions set max_cycles = 3 where store_id = ${m.storeId}`))
  for (const when of ['2026-04-30T14:00:00Z', '2026-06-30T14:00:00Z']) {
    await m.goTo(when)
    await m.bill()
  }
  assert.deepEqual(await m.now(), ['active', 6, 3, 0, '2026-07-31T14:00:00Z'])
  await m.goTo('2026-07-31T14:00:00Z')
  await m.bill()
  assert.equal((await m.now())[0], 'expired')
  assert.equal((await m.charges()).length, 2)
})

test('retries request the amount of the first attempt, and the amount shown is the one that the platform charged', async () => {
  const m = await aMember(['insufficient_funds', 'success'])
  await m.goTo(SECOND)
  await m.bill()
  await m.inStore(({ tx }) => tx.run(sql`update subscriptions set price_minor = 9900 where store_id = ${m.storeId}`))
  await m.goTo('2026-03-02T16:00:00Z')
  await m.bill()
  assert.deepEqual(await m.amounts(), [
    [2900, null, false],
    [2900, null, true]
  ])
  assert.equal(await m.isSynced(), false)
  await m.goTo('2026-03-31T14:00:00Z')
  await m.bill()
  assert.deepEqual((await m.amounts()).at(-1), [2900, 9900, false])
  // The platform charged another price: the contract is synced, and the price is correct before the next charge.
  assert.equal(await m.isSynced(), true)
})
