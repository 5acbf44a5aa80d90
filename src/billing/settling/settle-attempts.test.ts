import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { upsertFromContracts } from '#contracts'
import { int, row, sql } from '#kit/postgres'
import { setClock } from '#stores'
import { findSubscriptionByContract, lockSubscriptions } from '#subscriptions'
import { aContract, anOrder } from '../../../test/contract-builder.ts'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { claimAttempts } from '../charging/claims.ts'
import { openDueAttempts } from '../charging/open-attempts.ts'
import { settleAttempts } from './settle-attempts.ts'

const { db } = await testDatabase()
const START = Temporal.Instant.from('2026-01-31T15:00:00Z')

test('who hears of an end and of a challenge holds both subscriptions in order before anything else', async () => {
  const { inStore, storeId } = await aStore(db, { clockAt: START })
  const contracts = [aContract(START), aContract(START)]
  await inStore((ctx) =>
    upsertFromContracts(
      ctx,
      contracts,
      contracts.map((c) => anOrder(START, { id: c.originOrder!.id }))
    )
  )
  const [low, high] = await Promise.all(
    contracts.map(async ({ id }) => (await inStore((ctx) => findSubscriptionByContract(ctx, id)))!.id)
  )
  await inStore((ctx) => setClock(ctx, Temporal.Instant.from('2026-02-28T15:00:00Z')))
  await inStore((ctx) => openDueAttempts(ctx, 10))
  await inStore((ctx) => claimAttempts(ctx, 10, 1))
  const [challenged, declined] = contracts.map(({ id }) => `svc-${id}-2-1`)
  const result = { state: 'failed' as const, errorCode: 'card_declined', errorMessage: null }

  const reported = await inStore(async (ctx) => {
    await lockSubscriptions(ctx, [low!])
    const hearing = inStore((other) =>
      settleAttempts(
        other,
        [{ idempotencyKey: declined!, platformAttemptId: '1', ...result }],
        [{ idempotencyKey: challenged!, actionUrl: 'https://pay.example/1' }]
      )
    )
    const waiting = sql`
      select count(*) as count from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`
    for (let looks = 0; (await ctx.tx.one(row({ count: int }), waiting)).count === 0; looks++) {
      assert.ok(looks < 500, 'nobody waits')
      await wait(10)
    }
    // Only who waits for the first holds nothing of the second: this would wait for ever.
    await lockSubscriptions(ctx, [high!])
    return { hearing }
  })
  assert.equal(await reported.hearing, 1)
  const attempts = await inStore(({ tx }) =>
    tx.many(
      row({ challenged: int, failed: int }),
      sql`select count(*) filter (where action_required_at is not null) as challenged,
                 count(*) filter (where status = 'failed') as failed from billing_attempts where store_id = ${storeId}`
    )
  )
  assert.deepEqual(attempts, [{ challenged: 1, failed: 1 }])
})
