// Of two changes at once the later decides on what the earlier has left; charges follow what holds in the end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retryHeldCharges, settleAttempts } from '#billing'
import { type Ctx, int, row, sql } from '#kit/postgres'
import { resumeEndedPauses } from '#subscriptions/for-billing'
import { atOnce } from '../../test/at-once.ts'
import { aContract } from '../../test/contract-builder.ts'
import { testDatabase } from '../../test/database.ts'
import { at, aSubscriptionLife as lifeOf } from '../../test/subscription-life.ts'
import { claimAttempts } from '../billing/charging/claims.ts'
import { openDueAttempts } from '../billing/charging/open-attempts.ts'
import { endChargesPastDeadline } from '../billing/settling/end-charges-past-deadline.ts'
import { markContractsMissing } from '../contracts/missing-contracts.ts'
import { upsertFromContracts } from '../contracts/upsert-from-contracts.ts'
import { cancelSubscription } from './cancel-subscription.ts'
import { endForDeletedCustomers } from './end-for-deleted-customers.ts'
import { giftSubscription } from './gift-subscription.ts'
import { pauseSubscription } from './pause-subscription.ts'
import { reactivateSubscription } from './reactivate-subscription.ts'
import { requestChange } from './request-change.ts'
import { rescheduleSubscription } from './reschedule-subscription.ts'
import { resumeSubscription } from './resume-subscription.ts'
import { skipCycle } from './skip-cycle.ts'

const { db } = await testDatabase()
const SECOND = '2026-02-28T15:00:00Z'
const THIRD = '2026-03-31T14:00:00Z'
const HARD = 'EXPIRED_PAYMENT_METHOD'

type Life = Awaited<ReturnType<typeof lifeOf>>
type Action = (ctx: Ctx, id: number) => Promise<unknown>

const pause: Action = (ctx, id) => pauseSubscription(ctx, id, null, 'api')
const cancel: Action = (ctx, id) => cancelSubscription(ctx, id, { reason: 'other', comment: null, by: 'api' })
const resume: Action = (ctx, id) => resumeSubscription(ctx, id, null, 'api')
const reactivate: Action = (ctx, id) => reactivateSubscription(ctx, id, 'api')
const done = <T>(outcome: PromiseSettledResult<T>): T => {
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value
}

const inBilling = async (isSent: boolean): Promise<Life> => {
  const life = await lifeOf(db)
  await life.goTo(SECOND)
  if (isSent) await life.bill()
  else await life.open()
  return life
}
const settle = (life: Life) => (ctx: Ctx) =>
  settleAttempts(ctx, [
    {
      idempotencyKey: `svc-${life.contract.id}-2-1`,
      platformAttemptId: '1',
      state: 'success',
      order: null,
      paymentMethod: null
    }
  ])
const factsOf = ({ inStore, storeId }: Life, name: string) =>
  inStore(async ({ tx }) => {
    const counted = sql`select count(*) as count from facts where store_id = ${storeId} and name = ${name}`
    return (await tx.one(row({ count: int }), counted)).count
  })

const refused: [string, { before?: Action; first: Action; second: Action }][] = [
  ['a pause during a cancellation', { first: cancel, second: pause }],
  ['a pause during a pause', { first: pause, second: pause }],
  ['a resumption during a cancellation', { before: pause, first: cancel, second: resume }],
  ['a cancellation during a cancellation', { first: cancel, second: cancel }],
  ['a reactivation during a reactivation', { before: cancel, first: reactivate, second: reactivate }],
  ['a skip during a pause', { first: pause, second: (ctx, id) => skipCycle(ctx, id, 'api') }],
  [
    'a new date during a pause',
    { first: pause, second: (ctx, id) => rescheduleSubscription(ctx, id, at('2026-03-05T15:00:00Z'), 'api') }
  ],
  ['a gift during a cancellation', { first: cancel, second: (ctx, id) => giftSubscription(ctx, id, 999_999, 'api') }],
  [
    'new terms during a cancellation',
    { first: cancel, second: (ctx, id) => requestChange(ctx, id, { priceMinor: 1900 }, 'api') }
  ]
]

for (const [what, { before, first, second }] of refused) {
  test(`${what} waits for it, and is refused`, async () => {
    const life = await lifeOf(db, { graceHours: 24 })
    if (before) await life.inStore((ctx) => before(ctx, life.id))
    let left: unknown
    const outcome = await atOnce(
      life,
      async (ctx) => {
        left = await first(ctx, life.id)
      },
      (ctx) => second(ctx, life.id)
    )
    assert.equal(outcome.status, 'rejected')
    assert.equal((outcome as PromiseRejectedResult).reason.code, 'conflict')
    const { cancelComment: _, ...row } = left as { cancelComment?: string | null }
    assert.deepEqual(await life.read(), row)
  })
}

test('a cancellation during a pause ends the paused subscription, and its charge is voided once', async () => {
  const life = await inBilling(false)
  done(
    await atOnce(
      life,
      (ctx) => pause(ctx, life.id),
      (ctx) => cancel(ctx, life.id)
    )
  )
  assert.deepEqual(await life.now(), ['cancelled', 1, 2, 0, null])
  assert.equal(await factsOf(life, 'billing.failed'), 1)
})

