// Several attempts of the platform under one key: it had forgotten the key, and was sent it again. With the sandbox over its
// socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { row, sql, text } from '#kit/postgres'
import { pauseSubscription } from '#lifecycle'
import type { Connector, PlatformFailure } from '#platform'
import { requestedScopes } from '#platform'
import { listAlerts } from '#stores'
import { listActivity } from '#subscriptions'
import { startSandbox } from '../sandbox/start-sandbox.test-helper.ts'
import { type AttemptResult, resultOf } from '../src/billing/attempts/attempt-result.ts'
import { retryAttempt } from '../src/billing/charging/retry-attempt.ts'
import { recordActionRequired } from '../src/billing/dunning/record-action-required.ts'
import { adoptPayments } from '../src/billing/settling/adopt-payments.ts'
import { endChargesPastDeadline } from '../src/billing/settling/end-charges-past-deadline.ts'
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

type Member = Awaited<ReturnType<typeof aChargedMember>>

/** A member whose platform forgets keys at once. */
async function aMember(outcome: string | string[] = 'success'): Promise<Member> {
  const m = await aChargedMember(db, sandbox, outcome)
  const faults = { paysAgain: true, keyMinutes: 0 }
  await m.shop.sandbox.controls.setChargeFaults({ storeId: m.shop.storeId, faults })
  await m.goTo(SECOND)
  return m
}

/** The same key arrives at the platform once more: a call that hung. Returns the id of the attempt that it made there. */
async function sameKeyAgain(m: Member, key = `svc-${m.contractId}-2-1`): Promise<string> {
  const at = Temporal.Instant.from(SECOND)
  const request = { contractId: m.contractId, idempotencyKey: key, originTime: at, cycleAt: at }
  const { id } = theValue(await m.connector.billing.createAttempt(request))
  await m.shop.settle()
  return id
}

const read = async (m: Member, ids: string[]): Promise<AttemptResult[]> => {
  const found = theValue(await m.connector.billing.findAttempts(ids))
  return ids.flatMap((id) => resultOf(found.get(id)!) ?? [])
}

/** Applies results as messages and the reconciler do. */
async function apply(m: Member, results: AttemptResult[]): Promise<number> {
  const settled = await m.inStore((ctx) => settleAttempts(ctx, results))
  return settled + (await m.inStore((ctx) => adoptPayments(ctx, results)))
}

const report = async (m: Member, ...ids: string[]) => apply(m, await read(m, ids))

async function alertsOf(m: Member, kind: string): Promise<string[]> {
  const { alerts } = await m.inStore((ctx) => listAlerts(ctx))
  return alerts.filter((alert) => alert.kind === kind).map(({ message }) => message)
}

const attempts = async (m: Member) =>
  (await m.attempts()).map(({ status, code, platform }) => [status, code, platform] as const)

/** That the two payments are known as two: in one alert, and for the doctor. */
async function assertChargedTwice(m: Member, ...ids: string[]) {
  const [alert, ...more] = await alertsOf(m, 'charged_twice')
  assert.deepEqual(more, [])
  for (const id of ids) assert.match(alert!, new RegExp(`attempt ${id} of the platform`))
  assert.ok((await m.warnings()).includes('charged_twice'))
  assert.deepEqual(await m.now(), ['active', 2, 2, 0, THIRD])
}

test('two successes under one key are two charges, whoever reports them, in whatever order, and reported once', async () => {
  for (const how of ['one after the other', 'the other first', 'together', 'without an id first'] as const) {
    const m = await aMember()
    await m.open()
    await m.submit()
    await m.shop.settle()
    const second = await sameKeyAgain(m)
    const [first] = (await m.attempts()).map(({ platform }) => platform!)
    assert.notEqual(first, second)
    if (how === 'together') await report(m, second, first!)
    else {
      const [one, other] = how === 'the other first' ? [second, first!] : [first!, second]
      if (how === 'without an id first') {
        await m.inStore(({ tx }) =>
          tx.run(sql`update billing_attempts set platform_attempt_id = null where store_id = ${m.storeId}`)
        )
        const [unnamed] = await read(m, [one])
        await apply(m, [{ ...unnamed!, platformAttemptId: null }])
      }
      await report(m, one)
      await report(m, other)
    }
    await assertChargedTwice(m, first!, second)
    for (let times = 0; times < 2; times++) await report(m, first!, second)
    await assertChargedTwice(m, first!, second)
    assert.deepEqual(
      (await attempts(m)).map(([status, code]) => [status, code]),
      [
        ['success', null],
        ['failed', 'superseded']
      ],
      how
    )
    assert.deepEqual(await alertsOf(m, 'paid_outside'), [])
    // The events of both are complete.
    assert.ok(!(await m.findings()).includes('attempt_events_complete'), how)
  }
})

test('a second charge that was refunded is no warning any more', async () => {
  const m = await aMember()
  await m.bill()
  await report(m, await sameKeyAgain(m))
  assert.ok((await m.warnings()).includes('charged_twice'))
  await m.inStore(({ tx }) =>
    tx.run(sql`
      update orders o set refunded_minor = o.total_minor from billing_attempts a
       where a.store_id = ${m.storeId} and o.store_id = a.store_id and o.id = a.order_id and a.status = 'failed'`)
  )
  assert.ok(!(await m.warnings()).includes('charged_twice'))
})

