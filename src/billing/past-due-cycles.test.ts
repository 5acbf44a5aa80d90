// What was not paid when a subscription stopped, and what comes of it when it comes back (docs/decisions/0010).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../test/database.ts'
import { aSubscriptionLife as lifeOf } from '../../test/subscription-life.ts'

const { db } = await testDatabase()
const SECOND = '2026-02-28T15:00:00Z'
const THIRD = '2026-03-31T14:00:00Z'
const FOURTH = '2026-04-30T14:00:00Z'
/** A day after 6 March, when most of these come back. */
const PAST_DUE = '2026-03-07T00:00:00Z'
const SOFT = 'INSUFFICIENT_FUNDS'
const HARD = 'EXPIRED_PAYMENT_METHOD'
const aSubscriptionLife = (given?: Parameters<typeof lifeOf>[1]) => lifeOf(db, { graceHours: 720, ...given })
type Life = Awaited<ReturnType<typeof aSubscriptionLife>>

const WAYS: Record<
  string,
  { stop: (life: Life) => Promise<unknown>; back: (life: Life, when: string) => Promise<unknown> }
> = {
  'a pause and a resumption': {
    stop: (life) => life.pause(),
    back: async (life, when) => {
      await life.goTo(when)
      await life.resume()
    }
  },
  'a pause that ends by itself': {
    stop: (life) => life.pauseUntil('2026-03-05T00:00:00Z'),
    back: async (life, when) => {
      await life.goTo(when)
      await life.resumeEnded()
    }
  },
  'a cancellation that is taken back': {
    stop: (life) => life.cancel(),
    back: async (life, when) => {
      await life.goTo(when)
      await life.reactivate()
    }
  },
  'a pause on the platform': {
    stop: (life) => life.sync({ status: 'paused', revision: '5' }),
    back: async (life, when) => {
      await life.goTo(when)
      await life.sync({ revision: '6' })
    }
  }
}
const keysOf = async (life: Life) => (await life.attempts()).map(({ key }) => key.split('-').slice(2).join('-'))

