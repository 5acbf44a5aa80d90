import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitingKeys } from '#kit/jobs'
import { int, row, sql } from '#kit/postgres'
import { recordOrders } from '#orders'
import { listAlerts } from '#stores'
import { anOrder } from '../../../test/contract-builder.ts'
import { testDatabase } from '../../../test/database.ts'
import { aDueStore } from '../../../test/due-store.ts'
import { aSubscriptionLife, at } from '../../../test/subscription-life.ts'
import { syncContractJob } from '../../subscriptions/platform-requests.ts'
import { claimAttempts } from '../charging/claims.ts'
import { openDueAttempts } from '../charging/open-attempts.ts'
import { adoptPayments } from './adopt-payments.ts'
import { settleAttempts } from './settle-attempts.ts'

const { db } = await testDatabase()
const SECOND = '2026-02-28T15:00:00Z'
const FIRST_RETRY = '2026-03-02T15:00:00Z'
const THIRD = '2026-03-31T14:00:00Z'
const FOURTH = '2026-04-30T14:00:00Z'
const SOFT = 'INSUFFICIENT_FUNDS'

/** A subscription whose second cycle was declined; its first retry is due. */
async function aRetryDue() {
  const life = await aSubscriptionLife(db)
  await life.goTo(SECOND)
  await life.bill()
  await life.decline(SOFT)
  await life.goTo(FIRST_RETRY)
  const shown = async () => (await life.attempts()).map(({ status, retryAt }) => [status, retryAt?.toString() ?? null])
  return { ...life, key: `svc-${life.contract.id}-2-1`, shown }
}

test('a late success ends the retry that was opened and not sent: the cycle is charged once', async () => {
  const life = await aRetryDue()
  await life.open()
  await life.paidLate(life.key)
  assert.deepEqual(await life.shown(), [
    ['success', null],
    ['failed', null]
  ])
  assert.equal((await life.lastEvent('billing.failed')).error.code, 'superseded')
  assert.deepEqual(await life.now(), ['active', 2, 3, 0, THIRD])
})

test('a late success of an earlier try cancels the retry that a later try has announced', async () => {
  const life = await aRetryDue()
  await life.bill()
  await life.decline(SOFT)
  await life.paidLate(life.key)
  assert.deepEqual(await life.shown(), [
    ['success', null],
    ['failed', null]
  ])
  assert.deepEqual(await life.now(), ['active', 2, 3, 0, THIRD])
})

test('a late payment of an older cycle moves no date, and counts as one paid cycle', async () => {
  const life = await aRetryDue()
  await life.pause()
  await life.goTo(THIRD)
  await life.resume()
  assert.deepEqual(await life.now(), ['active', 1, 4, 0, FOURTH])
  await life.paidLate(life.key)
  assert.deepEqual(await life.now(), ['active', 2, 4, 0, FOURTH])
  assert.equal((await life.read()).cyclesPaid, 2)
  await life.paidLate(life.key)
  assert.equal((await life.read()).cyclesPaid, 2)
})

test('a late success beside the payment of its retry is a second charge, unless it is the same payment', async () => {
  for (const [platformAttemptId, alerts] of [
    ['another', ['charged_twice']],
    [null, ['charged_twice']],
    ['neither is known', ['charged_twice']],
    ['same', []]
  ] as const) {
    const life = await aRetryDue()
    await life.bill()
    await life.pay()
    const retry = `svc-${life.contract.id}-2-2`
    if (platformAttemptId === 'neither is known') {
      await life.inStore(({ tx, storeId }) =>
        tx.run(sql`update billing_attempts set platform_attempt_id = null where store_id = ${storeId}`)
      )
    }
    const ids: Record<string, string | null> = { same: retry, another: 'another' }
    const reported = { idempotencyKey: life.key, state: 'success', order: null, paymentMethod: null } as const
    await life.inStore((ctx) =>
      settleAttempts(ctx, [{ ...reported, platformAttemptId: ids[String(platformAttemptId)] ?? null }])
    )
    assert.deepEqual(await life.alerts(), alerts, String(platformAttemptId))
    assert.deepEqual(await life.now(), ['active', 2, 3, 0, THIRD], 'it is one cycle all the same')
  }
})

