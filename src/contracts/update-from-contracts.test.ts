import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitingKeys } from '#kit/jobs'
import { row, sql, text } from '#kit/postgres'
import type { PlatformContract } from '#platform'
import { setClock } from '#stores'
import { aContract, anOrder } from '../../test/contract-builder.ts'
import { testDatabase } from '../../test/database.ts'
import { aStore } from '../../test/store-builder.ts'
import { cancelSubscription } from '../lifecycle/cancel-subscription.ts'
import { pauseSubscription } from '../lifecycle/pause-subscription.ts'
import { requestChange } from '../lifecycle/request-change.ts'
import { resumeSubscription } from '../lifecycle/resume-subscription.ts'
import { markPushed } from '../subscriptions/contract-queries.ts'
import { listActivity } from '../subscriptions/history/list-activity.ts'
import { lockSubscriptions } from '../subscriptions/lock-subscriptions.ts'
import { pushContractJob } from '../subscriptions/platform-requests.ts'
import { findSubscriptionByContract } from '../subscriptions/queries.ts'
import { listChanges } from '../subscriptions/requested-changes.ts'
import { billingDate } from '../subscriptions/schedule/billing-dates.ts'
import { upsertFromContracts } from './upsert-from-contracts.ts'

const { db } = await testDatabase()
const at = (text: string) => Temporal.Instant.from(text)
const START = at('2026-01-31T15:00:00Z')

/** A subscription whose contract says `nextBillingDate`, which is not what we say: 28 February. */
async function aFollowed(nextBillingDate = at('2026-02-27T15:00:00Z')) {
  const store = await aStore(db, { clockAt: START })
  const contract = aContract(START, { nextBillingDate, revision: '9' })
  await store.inStore((ctx) => upsertFromContracts(ctx, [contract], [anOrder(START, { id: contract.originOrder!.id })]))
  const { id } = (await store.inStore((ctx) => findSubscriptionByContract(ctx, contract.id)))!
  const recorded = () =>
    store.inStore(async ({ tx, storeId }) => {
      const events = await tx.many(
        row({ type: text }),
        sql`select name as type from facts
             where store_id = ${storeId} and name not like 'order.%' and name <> 'customer.created'
             order by id offset 3`
      )
      return events.map(({ type }) => type)
    })
  return {
    id,
    contract,
    inStore: store.inStore,
    recorded,
    sync: (changes: Partial<PlatformContract>) =>
      store.inStore((ctx) => upsertFromContracts(ctx, [{ ...contract, ...changes }], [])),
    now: async () => (await store.inStore((ctx) => lockSubscriptions(ctx, [id])))[0]!,
    /** What the job does that brings our change there. */
    pushed: (revision: string, nextBillingAt: Temporal.Instant | null = null) =>
      store.inStore(async (ctx) => {
        await markPushed(ctx, [{ id, revision, nextBillingAt }])
        await ctx.tx.run(sql`delete from jobs where store_id = ${ctx.storeId}`)
      })
  }
}

test('a date of the platform that differs from ours is no change, only one that differs from its earlier date', async () => {
  const { sync, now, recorded } = await aFollowed()
  await sync({ revision: '10' })
  assert.equal((await now()).nextBillingAt?.toString(), '2026-02-28T15:00:00Z')
  await sync({ revision: '11', nextBillingDate: at('2026-02-28T15:00:00Z') })
  assert.deepEqual(await recorded(), [], 'somebody set it to what we say')
  await sync({ revision: '12', nextBillingDate: at('2026-02-27T15:00:00Z') })
  assert.equal((await now()).nextBillingAt?.toString(), '2026-02-27T15:00:00Z')
  assert.deepEqual(await recorded(), ['subscription.updated'])
})

test('a contract that was never looked at before is only noted', async () => {
  const { sync, now, recorded, inStore } = await aFollowed()
  await inStore(({ tx, storeId }) =>
    tx.run(sql`update subscriptions set platform_next_billing_at = null where store_id = ${storeId}`)
  )
  await sync({ revision: '10', nextBillingDate: at('2026-02-20T00:00:00Z') })
  assert.deepEqual([await recorded(), (await now()).platformNextBillingAt?.toString()], [[], '2026-02-20T00:00:00Z'])
  await sync({ revision: '11', nextBillingDate: at('2026-02-21T00:00:00Z') })
  assert.deepEqual(
    [await recorded(), (await now()).nextBillingAt?.toString()],
    [['subscription.updated'], '2026-02-21T00:00:00Z']
  )
})

