import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitingKeys } from '#kit/jobs'
import { anOrder } from '../../../test/contract-builder.ts'
import { testDatabase } from '../../../test/database.ts'
import { aSubscriptionLife } from '../../../test/subscription-life.ts'
import { syncContractJob } from '../../subscriptions/platform-requests.ts'
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
    ['same', []]
  ] as const) {
    const life = await aRetryDue()
    await life.bill()
    await life.pay()
    const retry = `svc-${life.contract.id}-2-2`
    const reported = { idempotencyKey: life.key, state: 'success', order: null, paymentMethod: null } as const
    await life.inStore((ctx) =>
      settleAttempts(ctx, [
        { ...reported, platformAttemptId: platformAttemptId === 'same' ? retry : platformAttemptId }
      ])
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