test('three successes under one key are three charges', async () => {
  const m = await aMember()
  await m.bill()
  const others = [await sameKeyAgain(m), await sameKeyAgain(m)]
  for (const id of others) await report(m, id)
  const messages = await alertsOf(m, 'charged_twice')
  assert.equal(messages.length, 2)
  for (const id of others) assert.ok(messages.some((message) => message.includes(`attempt ${id} of the platform`)))
  assert.deepEqual(
    (await attempts(m)).map(([status]) => status),
    ['success', 'failed', 'failed']
  )
})

test('a payment that our own check finds beside the one that a message had reported is a second charge', async () => {
  const m = await aMember(['lost', 'success'])
  await m.open()
  await m.submit()
  await m.shop.settle()
  await sameKeyAgain(m)
  await m.goTo('2026-02-28T15:11:00Z')
  // The search has both.
  await m.submit()
  const ids = (await attempts(m)).map(([, , id]) => id!)
  assert.equal(ids.length, 2)
  await assertChargedTwice(m, ...ids)
})

// A failure of another attempt of the platform.

/** Our attempt is open as `own`, and the platform has declined `other` under the same key. */
async function withFailureOfAnother() {
  const m = await aMember(['3ds', 'insufficient_funds', 'success'])
  await m.open()
  await m.submit()
  await m.shop.settle()
  const other = await sameKeyAgain(m)
  const own = (await m.attempts())[0]!.platform!
  return { m, own, other }
}

test('a failure of another platform attempt under the key ends nothing; one without an id has the attempt checked', async () => {
  const { m, own, other } = await withFailureOfAnother()
  const [failure] = await read(m, [other])
  assert.equal(failure!.state, 'failed')
  for (const result of [failure!, { ...failure!, platformAttemptId: null }]) {
    assert.equal(await apply(m, [result]), 0)
    assert.deepEqual(await attempts(m), [['pending', null, own]])
    assert.equal((await m.now())[3], 0)
  }
  // Both at once: its own result counts, in whatever order.
  const declined = { ...failure!, platformAttemptId: own } as AttemptResult
  assert.equal(await apply(m, [failure!, declined]), 1)
  assert.deepEqual(
    (await attempts(m)).map(([status, , id]) => [status, id]),
    [['failed', own]]
  )
})

test('a success of another platform attempt pays the open one; the success of its own is then a second charge', async () => {
  const m = await aMember(['3ds', 'success'])
  await m.open()
  await m.submit()
  await m.shop.settle()
  const other = await sameKeyAgain(m)
  const own = (await m.attempts())[0]!.platform!
  const [paid] = await read(m, [other])
  assert.equal(await apply(m, [paid!]), 1)
  assert.deepEqual(await attempts(m), [['success', null, other]])
  // A failure of the one that it replaced says nothing of it.
  await apply(m, [
    {
      idempotencyKey: paid!.idempotencyKey,
      platformAttemptId: own,
      state: 'failed',
      errorCode: 'x',
      errorMessage: null
    }
  ])
  assert.deepEqual(await alertsOf(m, 'charge_reversed'), [])
  await apply(m, [{ ...paid!, platformAttemptId: own, order: null } as AttemptResult])
  await assertChargedTwice(m, own, other)
})

test('a challenge of another platform attempt is not shown to the customer', async () => {
  const { m, own, other } = await withFailureOfAnother()
  const key = `svc-${m.contractId}-2-1`
  const ask = (platformAttemptId: string, actionUrl: string) =>
    m.inStore((ctx) => recordActionRequired(ctx, [{ idempotencyKey: key, platformAttemptId, actionUrl }]))
  await ask(own, 'https://pay.example/own')
  await ask(other, 'https://pay.example/other')
  const { url } = await m.inStore(({ tx }) =>
    tx.one(row({ url: text }), sql`select action_url as url from billing_attempts where store_id = ${m.storeId}`)
  )
  assert.equal(url, 'https://pay.example/own')
})

test('before a retry the platform is searched by the key too: another attempt under it may be open or paid', async () => {
  for (const outcome of ['3ds', 'success'] as const) {
    const m = await aMember(['insufficient_funds', outcome, 'success'])
    await m.bill()
    const [failed] = await m.attempts()
    assert.equal(failed!.status, 'failed')
    const other = await sameKeyAgain(m)
    await m.inStore((ctx) => retryAttempt(ctx, failed!.id, 'api'))
    await m.submit()
    await m.shop.settle()
    const shown = await attempts(m)
    if (outcome === '3ds') assert.deepEqual(shown[1], ['pending', null, null])
    else {
      assert.deepEqual(shown, [
        ['success', null, other],
        ['failed', 'superseded', null]
      ])
    }
    // No new key was sent.
    const keys = (await m.charges()).filter((key) => key !== `svc-${m.contractId}-2-1`)
    assert.deepEqual(keys, [], outcome)
  }
})

