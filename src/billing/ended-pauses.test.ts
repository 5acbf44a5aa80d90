import assert from 'node:assert/strict'
import { test } from 'node:test'
import { upsertFromContracts } from '#contracts'
import { int, row, sql } from '#kit/postgres'
import { pauseSubscription } from '#lifecycle'
import { setClock } from '#stores'
import { findSubscriptionByContract, lockSubscriptions } from '#subscriptions'
import { resumeEndedPauses } from '#subscriptions/for-billing'
import { aContract, anOrder } from '../../test/contract-builder.ts'
import { testDatabase } from '../../test/database.ts'
import { aStore } from '../../test/store-builder.ts'
import { openDueAttempts } from './charging/open-attempts.ts'

const { db } = await testDatabase()
const at = Temporal.Instant.from
const START = at('2026-01-31T15:00:00Z')

test('a cycle that fell due after the end of a pause is billed, also where nobody looked until later', async () => {
  const { inStore } = await aStore(db, { clockAt: START })
  const contract = aContract(START)
  await inStore((ctx) => upsertFromContracts(ctx, [contract], [anOrder(START, { id: contract.originOrder!.id })]))
  const { id } = (await inStore((ctx) => findSubscriptionByContract(ctx, contract.id)))!
  await inStore((ctx) => pauseSubscription(ctx, id, at('2026-03-31T12:00:00Z'), 'api'))
  const openAt = async (when: string) => {
    await inStore((ctx) => setClock(ctx, at(when)))
    await inStore((ctx) => resumeEndedPauses(ctx, 10))
    await inStore((ctx) => openDueAttempts(ctx, 10))
    return inStore(({ tx, storeId }) =>
      tx.many(row({ cycle: int }), sql`select cycle_index as cycle from billing_attempts where store_id = ${storeId}`)
    )
  }

  // Its date is 14:00. The platform's contract is paused until our push: a charge at once would be refused there.
  assert.deepEqual(await openAt('2026-03-31T17:00:00Z'), [])
  const [resumed] = await inStore((ctx) => lockSubscriptions(ctx, [id]))
  assert.deepEqual([resumed!.status, resumed!.nextBillingAt?.toString()], ['active', '2026-03-31T14:00:00Z'])
  assert.deepEqual(await openAt('2026-03-31T17:15:00Z'), [{ cycle: 3 }])
})
