// Which rows of each endpoint show something of whom facts were about.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpoints } from '#exports'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { insertRows, NEEDED } from '../stored-rows.test-helper.ts'
import { findTouchedRows } from './touched-rows.ts'

const { db } = await testDatabase()
const AT = '2026-01-05T12:00:00Z'
const [PAYER, RECEIVER, OTHER] = [11, 12, 13]

test('what happens to the one who pays for a gift is shown with its receiver too, and nobody else', async () => {
  const store = await aStore(db)
  const base = { store_id: store.storeId, created_at: AT, updated_at: AT }
  const member = (id: number) => ({ ...base, id, platform_customer_id: String(id), profile_pending: [] })
  const contract = (id: number, member_id: number, receiver_member_id: number | null) => ({
    ...base,
    id,
    member_id,
    receiver_member_id,
    gifted_at: receiver_member_id === null ? null : AT,
    platform_contract_id: String(id),
    ...NEEDED.subscription,
    name: 'Club',
    status: 'active',
    price_minor: 2900,
    currency: 'USD',
    interval: 'month',
    interval_count: 1,
    anchor_at: AT
  })
  const touchedBy = (memberId: number) =>
    store.inStore(async (ctx) => {
      const touched = await findTouchedRows(ctx, endpoints, { members: new Set([memberId]), orders: new Set() })
      return ['customers', 'members', 'subscriptions'].map((name) => touched.get(name as 'members'))
    })
  await store.inStore(async (ctx) => {
    await insertRows(ctx, 'members', [PAYER, RECEIVER, OTHER].map(member))
    await insertRows(ctx, 'subscriptions', [
      contract(21, PAYER, null),
      contract(22, PAYER, RECEIVER),
      contract(23, RECEIVER, null),
      contract(24, OTHER, null)
    ])
  })
  assert.deepEqual(await touchedBy(PAYER), [
    [PAYER, RECEIVER],
    [PAYER, RECEIVER],
    [21, 22, 23]
  ])
  assert.deepEqual(await touchedBy(RECEIVER), [[RECEIVER], [RECEIVER], [23]])
  assert.deepEqual(await touchedBy(OTHER), [[OTHER], [OTHER], [24]])
})