test('while our change is on its way price and plan are followed, status and date are looked at again after it', async () => {
  const { id, contract, sync, now, recorded, inStore, pushed } = await aFollowed()
  await inStore((ctx) => pauseSubscription(ctx, id, null, 'api'))
  assert.deepEqual((await sync({ revision: '9' })).unsure, [contract.id], 'it is active there, still or again')
  const edited = { status: 'paused', revision: '12', priceMinor: 2400, nextBillingDate: at('2026-02-20T00:00:00Z') }
  assert.deepEqual((await sync(edited)).unsure, [contract.id])
  assert.deepEqual([(await now()).anchorAt.toString(), (await now()).priceMinor], [START.toString(), 2400])

  await pushed('11')
  assert.equal((await now()).platformRevision, '12', 'a revision that was seen is not taken back')
  assert.deepEqual((await sync(edited)).unsure, [])
  assert.equal((await now()).anchorAt.toString(), '2026-02-20T00:00:00Z')
  assert.deepEqual(await recorded(), ['subscription.paused', 'subscription.updated'], 'no date is shown during a pause')
})

test('a date that is moved during a pause holds from the resumption on, and nothing that is shown changes before', async () => {
  const { sync, now, recorded, inStore } = await aFollowed()
  const moved = { status: 'paused', revision: '11', nextBillingDate: at('2026-02-20T00:00:00Z') }
  await sync({ status: 'paused', revision: '10' })
  await inStore((ctx) => setClock(ctx, START.add({ hours: 1 })))
  await sync(moved)
  const { anchorAt, updatedAt } = await now()
  assert.deepEqual([anchorAt.toString(), updatedAt.toString()], ['2026-02-20T00:00:00Z', START.toString()])
  await sync({ ...moved, status: 'active', revision: '12' })
  assert.equal((await now()).nextBillingAt?.toString(), '2026-02-20T00:00:00Z')
  assert.deepEqual(await recorded(), ['subscription.paused', 'subscription.resumed'])
})

test('a date that is moved onto the very instant of an anchor that lies ahead is the next one all the same', async () => {
  const { sync, now } = await aFollowed()
  await sync({ revision: '10', intervalCount: 2 })
  const { anchorAt, anchorCycle } = await now()
  assert.deepEqual([anchorAt.toString(), anchorCycle], ['2026-08-31T14:00:00Z', 5], 'from 28 February on, of a 31st')
  const paused = { status: 'paused', intervalCount: 2 }
  await sync({ ...paused, revision: '11' })
  await sync({ ...paused, revision: '12', nextBillingDate: anchorAt })
  await sync({ ...paused, status: 'active', revision: '13', nextBillingDate: anchorAt })
  const { nextBillingAt, nextCycle } = await now()
  assert.deepEqual([nextBillingAt?.toString(), nextCycle], ['2026-08-31T14:00:00Z', 2])
})

test('our own date that comes back is no change, before and after we have recorded it, to the second', async () => {
  const { sync, now, recorded, pushed } = await aFollowed()
  const ours = (await now()).nextBillingAt!.add({ milliseconds: 400 })
  await sync({ revision: '10', nextBillingDate: ours })
  await pushed('10', ours)
  await sync({ revision: '10', nextBillingDate: ours })
  await sync({ revision: '8', nextBillingDate: at('2026-02-01T00:00:00Z') })
  assert.deepEqual(await recorded(), [])
})

test('what has ended there has ended, whatever we were about to tell it; what has ended here is ended there', async () => {
  const { id, contract, sync, recorded, inStore } = await aFollowed()
  await inStore((ctx) => pauseSubscription(ctx, id, null, 'api'))
  await sync({ revision: '10', status: 'cancelled', priceMinor: 1 })
  assert.deepEqual(await recorded(), ['subscription.paused', 'subscription.cancelled'])
  const again = await sync({
    revision: '11',
    status: 'active',
    priceMinor: 2,
    nextBillingDate: at('2026-02-20T00:00:00Z')
  })
  assert.deepEqual([again.changed, again.unsure], [[], []])
  assert.deepEqual(await recorded(), ['subscription.paused', 'subscription.cancelled'], contract.id)
})

