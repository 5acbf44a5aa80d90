// Attempts of the platform under our keys that this database does not have, as after a restore.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int, row, sql, text } from '#kit/postgres'
import type { PlatformAttempt } from '#platform'
import { lockSubscriptionsOfContracts } from '#subscriptions'
import { atOnce } from '../../../test/at-once.ts'
import { testDatabase } from '../../../test/database.ts'
import { aDueStore } from '../../../test/due-store.ts'
import { aSubscriptionLife, at } from '../../../test/subscription-life.ts'
import { claimAttempts } from '../charging/claims.ts'
import { openDueAttempts } from '../charging/open-attempts.ts'
import { adoptAttempts, listOpenAttempts, listUnknownAttempts } from './adopt-attempts.ts'
import { adoptPayments } from './adopt-payments.ts'
import { settleAttempts } from './settle-attempts.ts'

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
  assert.deepEqual([await next.now(), await next.shown()], [['active', 1, 2, 0, null], ['1 pending 921 02-28']])
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

test('a customer who has to confirm an attempt that is taken over is asked to', async () => {
  const { reported, adopt, lastEvent } = await aDueLife()
  const challenge = { ...reported(2, 1, 'action_required'), nextActionUrl: 'https://pay.example/1' }
  assert.equal(await adopt(challenge as PlatformAttempt), 1)
  assert.equal((await lastEvent('billing.action_required')).action_url, 'https://pay.example/1')
})

test('an open attempt that is taken over is the retry that was announced, and those after it are still to come', async () => {
  const { reported, adopt, bill, decline, attempts } = await aDueLife()
  await bill()
  await decline('INSUFFICIENT_FUNDS')
  const before = (await attempts())[0]!.attemptsRemaining
  assert.equal(await adopt(reported(2, 2, 'pending')), 1)
  assert.deepEqual(
    (await attempts()).map(({ status, retryAt, attemptsRemaining }) => [status, retryAt, attemptsRemaining]),
    [
      ['failed', null, before],
      ['pending', null, before - 1]
    ]
  )
})

test('a payment beside one that is not ours is a second charge, and ends nothing', async () => {
  const { reported, adopt, inStore, contract, shown, alerts, now } = await aDueLife()
  const of = { contractId: contract.id, originAt: at(SECOND), createdAt: at(SECOND) }
  const payment = { idempotencyKey: 'by the staff', platformAttemptId: '900', of, order: null, paymentMethod: null }
  assert.equal(await inStore((ctx) => adoptPayments(ctx, [{ ...payment, state: 'success' }])), 1)
  assert.equal(await adopt(reported(2, 2, 'success')), 1)
  assert.deepEqual(await shown(), ['1 success 900 02-28', '2 failed superseded 922 02-28'])
  assert.deepEqual(await alerts(), ['charged_twice'])
  const ended = await inStore(({ tx, storeId }) =>
    tx.one(
      row({ count: int }),
      sql`select count(*) as count from facts where store_id = ${storeId} and name = 'billing.failed'`
    )
  )
  assert.equal(ended.count, 1)
  assert.deepEqual((await now()).slice(0, 4), ['active', 2, 3, 0])
})

/** A store whose contracts are due for their second cycle when they are opened. */
async function aDueStoreOf(count: number) {
  const store = await aDueStore(db, { subscriptions: count, dueAt: at(SECOND) })
  const { inStore, storeId } = store
  const contracts = (
    await inStore(({ tx }) =>
      tx.many(
        row({ id: text }),
        sql`select platform_contract_id as id from subscriptions where store_id = ${storeId} order by id`
      )
    )
  ).map(({ id }) => id)
  const open = async (...some: string[]) => {
    for (const contract of some) {
      await inStore(({ tx }) =>
        tx.run(sql`update subscriptions set billing_due_at = ${at(SECOND)}
                    where store_id = ${storeId} and platform_contract_id = ${contract}`)
      )
      await inStore((ctx) => openDueAttempts(ctx, 10))
    }
  }
  await inStore(({ tx }) => tx.run(sql`update subscriptions set billing_due_at = null where store_id = ${storeId}`))
  const send = (limit: number) => inStore((ctx) => claimAttempts(ctx, limit, 1))
  return { ...store, contracts, open, send, keyOf: (contract: string) => `svc-${contract}-2-1` }
}

