// The doctor compares rows with their facts only as far back as all facts are kept.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeCredits } from '#credits'
import { pruneFacts } from '#kit/outbox'
import { type Ctx, int, row, sql } from '#kit/postgres'
import { adjustPoints } from '#points'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

test('facts that were removed are no findings of the doctor; a missing one after them is', async () => {
  const store = await service.aStore()
  const { storeId } = store
  const settle = () => service.deps.settle(storeId)
  const findings = async () =>
    ((await service.admin('POST', '/doctor', {})).findings as { check: string }[]).map(({ check }) => check).sort()
  let people = 0
  /** A member who joins, is charged a month later, and gets credit and points. */
  const aMonth = async () => {
    const person = {
      email: `person-${people++}@example.com`,
      firstName: null,
      lastName: null,
      countryCode: null,
      provinceCode: null
    }
    const customer = await service.deps.sandbox.createCustomer(storeId, person)
    await service.deps.sandbox.join(storeId, { customerId: customer.id, planName: 'VIP' })
    await settle()
    await store.advance({ by: 'P1M' })
    await service.db.inStore(storeId, async (ctx) => {
      const memberId = await lastMember(ctx)
      const change = { memberId, reason: 'x', operationId: `test:${people}` }
      await changeCredits(ctx, [{ ...change, type: 'manual_add', amountMinor: 500 }])
      await adjustPoints(ctx, [{ ...change, balance: 7 }])
    })
    await settle()
  }

  await aMonth()
  assert.ok((await pruneFacts(service.db, [storeId], { keptDays: 0 })) > 5)
  assert.equal(await factsOf(storeId), 0)
  assert.deepEqual(await findings(), [])

  await store.advance({ by: 'P2D' })
  await aMonth()
  assert.deepEqual(await findings(), [])
  await service.db.inStore(storeId, ({ tx }) =>
    tx.run(sql`
      delete from facts
       where store_id = ${storeId}
         and name in ('billing.success', 'store_credit.added', 'member.points_changed', 'subscription.created')`)
  )
  const expected = [
    'attempt_events_complete',
    'created_events_complete',
    'credit_events_complete',
    'points_events_complete'
  ]
  assert.deepEqual(
    [...new Set(await findings())].filter((check) => expected.includes(check)),
    expected
  )
})

async function lastMember({ tx, storeId }: Ctx) {
  return (await tx.one(row({ id: int }), sql`select max(id) as id from members where store_id = ${storeId}`)).id
}

async function factsOf(storeId: number) {
  const { count } = await service.db.inStore(storeId, ({ tx }) =>
    tx.one(row({ count: int }), sql`select count(*) as count from facts where store_id = ${storeId}`)
  )
  return count
}
