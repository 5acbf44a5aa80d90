// What each result of a charge makes of the schedule, wherever its cycle lies.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitingKeys } from '#kit/jobs'
import { sql } from '#kit/postgres'
import type { PlatformContract } from '#platform'
import { aContract, anOrder } from '../../../test/contract-builder.ts'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { upsertFromContracts } from '../../contracts/upsert-from-contracts.ts'
import { lockSubscriptions, lockSubscriptionsOfContracts } from '../lock-subscriptions.ts'
import { editContractJob, pushContractJob } from '../platform-requests.ts'
import { writeChanges } from '../requested-changes.ts'
import type { Subscription } from '../subscription.ts'
import { type CycleResult, settleCycles } from './settle-cycles.ts'

const { db } = await testDatabase()
const at = Temporal.Instant.from
const START = at('2026-01-31T15:00:00Z')
const SECOND = at('2026-02-28T15:00:00Z')
const THIRD = at('2026-03-31T14:00:00Z')
const FOURTH = at('2026-04-30T14:00:00Z')
const NOW = at('2026-03-01T10:00:00Z')
const RETRY = at('2026-03-03T10:00:00Z')

type Without<T> = T extends unknown ? Omit<T, 'subscriptionId'> : never
type Outcome = Without<CycleResult>

/** Subscriptions from 31 January whose second cycle is being charged, each with these fields different. */
async function charged(given: Partial<Subscription>[], terms: Partial<PlatformContract> = {}) {
  const store = await aStore(db, { clockAt: START })
  const { inStore, storeId } = store
  const contracts = given.map(() => aContract(START, terms))
  const orders = contracts.flatMap(({ originOrder }) => (originOrder ? [anOrder(START, { id: originOrder.id })] : []))
  await inStore((ctx) => upsertFromContracts(ctx, contracts, orders))
  const ids = contracts.map(({ id }) => id)
  const rows = await inStore((ctx) => lockSubscriptionsOfContracts(ctx, ids))
  const held = rows.map(
    (s, i): Subscription => ({ ...s, nextBillingAt: SECOND, billingDueAt: null, ...given[i]!, id: s.id })
  )
  await inStore(({ tx }) => tx.run(sql`delete from jobs where store_id = ${storeId}`))
  return {
    ...store,
    held,
    async settle(results: Outcome[], of = 0) {
      const subscriptionId = held[of]!.id
      const settled = await inStore((ctx) =>
        settleCycles(
          { ...ctx, now: NOW },
          results.map((result) => ({ ...result, subscriptionId }) as CycleResult),
          held
        )
      )
      const stored = (await inStore((ctx) => lockSubscriptions(ctx, [subscriptionId])))[0]!
      return { ...settled, stored, s: settled.after.get(subscriptionId)! }
    },
    requested: async (job: typeof pushContractJob) => {
      const keys = await inStore((ctx) =>
        waitingKeys(
          ctx,
          job,
          held.map(({ id }) => String(id))
        )
      )
      return held.map(({ id }) => keys.has(String(id)))
    }
  }
}

const paid = (cycle: number) => ({ cycle, outcome: 'paid' as const, paymentMethod: null })
const declined = (
  cycle: number,
  retryAt: Temporal.Instant | null = RETRY,
  counts: 'declines' | 'inventoryFailures' | null = 'declines'
) => ({ cycle, outcome: 'declined' as const, retryAt, paymentMethodDeadline: FOURTH, counts })
const exhausted = (cycle: number, ending: 'cancel' | 'pause' | 'fail' | 'skip' = 'cancel') => ({
  cycle,
  outcome: 'retries_exhausted' as const,
  counts: 'declines' as const,
  ending,
  reason: 'payment_failed'
})
const PAUSED = { status: 'paused', pausedAt: START, nextBillingAt: null, billingDueAt: null } as const
const DECLINED = { declines: 2, inventoryFailures: 1 }
const OVER = { status: 'cancelled', cancelledAt: START, cancelReason: 'other', nextBillingAt: null } as const

/** [last cycle paid, how many are paid, next cycle, next date, when it is due, declines, out of stock, past due] */
const schedule = (s: Subscription) => [
  s.cycleIndex,
  s.cyclesPaid,
  s.nextCycle,
  s.nextBillingAt,
  s.billingDueAt,
  s.declines,
  s.inventoryFailures,
  s.pastDueCycle
]

