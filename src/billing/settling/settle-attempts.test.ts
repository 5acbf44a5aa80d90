import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { upsertFromContracts } from '#contracts'
import { int, row, sql } from '#kit/postgres'
import { setClock } from '#stores'
import { findSubscriptionByContract, lockSubscriptions } from '#subscriptions'
import { aContract, anOrder } from '../../../test/contract-builder.ts'
import { testDatabase } from '../../../test/database.ts'
import { whileRefused } from '../../../test/refused-writes.ts'
import { aStore } from '../../../test/store-builder.ts'
import { aSubscriptionLife } from '../../../test/subscription-life.ts'
import { claimAttempts } from '../charging/claims.ts'
import { openDueAttempts } from '../charging/open-attempts.ts'
import { settleAttempts } from './settle-attempts.ts'

const { db, url } = await testDatabase()
const START = Temporal.Instant.from('2026-01-31T15:00:00Z')

test('results of an end and of a challenge lock both subscriptions in order before anything else', async () => {
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
    const settling = inStore((other) =>
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
    return { settling }
  })
  assert.equal(await reported.settling, 1)
  const attempts = await inStore(({ tx }) =>
    tx.many(
      row({ challenged: int, failed: int }),
      sql`select count(*) filter (where action_required_at is not null) as challenged,
                 count(*) filter (where status = 'failed') as failed from billing_attempts where store_id = ${storeId}`
    )
  )
  assert.deepEqual(attempts, [{ challenged: 1, failed: 1 }])
})

/** What a settlement writes, and a condition that refuses exactly that. */
const written: Record<string, { table: string; accepts: string }> = {
  'the end of its attempt': { table: 'billing_attempts', accepts: "status <> 'success'" },
  'the next date': { table: 'subscriptions', accepts: 'cycle_index < 2' },
  'its order': { table: 'orders', accepts: 'total_minor <> 2901' },
  'its facts': { table: 'facts', accepts: "name <> 'billing.success'" },
  'its history': { table: 'contract_activities', accepts: "refs ->> 'cycle' is distinct from '2'" },
  'its credit': { table: 'credit_entries', accepts: "operation_id like 'charge:contract_%'" },
  'the request to the platform': { table: 'jobs', accepts: "kind <> 'push-contract'" }
}

test('a payment is settled wholly or not at all, and once when it is reported again', async () => {
  const life = await aSubscriptionLife(db, { plan: { name: 'Gold', creditMinor: 500 } })
  await life.goTo('2026-02-28T15:00:00Z')
  await life.bill()
  const order = anOrder(START, { totalMinor: 2901 })
  const settle = () =>
    life.inStore((ctx) =>
      settleAttempts(ctx, [
        {
          idempotencyKey: `svc-${life.contract.id}-2-1`,
          platformAttemptId: '1',
          state: 'success',
          order,
          paymentMethod: null
        }
      ])
    )
  const counts = () =>
    life.inStore(({ tx, storeId }) =>
      tx.one(
        row({ orders: int, charged: int, facts: int, history: int, credits: int, jobs: int }),
        sql`select (select count(*) from orders where store_id = ${storeId}) as orders,
                   (select count(*) from billing_attempts where store_id = ${storeId} and order_id is not null) as charged,
                   (select count(*) from facts where store_id = ${storeId}) as facts,
                   (select count(*) from contract_activities where store_id = ${storeId}) as history,
                   (select count(*) from credit_entries where store_id = ${storeId}) as credits,
                   (select count(*) from jobs where store_id = ${storeId}) as jobs`
      )
    )
  const [subscription, attempts, before] = [await life.read(), await life.attempts(), await counts()]
  for (const [what, refused] of Object.entries(written)) {
    await whileRefused(url, refused, async () => {
      await assert.rejects(settle(), { code: '23514' }, what)
      assert.deepEqual(
        [await life.read(), await life.attempts(), await counts()],
        [subscription, attempts, before],
        what
      )
    })
  }
  assert.deepEqual([await settle(), await settle()], [1, 0])
  assert.deepEqual(await life.now(), ['active', 2, 3, 0, '2026-03-31T14:00:00Z'])
  const { orders, charged, credits } = await counts()
  assert.deepEqual([orders, charged, credits], [before.orders + 1, 1, before.credits + 1])
})
