import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { aSubscriptionLife } from '../../../test/subscription-life.ts'

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