for (const [what, given, results, expected] of [
  ['a payment of the next cycle', DECLINED, [paid(2)], [2, 2, 3, THIRD, THIRD, 0, 0, null]],
  ['a payment of the last of a fixed number', { maxCycles: 2 }, [paid(2)], [2, 2, 3, null, THIRD, 0, 0, null]],
  ['a payment in a pause', { ...PAUSED, ...DECLINED }, [paid(2)], [2, 2, 3, null, null, 0, 0, null]],
  ['a payment of a later cycle', {}, [paid(3)], [3, 2, 4, FOURTH, FOURTH, 0, 0, null]],
  [
    'a late payment of an older cycle',
    { ...DECLINED, nextCycle: 3, nextBillingAt: RETRY, billingDueAt: RETRY },
    [paid(2)],
    [2, 2, 3, RETRY, RETRY, 2, 1, null]
  ],
  [
    'the same of one that had paid a later cycle',
    { cycleIndex: 3, nextCycle: 4, nextBillingAt: FOURTH, billingDueAt: FOURTH },
    [paid(2)],
    [3, 2, 4, FOURTH, FOURTH, 0, 0, null]
  ],
  [
    'a late payment that is the last of a fixed number',
    { maxCycles: 2, nextCycle: 3, nextBillingAt: THIRD, billingDueAt: THIRD },
    [paid(2)],
    [2, 2, 3, null, THIRD, 0, 0, null]
  ],
  [
    'the same while the next one is retried',
    { maxCycles: 2, nextCycle: 3, nextBillingAt: RETRY, billingDueAt: RETRY, declines: 1 },
    [paid(2)],
    [2, 2, 3, RETRY, RETRY, 1, 0, null]
  ],
  [
    'a payment of the past due cycle of a pause',
    { ...PAUSED, ...DECLINED, nextCycle: 3, pastDueCycle: 2 },
    [paid(2)],
    [2, 2, 3, null, null, 0, 0, null]
  ],
  [
    'a payment of another cycle than the past due one',
    { ...PAUSED, ...DECLINED, nextCycle: 4, pastDueCycle: 3 },
    [paid(2)],
    [2, 2, 4, null, null, 2, 1, 3]
  ],
  ['a decline with a retry', {}, [declined(2)], [1, 1, 2, RETRY, RETRY, 1, 0, null]],
  ['another one, of stock', DECLINED, [declined(2, RETRY, 'inventoryFailures')], [1, 1, 2, RETRY, RETRY, 2, 2, null]],
  ['a decline outside the schedule', DECLINED, [declined(2, RETRY, null)], [1, 1, 2, RETRY, RETRY, 2, 1, null]],
  ['a decline that is held', {}, [declined(2, null)], [1, 1, 2, null, null, 1, 0, null]],
  [
    'a decline of a past due cycle that was claimed',
    { pastDueCycle: 2 },
    [declined(2)],
    [1, 1, 2, RETRY, RETRY, 1, 0, null]
  ],
  [
    'a decline of the past due cycle of a pause',
    { ...PAUSED, declines: 1, nextCycle: 3, pastDueCycle: 2 },
    [declined(2)],
    [1, 1, 3, null, null, 2, 0, 2]
  ],
  [
    'a decline of a missed cycle',
    { nextCycle: 3, nextBillingAt: THIRD, billingDueAt: THIRD },
    [declined(2)],
    [1, 1, 3, THIRD, THIRD, 0, 0, null]
  ],
  [
    'a decline of a missed cycle beside the payment of the next one, in either order',
    { nextCycle: 3 },
    [paid(3), declined(2)],
    [3, 2, 4, FOURTH, FOURTH, 0, 0, null]
  ],
  ['payments of two cycles', { nextCycle: 3 }, [paid(3), paid(2)], [3, 3, 4, FOURTH, FOURTH, 0, 0, null]],
  ['no more retries, and the cycle is over', {}, [exhausted(2, 'skip')], [1, 1, 3, THIRD, THIRD, 0, 0, null]],
  [
    'no more retries of a missed cycle',
    { nextCycle: 3, nextBillingAt: THIRD, billingDueAt: THIRD },
    [exhausted(2)],
    [1, 1, 3, THIRD, THIRD, 0, 0, null]
  ]
] as const) {
  test(`${what} leaves the schedule as it has to be`, async () => {
    const { settle } = await charged([given as Partial<Subscription>])
    const { s, stored } = await settle([...results])
    assert.deepEqual(schedule(s), [...expected])
    assert.deepEqual(schedule(stored), [...expected], 'as it is stored')
  })
}

test('what is held waits until its deadline; a retry has none, and neither has what is not active', async () => {
  for (const [given, result, deadline] of [
    [{}, declined(2, null), FOURTH],
    [{}, declined(2), null],
    [PAUSED, declined(2, null), null]
  ] as const) {
    const { settle } = await charged([given])
    assert.deepEqual((await settle([result])).stored.paymentMethodDeadline, deadline)
  }
})

test('the end that the store has chosen comes after the last decline, once, and only of what is active', async () => {
  for (const [ending, status] of [
    ['cancel', 'cancelled'],
    ['pause', 'paused'],
    ['fail', 'failed'],
    ['skip', 'active']
  ] as const) {
    const { settle } = await charged([{}])
    const { s, stored, activities } = await settle([exhausted(2, ending)])
    assert.deepEqual([s.status, stored.status, stored.pausedByDunning], [status, status, status === 'paused'])
    assert.deepEqual(
      activities.slice(0, 1).map(({ kind, actor, text }) => [kind, actor, text]),
      [['retries_exhausted', 'dunning', 'No more retries for cycle 2: payment failed']]
    )
    assert.equal(activities.length, 2)
  }
  for (const given of [PAUSED, OVER]) {
    const { settle } = await charged([given])
    const { s, activities } = await settle([exhausted(2)])
    assert.deepEqual([s.status, activities], [given.status, []])
  }
})

