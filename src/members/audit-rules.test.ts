import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audit } from '#audit'
import { sql } from '#kit/postgres'
import { setMembershipStatuses, updateMember, upsertCustomers } from '#members'
import { testDatabase } from '../../test/database.ts'
import { aStore } from '../../test/store-builder.ts'

const { db } = await testDatabase()

test('the auditor finds a change that waits for the platform without a job that would send it', async () => {
  const store = await aStore(db)
  const reported = { id: '77', email: 'ada@example.com', firstName: null, lastName: null }
  const { id } = (await store.inStore((ctx) => upsertCustomers(ctx, [reported]))).get('77')!
  await store.inStore(async (ctx) => {
    const membership = {
      memberId: id,
      status: 'active',
      planId: null,
      memberSince: ctx.now,
      nextBillingAt: null
    } as const
    await setMembershipStatuses(ctx, [membership])
    await updateMember(ctx, id, { email: 'new@example.com', lastName: 'Adler' })
  })
  const pushed = async () => {
    const { checked, findings } = await store.inStore(audit)
    assert.equal(checked.profiles_pushed, 1)
    return findings.filter(({ check }) => check === 'profiles_pushed').map(({ subject, message }) => [subject, message])
  }
  assert.deepEqual(await pushed(), [])
  await store.inStore((ctx) => ctx.tx.run(sql`delete from jobs where store_id = ${ctx.storeId}`))
  assert.deepEqual(await pushed(), [
    [`mem_${id}`, 'has email, last_name waiting for the platform, and no job to bring it there']
  ])
})
