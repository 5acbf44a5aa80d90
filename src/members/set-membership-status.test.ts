import assert from 'node:assert/strict'
import { test } from 'node:test'
import { record } from '#kit/outbox'
import { int, row, sql, text } from '#kit/postgres'
import { testDatabase } from '../../test/database.ts'
import { aStore } from '../../test/store-builder.ts'
import { setMembershipStatuses } from './set-membership-status.ts'
import { upsertCustomers } from './upsert-customers.ts'

const { db } = await testDatabase()

// Each plan that PostgreSQL may choose, since it changes its mind as tables grow.
for (const off of ['', 'enable_hashjoin', 'enable_hashjoin, enable_mergejoin', 'enable_nestloop']) {
  test(`everyone who becomes a member is recorded once, ${off === '' ? 'as planned' : `without ${off}`}`, async () => {
    const store = await aStore(db)
    const ids = Array.from({ length: 200 }, (_, i) => String(7_000_000 + i))
    for (let time = 0; time < 2; time++) {
      await store.inStore(async (ctx) => {
        for (const setting of off.split(', ').filter(Boolean)) {
          await ctx.tx.run({ name: `off_${setting}`, text: `set local ${setting} = off`, values: [] })
        }
        const known = await upsertCustomers(
          ctx,
          ids.map((id) => ({ id, email: `${id}@example.com`, firstName: null, lastName: null }))
        )
        const recorded = await setMembershipStatuses(
          ctx,
          [...known.values()].map(({ id }) => ({
            memberId: id,
            status: time === 0 ? 'active' : 'paused',
            planId: null,
            memberSince: ctx.now,
            nextBillingAt: null
          }))
        )
        await record(ctx, ...recorded)
      })
    }
    const recorded = await store.inStore((ctx) =>
      ctx.tx.many(
        row({ type: text, count: int }),
        sql`select name as type, count(*) as count from facts where store_id = ${ctx.storeId} group by name order by name`
      )
    )
    assert.deepEqual(recorded, [
      { type: 'customer.created', count: 200 },
      { type: 'member.created', count: 200 }
    ])
  })
}