test('one that failed and is cancelled there is cancelled here, as of when it failed, without a second event for receivers', async () => {
  const { sync, now, recorded } = await aFollowed()
  await sync({ revision: '10', status: 'failed' })
  const failed = await now()
  assert.equal(failed.status, 'failed')
  const before = await recorded()
  await sync({ revision: '11', status: 'cancelled' })
  const cancelled = await now()
  assert.deepEqual([cancelled.status, cancelled.cancelReason], ['cancelled', failed.cancelReason])
  assert.equal(cancelled.cancelledAt?.toString(), failed.cancelledAt?.toString())
  assert.deepEqual(await recorded(), [...before, 'subscription.cancelled_after_failure'])
})

test('one that failed and is cancelled here keeps when and why it ended, without a second event for receivers', async () => {
  const { id, sync, now, recorded, inStore } = await aFollowed()
  await sync({ revision: '10', status: 'failed' })
  const failed = await now()
  const before = await recorded()
  await inStore((ctx) => setClock(ctx, START.add({ hours: 24 })))
  await inStore((ctx) => cancelSubscription(ctx, id, { reason: 'other', comment: null, by: 'api' }))
  const cancelled = await now()
  assert.deepEqual([cancelled.status, cancelled.cancelReason], ['cancelled', failed.cancelReason])
  assert.equal(cancelled.cancelledAt?.toString(), failed.cancelledAt?.toString())
  assert.deepEqual(await recorded(), [...before, 'subscription.cancelled_after_failure'])
})

test('a subscription that has ended here and is active on the platform again is stopped there again, with one note', async () => {
  const { id, sync, inStore, pushed } = await aFollowed()
  await inStore((ctx) => cancelSubscription(ctx, id, { reason: 'other', comment: null, by: 'api' }))
  const pushes = async () => (await inStore((ctx) => waitingKeys(ctx, pushContractJob, [String(id)]))).size
  const notes = async () =>
    (await inStore((ctx) => listActivity(ctx, id, { limit: 9, offset: 0 }))).rows.filter(
      ({ kind }) => kind === 'reconciled'
    )
  await sync({ revision: '10' })
  assert.deepEqual([await pushes(), (await notes()).length], [1, 0], 'our own end has not arrived there yet')
  await pushed('11')
  for (const revision of ['12', '13']) await sync({ revision })
  assert.deepEqual([await pushes(), (await notes()).length], [1, 1])
})

test('another price of a line is known, also where the cycle costs the same and no event reports it', async () => {
  const { id, contract, inStore } = await aFollowed()
  const of = async () => (await inStore((ctx) => lockSubscriptions(ctx, [id])))[0]!
  assert.deepEqual([(await of()).priceMinor, (await of()).unitPriceMinor], [2900, 2900])
  const events = () =>
    inStore(({ tx, storeId }) =>
      tx.many(
        row({ type: text }),
        sql`select name as type from facts where store_id = ${storeId} and name not like 'order.%'`
      )
    )
  const before = await events()
  const lines = contract.lines.map((line) => ({ ...line, priceMinor: 5800, lastingPriceMinor: 5800 }))
  await inStore((ctx) => upsertFromContracts(ctx, [{ ...contract, revision: '10', lines }], []))
  assert.deepEqual([(await of()).priceMinor, (await of()).unitPriceMinor], [2900, 5800])
  assert.deepEqual(await events(), before)
})

