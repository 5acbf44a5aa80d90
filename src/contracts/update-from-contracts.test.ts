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
import { markPushed } from '../subscriptions/contract-queries.ts'
import { listActivity } from '../subscriptions/history/list-activity.ts'
import { lockSubscriptions } from '../subscriptions/lock-subscriptions.ts'
import { pushContractJob } from '../subscriptions/platform-requests.ts'
import { findSubscriptionByContract } from '../subscriptions/queries.ts'
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
        sql`select name as type from facts where store_id = ${storeId} order by id offset 3`
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

test('one that failed and is cancelled there is cancelled here, as of when it failed, without a second event', async () => {
  const { sync, now, recorded } = await aFollowed()
  await sync({ revision: '10', status: 'failed' })
  const failed = await now()
  assert.equal(failed.status, 'failed')
  const before = await recorded()
  await sync({ revision: '11', status: 'cancelled' })
  const cancelled = await now()
  assert.deepEqual([cancelled.status, cancelled.cancelReason], ['cancelled', failed.cancelReason])
  assert.equal(cancelled.cancelledAt?.toString(), failed.cancelledAt?.toString())
  assert.deepEqual(await recorded(), before)
})

test('one that failed and is cancelled here keeps when and why it ended, without a second event', async () => {
  const { id, sync, now, recorded, inStore } = await aFollowed()
  await sync({ revision: '10', status: 'failed' })
  const failed = await now()
  const before = await recorded()
  await inStore((ctx) => setClock(ctx, START.add({ hours: 24 })))
  await inStore((ctx) => cancelSubscription(ctx, id, { reason: 'other', comment: null, by: 'api' }))
  const cancelled = await now()
  assert.deepEqual([cancelled.status, cancelled.cancelReason], ['cancelled', failed.cancelReason])
  assert.equal(cancelled.cancelledAt?.toString(), failed.cancelledAt?.toString())
  assert.deepEqual(await recorded(), before)
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

test('another price of a line is known, also where the cycle costs the same and nobody is told', async () => {
  const { id, contract, inStore } = await aFollowed()
  const of = async () => (await inStore((ctx) => lockSubscriptions(ctx, [id])))[0]!
  assert.deepEqual([(await of()).priceMinor, (await of()).unitPriceMinor], [2900, 2900])
  const events = () =>
    inStore(({ tx, storeId }) =>
      tx.many(row({ type: text }), sql`select name as type from facts where store_id = ${storeId}`)
    )
  const before = await events()
  const lines = contract.lines.map((line) => ({ ...line, priceMinor: 5800, lastingPriceMinor: 5800 }))
  await inStore((ctx) => upsertFromContracts(ctx, [{ ...contract, revision: '10', lines }], []))
  assert.deepEqual([(await of()).priceMinor, (await of()).unitPriceMinor], [2900, 5800])
  assert.deepEqual(await events(), before)
})
