import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../test/database.ts'
import { aSubscriptionLife, at } from '../../test/subscription-life.ts'
import { rescheduleSubscription } from './reschedule-subscription.ts'

const { db } = await testDatabase()

test('a rescheduled cycle is charged on its new date and not on the old one; later ones are counted from there', async () => {
  for (const [to, next] of [
    ['2026-02-10T15:00:00Z', '2026-03-10T14:00:00Z'],
    ['2026-03-05T15:00:00Z', '2026-04-05T14:00:00Z']
  ] as const) {
    const life = await aSubscriptionLife(db)
    await life.inStore((ctx) => rescheduleSubscription(ctx, life.id, at(to), 'api'))
    await life.goTo(at(to).subtract({ milliseconds: 1 }).toString())
    await life.open()
    assert.deepEqual(await life.attempts(), [], to)
    await life.goTo(to)
    await life.bill()
    await life.pay()
    assert.deepEqual(await life.now(), ['active', 2, 3, 0, next])
  }
})
