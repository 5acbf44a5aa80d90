import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listReadyChanges } from '#contracts'
import { waitingKeys } from '#kit/jobs'
import { sql } from '#kit/postgres'
import { testDatabase } from '../../test/database.ts'
import { aSubscriptionLife as lifeOf } from '../../test/subscription-life.ts'
import { requestChange } from '../lifecycle/request-change.ts'
import { endGraces } from './due-transitions.ts'
import { editContractJob } from './platform-requests.ts'
import { listChanges } from './requested-changes.ts'

const { db } = await testDatabase()

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
