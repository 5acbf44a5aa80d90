import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { aContract, anOrder } from '../../../test/contract-builder.ts'
import { testDatabase } from '../../../test/database.ts'
import { aPlan } from '../../../test/plan-builder.ts'
import { aStore } from '../../../test/store-builder.ts'
import { aSubscriptionLife } from '../../../test/subscription-life.ts'
import { upsertFromContracts } from '../../contracts/upsert-from-contracts.ts'
import { findSubscriptionByContract } from '../queries.ts'
import { listActivity } from './list-activity.ts'
import { recordActivities } from './record-activity.ts'

const { db } = await testDatabase()
const START = Temporal.Instant.from('2026-01-31T15:00:00Z')
const ALL = { limit: 100, offset: 0 }

async function aSubscription() {
  const store = await aStore(db, { clockAt: START })
  const line = await aPlan(store, { name: 'VIP' })
  const contract = aContract(START)
  const sold = { ...contract, lines: [{ ...contract.lines[0]!, ...line }] }
  await store.inStore((ctx) => upsertFromContracts(ctx, [sold], [anOrder(START, { id: contract.originOrder!.id })]))
  const { id } = (await store.inStore((ctx) => findSubscriptionByContract(ctx, contract.id)))!
  return { ...store, id }
}

test('an operation that is recorded twice is in the history once', async () => {
  const { inStore, id } = await aSubscription()
  const before = (await inStore((ctx) => listActivity(ctx, id, ALL))).total
  const entry = {
    subscriptionId: id,
    kind: 'charge_failed',
    actor: 'scheduler',
    text: 'The charge was declined'
  } as const

  await inStore((ctx) => recordActivities(ctx, [{ ...entry, cause: 'attempt:1:failed' }]))
  await inStore((ctx) =>
    recordActivities(ctx, [
      { ...entry, cause: 'attempt:1:failed' },
      { ...entry, cause: 'attempt:2:failed', refs: { attempt: 2 } }
    ])
  )

  const { rows, total } = await inStore((ctx) => listActivity(ctx, id, { limit: 1, offset: 0 }))
  assert.equal(total, before + 2)
  assert.deepEqual(
    rows.map(({ refs, planName, planGroupName, occurredAt }) => ({
      refs,
      planName,
      planGroupName,
      at: `${occurredAt}`
    })),
    [{ refs: { attempt: 2 }, planName: 'VIP', planGroupName: 'VIP', at: '2026-01-31T15:00:00Z' }]
  )
})

test('what was written is neither changed nor removed; a note can be taken out', async () => {
  const { inStore, id, storeId } = await aSubscription()
  const entry = {
    subscriptionId: id,
    kind: 'note',
    actor: 'operator',
    text: 'Note',
    notes: 'Called, is happy'
  } as const
  await inStore((ctx) => recordActivities(ctx, [entry]))

  await assert.rejects(
    inStore(({ tx }) => tx.run(sql`update contract_activities set text = 'x' where store_id = ${storeId}`)),
    /never changed/
  )
  await assert.rejects(
    inStore(({ tx }) => tx.run(sql`update contract_activities set notes = 'x' where store_id = ${storeId}`)),
    /never changed/
  )
  await assert.rejects(
    inStore(({ tx }) => tx.run(sql`delete from contract_activities where store_id = ${storeId}`)),
    /never changed/
  )
  await inStore(({ tx }) => tx.run(sql`update contract_activities set notes = null where store_id = ${storeId}`))
  assert.equal((await inStore((ctx) => listActivity(ctx, id, ALL))).rows[0]!.notes, null)
})

test('the history names who asked for another try', async () => {
  const life = await aSubscriptionLife(db)
  await life.goTo('2026-02-28T15:00:00Z')
  await life.bill()
  await life.decline('INSUFFICIENT_FUNDS')
  await life.retry((await life.attempts())[0]!.id)
  assert.equal(await life.lastActor(), 'operator')
})
