// The platform reports a wrong result, or none, for a charge: the cycle is never charged twice. With the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { cancelSubscription } from '#lifecycle'
import { requestedScopes } from '#platform'
import { startSandbox } from '../sandbox/start-sandbox.test-helper.ts'
import { claimAttempts } from '../src/billing/charging/claims.ts'
import { openDueAttempts } from '../src/billing/charging/open-attempts.ts'
import { retryAttempt } from '../src/billing/charging/retry-attempt.ts'
import { settleAttempts } from '../src/billing/settling/settle-attempts.ts'
import { aChargedMember } from './charged-member.ts'
import { withCalls } from './connectors.ts'
import { testDatabase } from './database.ts'
import { theValue } from './fake-platform.ts'
import { submitAttempts } from './submit-attempts.ts'

const { db } = await testDatabase()
const sandbox = await startSandbox(db, requestedScopes)
const SECOND = '2026-02-28T15:00:00Z'
const aMember = (outcome?: string | string[]) => aChargedMember(db, sandbox, outcome)

test('a charge that was paid although it was reported as failed is found before the next retry, which charges nothing', async () => {
  const m = await aMember(['reported_failed', 'success'])
  await m.goTo(SECOND)
  await m.bill()
  assert.deepEqual(await m.shown(), [['failed', 'card_declined']])
  assert.deepEqual((await m.now())[3], 1)

  await m.goTo('2026-03-02T16:00:00Z')
  await m.bill()
  assert.deepEqual(await m.shown(), [
    ['success', null],
    ['failed', 'superseded']
  ])
  assert.equal((await m.charges()).length, 1)
  assert.deepEqual(await m.now(), ['active', 2, 2, 0, '2026-03-31T14:00:00Z'])
  assert.deepEqual(
    (await m.events()).map(({ type }) => type),
    ['pending', 'failed', 'retry_scheduled', 'pending', 'failed', 'success'].map((type) => `billing.${type}`)
  )
  assert.ok((await m.kinds()).includes('charge_corrected'))

  await m.goTo('2026-03-31T14:00:00Z')
  await m.bill()
  assert.equal((await m.charges()).length, 2)
  assert.deepEqual(await m.now(), ['active', 3, 3, 0, '2026-04-30T14:00:00Z'])
})

test('a retry is not sent while the platform cannot be asked about the earlier attempt', async () => {
  const m = await aMember(['reported_failed', 'success'])
  await m.goTo(SECOND)
  await m.bill()
  await m.goTo('2026-03-02T16:00:00Z')
  await m.inStore((ctx) => openDueAttempts(ctx, 10))
  const failure = { kind: 'unavailable' as const, message: 'down' }
  const down = async () => ({ ok: false as const, failure })
  const silent = withCalls(m.connector, { billing: { findAttempts: down, findAttemptsByKeys: down } })
  await submitAttempts(db, m.storeId, silent, 1)
  assert.deepEqual(await m.shown(), [
    ['failed', 'card_declined'],
    ['pending', null]
  ])
  await m.goTo('2026-03-02T16:11:00Z')
  await m.submit()
  assert.deepEqual(await m.shown(), [
    ['success', null],
    ['failed', 'superseded']
  ])
  assert.equal((await m.charges()).length, 1)
})

test('a late success corrects the failure once and cancels its retry', async () => {
  const m = await aMember('reported_failed')
  await m.goTo(SECOND)
  await m.bill()
  const [failed] = await m.attempts()
  assert.ok(failed!.retryAt)
  await m.goTo('2026-02-28T17:00:00Z')
  assert.deepEqual(
    await Promise.all([m.recorded(failed!.platform!), m.recorded(failed!.platform!)]).then((n) => n.sort()),
    [0, 1]
  )
  const [corrected] = await m.attempts()
  assert.deepEqual([corrected!.status, corrected!.retryAt], ['success', null])
  assert.deepEqual(await m.now(), ['active', 2, 2, 0, '2026-03-31T14:00:00Z'])
  assert.equal((await m.events()).filter(({ type }) => type === 'billing.success').length, 1)
})

test('a late success waits for a retry in progress; a second payment is reported as a finding', async () => {
  for (const next of ['insufficient_funds', 'success']) {
    const m = await aMember('reported_failed')
    await m.goTo(SECOND)
    await m.bill()
    const [failed] = await m.attempts()
    // The retry is sent before the late success is known, as by a service that did not check.
    await m.inStore((ctx) => retryAttempt(ctx, failed!.id, 'api'))
    await m.inStore(({ tx }) =>
      tx.run(
        sql`update billing_attempts set submitted_at = scheduled_at where store_id = ${m.storeId} and status = 'pending'`
      )
    )
    await m.goTo('2026-02-28T17:00:00Z')
    await m.recorded(failed!.platform!)
    assert.deepEqual((await m.shown())[0], ['failed', 'card_declined'])
    const second = (await m.attempts())[1]!
    const ref = { idempotencyKey: second.key, platformAttemptId: '77' }
    await m.inStore((ctx) =>
      settleAttempts(ctx, [
        next === 'success'
          ? { ...ref, state: 'success', order: null, paymentMethod: null }
          : { ...ref, state: 'failed', errorCode: next, errorMessage: 'No' }
      ])
    )
    const shown = await m.shown()
    assert.deepEqual(shown.map(([status]) => status).sort(), ['failed', 'success'], next)
    assert.deepEqual(await m.now(), ['active', 2, 2, 0, '2026-03-31T14:00:00Z'], next)
    assert.deepEqual(await m.alerts(), next === 'success' ? ['charged_twice'] : [], next)
  }
})

