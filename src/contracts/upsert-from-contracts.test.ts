// A contract that is new here: what it becomes, when it is charged and which events it has.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { row, sql, text } from '#kit/postgres'
import type { PlatformContract } from '#platform'
import { aContract, anOrder } from '../../test/contract-builder.ts'
import { testDatabase } from '../../test/database.ts'
import { aPlan } from '../../test/plan-builder.ts'
import { aStore } from '../../test/store-builder.ts'
import { lockSubscriptions } from '../subscriptions/lock-subscriptions.ts'
import { findSubscriptionByContract } from '../subscriptions/queries.ts'
import { billingDate } from '../subscriptions/schedule/billing-dates.ts'
import { insertPendingCreation } from './pending-creations.ts'
import { upsertFromContracts } from './upsert-from-contracts.ts'

const { db } = await testDatabase()
const at = (text: string) => Temporal.Instant.from(text)
const START = at('2026-01-31T15:00:00Z')
const NEW_YORK = 'America/New_York'

/** A contract that was made at START and is met at `clockAt`; `trialDays` sells it under a plan that begins with a trial. */
async function met(clockAt: Temporal.Instant, given: Partial<PlatformContract>, trialDays = 0) {
  const store = await aStore(db, { clockAt, timezone: NEW_YORK })
  const plan = trialDays > 0 ? await aPlan(store, { name: 'Trial', trialDays }) : {}
  const created = aContract(START, given)
  const contract = { ...created, lines: [{ ...created.lines[0]!, ...plan }] }
  const sync = (changes: Partial<PlatformContract> = {}) =>
    store.inStore((ctx) =>
      upsertFromContracts(
        ctx,
        [{ ...contract, ...changes }],
        contract.originOrder ? [anOrder(START, { id: contract.originOrder.id })] : []
      )
    )
  await sync()
  return {
    sync,
    now: () =>
      store.inStore(async (ctx) => {
        const { id } = (await findSubscriptionByContract(ctx, contract.id))!
        return (await lockSubscriptions(ctx, [id]))[0]!
      }),
    recorded: () =>
      store.inStore(async ({ tx, storeId }) => {
        const events = await tx.many(
          row({ type: text }),
          sql`select name as type from facts where store_id = ${storeId} order by id`
        )
        return events.map(({ type }) => type)
      })
  }
}

test('one that was under way before we heard of it is charged when the platform says, if that is still to come', async () => {
  const late = at('2026-08-10T12:00:00Z')
  const ahead = at('2026-09-03T15:00:00Z')
  for (const [clockAt, nextBillingDate, trialDays, due, dueNext] of [
    [late, ahead, 0, '2026-09-03T15:00:00Z', '2026-10-03T15:00:00Z'],
    [late, ahead, 7, '2026-09-03T15:00:00Z', '2026-10-03T15:00:00Z'],
    [late, null, 0, '2026-02-28T15:00:00Z', '2026-03-31T14:00:00Z'],
    [late, at('2026-08-01T15:00:00Z'), 0, '2026-02-28T15:00:00Z', '2026-03-31T14:00:00Z'],
    // Heard of in time: the schedule is ours.
    [START, ahead, 0, '2026-02-28T15:00:00Z', '2026-03-31T14:00:00Z'],
    [START, ahead, 7, '2026-02-07T15:00:00Z', '2026-03-07T15:00:00Z']
  ] as const) {
    const { now } = await met(clockAt, { nextBillingDate }, trialDays)
    const s = await now()
    const next = billingDate(s, s.nextCycle + 1, NEW_YORK)
    assert.deepEqual([s.nextBillingAt, s.billingDueAt, next].map(String), [due, due, dueNext], `${nextBillingDate}`)
  }
})

test('one that was under way and is met paused goes on at the date that the platform says', async () => {
  const nextBillingDate = at('2026-09-03T15:00:00Z')
  const { sync, now } = await met(at('2026-08-10T12:00:00Z'), { status: 'paused', nextBillingDate })
  assert.deepEqual([(await now()).status, (await now()).nextBillingAt], ['paused', null])
  await sync({ status: 'active', revision: '2' })
  assert.equal((await now()).nextBillingAt?.toString(), '2026-09-03T15:00:00Z')
})

test('what is paid by its checkout, or in its trial, is activated when it is met, unless it is over', async () => {
  const CREATED = ['member.created', 'subscription.created']
  const ACTIVATED = [...CREATED, 'subscription.activated']
  const UNPAID = { originOrder: null, nextBillingDate: at('2026-02-10T12:00:00Z') }
  for (const [status, given, trialDays, recorded] of [
    ['active', {}, 0, ACTIVATED],
    ['paused', {}, 0, ACTIVATED],
    ['stale', {}, 0, ACTIVATED],
    ['cancelled', {}, 0, CREATED],
    ['expired', {}, 0, CREATED],
    ['active', {}, 7, ACTIVATED],
    ['paused', {}, 7, ACTIVATED],
    ['failed', {}, 7, CREATED],
    ['active', UNPAID, 0, CREATED],
    ['paused', UNPAID, 0, CREATED]
  ] as const) {
    const contract = await met(START, { status, ...given }, trialDays)
    assert.deepEqual(await contract.recorded(), recorded, `${status} ${JSON.stringify(given)} ${trialDays}`)
    if (status !== 'paused') continue
    await contract.sync({ status: 'active', revision: '2' })
    assert.deepEqual(await contract.recorded(), [...recorded, 'subscription.resumed'])
  }
})

test('a contract that was made here and has ended there before it is seen is over, and keeps no other from being seen', async () => {
  const { inStore } = await aStore(db, { clockAt: START })
  for (const status of ['cancelled', 'expired', 'failed']) {
    const creation = { createKey: status, platformCustomerId: '1', by: 'operator' as const }
    await inStore((ctx) => insertPendingCreation(ctx, { key: status, fingerprint: Buffer.from(status) }, creation))
    const nextBillingDate = at('2026-02-28T15:00:00Z')
    const ended = aContract(START, { originOrder: null, createKey: status, status, nextBillingDate })
    const other = aContract(START, { originOrder: null, nextBillingDate })
    await inStore((ctx) => upsertFromContracts(ctx, [ended, other], []))
    const shown = await inStore(async (ctx) => {
      const found = [await findSubscriptionByContract(ctx, ended.id), await findSubscriptionByContract(ctx, other.id)]
      return lockSubscriptions(
        ctx,
        found.map((one) => one!.id)
      )
    })
    assert.deepEqual(shown.map((s) => [s.status, s.cancelReason, s.billingDueAt === null]).toSorted(), [
      ['active', null, false],
      [status, 'platform', true]
    ])
  }
})
