import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../test/database.ts'
import { aSubscriptionLife as lifeOf } from '../../test/subscription-life.ts'

const { db } = await testDatabase()
const SECOND = '2026-02-28T15:00:00Z'
const THIRD = '2026-03-31T14:00:00Z'
const aSubscriptionLife = (maxCycles: number) => lifeOf(db, { graceHours: 720, terms: { maxCycles } })
type Life = Awaited<ReturnType<typeof aSubscriptionLife>>
/** [status, next date that is shown, when it is looked at] */
const dates = async (life: Life) => {
  const { status, nextBillingAt, billingDueAt } = await life.read()
  return [status, nextBillingAt?.toString() ?? null, billingDueAt?.toString() ?? null]
}

test('whose cycles are all paid has no next date, and ends when the last of them is over', async () => {
  const life = await aSubscriptionLife(2)
  await life.goTo(SECOND)
  await life.bill()
  await life.pay()
  assert.equal((await life.lastEvent('billing.success')).next_billing_date, null)
  assert.deepEqual(await dates(life), ['active', null, THIRD])
  await assert.rejects(life.skip(), { code: 'conflict' })
  await life.goTo('2026-03-31T13:59:59Z')
  await life.open()
  assert.deepEqual(await dates(life), ['active', null, THIRD])
  await life.goTo(THIRD)
  await life.open()
  assert.deepEqual(await dates(life), ['expired', null, null])
  assert.deepEqual((await life.attempts()).length, 1)
})

test('one cycle that the checkout has paid is all there is', async () => {
  const life = await aSubscriptionLife(1)
  assert.deepEqual(await dates(life), ['active', null, SECOND])
  await life.goTo(SECOND)
  await life.open()
  assert.deepEqual(await dates(life), ['expired', null, null])
})

test('a pause does not make the last cycle longer', async () => {
  const life = await aSubscriptionLife(1)
  await life.pause()
  await life.goTo('2026-03-15T00:00:00Z')
  await life.resume()
  assert.deepEqual(await dates(life), ['active', null, '2026-03-15T00:15:00Z'])
  await life.pushed()
  await life.goTo('2026-03-15T00:15:00Z')
  await life.open()
  assert.deepEqual(await dates(life), ['expired', null, null])
})

test('more cycles there bring the date back, and fewer take it away', async () => {
  const life = await aSubscriptionLife(1)
  await life.sync({ maxCycles: 2, revision: '5' })
  assert.deepEqual(await dates(life), ['active', SECOND, SECOND])
  await life.sync({ maxCycles: 1, revision: '6' })
  assert.deepEqual(await dates(life), ['active', null, SECOND])
  await life.sync({ maxCycles: null, revision: '7' })
  assert.deepEqual(await dates(life), ['active', SECOND, SECOND])
  assert.deepEqual((await life.lastEvent('subscription.updated')).changes, {
    next_billing_date: { from: null, to: '2026-02-28T15:00:00.000Z' }
  })
})
