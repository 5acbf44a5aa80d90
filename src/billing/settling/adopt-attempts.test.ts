// Attempts of the platform under our keys that this database does not have, as after a restore.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { row, sql, text } from '#kit/postgres'
import type { PlatformAttempt } from '#platform'
import { testDatabase } from '../../../test/database.ts'
import { aSubscriptionLife, at } from '../../../test/subscription-life.ts'
import { adoptAttempts, listUnknownAttempts } from './adopt-attempts.ts'

const { db } = await testDatabase()
const SECOND = '2026-02-28T15:00:00Z'

async function aDueLife() {
  const life = await aSubscriptionLife(db)
  await life.goTo(SECOND)
  const reported = (cycle: number, number: number, state: PlatformAttempt['state'], contractId = life.contract.id) =>
    ({
      id: `9${cycle}${number}`,
      state,
      contractId,
      idempotencyKey: `svc-${life.contract.id}-${cycle}-${number}`,
      createdAt: at(SECOND),
      originAt: at(SECOND),
      errorCode: state === 'failed' ? 'INSUFFICIENT_FUNDS' : null,
      errorMessage: null,
      nextActionUrl: null,
      order: null,
      paymentMethod: null
    }) as PlatformAttempt
  const adopt = (...some: PlatformAttempt[]) => life.inStore((ctx) => adoptAttempts(ctx, some))
  /** Of each attempt: its number, status, error code, the platform's id and the day of its cycle. */
  const shown = async () =>
    (
      await life.inStore(({ tx, storeId }) =>
        tx.many(
          row({ is: text }),
          sql`
          select concat_ws(' ', attempt_number, status, error_code, platform_attempt_id,
                           to_char(cycle_at at time zone 'utc', 'MM-DD')) as is
            from billing_attempts where store_id = ${storeId} order by cycle_index, attempt_number`
        )
      )
    ).map((found) => found.is)
  return { ...life, reported, adopt, shown }
}

test('unknown are those under a key of ours, of its own contract, that have no row here', async () => {
  const { reported, inStore, bill } = await aDueLife()
  await bill()
  const foreign = { ...reported(2, 4, 'success'), idempotencyKey: 'by the staff' }
  const all = [reported(2, 1, 'failed'), reported(2, 2, 'failed'), reported(2, 3, 'success', '1'), foreign]
  const unknown = await inStore((ctx) => listUnknownAttempts(ctx, all))
  assert.deepEqual(unknown, [all[1]])
  assert.deepEqual(await inStore((ctx) => listUnknownAttempts(ctx, [foreign])), [])
})

test('a payment made since the backup pays its cycle; what was not sent yet is not sent', async () => {
  const { reported, adopt, shown, open, now, attempts } = await aDueLife()
  await open()
  assert.equal(await adopt(reported(2, 3, 'success'), reported(2, 2, 'failed')), 2)
  assert.deepEqual(await shown(), [
    '1 failed superseded 02-28',
    '2 failed card_declined 922 02-28',
    '3 success 923 02-28'
  ])
  assert.deepEqual((await now()).slice(0, 4), ['active', 2, 3, 0])
  assert.deepEqual(
    (await attempts()).map(({ retryAt, attemptsRemaining }) => [retryAt, attemptsRemaining]),
    [
      [null, 0],
      [null, 0],
      [null, 0]
    ],
    'no retry is announced for a paid cycle'
  )
})

test('beside an attempt that was sent, a payment counts as one that was reported late', async () => {
  const { reported, adopt, shown, bill, lastEvent, decline, now } = await aDueLife()
  await bill()
  assert.equal(await adopt(reported(2, 2, 'success')), 1)
  assert.deepEqual(await shown(), ['1 pending 02-28', '2 failed superseded 922 02-28'])
  assert.equal((await lastEvent('billing.failed')).billing_attempt_id.startsWith('ba_'), true)
  await decline('INSUFFICIENT_FUNDS')
  assert.deepEqual((await now()).slice(0, 4), ['active', 2, 3, 0])
})

test('an open attempt of the next cycle holds it; one of a cycle that is over holds nothing', async () => {
  const next = await aDueLife()
  assert.equal(await next.adopt(next.reported(2, 1, 'pending')), 1)
  assert.deepEqual(await next.now(), ['active', 1, 2, 0, null])
  const over = await aDueLife()
  const before = await over.now()
  assert.equal(await over.adopt(over.reported(1, 1, 'pending')), 1)
  assert.deepEqual(await over.now(), before)
  assert.equal(await over.adopt({ ...over.reported(2, 1, 'pending'), contractId: '1', idempotencyKey: 'svc-1-2-1' }), 0)
})

test('two attempts under one key are taken over as two: the second payment counts beside the first, and pays where that has failed', async () => {
  for (const [first, expected] of [
    ['success', ['1 success 921 02-28', '2 failed superseded 777 02-28']],
    ['failed', ['1 success 777 02-28']]
  ] as const) {
    const { reported, adopt, shown, now } = await aDueLife()
    await adopt(reported(2, 1, first), { ...reported(2, 1, 'success'), id: '777' })
    assert.deepEqual(await shown(), expected, first)
    assert.deepEqual((await now()).slice(0, 4), ['active', 2, 3, 0])
  }
})
