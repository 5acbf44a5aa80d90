// Nothing makes a trial longer: neither a skip, nor another date, nor a pause with a date after it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../test/database.ts'
import { aSubscriptionLife, at } from '../../test/subscription-life.ts'
import { changeSubscription } from './change-subscription.ts'
import { rescheduleSubscription } from './reschedule-subscription.ts'

const { db } = await testDatabase()
type Life = Awaited<ReturnType<typeof aTrial>>

const aTrial = (
  trial: { trialType?: 'days' | 'next_billing_date'; trialDays?: number } = { trialDays: 10 },
  graceHours = 0
) => aSubscriptionLife(db, { plan: { name: 'VIP', ...trial }, graceHours })
const datesOf = async (life: Life) => {
  const { trialEndsAt, nextBillingAt } = await life.read()
  return [trialEndsAt?.toString() ?? null, nextBillingAt?.toString() ?? null]
}
const reschedule = (life: Life, to: string) =>
  life.inStore((ctx) => rescheduleSubscription(ctx, life.id, at(to), 'api'))

for (const [name, trial, end] of [
  ['of ten days', { trialDays: 10 }, '2026-02-10T15:00:00Z'],
  ['until the next billing date', { trialType: 'next_billing_date' }, '2026-02-28T15:00:00Z']
] as const) {
  test(`a trial ${name} cannot be skipped or moved past its end, and is charged then`, async () => {
    const life = await aTrial(trial)
    assert.deepEqual(await datesOf(life), [end, end])
    const isSkipRefused = new RegExp(
      `^Subscription sub_${life.id} has not been paid for since its trial, whose end is ${end.replace('Z', '.000Z')}: its first charge cannot be skipped\\.$`
    )
    await assert.rejects(life.skip(), { code: 'conflict', message: isSkipRefused })
    const justAfter = at(end).add({ milliseconds: 1 }).toString()
    for (const to of [justAfter, '2026-06-01T00:00:00Z']) {
      await assert.rejects(reschedule(life, to), {
        code: 'invalid_request',
        message: `next_billing_date must not be after ${end.replace('Z', '.000Z')}, when the trial ends: a trial cannot be made longer`
      })
      const change = { nextBillingAt: at(to), priceMinor: 100 }
      await assert.rejects(
        life.inStore((ctx) => changeSubscription(ctx, life.id, change, 'api')),
        { code: 'invalid_request' }
      )
    }
    assert.deepEqual(await datesOf(life), [end, end])
    await reschedule(life, end)

    await life.goTo(end)
    await life.bill()
    assert.equal((await life.attempts()).length, 1)
    await life.pay()
    assert.equal((await datesOf(life))[0], end)
    await life.skip()
  })
}

test('an earlier date ends a trial earlier, and it cannot be moved back', async () => {
  const life = await aTrial()
  await reschedule(life, '2026-02-05T15:00:00Z')
  assert.deepEqual(await datesOf(life), ['2026-02-05T15:00:00Z', '2026-02-05T15:00:00Z'])
  await assert.rejects(reschedule(life, '2026-02-10T15:00:00Z'), { code: 'invalid_request' })
})

test('a pause does not make a trial longer', async () => {
  const life = await aTrial()
  await life.pause()
  await assert.rejects(life.resume('2026-02-10T15:00:01Z'), { code: 'invalid_request' })
  for (const date of [null, '2026-02-10T15:00:00Z']) {
    await life.resume(date)
    assert.deepEqual(await datesOf(life), ['2026-02-10T15:00:00Z', '2026-02-10T15:00:00Z'], String(date))
    await life.pause()
  }
  await life.resume('2026-02-08T15:00:00Z')
  assert.deepEqual(await datesOf(life), ['2026-02-08T15:00:00Z', '2026-02-08T15:00:00Z'])
})

test('a trial that ended during a pause or a cancellation is charged a day after that, for the period that runs then', async () => {
  for (const [stop, goOn] of [
    [(life: Life) => life.pause(), (life: Life) => life.resume()],
    [(life: Life) => life.cancel(), (life: Life) => life.reactivate()]
  ] as const) {
    const life = await aTrial({ trialDays: 10 }, 720)
    await life.goTo('2026-02-10T14:59:59Z')
    await stop(life)
    await life.goTo('2026-02-20T00:00:00Z')
    await goOn(life)
    assert.deepEqual(await datesOf(life), ['2026-02-10T15:00:00Z', '2026-02-21T00:00:00Z'])
    await assert.rejects(life.skip(), { code: 'conflict' })
    await assert.rejects(reschedule(life, '2026-05-01T00:00:00Z'), { code: 'conflict' })
    await life.bill()
    assert.equal((await life.attempts()).length, 0, 'nothing at once')

    // Another stop only begins the day anew, also in a later period, and its next date is that of the series.
    await stop(life)
    await life.goTo('2026-03-20T00:00:00Z')
    await goOn(life)
    assert.deepEqual(await datesOf(life), ['2026-02-10T15:00:00Z', '2026-03-21T00:00:00Z'])
    await life.goTo('2026-03-21T00:00:00Z')
    await life.bill()
    assert.equal((await life.attempts()).length, 1)
    await life.pay()
    assert.deepEqual(await datesOf(life), ['2026-02-10T15:00:00Z', '2026-04-10T14:00:00Z'])
    await life.skip()
  }
})

test('with less than a day of the period left, the next date of the series is the first charge', async () => {
  const life = await aTrial()
  await life.pause()
  await life.goTo('2026-03-10T13:00:00Z')
  await life.resume()
  assert.deepEqual(await datesOf(life), ['2026-02-10T15:00:00Z', '2026-03-10T14:00:00Z'])
})

test('a date that is given when a pause ends after the trial cannot postpone the first charge', async () => {
  const life = await aTrial()
  await life.pause()
  await life.goTo('2026-02-20T00:00:00Z')
  await assert.rejects(life.resume('2026-02-21T00:00:01Z'), {
    code: 'invalid_request',
    message:
      'next_billing_date must not be after 2026-02-21T00:00:00.000Z: the first charge after a trial cannot be postponed'
  })
  await life.resume('2026-02-20T12:00:00Z')
  assert.deepEqual(await datesOf(life), ['2026-02-10T15:00:00Z', '2026-02-20T12:00:00Z'])
  await assert.rejects(reschedule(life, '2026-02-20T12:00:01Z'), { code: 'invalid_request' })
  await assert.rejects(life.skip(), { code: 'conflict' })
})

test('a first charge that is skipped after it failed does not begin the trial again', async () => {
  const life = await aTrial()
  await life.goTo('2026-02-10T15:00:00Z')
  await life.bill()
  await life.decline('INVALID_CURRENCY')
  await life.skip()
  assert.deepEqual(await datesOf(life), ['2026-02-10T15:00:00Z', '2026-03-10T14:00:00Z'])

  const outOfStock = await aSubscriptionLife(db, {
    plan: { name: 'VIP', trialDays: 10 },
    dunning: { inventory: { retryAfterDays: [] } }
  })
  await outOfStock.goTo('2026-02-10T15:00:00Z')
  await outOfStock.bill()
  await outOfStock.decline('INSUFFICIENT_INVENTORY')
  assert.deepEqual(await datesOf(outOfStock), ['2026-02-10T15:00:00Z', '2026-03-10T14:00:00Z'])
})
