import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../test/database.ts'
import { aSubscriptionLife as lifeOf } from '../../test/subscription-life.ts'
import { requestChange } from '../lifecycle/request-change.ts'
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
