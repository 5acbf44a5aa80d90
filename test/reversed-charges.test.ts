// A charge that the platform reports as paid and an hour later as failed, while its order stays paid, and of which we learn only
// then: whoever reports it, the cycle is paid and not charged again. With the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int, row, sql, text } from '#kit/postgres'
import type { InboundMessage, PlatformAttempt } from '#platform'
import { requestedScopes } from '#platform'
import { startSandbox } from '../sandbox/start-sandbox.test-helper.ts'
import { resultOf } from '../src/billing/attempts/attempt-result.ts'
import { retryAttempt } from '../src/billing/charging/retry-attempt.ts'
import { adoptPayments } from '../src/billing/settling/adopt-payments.ts'
import { settleAttempts } from '../src/billing/settling/settle-attempts.ts'
import { applyAttemptMessages } from '../src/sync/messages/apply-attempt-messages.ts'
import type { Walk } from '../src/sync/reconciler/reconciliation.ts'
import { walkAttempts, walkFailedAttempts } from '../src/sync/reconciler/walk-attempts.ts'
import { aChargedMember } from './charged-member.ts'
import { withCalls } from './connectors.ts'
import { testDatabase } from './database.ts'
import { theFailure, theValue } from './fake-platform.ts'
import { submitAttempts } from './submit-attempts.ts'

const { db } = await testDatabase()
const sandbox = await startSandbox(db, requestedScopes)
const SECOND = '2026-02-28T15:00:00Z'
const THIRD = '2026-03-31T14:00:00Z'
const REVERSED = '2026-02-28T17:00:00Z'

type Member = Awaited<ReturnType<typeof aChargedMember>>

/** A member whose charge was sent; its answer came, or was lost. The platform has paid it and calls it failed now. */
async function aReversedCharge({ isAnswerLost = false } = {}): Promise<Member & { platformId: string }> {
  const m = await aChargedMember(db, sandbox, ['reversed', 'success'])
  await m.goTo(SECOND)
  await m.open()
  const create = m.connector.billing.createAttempts
  const losing = withCalls(m.connector, {
    billing: {
      createAttempts: async (requests) => {
        await create(requests)
        return requests.map(() => ({
          ok: false,
          failure: { kind: 'unavailable', message: 'Lost', outcomeUnknown: true }
        }))
      }
    }
  })
  await submitAttempts(db, m.storeId, isAnswerLost ? losing : m.connector, 1)
  await m.shop.settle()
  await m.goTo(REVERSED)
  const [charge] = await m.shop.sandbox.controls.charges(m.shop.storeId)
  return { ...m, platformId: charge!.attemptId }
}

const keyOf = (m: Member) => `svc-${m.contractId}-2-1`

/** Gives the platform's message about the charge to its handler. */
function message(m: Member, over: object, connector = m.connector) {
  const payload = {
    idempotency_key: keyOf(m),
    admin_graphql_api_subscription_contract_id: `gid://platform/SubscriptionContract/${m.contractId}`,
    ready: true,
    error_code: 'GENERIC_ERROR',
    error_message: 'The payment failed.',
    ...over
  }
  const received = { id: 1, topic: 'subscription_billing_attempts/failure', payload } as unknown as InboundMessage
  return applyAttemptMessages({ db, connectorOf: async () => connector }, m.storeId, [received])
}

const attemptGid = (id: string) => `gid://platform/SubscriptionBillingAttempt/${id}`

const reversals = async (m: Member) =>
  (
    await m.inStore(({ tx }) =>
      tx.one(
        row({ count: int }),
        sql`select count(*)::int as count from billing_attempts where store_id = ${m.storeId} and reversed_at is not null`
      )
    )
  ).count

/** The cycle is paid by its one charge, one alert is raised, and nothing is charged until the next cycle. */
async function assertPaidOnce(m: Member, how: string, attempts: unknown[] = [['success', null]]) {
  assert.deepEqual(await m.shown(), attempts, how)
  assert.equal(await reversals(m), 1, how)
  assert.deepEqual(await m.alerts(), ['charge_reversed'], how)
  assert.deepEqual(await m.now(), ['active', 2, 2, 0, THIRD], how)
  for (const when of ['2026-03-05T16:00:00Z', '2026-03-12T16:00:00Z', '2026-03-24T16:00:00Z']) {
    await m.goTo(when)
    await m.bill()
  }
  assert.deepEqual(await m.charges(), [keyOf(m)], how)
  assert.deepEqual(await m.shown(), attempts, how)
  assert.deepEqual(await m.disagreements(), [], how)
  assert.ok(!(await m.findings()).includes('attempt_events_complete'), how)
}