for (const [what, { stop, back }] of Object.entries(WAYS)) {
  test(`${what} collects the declined cycle a day later while its period runs, on its ladder and under its next key`, async () => {
    const life = await aSubscriptionLife()
    await life.goTo(SECOND)
    await life.bill()
    await life.decline(SOFT)
    await stop(life)
    await life.bill()
    await back(life, '2026-03-06T00:00:00Z')
    assert.deepEqual((await life.now()).slice(0, 4), ['active', 1, 2, 1])
    assert.equal((await life.read()).nextBillingAt?.toString(), PAST_DUE)
    assert.match((await life.history()).at(-1)!, /; cycle 2, which is not paid, is due on 2026-03-0[67]$/)
    await assert.rejects(life.skip(), { code: 'conflict' })
    // Resuming charges nothing, and neither does the push to the platform.
    await life.pushed()
    await life.goTo('2026-03-06T23:59:59Z')
    await life.bill()
    assert.deepEqual(await keysOf(life), ['2-1'])
    await life.goTo(PAST_DUE)
    await life.bill()
    assert.deepEqual(await keysOf(life), ['2-1', '2-2'])
    await life.decline(SOFT)
    assert.deepEqual(await life.now(), ['active', 1, 2, 2, '2026-03-11T23:00:00Z'])
    await life.goTo('2026-03-11T23:00:00Z')
    await life.bill()
    await life.pay()
    assert.deepEqual(await life.now(), ['active', 2, 3, 0, THIRD])
  })

  test(`${what} passes a declined cycle over whose period is over a day later`, async () => {
    const life = await aSubscriptionLife({ terms: { interval: 'week' } })
    await life.goTo('2026-02-28T15:00:00Z')
    await life.bill()
    await life.decline(SOFT)
    const { nextCycle, anchorAt } = await life.read()
    assert.deepEqual([nextCycle, anchorAt.toString()], [5, '2026-01-31T15:00:00Z'])
    await stop(life)
    await back(life, '2026-03-06T15:00:00Z')
    assert.deepEqual(await life.now(), ['active', 1, 6, 0, '2026-03-07T15:00:00Z'])
  })

  test(`${what} still lets a new card, or a manual retry, pay the past due cycle at once`, async () => {
    for (const ask of ['newCard', 'retry'] as const) {
      const life = await aSubscriptionLife()
      await life.goTo(SECOND)
      await life.bill()
      await life.decline(HARD)
      await stop(life)
      await back(life, '2026-03-06T00:00:00Z')
      await life.pushed()
      if (ask === 'newCard') await life.newCard()
      else await life.retry((await life.attempts())[0]!.id)
      await life.bill()
      assert.deepEqual(await keysOf(life), ['2-1', '2-2'])
      await life.pay()
      assert.deepEqual(await life.now(), ['active', 2, 3, 0, THIRD])
    }
  })

  test(`${what} passes a declined cycle over whose period is over`, async () => {
    const life = await aSubscriptionLife()
    await life.goTo(SECOND)
    await life.bill()
    await life.decline(SOFT)
    await life.goTo('2026-03-04T00:00:00Z')
    await stop(life)
    await back(life, '2026-04-02T00:00:00Z')
    if (what === 'a pause that ends by itself') {
      // It ended in March: the cycle of that month's end is due, since it has been running again.
      assert.deepEqual((await life.now()).slice(0, 4), ['active', 1, 3, 0])
      assert.equal((await life.read()).nextBillingAt?.toString(), THIRD)
    } else assert.deepEqual(await life.now(), ['active', 1, 4, 0, FOURTH])
    assert.match((await life.history()).at(-1)!, /; cycle 2 was not paid and is missed; next charge on 2026-0/)
    await life.goTo(FOURTH)
    await life.bill()
    assert.deepEqual((await keysOf(life)).at(-1), '4-1')
  })

  test(`${what} charges nothing twice: a charge whose end is not known yet is the one that counts`, async () => {
    for (const outcome of [null, SOFT]) {
      const life = await aSubscriptionLife()
      await life.goTo(SECOND)
      await life.bill()
      await stop(life)
      await back(life, '2026-03-06T00:00:00Z')
      await life.pushed()
      await life.bill()
      assert.deepEqual(await keysOf(life), ['2-1'])
      // Before the day on which it is due the platform is only asked for its result.
      assert.deepEqual(await life.claimLater(), [false])
      await life.goTo(PAST_DUE)
      await life.bill()
      assert.deepEqual(await keysOf(life), ['2-1'])
      assert.deepEqual(await life.claimLater(), [true])
      await life.settle(() => outcome)
      assert.deepEqual(
        await life.now(),
        outcome === null ? ['active', 2, 3, 0, THIRD] : ['active', 1, 2, 1, '2026-03-08T23:00:00Z']
      )
    }
  })

  test(`${what} owes nothing that was paid meanwhile, and what was declined meanwhile counts on its ladder`, async () => {
    const paid = await aSubscriptionLife()
    await paid.goTo(SECOND)
    await paid.bill()
    await stop(paid)
    await paid.pay()
    await back(paid, '2026-03-06T00:00:00Z')
    assert.deepEqual(await paid.now(), ['active', 2, 3, 0, THIRD])

    const declined = await aSubscriptionLife()
    await declined.goTo(SECOND)
    await declined.bill()
    await stop(declined)
    await declined.decline(HARD)
    await back(declined, '2026-03-06T00:00:00Z')
    assert.deepEqual((await declined.now()).slice(0, 4), ['active', 1, 2, 1])
    await declined.goTo(PAST_DUE)
    await declined.bill()
    assert.deepEqual(await keysOf(declined), ['2-1', '2-2'])
  })

  test(`${what} does not lose a cycle that was due and never sent`, async () => {
    for (const isOpened of [false, true]) {
      const life = await aSubscriptionLife()
      await life.goTo('2026-03-01T00:00:00Z')
      if (isOpened) await life.open()
      await stop(life)
      await back(life, '2026-03-06T00:00:00Z')
      assert.deepEqual(await life.now(), ['active', 1, 2, 0, PAST_DUE])
      await life.goTo(PAST_DUE)
      await life.bill()
      await life.pay()
      assert.deepEqual(await life.now(), ['active', 2, 3, 0, THIRD])
    }
  })
}

test('a date that is given to a resumption is the next charge: the unpaid cycle is missed', async () => {
  const life = await aSubscriptionLife()
  await life.goTo(SECOND)
  await life.bill()
  await life.decline(SOFT)
  await life.pause()
  await life.resume('2026-03-10T00:00:00Z')
  assert.deepEqual(await life.now(), ['active', 1, 3, 0, '2026-03-10T00:00:00Z'])
  assert.match((await life.history()).at(-1)!, /^Resumed; cycle 2 was not paid and is missed; next charge on 2026-03-0/)
})

test('so is one whose next date was moved on the platform during the pause', async () => {
  const life = await aSubscriptionLife()
  await life.goTo(SECOND)
  await life.bill()
  await life.decline(SOFT)
  await life.sync({ status: 'paused', revision: '5', nextBillingDate: Temporal.Instant.from(SECOND) })
  await life.sync({ status: 'paused', revision: '6', nextBillingDate: Temporal.Instant.from('2026-03-20T00:00:00Z') })
  await life.goTo('2026-03-06T00:00:00Z')
  await life.resume()
  assert.deepEqual(await life.now(), ['active', 1, 3, 0, '2026-03-20T00:00:00Z'])
})

