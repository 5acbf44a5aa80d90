import assert from 'node:assert/strict'
import { test } from 'node:test'
import { upsertCustomers } from '#members'
import { findPoints } from '#points'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { createRule } from '../rules/change-rules.ts'
import { countDeeds } from './count-deeds.ts'
import type { Deed } from './deed.ts'

const { db } = await testDatabase()

test('a deed that is reported twice, at once or one after the other, earns once', async () => {
  const store = await aStore(db, { clockAt: Temporal.Instant.from('2026-01-31T15:00:00Z') })
  const reported = [{ id: '1', email: null, firstName: null, lastName: null }]
  const { id: memberId } = (await store.inStore((ctx) => upsertCustomers(ctx, reported))).get('1')!
  await store.inStore((ctx) =>
    createRule(ctx, 'email_subscription', {
      ...{ name: 'News', description: '', rules: {}, rewardRules: { reward_type: 'points', amount: 10 } },
      ...{ isEnabled: true, startsOn: null, endsOn: null }
    })
  )
  const deed = (at: Temporal.Instant): Deed => ({
    ...{ memberId, cause: { kind: 'consent', channel: 'email' }, key: 'consent:email', at },
    ...{ orderId: null, ruleId: null }
  })
  for (let times = 0; times < 2; times++) {
    await store.inStore((ctx) => countDeeds(ctx, [deed(ctx.now), deed(ctx.now)]))
    const points = (await store.inStore((ctx) => findPoints(ctx, [memberId]))).get(memberId)
    assert.equal(points?.balance, 10)
  }
})
