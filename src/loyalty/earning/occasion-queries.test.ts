import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { upsertCustomers } from '#members'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { createRule } from '../rules/change-rules.ts'
import { countDeeds } from './count-deeds.ts'
import { listBirthdays, listRewardedBirthdays } from './occasion-queries.ts'

const { db } = await testDatabase()

test('a birthday that moves over the turn of the year is not rewarded twice within 300 days', async () => {
  const store = await aStore(db, { clockAt: Temporal.Instant.from('2026-12-30T05:00:00Z') })
  const reported = [{ id: '1', email: null, firstName: null, lastName: null }]
  await store.inStore(async (ctx) => {
    const { id: memberId } = (await upsertCustomers(ctx, reported)).get('1')!
    await createRule(ctx, 'birthday_reward', {
      ...{ name: 'Birthday', description: '', rules: {}, rewardRules: { reward_type: 'points', amount: 10 } },
      ...{ isEnabled: true, startsOn: null, endsOn: null }
    })
    await countDeeds(ctx, [
      {
        ...{ memberId, cause: { kind: 'occasion', occasion: 'birthday' }, key: 'birthday:2026', at: ctx.now },
        ...{ orderId: null, ruleId: null }
      }
    ])
    await ctx.tx.run(
      sql`update members set birth_date = '1990-01-02' where store_id = ${ctx.storeId} and id = ${memberId}`
    )
    const found = async (at: string) => {
      const now = Temporal.Instant.from(at)
      const day = now.toZonedDateTimeISO('America/New_York').toPlainDate()
      const page = { afterId: 0, limit: 10, timezone: 'America/New_York' }
      const rewarded = await listRewardedBirthdays({ ...ctx, now }, [memberId])
      return [await listBirthdays({ ...ctx, now }, day, page), [...rewarded]]
    }
    assert.deepEqual(await found('2027-01-02T05:00:00Z'), [[], [memberId]])
    assert.deepEqual(await found('2028-01-02T05:00:00Z'), [[memberId], []])
  })
})
