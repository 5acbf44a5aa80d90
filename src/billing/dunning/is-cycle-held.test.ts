import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Subscription } from '#subscriptions'
import { testDatabase } from '../../../test/database.ts'
import { aSubscriptionLife, at } from '../../../test/subscription-life.ts'
import { isCycleHeld } from './is-cycle-held.ts'

const { db } = await testDatabase()
const SECOND = '2026-02-28T15:00:00Z'

test('a cycle is held when the last attempt of it waits for a person, and nothing else is to follow', async () => {
  const life = await aSubscriptionLife(db)
  const isHeld = async (over: Partial<Subscription> = {}) => {
    const subscription = { ...(await life.read()), ...over }
    return life.inStore((ctx) => isCycleHeld(ctx, subscription))
  }
  assert.equal(await isHeld(), false)
  await life.goTo(SECOND)
  await life.bill()
  assert.equal(await isHeld(), false)
  await life.decline('INSUFFICIENT_FUNDS')
  assert.equal(await isHeld({ billingDueAt: null }), false, 'a card can help')
  await life.retry((await life.attempts())[0]!.id)
  await life.decline('AMOUNT_TOO_SMALL')
  assert.equal(await isHeld(), true)
  for (const other of [
    { status: 'paused' as const },
    { billingDueAt: at(SECOND) },
    { paymentMethodDeadline: at(SECOND) },
    { nextCycle: 3 },
    { id: life.id + 1 }
  ]) {
    assert.equal(await isHeld(other), false, JSON.stringify(Object.keys(other)))
  }
  await life.retry((await life.attempts())[1]!.id)
  assert.equal(await isHeld(), false, 'it is charged again')
})