test('what changed here and what is to be read again are named; what is as before is not', async () => {
  const { contract, sync, inStore, id } = await aFollowed()
  const [changed, same, no] = [[contract.id], { changed: [], unsure: [] }, []]
  const outcome = async (changes: Partial<PlatformContract>) => {
    const { changed, unsure } = await sync(changes)
    return { changed, unsure }
  }
  assert.deepEqual(await outcome({ revision: '10' }), same)
  assert.deepEqual(await outcome({ revision: '11', priceMinor: 3000 }), { changed, unsure: no })
  assert.deepEqual(await outcome({ revision: '11', priceMinor: 3000, paymentMethod: null, paymentMethodId: null }), {
    changed,
    unsure: no
  })
  assert.deepEqual(await outcome({ revision: '12', priceMinor: 3000, status: 'paused', paymentMethod: null }), {
    changed,
    unsure: no
  })
  await inStore((ctx) => resumeSubscription(ctx, id, null, 'api'))
  const there = { priceMinor: 3000, paymentMethod: null }
  assert.deepEqual(await outcome({ ...there, revision: '13' }), same, 'our change is there, before we know it')
  assert.deepEqual(await outcome({ ...there, revision: '13', nextBillingDate: at('2026-02-20T00:00:00Z') }), {
    changed: no,
    unsure: changed
  })
  assert.deepEqual(await outcome({ ...there, revision: '12', priceMinor: 1 }), same, 'an older one')
})

test('a date of the platform that has passed, or is this very instant, is replaced by ours there, with a note', async () => {
  const { id, contract, sync, now, inStore, pushed } = await aFollowed()
  const pushes = async () => (await inStore((ctx) => waitingKeys(ctx, pushContractJob, [String(id)]))).size
  const notes = async () =>
    (await inStore((ctx) => listActivity(ctx, id, { limit: 9, offset: 0 }))).rows.filter(
      ({ kind }) => kind === 'reconciled'
    ).length
  let revision = 10
  for (const [date, isPushed] of [
    [START.add({ seconds: 1 }), 0],
    [START, 1],
    [START.subtract({ hours: 1 }), 1]
  ] as const) {
    const before = await notes()
    const { changed } = await sync({ revision: String(revision++), nextBillingDate: date })
    assert.deepEqual(
      [await pushes(), (await notes()) - before, changed],
      [isPushed, isPushed, [contract.id]],
      `${date}`
    )
    assert.equal((await now()).nextBillingAt?.toString(), START.add({ seconds: 1 }).toString())
    await pushed(String(revision++))
  }
  assert.equal((await sync({ revision: '98', nextBillingDate: null })).changed.length, 0, 'no date says nothing')
  await sync({ revision: '98', nextBillingDate: at('2026-03-31T14:00:00Z') })
  await inStore((ctx) => pauseSubscription(ctx, id, null, 'api'))
  await pushed('99')
  const paused = await sync({ revision: '99', status: 'paused', nextBillingDate: START })
  assert.deepEqual([paused.changed, await pushes()], [[], 0], 'a pause has no date')
  const resumed = { status: 'active', nextBillingDate: at('2026-04-05T14:00:00Z') }
  await sync({ ...resumed, revision: '100' })
  assert.deepEqual([(await now()).nextBillingAt?.toString(), await pushes()], ['2026-04-05T14:00:00Z', 0])
  await sync({ status: 'paused', revision: '101', nextBillingDate: START })
  await sync({ status: 'active', revision: '102', nextBillingDate: START })
  assert.equal(await pushes(), 1, 'what is active there again has a date that has passed')
})

test('a contract that is paused at another price has both in the history', async () => {
  const { id, sync, inStore } = await aFollowed()
  await sync({ revision: '10', status: 'paused', priceMinor: 3100 })
  const { rows } = await inStore((ctx) => listActivity(ctx, id, { limit: 2, offset: 0 }))
  assert.deepEqual(
    rows.map(({ kind }) => kind),
    ['paused', 'price_changed']
  )
})

test('the number of cycles is followed: after the last there is no date, and with more there is one again', async () => {
  const { sync, now, recorded } = await aFollowed()
  const next = async () => (await now()).nextBillingAt?.toString() ?? null
  await sync({ revision: '10', maxCycles: 1 })
  assert.deepEqual([await next(), (await now()).maxCycles], [null, 1])
  await sync({ revision: '11', maxCycles: 2 })
  assert.equal(await next(), '2026-02-28T15:00:00Z')
  await sync({ revision: '12', maxCycles: null })
  assert.equal(await next(), '2026-02-28T15:00:00Z')
  assert.deepEqual(await recorded(), ['subscription.updated', 'subscription.updated'])
})