test('a late success that waits for a retry counts even if that retry never reached the platform', async () => {
  for (const isCancelled of [false, true]) {
    const m = await aMember('reported_failed')
    await m.goTo(SECOND)
    await m.bill()
    const [failed] = await m.attempts()
    await m.inStore((ctx) => retryAttempt(ctx, failed!.id, 'api'))
    // A crash after the claim: the try counts as sent, and the platform never receives it.
    await m.inStore((ctx) => claimAttempts(ctx, 10, 1))
    await m.inStore(({ tx }) =>
      tx.run(sql`update billing_attempts set leased_until = null where store_id = ${m.storeId}`)
    )
    await m.goTo('2026-02-28T17:00:00Z')
    await m.recorded(failed!.platform!)
    assert.deepEqual((await m.shown())[0], ['failed', 'card_declined'])
    if (isCancelled) {
      await m.inStore((ctx) => cancelSubscription(ctx, m.id, { reason: 'other', comment: null, by: 'api' }))
    }
    await m.submit()
    assert.deepEqual(await m.shown(), [
      ['success', null],
      ['failed', isCancelled ? 'voided' : 'superseded']
    ])
    assert.equal((await m.charges()).length, 1)
    const after = isCancelled ? ['cancelled', 2, 2, 0, null] : ['active', 2, 2, 0, '2026-03-31T14:00:00Z']
    assert.deepEqual(await m.now(), after)
    assert.deepEqual(await m.alerts(), isCancelled ? ['charged_after_stop'] : [])
    assert.equal((await m.events()).filter(({ type }) => type === 'billing.success').length, 1)
  }
})

test('a late success after the subscription has ended is recorded and reported; the subscription stays ended', async () => {
  const m = await aMember('reported_failed')
  await m.goTo(SECOND)
  await m.bill()
  await m.inStore((ctx) => cancelSubscription(ctx, m.id, { reason: 'other', comment: null, by: 'api' }))
  await m.goTo('2026-02-28T17:00:00Z')
  await m.recorded((await m.attempts())[0]!.platform!)
  assert.deepEqual(await m.shown(), [['success', null]])
  assert.deepEqual(await m.now(), ['cancelled', 2, 2, 0, null])
  assert.deepEqual(await m.alerts(), ['charged_after_stop'])
  assert.ok((await m.kinds()).includes('charged_after_stop'))
})

test('a cycle that the platform reports as paid is settled by the payment found there, whoever made it', async () => {
  const m = await aChargedMember(db, sandbox, 'success', {}, null)
  await m.goTo(SECOND)
  const by = { contractId: m.contractId, originTime: Temporal.Instant.from(SECOND) }
  theValue(
    await m.connector.billing.createAttempt({
      ...by,
      idempotencyKey: 'by-hand',
      cycleAt: Temporal.Instant.from(SECOND)
    })
  )
  await m.bill()
  await m.submit()
  assert.deepEqual(await m.shown(), [['success', null]])
  assert.deepEqual(await m.charges(), ['by-hand'])
  // Both sides have the same payment, with a key that is not ours.
  assert.deepEqual(await m.disagreements(), [])
  assert.deepEqual(await m.now(), ['active', 2, 2, 0, '2026-03-31T14:00:00Z'])
})

test('if no payment is found the cycle is missed: no retry, no end, an alert, and the next cycle on its day', async () => {
  const m = await aMember('invoice_already_paid')
  await m.goTo(SECOND)
  await m.bill()
  await m.submit()
  assert.deepEqual(await m.shown(), [['failed', 'already_paid']])
  assert.deepEqual(await m.now(), ['active', 1, 1, 0, '2026-03-31T14:00:00Z'])
  assert.deepEqual(await m.alerts(), ['paid_elsewhere'])
  await m.card('success')
  await m.goTo('2026-03-31T14:00:00Z')
  await m.bill()
  assert.deepEqual(await m.now(), ['active', 3, 2, 0, '2026-04-30T14:00:00Z'])
})

test('after a message that the cycle is paid, nothing is settled before the payment is searched for', async () => {
  const m = await aMember('invoice_already_paid')
  await m.goTo(SECOND)
  await m.open()
  await m.submit()
  const [sent] = await m.attempts()
  await m.goTo('2026-02-28T15:00:30Z')
  await m.recorded(sent!.platform!)
  assert.deepEqual(await m.shown(), [['pending', null]])
  await m.submit()
  assert.deepEqual(await m.shown(), [['failed', 'already_paid']])
})
