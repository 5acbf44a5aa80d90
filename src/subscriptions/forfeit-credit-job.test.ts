import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audit } from '#audit'
import {
  captureReservation,
  changeCredits,
  findCredit,
  findCreditTotals,
  forfeitCredit,
  releaseReservation,
  reserveCredit
} from '#credits'
import { isoOf } from '#kit/clock'
import { json, row, sql } from '#kit/postgres'
import { giftSubscription } from '#lifecycle'
import { setClock, updateSettings } from '#stores'
import { testDatabase } from '../../test/database.ts'
import type { DunningChange } from '../../test/store-builder.ts'
import { aSubscriptionLife } from '../../test/subscription-life.ts'
import { forfeitCreditJob } from './forfeit-credit-job.ts'
import { creditOnCancellationSettings } from './settings.ts'

const { db } = await testDatabase()
const aChange = (memberId: number, operationId: string) => ({ memberId, reason: 'x', operationId })

/** A member with credit for 7.00, in a store that forfeits it on cancellation. */
async function aMember(setting: 'keep' | 'forfeit' = 'forfeit', dunning: DunningChange = {}) {
  const life = await aSubscriptionLife(db, { graceHours: 24, plan: { name: 'Gold' }, dunning })
  await life.inStore((ctx) => updateSettings(ctx, creditOnCancellationSettings, setting))
  const { memberId } = await life.read()
  const add = (who: number, operationId = `add:${who}`) =>
    life.inStore((ctx) => changeCredits(ctx, [{ ...aChange(who, operationId), type: 'manual_add', amountMinor: 700 }]))
  await add(memberId)
  const reserve = async (amountMinor: number) => {
    const [outcome] = await life.inStore((ctx) => {
      const expiresAt = ctx.now.add({ hours: 1 })
      return reserveCredit(ctx, [{ ...aChange(memberId, `hold:${amountMinor}`), amountMinor, expiresAt }])
    })
    return outcome!.reservation!.id
  }
  const credit = async (who = memberId) => (await life.inStore((ctx) => findCredit(ctx, who))).balanceMinor
  const dispatch = async () => {
    const waiting = await life.inStore(({ tx, storeId }) =>
      tx.many(
        row({ payload: json<{ subscriptionId: number }>() }),
        sql`select payload from jobs where store_id = ${storeId} and kind = 'forfeit-credit'`
      )
    )
    const jobs = waiting.map(({ payload }) => ({ input: payload, attempts: 1, renewLease: async () => {} }))
    if (jobs.length > 0) await forfeitCreditJob.run({ db }, life.storeId, jobs)
  }
  return { ...life, memberId, add, reserve, credit, dispatch }
}

test('a cancelled membership forfeits the credit of its member where the store says so, once', async () => {
  const kept = await aMember('keep')
  await kept.cancel()
  await kept.dispatch()
  assert.equal(await kept.credit(), 700)

  const life = await aMember()
  await life.dispatch()
  assert.equal(await life.credit(), 700)
  await life.cancel()
  await life.dispatch()
  assert.equal(await life.credit(), 0)
  const { forfeitMinor, forfeitedAt } = await life.inStore((ctx) => findCreditTotals(ctx, life.memberId))
  assert.deepEqual([forfeitMinor, forfeitedAt !== null], [700, true])
})

test('a membership that fails forfeits the credit of its member too', async () => {
  const life = await aMember('forfeit', { onFailure: 'fail', retryAfterDays: [] })
  await life.goTo('2026-02-28T16:00:00Z')
  await life.bill()
  await life.decline('card_declined')
  assert.equal((await life.read()).status, 'failed')
  await life.dispatch()
  assert.equal(await life.credit(), 0)
})

test('a reactivation gives back what was forfeited, and forfeits nothing when it comes first', async () => {
  const life = await aMember()
  await life.cancel()
  await life.dispatch()
  await life.reactivate()
  assert.equal(await life.credit(), 700)
  await life.dispatch()
  assert.equal(await life.credit(), 700)

  const early = await aMember()
  await early.cancel()
  await early.reactivate()
  await early.dispatch()
  assert.equal(await early.credit(), 700)
})

test('a second cancellation at the same instant forfeits again, each once, and each is given back', async () => {
  const life = await aMember()
  for (let times = 1; times <= 3; times++) {
    await life.cancel()
    await life.dispatch()
    assert.equal(await life.credit(), 0, `cancelled ${times} times`)
    await life.add(life.memberId, `meanwhile:${times}`)
    await life.dispatch()
    assert.equal(await life.credit(), 700, 'what was added after the cancellation stays')
    await life.inStore((ctx) =>
      changeCredits(ctx, [{ ...aChange(life.memberId, `used:${times}`), type: 'manual_deduct', amountMinor: -700 }])
    )
    await life.reactivate()
    assert.equal(await life.credit(), 700, `reactivated ${times} times`)
  }
  const { forfeitMinor } = await life.inStore((ctx) => findCreditTotals(ctx, life.memberId))
  assert.equal(forfeitMinor, 0)
})