test('a failure with a paid order is a payment for the check of a sent charge, also where its id is not known', async () => {
  for (const isAnswerLost of [false, true]) {
    const m = await aReversedCharge({ isAnswerLost })
    await m.submit()
    await assertPaidOnce(m, isAnswerLost ? 'searched by its key' : 'read by its id')
  }
})

test('a failure with a paid order is a payment for the platform’s message, whatever that names', async () => {
  for (const [how, names] of [
    ['the attempt', (m: { platformId: string }) => ({ admin_graphql_api_id: attemptGid(m.platformId) })],
    [
      'the order alone',
      (_m: unknown, orderId: string) => ({ admin_graphql_api_order_id: `gid://platform/Order/${orderId}` })
    ]
  ] as const) {
    const m = await aReversedCharge({ isAnswerLost: true })
    const [{ orderId } = assert.fail()] = await m.shop.sandbox.controls.charges(m.shop.storeId)
    for (let times = 0; times < 2; times++) await message(m, names(m, orderId))
    await assertPaidOnce(m, how)
  }
})

test('a message about a failure with an order on which nothing was paid is that of a failure', async () => {
  const m = await aReversedCharge({ isAnswerLost: true })
  const [{ orderId } = assert.fail()] = await m.shop.sandbox.controls.charges(m.shop.storeId)
  const [order] = theValue(await m.connector.orders.findMany([orderId])).values()
  const voided = withCalls(m.connector, {
    orders: {
      findMany: async () => ({ ok: true, value: new Map([[orderId, { ...order!, financialStatus: 'voided' }]]) })
    }
  })
  await message(m, { admin_graphql_api_order_id: `gid://platform/Order/${orderId}` }, voided)
  assert.deepEqual([await m.shown(), await reversals(m), await m.alerts()], [[['failed', 'card_declined']], 0, []])
})

test('a decline that is reported again takes nothing back', async () => {
  const m = await aChargedMember(db, sandbox, ['insufficient_funds', 'success'])
  await m.goTo(SECOND)
  await m.bill()
  const [failed] = await m.attempts()
  for (let times = 0; times < 2; times++) await m.recorded(failed!.platform!)
  assert.deepEqual([(await m.shown()).length, await reversals(m), await m.alerts()], [1, 0, []])
})

test('a failure with a paid order is a payment for the reconciler, which reads new attempts and those that had failed', async () => {
  const walk = { cursorAt: Temporal.Instant.from(SECOND), pageAfter: null, lastId: '' } as Walk
  for (const kind of ['attempts', 'failed attempts'] as const) {
    const m = await aReversedCharge()
    const walking = { db, storeId: m.storeId, connector: m.connector }
    if (kind === 'attempts') assert.equal(theValue(await walkAttempts(walking, walk)).changed, 1)
    else {
      // It was read as failed before the platform showed its order.
      await m.inStore((ctx) =>
        settleAttempts(ctx, [
          {
            idempotencyKey: keyOf(m),
            platformAttemptId: m.platformId,
            state: 'failed',
            errorCode: 'generic_error',
            errorMessage: null
          }
        ])
      )
      assert.equal((await m.shown())[0]![0], 'failed')
      assert.equal(theValue(await walkFailedAttempts(walking, walk)).changed, 1)
    }
    await assertPaidOnce(m, kind)
  }
})

