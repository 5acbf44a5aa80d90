import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listReadyChanges } from '#contracts'
import { waitingKeys } from '#kit/jobs'
import { nullable, row, sql, text } from '#kit/postgres'
import { testDatabase } from '../../test/database.ts'
import { aSubscriptionLife as lifeOf } from '../../test/subscription-life.ts'
import { cancelSubscription } from '../lifecycle/cancel-subscription.ts'
import { giftSubscription, revokeGift } from '../lifecycle/gift-subscription.ts'
import { requestChange } from '../lifecycle/request-change.ts'
import { endGraces } from './due-transitions.ts'
import type { Activity } from './history/activity.ts'
import { listActivity } from './history/list-activity.ts'
import { editContractJob, pushContractJob } from './platform-requests.ts'
import { listChanges } from './requested-changes.ts'

const { db } = await testDatabase()
const SECOND = '2026-02-28T15:00:00Z'

async function aLifeWithChange(graceHours = 0) {
  const life = await lifeOf(db, { graceHours })
  await life.inStore((ctx) => requestChange(ctx, life.id, { priceMinor: 1900 }, 'api'))
  const isWaiting = async () => (await life.inStore((ctx) => listChanges(ctx, [life.id]))).length === 1
  assert.ok(await isWaiting())
  return { ...life, isWaiting }
}

test('what was asked for ends with the subscription, here and on the platform', async () => {
  for (const status of ['cancelled', 'expired'] as const) {
    const there = await aLifeWithChange()
    await there.sync({ status, revision: '5' })
    assert.equal(await there.isWaiting(), false, status)
  }
  const here = await aLifeWithChange()
  await here.cancel()
  assert.equal(await here.isWaiting(), false)
})

test('while a cancellation can be taken back it waits, until the contract ends on the platform', async () => {
  const life = await aLifeWithChange(24)
  await life.cancel()
  assert.ok(await life.isWaiting())
  await life.reactivate()
  assert.ok(await life.isWaiting())
  await life.cancel()
  await life.sync({ status: 'cancelled', revision: '5' })
  assert.equal(await life.isWaiting(), false)
})

test('a reactivation has the change made that waited meanwhile, and the end of the grace period ends it', async () => {
  const life = await aLifeWithChange(24)
  await life.cancel()
  const isRequested = async () =>
    (await life.inStore((ctx) => waitingKeys(ctx, editContractJob, [String(life.id)]))).size === 1
  const forget = () =>
    life.inStore(({ tx, storeId }) =>
      tx.run(sql`delete from jobs where store_id = ${storeId} and kind = 'edit-contract'`)
    )
  await forget()
  await life.reactivate()
  assert.ok(await isRequested())

  await life.cancel()
  await forget()
  await life.goTo('2026-02-01T15:00:00Z')
  assert.equal(await life.inStore((ctx) => endGraces(ctx, 10)), 1)
  assert.ok(await isRequested())
  assert.deepEqual(await life.inStore((ctx) => listReadyChanges(ctx, [life.id])), { ready: [], unsettled: [] })
  assert.equal(await life.isWaiting(), false)
})

test('a pause neither drops nor requests what waits, and what is given away needs nothing of the platform', async () => {
  const life = await aLifeWithChange()
  const requested = async () => {
    const keys = [String(life.id)]
    return life.inStore(async (ctx) => [
      (await waitingKeys(ctx, editContractJob, keys)).size,
      (await waitingKeys(ctx, pushContractJob, keys)).size
    ])
  }
  const forget = () => life.inStore(({ tx, storeId }) => tx.run(sql`delete from jobs where store_id = ${storeId}`))
  await forget()
  const receiver = await life.anotherCustomer()
  await life.inStore((ctx) => giftSubscription(ctx, life.id, receiver, 'api'))
  assert.deepEqual(await requested(), [0, 0])
  await life.pause()
  assert.deepEqual([await requested(), await life.isWaiting()], [[0, 1], true])
  const { receiverMemberId, giftedAt } = await life.read()
  assert.deepEqual([receiverMemberId, giftedAt !== null], [receiver, true])
  await forget()
  await life.inStore((ctx) => revokeGift(ctx, life.id, 'api'))
  assert.deepEqual(await requested(), [0, 0], 'nor in a pause, which has no date')
})

test('the comment of a cancellation stays as long as it is cancelled', async () => {
  const life = await lifeOf(db, { graceHours: 24 })
  const comment = async () =>
    (
      await life.inStore(({ tx, storeId }) =>
        tx.one(
          row({ comment: nullable(text) }),
          sql`select cancel_comment as comment from subscriptions where store_id = ${storeId} and id = ${life.id}`
        )
      )
    ).comment
  await life.inStore((ctx) => cancelSubscription(ctx, life.id, { reason: 'other', comment: 'Too dear', by: 'api' }))
  assert.equal(await comment(), 'Too dear')
  const [{ kind, notes }] = (await life.inStore((ctx) => listActivity(ctx, life.id, { limit: 1, offset: 0 }))).rows as [
    Activity
  ]
  assert.deepEqual([kind, notes], ['cancelled', 'Too dear'])
  await life.reactivate()
  assert.equal(await comment(), null)
  await life.goTo(SECOND)
  await life.bill()
  await life.inStore((ctx) => cancelSubscription(ctx, life.id, { reason: 'other', comment: 'Again', by: 'api' }))
  await life.pay()
  assert.equal(await comment(), 'Again', 'a charge that ends later takes nothing of it')
})

test('a cycle of this very instant is past due in a pause that begins, and waits for the platform after one that ends', async () => {
  const begun = await lifeOf(db)
  await begun.goTo(SECOND)
  await begun.pause()
  assert.equal((await begun.read()).pastDueCycle, 2)
  assert.match((await begun.history()).at(-1)!, /^Paused$/)
  const early = await lifeOf(db)
  await early.goTo('2026-02-28T14:59:59Z')
  await early.pause()
  assert.equal((await early.read()).pastDueCycle, null)
  const ended = await lifeOf(db)
  await ended.pauseUntil(SECOND)
  await ended.goTo(SECOND)
  assert.equal(await ended.resumeEnded(), 1)
  const { nextBillingAt, billingDueAt } = await ended.read()
  assert.deepEqual([nextBillingAt, billingDueAt].map(String), [SECOND, '2026-02-28T15:15:00Z'])
})

test('a skip is reported with its dates, and sent to the platform', async () => {
  const life = await lifeOf(db)
  await life.skip()
  assert.equal((await life.inStore((ctx) => waitingKeys(ctx, pushContractJob, [String(life.id)]))).size, 1)
  assert.deepEqual((await life.lastEvent('subscription.updated')).changes, {
    next_billing_date: { from: '2026-02-28T15:00:00.000Z', to: '2026-03-31T14:00:00.000Z' }
  })
  assert.equal((await life.history()).at(-1), 'Cycle 2 skipped; next charge on 2026-03-31')
})