test('what a checkout has reserved is forfeited when it gives it back, and a reactivation gives back all of it', async () => {
  const life = await aMember()
  const { memberId, inStore } = life
  const isRight = async () => assert.deepEqual((await db.inStore(life.storeId, audit)).findings, [])
  const [kept, captured] = [await life.reserve(200), await life.reserve(400)]
  await life.cancel()
  await life.dispatch()
  assert.equal(await life.credit(), 600)
  await inStore((ctx) => captureReservation(ctx, memberId, captured, { amountMinor: 300 }))
  assert.equal(await life.credit(), 200)
  await isRight()
  await inStore((ctx) => releaseReservation(ctx, memberId, kept))
  assert.equal(await life.credit(), 0)
  await isRight()
  for (let times = 1; times <= 2; times++) {
    await (times === 1 ? life.reactivate() : life.dispatch())
    assert.equal(await life.credit(), 400)
    await isRight()
  }
  const { forfeitMinor } = await inStore((ctx) => findCreditTotals(ctx, memberId))
  assert.equal(forfeitMinor, 0)
})

test('credit that is reserved in whole is forfeited later; after a reactivation what is given back stays', async () => {
  const life = await aMember()
  const { memberId, inStore } = life
  const id = await life.reserve(700)
  await life.cancel()
  await life.dispatch()
  assert.equal(await life.credit(), 700)
  await life.reactivate()
  await inStore((ctx) => releaseReservation(ctx, memberId, id))
  assert.equal(await life.credit(), 700)
  assert.deepEqual((await db.inStore(life.storeId, audit)).findings, [])
})

test('a reservation whose time is over when the cancellation is taken back keeps nothing', async () => {
  const life = await aMember()
  await life.reserve(500)
  await life.cancel()
  await life.dispatch()
  assert.equal(await life.credit(), 500)
  // Nobody has ended the reservation meanwhile.
  await life.inStore((ctx) => setClock(ctx, ctx.now.add({ hours: 2 })))
  await life.reactivate()
  assert.equal(await life.credit(), 700)
  // The engines do not run here, so facts wait.
  const { findings } = await db.inStore(life.storeId, audit)
  assert.deepEqual(
    findings.filter(({ check }) => check !== 'events_dispatched'),
    []
  )
})

test('what an earlier version has forfeited is not forfeited again, is given back, and does not keep a later cancellation from it', async () => {
  const life = await aMember()
  await life.cancel()
  const { cancelledAt } = await life.read()
  const operationId = `forfeit:sub_${life.id}:${isoOf(cancelledAt!)}`
  await life.inStore((ctx) => forfeitCredit(ctx, [{ memberId: life.memberId, reason: 'x', operationId }]))
  await life.add(life.memberId, 'later')
  await life.dispatch()
  assert.equal(await life.credit(), 700)
  await life.reactivate()
  assert.equal(await life.credit(), 1400)
  await life.cancel()
  await life.dispatch()
  assert.equal(await life.credit(), 0)
})

test('a gift forfeits the credit of its receiver, not of who pays', async () => {
  const life = await aMember()
  const receiver = await life.anotherCustomer()
  await life.add(receiver)
  await life.inStore((ctx) => giftSubscription(ctx, life.id, receiver, 'api'))
  await life.cancel()
  await life.dispatch()
  assert.deepEqual([await life.credit(), await life.credit(receiver)], [700, 0])
})

for (const [what, become] of [
  [
    'a subscription for products forfeits nothing',
    (storeId: number) =>
      sql`update plans set type = 'product', tier_name = null, platform_product_id = null, platform_variant_id = null, product_ids = '{1}' where store_id = ${storeId}`
  ],
  [
    'a membership that expires forfeits nothing',
    (storeId: number) =>
      sql`update subscriptions set status = 'expired', grace_ends_at = null where store_id = ${storeId} and status = 'cancelled'`
  ],
  [
    'the end of one of two memberships forfeits nothing',
    (storeId: number) => sql`
      update subscriptions s set member_id = c.member_id, plan_id = c.plan_id, plan_version = c.plan_version
        from subscriptions c
       where s.store_id = ${storeId} and c.store_id = ${storeId} and c.status = 'cancelled' and s.status = 'paused'`
  ]
] as const) {
  test(what, async () => {
    const life = await aMember()
    await life.anotherCustomer()
    await life.cancel()
    await life.inStore((ctx) => ctx.tx.run(become(ctx.storeId)))
    await life.dispatch()
    assert.equal(await life.credit(), 700)
  })
}
