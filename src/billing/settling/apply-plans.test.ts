// Whether a plan stops the charges follows from what it leaves, not from what it says.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import type { Subscription } from '#subscriptions'
import { planContextOf, planSkip } from '#subscriptions/transitions'
import { testDatabase } from '../../../test/database.ts'
import { aSubscriptionLife, at } from '../../../test/subscription-life.ts'
import { applyPlans } from './apply-plans.ts'

const { db } = await testDatabase()
const NOW = at('2026-02-28T15:00:00Z')

type Life = Awaited<ReturnType<typeof aSubscriptionLife>>

/** Second cycles with an attempt that was not sent, and with a declined one whose retry is announced. */
const charges: Record<string, { to: (life: Life) => Promise<unknown>; left: { code: string; retries: number } }> = {
  'an unsent attempt': { to: (life) => life.open(), left: { code: 'voided', retries: 0 } },
  'an announced retry': {
    to: async (life) => {
      await life.bill()
      await life.decline('INSUFFICIENT_FUNDS')
    },
    left: { code: 'card_declined', retries: 0 }
  }
}

const noDates = { nextBillingAt: null, billingDueAt: null, paymentMethodDeadline: null }
const ended = { ...noDates, cancelledAt: NOW, cancelReason: 'other' }

/** Plans that mention no charge, of every way in which a subscription is no longer active. */
const stops: Record<string, Partial<Subscription>> = {
  paused: { ...noDates, status: 'paused', pausedAt: NOW },
  cancelled: { ...ended, status: 'cancelled' },
  'cancelled, to be taken back': { ...ended, status: 'cancelled', graceEndsAt: NOW.add({ hours: 24 }) },
  failed: { ...ended, status: 'failed' },
  expired: { ...ended, status: 'expired' }
}

for (const [what, { to, left }] of Object.entries(charges)) {
  for (const [status, change] of Object.entries(stops)) {
    test(`a plan that leaves a subscription ${status} ends ${what}, whatever it says of the time before`, async () => {
      for (const believed of [{}, change]) {
        const life = await aSubscriptionLife(db)
        await life.goTo(NOW.toString())
        await to(life)
        const held = await life.read()
        const plan = { before: { ...held, ...believed }, after: { ...held, ...change }, events: [], activities: [] }
        await life.inStore((ctx) => applyPlans(ctx, [plan], 'api'))
        assert.equal((await life.read()).status, change.status)
        assert.deepEqual(await life.charges(), [{ status: 'failed', ...left }])
      }
    })
  }

  test(`a plan that skips the cycle ends ${what}`, async () => {
    const life = await aSubscriptionLife(db)
    await life.goTo(NOW.toString())
    await to(life)
    const plan = planSkip(await life.read(), await life.inStore(planContextOf))
    await life.inStore((ctx) => applyPlans(ctx, [plan], 'api'))
    assert.equal((await life.read()).nextCycle, 3)
    assert.deepEqual(await life.charges(), [{ status: 'failed', ...left }])
  })

  test(`a plan that leaves a subscription active keeps ${what}`, async () => {
    const life = await aSubscriptionLife(db)
    await life.goTo(NOW.toString())
    await to(life)
    const [held, attempts] = [await life.read(), await life.charges()]
    const plan = { before: held, after: { ...held, priceMinor: 100 }, events: [], activities: [] }
    await life.inStore((ctx) => applyPlans(ctx, [plan], 'api'))
    assert.deepEqual([(await life.read()).priceMinor, await life.charges()], [100, attempts])
  })
}

test('a plan that changes nothing writes nothing', async () => {
  const life = await aSubscriptionLife(db)
  await life.goTo(NOW.toString())
  const held = await life.read()
  await life.inStore((ctx) => applyPlans(ctx, [{ before: held, after: held, events: [], activities: [] }], 'api'))
  assert.deepEqual(await life.read(), held)
})

test('a subscription that is paused with its charge under way and then cancelled has no tries to come; one that goes on has', async () => {
  for (const next of ['cancel', 'resume'] as const) {
    const life = await aSubscriptionLife(db)
    await life.goTo(NOW.toString())
    await life.bill()
    const remaining = async () => (await life.attempts()).map(({ attemptsRemaining }) => attemptsRemaining)
    const [before] = await remaining()
    await life.pause()
    assert.deepEqual(await remaining(), [0])
    await life[next]()
    assert.deepEqual(await remaining(), [next === 'cancel' ? 0 : before])
  }
})

test('what a retry says of the tries to come stays as it is when its subscription changes and goes on', async () => {
  const life = await aSubscriptionLife(db)
  await life.goTo(NOW.toString())
  await life.bill()
  await life.inStore(({ tx, storeId }) =>
    tx.run(sql`update billing_attempts set attempts_remaining = 1 where store_id = ${storeId}`)
  )
  const held = await life.read()
  const plan = { before: held, after: { ...held, priceMinor: 100 }, events: [], activities: [] }
  await life.inStore((ctx) => applyPlans(ctx, [plan], 'api'))
  assert.equal((await life.attempts())[0]!.attemptsRemaining, 1)
})

test('a declined cycle whose retry was not sent stays the one that was missed by a pause', async () => {
  const life = await aSubscriptionLife(db)
  await life.goTo(NOW.toString())
  await life.bill()
  await life.decline('INSUFFICIENT_FUNDS')
  await life.goTo('2026-03-02T15:00:00Z')
  await life.open()
  const before = (await life.now()).slice(0, 3)
  await life.pause()
  assert.deepEqual(
    [before, (await life.now()).slice(0, 3)],
    [
      ['active', 1, 2],
      ['paused', 1, 3]
    ]
  )
})