test('before a retry is sent an earlier failure with a paid order is found, by its id and by its key', async () => {
  for (const isAnswerLost of [false, true]) {
    for (const isManual of [false, true]) {
      const m = await aReversedCharge({ isAnswerLost })
      // It was read as failed before the platform showed its order, or a message reported it without its id.
      const platformAttemptId = isAnswerLost ? null : m.platformId
      const failure = { state: 'failed', errorCode: 'generic_error', errorMessage: null } as const
      await m.inStore((ctx) => settleAttempts(ctx, [{ idempotencyKey: keyOf(m), platformAttemptId, ...failure }]))
      const [failed] = await m.attempts()
      assert.equal(failed!.status, 'failed')
      if (isManual) await m.inStore((ctx) => retryAttempt(ctx, failed!.id, 'api'))
      else await m.goTo('2026-03-04T15:00:00Z')
      await m.open()
      await m.submit()
      await assertPaidOnce(m, `${isAnswerLost} ${isManual}`, [
        ['success', null],
        ['failed', 'superseded']
      ])
    }
  }
})

test('a failure with a paid order under a key of somebody else has paid the next cycle', async () => {
  const m = await aChargedMember(db, sandbox, ['reversed', 'success'])
  await m.goTo('2026-02-27T15:00:00Z')
  const at = Temporal.Instant.from(SECOND)
  const request = { contractId: m.contractId, idempotencyKey: 'by-hand', originTime: at, cycleAt: at }
  const { id } = theValue(await m.connector.billing.createAttempt(request))
  await m.shop.settle()
  await m.goTo('2026-02-27T17:00:00Z')
  const result = resultOf(theValue(await m.connector.billing.findAttempts([id])).get(id)!)!
  assert.equal(await m.inStore((ctx) => adoptPayments(ctx, [result])), 1)
  await m.goTo(SECOND)
  await m.bill()
  assert.deepEqual([await m.charges(), await reversals(m), await m.shown()], [['by-hand'], 1, [['success', null]]])
})

test('a second charge of a cycle that is reversed is recorded as one beside the first', async () => {
  const m = await aChargedMember(db, sandbox, ['success', 'reversed', 'success'])
  await m.shop.sandbox.controls.setChargeFaults({
    storeId: m.shop.storeId,
    faults: { paysAgain: true, keyMinutes: 0 }
  })
  await m.goTo(SECOND)
  await m.bill()
  const at = Temporal.Instant.from(SECOND)
  const again = { contractId: m.contractId, idempotencyKey: keyOf(m), originTime: at, cycleAt: at }
  const { id } = theValue(await m.connector.billing.createAttempt(again))
  await m.shop.settle()
  await m.goTo(REVERSED)
  for (let times = 0; times < 2; times++) {
    await m.recorded(id)
    assert.deepEqual((await m.alerts()).toSorted(), ['charge_reversed', 'charged_twice'])
  }
  const marked = await m.inStore(({ tx }) =>
    tx.one(
      row({ platform: text }),
      sql`select platform_attempt_id as platform from billing_attempts
           where store_id = ${m.storeId} and reversed_at is not null`
    )
  )
  assert.equal(marked.platform, id)
})

test('where the orders of failed charges may not be read, a failure is recorded, and no retry is sent', async () => {
  const m = await aChargedMember(db, sandbox, ['insufficient_funds', 'success'])
  await m.goTo(SECOND)
  await m.bill()
  assert.equal((await m.shown())[0]![0], 'failed')
  await m.shop.sandbox.controls.setAccess({ storeId: m.shop.storeId, withheld: ['SubscriptionBillingAttempt.order'] })
  const [{ platform } = assert.fail()] = await m.attempts()
  const read = theValue(await m.connector.billing.findAttempts([platform!])).get(platform!) as PlatformAttempt
  assert.deepEqual([read.state, read.isOrderWithheld], ['failed', true])
  assert.equal(
    theFailure(await m.connector.billing.findAttemptsByKeys(m.contractId, [], [platform!])).code,
    'access_denied'
  )
  await m.goTo('2026-03-04T15:00:00Z')
  await m.bill()
  assert.deepEqual(
    (await m.shown()).map(([status]) => status),
    ['failed', 'pending']
  )
  assert.equal((await m.shop.sandbox.controls.counts(m.shop.storeId)).attempts, 1)
  await m.shop.sandbox.controls.setAccess({ storeId: m.shop.storeId, withheld: [] })
  await m.goTo('2026-03-05T15:00:00Z')
  await m.bill()
  await m.goTo('2026-03-06T15:00:00Z')
  await m.submit()
  assert.deepEqual(
    (await m.shown()).map(([status]) => status),
    ['failed', 'success']
  )
})
