// What stops a subscription stops its charges too, in the same transaction, whoever wants it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { row, sql, text } from '#kit/postgres'
import { testDatabase } from '../../test/database.ts'
import { whileRefused } from '../../test/refused-writes.ts'
import { aSubscriptionLife } from '../../test/subscription-life.ts'
import { markContractsMissing } from '../contracts/missing-contracts.ts'
import { endForDeletedCustomers } from './end-for-deleted-customers.ts'
import { pauseSubscription } from './pause-subscription.ts'

const { db, url } = await testDatabase()
const SECOND = '2026-02-28T15:00:00Z'

type Life = Awaited<ReturnType<typeof aSubscriptionLife>>

/** A subscription whose second cycle has an attempt that was not sent yet. */
async function withUnsentAttempt(): Promise<Life> {
  const life = await aSubscriptionLife(db)
  await life.goTo(SECOND)
  await life.open()
  return life
}

/** A subscription whose second cycle was declined: a retry is announced. */
async function withAnnouncedRetry(): Promise<Life> {
  const life = await aSubscriptionLife(db)
  await life.goTo(SECOND)
  await life.bill()
  await life.decline('INSUFFICIENT_FUNDS')
  return life
}

const eventsSince = ({ inStore, storeId }: Life, type: string) =>
  inStore(({ tx }) =>
    tx.many(
      row({ type: text }),
      sql`select name as type from facts where store_id = ${storeId} and name not like 'member.%'
             and id >= (select max(id) from facts where store_id = ${storeId} and name = ${type}) order by id`
    )
  )

const stops: Record<string, (life: Life) => Promise<unknown>> = {
  'a pause': (life) => life.pause(),
  'a cancellation': (life) => life.cancel(),
  'a pause on the platform': (life) => life.sync({ status: 'paused', revision: '7' }),
  'a cancellation on the platform': (life) => life.sync({ status: 'cancelled', revision: '7' }),
  'a failure on the platform': (life) => life.sync({ status: 'failed', revision: '7' }),
  'a contract that is missing there': (life) => life.inStore((ctx) => markContractsMissing(ctx, [life.contract.id])),
  'a customer who was deleted there': (life) => life.inStore((ctx) => endForDeletedCustomers(ctx, [life.contract.id]))
}

for (const [what, stop] of Object.entries(stops)) {
  test(`${what} voids the attempt that was not sent, and reports it after what stopped it`, async () => {
    const life = await withUnsentAttempt()
    await stop(life)
    assert.deepEqual(await life.charges(), [{ status: 'failed', code: 'voided', retries: 0 }])
    const { status } = await life.read()
    const first = status === 'paused' ? 'subscription.paused' : 'subscription.cancelled'
    assert.deepEqual(
      (await eventsSince(life, first)).map(({ type }) => type),
      [first, 'billing.failed']
    )
    await life.goTo('2026-06-30T15:00:00Z')
    await life.bill()
    assert.equal((await life.charges()).length, 1)
  })

  test(`${what} cancels the retry that was announced`, async () => {
    const life = await withAnnouncedRetry()
    await stop(life)
    assert.deepEqual(await life.charges(), [{ status: 'failed', code: 'card_declined', retries: 0 }])
    await life.goTo('2026-06-30T15:00:00Z')
    await life.bill()
    assert.equal((await life.charges()).length, 1)
  })
}

test('a pause gives the cycle back whose charge was never sent, and keeps one that was sent', async () => {
  const unsent = await withUnsentAttempt()
  await unsent.pause()
  assert.equal((await unsent.read()).nextCycle, 2)

  const sent = await withUnsentAttempt()
  await sent.bill()
  await sent.pause()
  assert.equal((await sent.read()).nextCycle, 3)
  assert.equal((await sent.attempts())[0]!.status, 'pending')
})

test('a transaction that fails after the pause leaves the agreement and its charge as they were', async () => {
  const life = await withUnsentAttempt()
  const before = await life.read()
  await assert.rejects(
    life.inStore(async (ctx) => {
      await pauseSubscription(ctx, life.id, null, 'api')
      throw new Error('too late')
    }),
    /too late/
  )
  assert.deepEqual(await life.read(), before)
  assert.deepEqual(await life.charges(), [{ status: 'pending', code: '', retries: 0 }])
})

test('a decline that is reported after the stop announces no retry, and its fact says so', async () => {
  for (const stop of ['pause', 'cancel'] as const) {
    const life = await withUnsentAttempt()
    await life.bill()
    await life[stop]()
    await life.decline('INSUFFICIENT_FUNDS')
    assert.deepEqual(await life.charges(), [{ status: 'failed', code: 'card_declined', retries: 0 }])
    const failed = await life.lastEvent('billing.failed')
    assert.deepEqual([failed.retry_scheduled, failed.attempts_remaining], [false, 0])
    assert.deepEqual(await eventsSince(life, 'billing.failed'), [{ type: 'billing.failed' }])
  }
})

/** What a pause writes besides the agreement, and a condition that refuses exactly that. */
const written: Record<string, { table: string; accepts: string }> = {
  'the end of its charge': { table: 'billing_attempts', accepts: "error_code is distinct from 'voided'" },
  'its facts': { table: 'facts', accepts: "name <> 'subscription.paused'" },
  'the facts of its charge': { table: 'facts', accepts: "name <> 'billing.failed'" },
  'its history': { table: 'contract_activities', accepts: "kind <> 'paused'" },
  'its request to the platform': { table: 'jobs', accepts: "kind <> 'push-contract'" },
  "its member's status": { table: 'members', accepts: "status <> 'paused'" }
}

for (const [what, refused] of Object.entries(written)) {
  test(`a pause does not happen where ${what} cannot be written`, async () => {
    const life = await withUnsentAttempt()
    const before = await life.read()
    await whileRefused(url, refused, async () => {
      await assert.rejects(life.pause(), { code: '23514' })
      assert.deepEqual(await life.read(), before)
      assert.deepEqual(await life.charges(), [{ status: 'pending', code: '', retries: 0 }])
    })
    await life.pause()
    assert.deepEqual(await life.charges(), [{ status: 'failed', code: 'voided', retries: 0 }])
  })
}