test('of two late successes of one cycle the later is a second charge, and the cycle is paid once', async () => {
  const life = await aRetryDue()
  await life.bill()
  await life.decline(SOFT)
  const retry = `svc-${life.contract.id}-2-2`
  const paid = { state: 'success', order: null, paymentMethod: null } as const
  await life.inStore((ctx) =>
    settleAttempts(
      ctx,
      [retry, life.key].map((key) => ({ ...paid, idempotencyKey: key, platformAttemptId: key }))
    )
  )
  assert.deepEqual(
    (await life.charges()).map(({ status }) => status),
    ['success', 'failed']
  )
  assert.deepEqual([await life.now(), (await life.read()).cyclesPaid], [['active', 2, 3, 0, THIRD], 2])
  assert.deepEqual(await life.alerts(), ['charged_twice'])
})

test('a late success of another amount has its contract read again, and one after an end asks for a look', async () => {
  for (const [totalMinor, isRead] of [
    [2900, false],
    [2500, true]
  ] as const) {
    const life = await aRetryDue()
    const order = anOrder(Temporal.Instant.from(SECOND), { totalMinor })
    const looks = async () =>
      (await life.inStore((ctx) => waitingKeys(ctx, syncContractJob, [life.contract.id]))).size === 1
    await life.inStore((ctx) =>
      settleAttempts(ctx, [
        { idempotencyKey: life.key, platformAttemptId: life.key, state: 'success', order, paymentMethod: null }
      ])
    )
    assert.equal(await looks(), isRead)
    assert.equal((await life.lastEvent('billing.success')).amount, totalMinor / 100)
    assert.deepEqual(await life.alerts(), [])
  }
  const ended = await aRetryDue()
  await ended.cancel()
  await ended.paidLate(ended.key)
  assert.deepEqual(await ended.alerts(), ['charged_after_stop'])
  const paused = await aRetryDue()
  await paused.pause()
  await paused.paidLate(paused.key)
  assert.deepEqual(await paused.alerts(), [])
})

test('a late success beside a payment that is not ours is a second charge, and the cycle stays paid by that one', async () => {
  const life = await aRetryDue()
  const of = { contractId: life.contract.id, originAt: at(FIRST_RETRY), createdAt: at(FIRST_RETRY) }
  const payment = { idempotencyKey: 'by the staff', platformAttemptId: '900', of, order: null, paymentMethod: null }
  assert.equal(await life.inStore((ctx) => adoptPayments(ctx, [{ ...payment, state: 'success' }])), 1)
  const failures = () =>
    life.inStore(({ tx, storeId }) =>
      tx.one(
        row({ count: int }),
        sql`select count(*) as count from facts where store_id = ${storeId} and name = 'billing.failed'`
      )
    )
  const before = await failures()
  await life.paidLate(life.key)
  assert.deepEqual(await life.shown(), [
    ['failed', null],
    ['success', null]
  ])
  assert.deepEqual([await life.alerts(), await failures()], [['charged_twice'], before])
  assert.deepEqual(await life.now(), ['active', 2, 3, 0, THIRD])
})

