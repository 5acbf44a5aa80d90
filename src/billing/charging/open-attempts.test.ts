import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestChange } from '#lifecycle'
import { listChanges } from '#subscriptions'
import { endChanges } from '#subscriptions/transitions'
import { testDatabase } from '../../../test/database.ts'
import { aSubscriptionLife } from '../../../test/subscription-life.ts'

const { db } = await testDatabase()
const SECOND = '2026-02-28T15:00:00Z'

async function aLifeWithChange() {
  const life = await aSubscriptionLife(db)
  await life.inStore((ctx) => requestChange(ctx, life.id, { priceMinor: 1900 }, 'api'))
  await life.goTo(SECOND)
  await life.open()
  assert.deepEqual(await life.pending(), [])
  return life
}

test('a due cycle waits for a requested change, and is billed by the new terms', async () => {
  const life = await aLifeWithChange()
  await life.sync({ revision: '7', priceMinor: 1900 })
  await life.inStore(async (ctx) => endChanges(ctx, await listChanges(ctx, [life.id])))
  await life.open()
  assert.equal((await life.lastEvent('billing.pending')).amount, 19)
})

test('a due cycle waits for a day at most, and is then billed by the old terms', async () => {
  const life = await aLifeWithChange()
  await life.goTo('2026-03-01T14:59:59Z')
  await life.open()
  assert.deepEqual(await life.pending(), [])
  await life.goTo('2026-03-01T15:15:00Z')
  await life.open()
  assert.equal((await life.lastEvent('billing.pending')).amount, 29)
})