test('a payment method that the result names is kept, and without one that of before', async () => {
  const card = { type: 'card', lastFour: '1111', brand: 'amex' }
  for (const [paymentMethod, lastFour] of [
    [card, '1111'],
    [null, '4242']
  ] as const) {
    const { settle } = await charged([{}])
    const { stored } = await settle([{ ...paid(2), paymentMethod }])
    assert.equal(stored.paymentMethod?.lastFour, lastFour)
  }
})

test('the first payment activates; of a trial, of a later cycle and of what is over nothing is activated', async () => {
  const UNPAID = { cycleIndex: 0, cyclesPaid: 0, nextCycle: 1 }
  for (const [given, cycle, events, kinds] of [
    [UNPAID, 1, ['subscription.activated'], ['activated']],
    [{ ...UNPAID, trialEndsAt: SECOND }, 1, [], ['trial_ended']],
    [{}, 2, [], []],
    [{ ...UNPAID, ...OVER }, 1, [], []]
  ] as const) {
    const { settle } = await charged([given])
    const { pendingEvents, activities } = await settle([paid(cycle)])
    const ofSubscriptions = pendingEvents.map(({ name }) => name).filter((name) => name.startsWith('subscription.'))
    assert.deepEqual([ofSubscriptions, activities.map(({ kind }) => kind)], [events, kinds])
    if (kinds.length > 0) assert.equal(activities[0]!.actor, 'scheduler')
  }
  const { settle } = await charged([UNPAID])
  assert.deepEqual((await settle([declined(1)])).activities, [])
})

test('the platform gets the next date of what was paid, if it is active and the date is ahead', async () => {
  const store = await charged([{}, { maxCycles: 2 }, PAUSED, { anchorAt: at('2025-06-30T15:00:00Z') }, {}, {}])
  const paidOf = [0, 1, 2, 3]
  for (const i of paidOf) await store.settle([paid(2)], i)
  await store.settle([declined(2)], 4)
  assert.deepEqual(await store.requested(pushContractJob), [true, false, false, false, false, false])
  const restored = await charged([{}])
  await restored.inStore(({ tx, storeId }) =>
    tx.run(sql`update stores set restored_at = ${NOW} where store_id = ${storeId}`)
  )
  await restored.settle([paid(2)])
  assert.deepEqual(await restored.requested(pushContractJob), [false])
})

test('a change that waited for the end of a decline is tried again, and only of what was settled', async () => {
  const store = await charged([{ declines: 1 }, { declines: 0 }, { declines: 1 }])
  const change = {
    planId: null,
    priceMinor: 1900,
    linePriceMinor: null,
    interval: null,
    intervalCount: null,
    platformPaymentMethodId: null,
    replaces: null,
    actor: 'api',
    actorId: null
  } as const
  await store.inStore((ctx) =>
    writeChanges(
      ctx,
      store.held.map(({ id }) => ({ ...change, subscriptionId: id }))
    )
  )
  await store.inStore(({ tx, storeId }) => tx.run(sql`delete from jobs where store_id = ${storeId}`))
  for (const i of [0, 1]) await store.settle([paid(2)], i)
  assert.deepEqual(await store.requested(editContractJob), [true, false, false])
  const [, , other] = await store.inStore((ctx) =>
    lockSubscriptions(
      ctx,
      store.held.map(({ id }) => id)
    )
  )
  assert.equal(other!.declines, 0, 'what has no result is not written')
})

test('what dunning had paused goes on when its cycle is paid after all in its period, and nothing else does', async () => {
  const byDunning = { ...PAUSED, pausedByDunning: true, nextCycle: 3, pastDueCycle: 2 }
  for (const [given, cycle, status] of [
    [byDunning, 2, 'active'],
    [{ ...byDunning, pausedByDunning: false }, 2, 'paused'],
    [{ ...byDunning, nextCycle: 5, pastDueCycle: 4 }, 2, 'paused'],
    [{ ...byDunning, pastDueCycle: null }, 2, 'paused'],
    [{ ...byDunning, nextCycle: 4, pastDueCycle: 3 }, 3, 'paused'],
    [{ ...byDunning, anchorAt: at('2025-06-30T15:00:00Z') }, 2, 'paused']
  ] as const) {
    const { settle } = await charged([given])
    const { s, stored, activities } = await settle([paid(cycle)])
    assert.deepEqual([s.status, stored.status], [status, status])
    const texts = status === 'active' ? ['Resumed, since cycle 2 was paid after all; next charge on 2026-03-31'] : []
    assert.deepEqual(
      activities.map(({ text }) => text),
      texts
    )
  }
})