test('the same interval in another unit, or another number of them, is another cadence', async () => {
  const { sync, now } = await aFollowed()
  await sync({ revision: '10', interval: 'week' })
  const s = await now()
  assert.deepEqual([s.interval, s.intervalCount, s.nextBillingAt?.toString()], ['week', 1, '2026-02-28T15:00:00Z'])
  assert.equal(billingDate(s, 3, 'America/New_York').toString(), '2026-03-07T15:00:00Z')
})

test("what was requested here is its requester's in the history, all else the platform's; requests go on waiting until it is over", async () => {
  const { id, sync, inStore } = await aFollowed()
  const by = { actor: 'operator', actorId: 'Olga' } as const
  await inStore((ctx) => requestChange(ctx, id, { priceMinor: 3500, interval: 'week', intervalCount: 2 }, by))
  const entries = async () =>
    (await inStore((ctx) => listActivity(ctx, id, { limit: 30, offset: 0 }))).rows
      .reverse()
      .slice(2)
      .map(({ kind, actor, actorId }) => [kind, actor, actorId].join())
  const lines = [{ ...aContract(START).lines[0]!, title: 'Coffee' }]
  const edited = { priceMinor: 3500, intervalCount: 2, lines }
  await sync({ ...edited, revision: '10', nextBillingDate: at('2026-02-20T15:00:00Z') })
  await sync({ ...edited, revision: '11', nextBillingDate: at('2026-02-20T15:00:00Z'), paymentMethod: null })
  assert.deepEqual(await entries(), [
    'plan_changed,operator,Olga',
    'price_changed,operator,Olga',
    'frequency_changed,operator,Olga',
    'date_changed,platform,',
    'payment_method_changed,operator,Olga'
  ])
  const waiting = async () => (await inStore((ctx) => listChanges(ctx, [id]))).length
  assert.equal(await waiting(), 1)
  await sync({ ...edited, revision: '12', status: 'failed' })
  assert.equal(await waiting(), 1, 'a failed one can get another payment method')
  await sync({ ...edited, revision: '13', status: 'cancelled' })
  assert.equal(await waiting(), 0)
  const other = await aFollowed()
  await other.sync({ revision: '10', priceMinor: 1 })
  const { rows } = await other.inStore((ctx) => listActivity(ctx, other.id, { limit: 1, offset: 0 }))
  assert.deepEqual([rows[0]!.kind, rows[0]!.actor], ['price_changed', 'platform'])
})

test('a payment method that could not be read stays; one that is removed is gone', async () => {
  const { sync, now } = await aFollowed()
  const method = async () => [(await now()).paymentMethod?.lastFour, (await now()).platformPaymentMethodId]
  await sync({ revision: '10', paymentMethod: undefined, paymentMethodId: undefined })
  assert.deepEqual(await method(), ['4242', 'card-1'])
  await sync({ revision: '11', paymentMethod: null, paymentMethodId: undefined })
  assert.deepEqual(await method(), [undefined, null])
})

test('one that has ended here is stopped there only while it is active there; what ended alike there changes nothing', async () => {
  const { id, sync, inStore, pushed, recorded } = await aFollowed()
  await inStore((ctx) => cancelSubscription(ctx, id, { reason: 'other', comment: null, by: 'api' }))
  await pushed('10')
  const before = await recorded()
  const pushes = async () => (await inStore((ctx) => waitingKeys(ctx, pushContractJob, [String(id)]))).size
  for (const [revision, status] of ['cancelled', 'paused', 'expired', 'failed'].entries()) {
    const { changed } = await sync({ revision: String(11 + revision), status })
    assert.deepEqual([changed, await pushes()], [[], 0], status)
  }
  const failed = await aFollowed()
  await failed.sync({ revision: '10', status: 'failed' })
  assert.deepEqual((await failed.sync({ revision: '11', status: 'failed' })).changed, [])
  assert.deepEqual((await failed.sync({ revision: '12', status: 'expired' })).changed, [])
  assert.deepEqual((await failed.sync({ revision: '13', status: 'cancelled' })).changed, [failed.contract.id])
  assert.deepEqual(await recorded(), before)
})