// A payment that is not ours while ours is open.

/** Our attempt of the second cycle is open, and somebody else has charged that cycle too. `outcomes`: the sandbox's, ours first. */
async function withPaymentByHand(outcomes: string[]): Promise<{ m: Member; byHand: string }> {
  const m = await aChargedMember(db, sandbox, outcomes)
  await m.goTo(SECOND)
  await m.open()
  await m.submit()
  await m.shop.settle()
  return { m, byHand: await sameKeyAgain(m, 'by-hand') }
}

test('a payment by hand beside our open attempt pays the cycle if ours fails for good: no deadline, no cancellation', async () => {
  const { m, byHand } = await withPaymentByHand(['3ds', 'success'])
  const [ours] = await m.attempts()
  assert.equal(await report(m, byHand), 0)
  assert.match((await alertsOf(m, 'paid_outside'))[0]!, /still open/)
  const expired = { state: 'failed', errorCode: 'expired_payment_method', errorMessage: null } as const
  await apply(m, [{ idempotencyKey: ours!.key, platformAttemptId: ours!.platform, ...expired }])
  assert.deepEqual(await m.now(), ['active', 2, 2, 0, THIRD])
  assert.deepEqual(
    (await attempts(m)).map(([status, , id]) => [status, id]),
    [
      ['failed', ours!.platform],
      ['success', byHand]
    ]
  )
  await m.goTo('2026-03-30T15:00:00Z')
  await m.inStore((ctx) => endChargesPastDeadline(ctx, 10))
  await m.bill()
  assert.equal((await m.now())[0], 'active')
  assert.deepEqual(await alertsOf(m, 'charged_twice'), [])
  assert.ok(!(await m.findings()).includes('attempt_events_complete'))
  const { rows } = await m.inStore((ctx) => listActivity(ctx, m.id, { limit: 50, offset: 0 }))
  assert.ok(rows.some(({ text: said }) => said.includes('taken over')))
})

test('a payment by hand beside our open attempt is a second charge if ours is paid', async () => {
  const { m, byHand } = await withPaymentByHand(['late', 'success'])
  await report(m, byHand)
  const [ours] = await m.attempts()
  const [paid] = await read(m, [byHand])
  await apply(m, [
    { ...paid!, order: null, idempotencyKey: ours!.key, platformAttemptId: ours!.platform } as AttemptResult
  ])
  await assertChargedTwice(m, byHand, ours!.platform!)
})

test('a payment by hand beside our open attempt that turns out to have paid that attempt is one payment', async () => {
  const { m, byHand } = await withPaymentByHand(['3ds', 'success'])
  await report(m, byHand)
  const [ours] = await m.attempts()
  const [paid] = await read(m, [byHand])
  // As where the platform calls the cycle paid, and its payment is found.
  await apply(m, [{ ...paid!, idempotencyKey: ours!.key }])
  assert.deepEqual(await m.now(), ['active', 2, 2, 0, THIRD])
  assert.deepEqual(await alertsOf(m, 'charged_twice'), [])
  assert.ok(!(await m.warnings()).includes('charged_twice'))
})

// What the platform withholds from us.

const DENIED: PlatformFailure = { kind: 'unauthorized', message: 'It withholds it', code: 'access_denied' }
const blindTo = (connector: Connector) =>
  withCalls(connector, {
    billing: {
      findAttemptsByKeys: async () => ({ ok: false, failure: DENIED }),
      findPaymentOfCycle: async () => ({ ok: false, failure: DENIED })
    }
  })

test('what may not be read permits no charge, no void and no missed cycle', async () => {
  // A retry: an earlier attempt may have been paid.
  const m = await aMember(['insufficient_funds', 'success'])
  await m.bill()
  const [failed] = await m.attempts()
  await m.inStore((ctx) => retryAttempt(ctx, failed!.id, 'api'))
  const before = await m.charges()
  await submitAttempts(db, m.storeId, blindTo(m.connector), 1)
  assert.deepEqual((await attempts(m))[1], ['pending', null, null])
  assert.deepEqual(await m.charges(), before)

  // Its subscription was stopped after it was sent: it may have been paid.
  const stopped = await aMember(['lost'])
  await stopped.open()
  await stopped.submit()
  await stopped.inStore((ctx) => pauseSubscription(ctx, stopped.id, null, 'api'))
  await stopped.goTo('2026-02-28T15:11:00Z')
  await submitAttempts(db, stopped.storeId, blindTo(stopped.connector), 1)
  assert.deepEqual(await stopped.shown(), [['pending', null]])

  // The platform calls the cycle paid, and its payment may not be read.
  const paid = await aMember(['invoice_already_paid'])
  await paid.open()
  await paid.submit()
  await paid.shop.settle()
  await paid.goTo('2026-02-28T15:11:00Z')
  await submitAttempts(db, paid.storeId, blindTo(paid.connector), 1)
  assert.deepEqual((await paid.shown())[0], ['pending', null])
})

test('no request of this file caused an internal error', () => assert.deepEqual(sandbox.bugs, []))