test('pausing again and again neither begins the ladder anew nor loses the cycle', async () => {
  const life = await aSubscriptionLife()
  await life.goTo(SECOND)
  await life.bill()
  await life.decline(SOFT)
  for (let declines = 2; declines <= 4; declines++) {
    await life.pause()
    await life.resume()
    await life.pause()
    await life.resume()
    await life.goTo(`2026-03-0${declines}T00:00:00Z`)
    await life.bill()
    await life.decline(SOFT)
    assert.deepEqual((await life.now()).slice(0, 4), ['active', 1, 2, declines])
  }
  await life.pause()
  await life.cancel()
  await life.reactivate()
  await life.goTo('2026-03-06T00:00:00Z')
  await life.bill()
  await life.decline(SOFT)
  assert.deepEqual(await life.now(), ['cancelled', 1, 2, 5, null])
  await assert.rejects(life.reactivate(), { code: 'conflict' }, 'dunning gave up: there is no way back')
})

test('what dunning has paused is tried once at each resumption, and pauses again', async () => {
  const life = await aSubscriptionLife({ dunning: { retryAfterDays: [], onFailure: 'pause' } })
  await life.goTo(SECOND)
  await life.bill()
  await life.decline(SOFT)
  assert.deepEqual(await life.now(), ['paused', 1, 3, 1, null])
  await life.goTo('2026-03-06T00:00:00Z')
  await life.resume()
  assert.deepEqual(await life.now(), ['active', 1, 2, 1, PAST_DUE])
  await life.goTo(PAST_DUE)
  await life.bill()
  await life.decline(SOFT)
  assert.deepEqual(await life.now(), ['paused', 1, 3, 2, null])
  await life.resume()
  await life.goTo('2026-03-08T00:00:00Z')
  await life.bill()
  await life.pay()
  assert.deepEqual(await life.now(), ['active', 2, 3, 0, THIRD])
})

test('a charge that is paid after dunning had paused the subscription brings it back while its period runs', async () => {
  const life = await aSubscriptionLife({ dunning: { retryAfterDays: [], onFailure: 'pause' } })
  await life.goTo(SECOND)
  await life.bill()
  await life.decline(SOFT)
  await life.goTo('2026-03-06T00:00:00Z')
  await life.paidLate(`svc-${life.contract.id}-2-1`)
  assert.deepEqual(await life.now(), ['active', 2, 3, 0, THIRD])
  assert.equal((await life.lastEvent('subscription.resumed')).next_billing_date, '2026-03-31T14:00:00.000Z')
  assert.equal((await life.history()).at(-1), 'Resumed, since cycle 2 was paid after all; next charge on 2026-03-31')
  assert.deepEqual(await life.alerts(), ['paid_after_pause'])

  const late = await aSubscriptionLife({ dunning: { retryAfterDays: [], onFailure: 'pause' } })
  await late.goTo(SECOND)
  await late.bill()
  await late.decline(SOFT)
  await late.goTo('2026-04-06T00:00:00Z')
  await late.paidLate(`svc-${late.contract.id}-2-1`)
  assert.deepEqual(await late.now(), ['paused', 2, 3, 0, null])
  assert.deepEqual(await late.alerts(), ['paid_after_pause'])
  await late.resume()
  assert.deepEqual(await late.now(), ['active', 2, 4, 0, FOURTH])
})

test('a late payment brings nothing back that a person has stopped, nor what dunning has ended', async () => {
  const aDeclined = async (onFailure: 'pause' | 'fail' | 'cancel') => {
    const life = await aSubscriptionLife({ dunning: { retryAfterDays: onFailure === 'pause' ? [2] : [], onFailure } })
    await life.goTo(SECOND)
    await life.bill()
    await life.decline(SOFT)
    return life
  }
  const paused = await aDeclined('pause')
  await paused.pause()
  const cancelled = await aDeclined('pause')
  await cancelled.pause()
  await cancelled.cancel()
  const failed = await aDeclined('fail')
  const ended = await aDeclined('cancel')
  for (const [life, status, alerts] of [
    [paused, 'paused', []],
    [cancelled, 'cancelled', ['charged_after_stop']],
    [failed, 'failed', ['charged_after_stop']],
    [ended, 'cancelled', ['charged_after_stop']]
  ] as const) {
    await life.goTo('2026-03-06T00:00:00Z')
    await life.paidLate(`svc-${life.contract.id}-2-1`)
    assert.deepEqual([(await life.now())[0], await life.alerts()], [status, alerts])
  }
  // It has been paid for: nothing is charged before the next cycle.
  await cancelled.reactivate()
  assert.deepEqual(await cancelled.now(), ['active', 2, 3, 0, THIRD])
})
