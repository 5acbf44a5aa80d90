// The details of a history lose what names a person, and keep their keys, numbers and answers, whatever the person is called.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { json, row, sql } from '#kit/postgres'
import { testDatabase } from '../../test/database.ts'
import { aSubscriptionLife } from '../../test/subscription-life.ts'
import { recordActivities } from './history/record-activity.ts'
import { activitiesHeld } from './personal-data.ts'

const { db } = await testDatabase()

test('a name that is a word of JSON, or a key of the details, is erased from texts alone', async () => {
  const { id, inStore, storeId } = await aSubscriptionLife(db)
  const refs = {
    name: 'The club of True Price',
    price: 29,
    is_missed: true,
    next: null,
    plan_name: { from: 'Price and friends', to: 'Null', true: 3 },
    tiers: ['gold']
  }
  await inStore((ctx) =>
    recordActivities(ctx, [{ subscriptionId: id, kind: 'note', actor: 'operator', text: 'About the name', refs }])
  )
  // Entries change only for people who are erased.
  await inStore(({ tx }) => tx.run(sql`update members set erased_at = now() where store_id = ${storeId}`))
  const person = { memberIds: [], customerIds: [], orderNumbers: [], emails: [], phones: [] }
  await inStore((ctx) =>
    activitiesHeld.erase(
      ctx,
      { ...person, subscriptionIds: [id], names: ['True', 'Price', 'Null', 'True Price'] },
      null
    )
  )
  const [left] = await inStore(({ tx }) =>
    tx.many(
      row({ refs: json<object>() }),
      sql`select refs from contract_activities where store_id = ${storeId} and subscription_id = ${id} and text = 'About the name'`
    )
  )
  assert.deepEqual(left!.refs, {
    ...refs,
    name: 'The club of erased',
    plan_name: { from: 'erased and friends', to: 'erased', true: 3 }
  })
})