test('a pause during the settlement of a charge, and the reverse: the cycle is paid, and the next date waits for the end', async () => {
  for (const isPauseFirst of [false, true]) {
    const life = await inBilling(true)
    const both: ((ctx: Ctx) => Promise<unknown>)[] = [settle(life), (ctx) => pause(ctx, life.id)]
    const [first, second] = isPauseFirst ? both.toReversed() : both
    done(await atOnce(life, first!, second!))
    assert.deepEqual(await life.now(), ['paused', 2, 3, 0, null])
    assert.equal((await life.read()).pastDueCycle, null)
    await life.resume()
    assert.deepEqual(await life.now(), ['active', 2, 3, 0, THIRD])
  }
})

test('a charge that is being sent is not voided by a pause, and one that is being voided is not sent', async () => {
  const sent = await inBilling(false)
  done(
    await atOnce(
      sent,
      (ctx) => claimAttempts(ctx, 10, 1),
      (ctx) => pause(ctx, sent.id)
    )
  )
  assert.deepEqual(
    (await sent.attempts()).map(({ status }) => status),
    ['pending']
  )

  const voided = await inBilling(false)
  const claimed = done(
    await atOnce(
      voided,
      (ctx) => pause(ctx, voided.id),
      (ctx) => claimAttempts(ctx, 10, 1)
    )
  )
  assert.deepEqual(claimed, [])
  assert.deepEqual(
    (await voided.attempts()).map(({ status }) => status),
    ['failed']
  )
})

test('a cycle that falls due during a pause, or is opened during one, is not charged', async () => {
  for (const isPauseFirst of [false, true]) {
    const life = await lifeOf(db)
    await life.goTo(SECOND)
    const both: ((ctx: Ctx) => Promise<unknown>)[] = [(ctx) => openDueAttempts(ctx, 10), (ctx) => pause(ctx, life.id)]
    const [first, second] = isPauseFirst ? both.toReversed() : both
    done(await atOnce(life, first!, second!))
    await life.bill()
    assert.deepEqual((await life.now()).slice(0, 3), ['paused', 1, 2])
    assert.deepEqual(await life.pending(), [])
  }
})

test('one result that two report at once is settled once', async () => {
  const life = await inBilling(true)
  assert.equal(done(await atOnce(life, settle(life), settle(life))), 0)
  assert.deepEqual(await life.now(), ['active', 2, 3, 0, THIRD])
  assert.equal((await life.read()).cyclesPaid, 2)
  assert.equal(await factsOf(life, 'billing.success'), 1)
})

test('two openers at once open one attempt of a due cycle', async () => {
  const life = await lifeOf(db)
  await life.goTo(SECOND)
  const open = (ctx: Ctx) => openDueAttempts(ctx, 10)
  done(await atOnce(life, open, open))
  assert.equal((await life.pending()).length, 1)
  assert.equal(await factsOf(life, 'billing.pending'), 1)
})

test('a pause that ends by itself during a cancellation does not revive the subscription, and it ends once', async () => {
  const end = (ctx: Ctx) => resumeEndedPauses(ctx, 10)
  const paused = async () => {
    const life = await lifeOf(db)
    await life.pauseUntil('2026-02-10T00:00:00Z')
    await life.goTo('2026-02-10T00:00:00Z')
    return life
  }
  const cancelled = await paused()
  assert.equal(done(await atOnce(cancelled, (ctx) => cancel(ctx, cancelled.id), end)), 0)
  assert.equal((await cancelled.read()).status, 'cancelled')

  const ended = await paused()
  assert.equal(done(await atOnce(ended, end, end)), 0)
  assert.equal(await factsOf(ended, 'subscription.resumed'), 1)
})

test('a new payment method at the very deadline of its charge keeps the subscription', async () => {
  const life = await lifeOf(db, { dunning: { hardDeclineWaitDays: 2 } })
  await life.goTo(SECOND)
  await life.bill()
  await life.decline(HARD)
  await life.goTo('2026-03-02T15:00:00Z')
  const given = (ctx: Ctx) => retryHeldCharges(ctx, [life.contract.id])
  assert.equal(done(await atOnce(life, given, (ctx) => endChargesPastDeadline(ctx, 10))), 0)
  assert.deepEqual(await life.now(), ['active', 1, 2, 1, '2026-03-02T15:00:00Z'])
})

const readers: Record<string, (ctx: Ctx, life: Life) => Promise<unknown>> = {
  'a contract that is read': (ctx, { contract }) =>
    upsertFromContracts(ctx, [{ ...contract, status: 'paused', revision: '7' }], []),
  'a contract that is missing': (ctx, { contract }) => markContractsMissing(ctx, [contract.id]),
  'a contract whose customer was deleted': (ctx, { contract }) => endForDeletedCustomers(ctx, [contract.id])
}

for (const [what, read] of Object.entries(readers)) {
  test(`${what} while its subscription is being cancelled changes nothing more`, async () => {
    const life = await lifeOf(db)
    done(
      await atOnce(
        life,
        (ctx) => cancel(ctx, life.id),
        (ctx) => read(ctx, life)
      )
    )
    const { status, cancelReason } = await life.read()
    assert.deepEqual([status, cancelReason], ['cancelled', 'other'])
    assert.equal(await factsOf(life, 'subscription.paused'), 0)
    assert.equal(await factsOf(life, 'subscription.cancelled'), 1)
  })
}

test('a contract that two read for the first time at once becomes one subscription', async () => {
  const life = await lifeOf(db)
  const contract = aContract(at('2026-01-31T15:00:00Z'), { originOrder: null })
  const read = (ctx: Ctx) => upsertFromContracts(ctx, [contract], [])
  const { changed } = done(await atOnce(life, read, read))
  assert.deepEqual(changed, [])
  assert.equal(await factsOf(life, 'subscription.created'), 2)
})