test('the open attempts of contracts are those that were sent and have no result, oldest first', async () => {
  const { inStore, contracts, open, send, keyOf } = await aDueStoreOf(5)
  const [first, second, ended, unsent, other] = contracts as [string, string, string, string, string]
  await open(ended)
  await send(1)
  await inStore((ctx) =>
    settleAttempts(ctx, [
      {
        idempotencyKey: keyOf(ended),
        platformAttemptId: null,
        state: 'failed',
        errorCode: 'CARD_DECLINED',
        errorMessage: null
      }
    ])
  )
  await open(second, first, other)
  await send(3)
  await open(unsent)
  assert.deepEqual(
    await inStore((ctx) => listOpenAttempts(ctx, [first, second, ended, unsent])),
    [second, first].map((contractId) => ({ idempotencyKey: keyOf(contractId), contractId }))
  )
})

test('of attempts that are taken over together only those of a cycle that has another are held back', async () => {
  const { inStore, storeId, contracts, open, send, keyOf } = await aDueStoreOf(2)
  const [taken, free] = contracts as [string, string]
  await open(taken)
  await send(1)
  const unknown = [taken, free].map((contractId) => ({
    id: `9${contractId}`,
    state: 'pending',
    contractId,
    idempotencyKey: `svc-${contractId}-2-2`,
    createdAt: at(SECOND),
    originAt: at(SECOND),
    nextActionUrl: null
  }))
  assert.equal(await inStore((ctx) => adoptAttempts(ctx, unknown as PlatformAttempt[])), 2)
  const attempts = await inStore(({ tx }) =>
    tx.many(
      row({ is: text }),
      sql`select idempotency_key || ' ' || status as is from billing_attempts where store_id = ${storeId} order by 1`
    )
  )
  assert.deepEqual(
    attempts.map(({ is }) => is),
    [`${keyOf(taken)} pending`, `svc-${taken}-2-2 failed`, `svc-${free}-2-2 pending`]
  )
})

test('attempts of several contracts lock their subscriptions at once and in order', async () => {
  const { inStore, contracts } = await aDueStoreOf(2)
  const [low, high] = contracts as [string, string]
  // The one of the later contract is for an earlier cycle, and is looked at first.
  const unknown = [
    [high, 1],
    [low, 2]
  ].map(([contractId, cycle]) => ({
    id: `9${contractId}`,
    state: 'pending',
    contractId,
    idempotencyKey: `svc-${contractId}-${cycle}-1`,
    createdAt: at(SECOND),
    originAt: at(SECOND),
    nextActionUrl: null
  }))
  const taken = await atOnce(
    { inStore },
    (ctx) => lockSubscriptionsOfContracts(ctx, [low]),
    (ctx) => adoptAttempts(ctx, unknown as PlatformAttempt[]),
    // Who waits for the first holds nothing of the second.
    ({ tx, storeId }) =>
      tx.run(sql`
        select from subscriptions where store_id = ${storeId} and platform_contract_id = ${high} for update nowait`)
  )
  assert.deepEqual(taken, { status: 'fulfilled', value: 2 })
})

test('an open attempt of a subscription that is paused here changes nothing of its cycles', async () => {
  const { reported, adopt, bill, decline, pause, read, shown } = await aDueLife()
  await bill()
  await decline('INSUFFICIENT_FUNDS')
  await pause()
  const { nextCycle, pastDueCycle } = await read()
  assert.equal(pastDueCycle, 2)
  assert.equal(await adopt(reported(nextCycle, 1, 'pending')), 1)
  assert.equal((await shown()).length, 2)
  assert.deepEqual([(await read()).nextCycle, (await read()).pastDueCycle], [nextCycle, 2])
})