test('of late successes that are reported together each is held back by an open attempt of its own cycle and subscription only', async () => {
  const { inStore, storeId } = await aDueStore(db, { subscriptions: 2, dueAt: at(SECOND) })
  const ids = await inStore(({ tx }) =>
    tx.many(row({ id: int }), sql`select id from subscriptions where store_id = ${storeId} order by id`)
  )
  const attempts = () =>
    inStore(({ tx }) =>
      tx.many(
        row({ id: int, of: int, cycle: int, status: (value) => String(value), key: (value) => String(value) }),
        sql`select id, subscription_id as of, cycle_index as cycle, status, idempotency_key as key
              from billing_attempts where store_id = ${storeId} order by id`
      )
    )
  const settle = (keys: string[], errorCode: string | null) =>
    inStore((ctx) =>
      settleAttempts(
        ctx,
        keys.map((key) => ({
          idempotencyKey: key,
          platformAttemptId: key,
          ...(errorCode === null
            ? { state: 'success' as const, order: null, paymentMethod: null }
            : { state: 'failed' as const, errorCode, errorMessage: null })
        }))
      )
    )
  await inStore((ctx) => openDueAttempts(ctx, 10))
  await inStore((ctx) => claimAttempts(ctx, 10, 1))
  const declined = (await attempts()).map(({ key }) => key)
  await settle(declined, SOFT)
  // The first is charged again; the second had an earlier cycle, of which a charge failed as well.
  await inStore(({ tx }) =>
    tx.run(sql`
      update subscriptions set billing_due_at = ${at(SECOND)} where store_id = ${storeId} and id = ${ids[0]!.id}`)
  )
  await inStore(({ tx }) =>
    tx.run(sql`
      insert into billing_attempts (store_id, subscription_id, cycle_index, attempt_number, status, idempotency_key,
        amount_minor, currency, cycle_at, attempts_remaining, scheduled_at, submitted_at, completed_at, error_code, created_at)
      select store_id, subscription_id, 1, 1, 'failed', 'earlier', amount_minor, currency, cycle_at, 0, scheduled_at,
             submitted_at, completed_at, error_code, created_at
        from billing_attempts where store_id = ${storeId} and subscription_id = ${ids[0]!.id}`)
  )
  await inStore((ctx) => openDueAttempts(ctx, 10))
  await inStore((ctx) => claimAttempts(ctx, 10, 1))
  await settle([...declined, 'earlier'], null)
  assert.deepEqual(
    (await attempts()).map(({ of, cycle, status }) => [of, cycle, status]),
    [
      [ids[0]!.id, 2, 'failed'],
      [ids[1]!.id, 2, 'success'],
      [ids[0]!.id, 1, 'success'],
      [ids[0]!.id, 2, 'pending']
    ]
  )
})

test('a late success that had to wait is told with its own order', async () => {
  const life = await aRetryDue()
  await life.bill()
  const others = [anOrder(at(SECOND)), anOrder(at(SECOND))]
  const order = anOrder(at(SECOND), { totalMinor: 2500 })
  await life.inStore((ctx) => recordOrders(ctx, [others[0]!, order, others[1]!]))
  await life.inStore((ctx) =>
    settleAttempts(ctx, [
      { idempotencyKey: life.key, platformAttemptId: '7', state: 'success', order, paymentMethod: null }
    ])
  )
  await life.decline(SOFT)
  const event = await life.lastEvent('billing.success')
  assert.deepEqual([event.amount, event.order.order_number, event.order.total], [25, order.number, 25])
})

test('a charge that is paid after dunning has paused its subscription says whether it is active again; one of another cycle says nothing', async () => {
  const messages = async (life: Awaited<ReturnType<typeof aSubscriptionLife>>) =>
    (await life.inStore((ctx) => listAlerts(ctx))).alerts
      .filter(({ kind }) => kind === 'paid_after_pause')
      .map(({ message }) => (message.endsWith('It is active again.') ? 'active' : 'paused'))
  for (const [when, expected] of [
    ['2026-03-05T00:00:00Z', ['active']],
    ['2026-04-05T00:00:00Z', ['paused']]
  ] as const) {
    const life = await aSubscriptionLife(db, { dunning: { retryAfterDays: [], onFailure: 'pause' } })
    await life.goTo(SECOND)
    await life.bill()
    await life.decline(SOFT)
    assert.equal((await life.read()).status, 'paused')
    await life.goTo(when)
    await life.paidLate(`svc-${life.contract.id}-2-1`)
    assert.deepEqual([await messages(life), (await life.read()).status], [expected, expected[0]])
  }
  const inventory = { retryAfterDays: [], onFailure: 'skip' as const }
  const other = await aSubscriptionLife(db, { dunning: { retryAfterDays: [], onFailure: 'pause', inventory } })
  await other.goTo(SECOND)
  await other.bill()
  await other.decline('INSUFFICIENT_INVENTORY')
  await other.goTo(THIRD)
  await other.bill()
  await other.decline(SOFT)
  assert.equal((await other.read()).status, 'paused')
  await other.paidLate(`svc-${other.contract.id}-2-1`)
  assert.deepEqual([await messages(other), (await other.read()).status], [[], 'paused'])
})
