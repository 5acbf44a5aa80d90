import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { upsertFromContracts } from '#contracts'
import { bool, instant, int, nullable, row, sql, text } from '#kit/postgres'
import type { PlatformOrder } from '#platform'
import { setClock, settingsOf } from '#stores'
import { findSubscriptionByContract, lockSubscriptions } from '#subscriptions'
import { aContract, anOrder } from '../../../test/contract-builder.ts'
import { testDatabase } from '../../../test/database.ts'
import { whileRefused } from '../../../test/refused-writes.ts'
import { aStore } from '../../../test/store-builder.ts'
import { aSubscriptionLife, at } from '../../../test/subscription-life.ts'
import type { AttemptResult } from '../attempts/attempt-result.ts'
import { claimAttempts } from '../charging/claims.ts'
import { openDueAttempts } from '../charging/open-attempts.ts'
import { actionRequiredSettings } from '../settings.ts'
import { adoptPayments } from './adopt-payments.ts'
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
        [{ idempotencyKey: challenged!, platformAttemptId: '2', actionUrl: 'https://pay.example/1' }]
      )
    )
    const waiting = sql`
      select count(*) as count from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`
    for (let looks = 0; (await ctx.tx.one(row({ count: int }), waiting)).count === 0; looks++) {
      assert.ok(looks < 500, 'nobody waits')
      await wait(10)
    }
    // Who waits for the first holds nothing of the second.
    await ctx.tx.run(sql`
      select from subscriptions where store_id = ${storeId} and id = ${high!} for update nowait`)
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

const SECOND = '2026-02-28T15:00:00Z'
const LATER = Temporal.Instant.from('2026-03-20T00:00:00Z')

async function aCharge() {
  const life = await aSubscriptionLife(db)
  await life.goTo(SECOND)
  await life.bill()
  const { storeId, inStore } = life
  /** Of each attempt, oldest first. */
  const dates = () =>
    inStore(({ tx }) =>
      tx.many(
        row({ status: text, checkAt: nullable(instant), remindAt: nullable(instant) }),
        sql`select status, check_at, remind_at from billing_attempts where store_id = ${storeId} order by id`
      )
    )
  const later = (column: 'check_at' | 'remind_at') =>
    inStore(({ tx }) =>
      tx.run(
        column === 'check_at'
          ? sql`update billing_attempts set check_at = ${LATER} where store_id = ${storeId} and status = 'pending'`
          : sql`update billing_attempts set remind_at = ${LATER} where store_id = ${storeId} and status = 'pending'`
      )
    )
  return { ...life, key: `svc-${life.contract.id}-2-1`, dates, later }
}

test('a failure that calls the cycle paid ends nothing until its payment was searched for', async () => {
  const life = await aCharge()
  await life.later('check_at')
  const report = (isPaymentSearched?: boolean) =>
    life.inStore((ctx) =>
      settleAttempts(ctx, [
        {
          idempotencyKey: life.key,
          platformAttemptId: '1',
          state: 'failed',
          errorCode: 'INVOICE_ALREADY_PAID',
          errorMessage: null,
          ...(isPaymentSearched && { isPaymentSearched })
        }
      ])
    )
  await report()
  assert.deepEqual(await life.dates(), [{ status: 'pending', checkAt: Temporal.Instant.from(SECOND), remindAt: null }])
  await report(true)
  assert.deepEqual(await life.charges(), [{ status: 'failed', code: 'already_paid', retries: 0 }])
})

test('a success that is reported late waits for the open attempt of its cycle, and holds when that one fails', async () => {
  const life = await aCharge()
  await life.decline('INSUFFICIENT_FUNDS')
  await life.retry((await life.attempts())[0]!.id)
  await life.paidLate(life.key)
  assert.deepEqual(
    (await life.charges()).map(({ status }) => status),
    ['failed', 'pending']
  )
  await life.decline('INSUFFICIENT_FUNDS')
  assert.deepEqual(await life.charges(), [
    { status: 'success', code: '', retries: 0 },
    { status: 'failed', code: 'card_declined', retries: 0 }
  ])
  assert.deepEqual((await life.now()).slice(0, 4), ['active', 2, 3, 0])
  assert.deepEqual(
    (await life.attempts()).map(({ attemptsRemaining }) => attemptsRemaining),
    [0, 0]
  )
})

test('a customer who has to confirm is reminded by the first date of the store, which a repeated report leaves alone', async () => {
  const life = await aCharge()
  await life.later('check_at')
  const report = () =>
    life.inStore((ctx) =>
      settleAttempts(
        ctx,
        [],
        [{ idempotencyKey: life.key, platformAttemptId: null, actionUrl: 'https://pay.example/1' }]
      )
    )
  await report()
  const { remindAt, checkAt } = (await life.dates())[0]!
  assert.deepEqual(checkAt, remindAt, 'it is checked at the latest then')
  const { remindAfterHours } = await life.inStore((ctx) => settingsOf(ctx, actionRequiredSettings))
  assert.deepEqual(remindAt, Temporal.Instant.from(SECOND).add({ hours: remindAfterHours[0]! }))
  await life.later('remind_at')
  await report()
  assert.deepEqual((await life.dates())[0]!.remindAt, LATER)
})

test('a payment that is not ours pays the cycle that waits for a retry, once, and nothing more is announced for it', async () => {
  const life = await aCharge()
  await life.decline('INSUFFICIENT_FUNDS')
  const payment = (idempotencyKey: string, platformAttemptId: string) => {
    const when = Temporal.Instant.from(SECOND)
    const of = { contractId: life.contract.id, originAt: when, createdAt: when }
    return { idempotencyKey, platformAttemptId, of, state: 'success' as const, order: null, paymentMethod: null }
  }
  const adopt = (...some: ReturnType<typeof payment>[]) => life.inStore((ctx) => adoptPayments(ctx, some))
  assert.equal(await adopt(payment(life.key, '900')), 0, 'it is known by its key')
  assert.equal(await adopt(payment('by the staff', '901')), 1)
  assert.deepEqual(
    (await life.attempts()).map(({ status, attemptsRemaining, retryAt }) => [status, attemptsRemaining, retryAt]),
    [
      ['failed', 0, null],
      ['success', 0, null]
    ]
  )
  assert.deepEqual((await life.now()).slice(0, 4), ['active', 2, 3, 0])
  assert.equal(await adopt(payment('by the staff', '901')), 0, 'it is known by its id')
  assert.equal((await life.alerts()).length, 0)
  assert.equal((await life.history()).filter((line) => /^Charge of .* for cycle 2 started$/.test(line)).length, 2)
})

type Reported = { id: string | null; error?: string; order?: PlatformOrder; isReversed?: boolean }

/** A charge under way, or with the platform's attempt 7 known to be it. */
async function aKnownCharge(platformAttemptId: string | null = '7') {
  const life = await aCharge()
  const { storeId, inStore } = life
  await inStore(({ tx }) =>
    tx.run(sql`update billing_attempts set platform_attempt_id = ${platformAttemptId} where store_id = ${storeId}`)
  )
  /** Settles results in one batch: of the charge, or under another key. */
  const report = (results: Reported[], key = life.key) =>
    inStore((ctx) =>
      settleAttempts(
        ctx,
        results.map(({ id, error, order = null, isReversed = false }): AttemptResult => {
          const ref = { idempotencyKey: key, platformAttemptId: id }
          return error
            ? { ...ref, state: 'failed', errorCode: error, errorMessage: null }
            : { ...ref, state: 'success', order, paymentMethod: null, isReversed }
        })
      )
    )
  /** Of each attempt its status and the platform's id, and the other payment that is noted on it. */
  const payments = () =>
    inStore(({ tx }) =>
      tx.many(
        row({ status: text, platform: nullable(text), other: nullable(text) }),
        sql`select status, platform_attempt_id as platform, other_payment_id as other
              from billing_attempts where store_id = ${storeId} order by id`
      )
    )
  /** The kinds of jobs that wait, with what each is about. */
  const jobs = async () => {
    const found = await inStore(({ tx }) =>
      tx.many(row({ kind: text, key: text }), sql`select kind, dedupe_key as key from jobs where store_id = ${storeId}`)
    )
    return found.map(({ kind, key }) => `${kind} ${key}`)
  }
  return { ...life, report, payments, jobs }
}

test('of several results under one key a success counts, that of the known attempt first; another success is a second charge', async () => {
  const charge = await aKnownCharge()
  assert.equal(await charge.report([{ id: '7', error: 'CARD_DECLINED' }, { id: '8' }, { id: '9' }, { id: '7' }]), 1)
  assert.deepEqual(await charge.payments(), [
    { status: 'success', platform: '7', other: null },
    { status: 'failed', platform: '8', other: null },
    { status: 'failed', platform: '9', other: null }
  ])
  assert.deepEqual(await charge.alerts(), ['charged_twice', 'charged_twice'])
})

test('a failure of another attempt under the key ends nothing; one that does not say of which has the known one checked', async () => {
  const charge = await aKnownCharge()
  await charge.later('check_at')
  assert.equal(await charge.report([{ id: '8', error: 'CARD_DECLINED' }]), 0)
  assert.deepEqual(await charge.dates(), [{ status: 'pending', checkAt: LATER, remindAt: null }])
  await charge.report([{ id: null, error: 'CARD_DECLINED' }])
  assert.deepEqual(await charge.dates(), [{ status: 'pending', checkAt: at(SECOND), remindAt: null }])
  assert.equal(await charge.report([{ id: '7', error: 'CARD_DECLINED' }]), 1)
  assert.equal((await charge.charges())[0]!.status, 'failed')
})

test('a failure that is reported again ends nothing; together with its success it is outdated', async () => {
  const charge = await aKnownCharge()
  const failure = { id: '7', error: 'INSUFFICIENT_FUNDS' }
  assert.deepEqual([await charge.report([failure]), await charge.report([failure])], [1, 0])
  assert.equal(await charge.report([failure, { id: '7' }]), 1)
  assert.deepEqual(await charge.payments(), [{ status: 'success', platform: '7', other: null }])
  assert.deepEqual(await charge.alerts(), [])
})

test('a payment that ends its attempt and is called failed by now is recorded as taken back', async () => {
  const charge = await aKnownCharge()
  await charge.report([{ id: '7', isReversed: true }])
  assert.deepEqual([(await charge.charges())[0]!.status, await charge.alerts()], ['success', ['charge_reversed']])
})

test('a success that was reported late without an id waits for the open retry all the same', async () => {
  const charge = await aKnownCharge()
  await charge.report([{ id: '7', error: 'INSUFFICIENT_FUNDS' }])
  await charge.retry((await charge.attempts())[0]!.id)
  await charge.report([{ id: null }])
  assert.deepEqual(await charge.payments(), [
    { status: 'failed', platform: '7', other: null },
    { status: 'pending', platform: null, other: '7' }
  ])
})

test('a payment of which nobody knows an id pays its cycle when the open retry fails', async () => {
  const charge = await aKnownCharge(null)
  await charge.report([{ id: null, error: 'INSUFFICIENT_FUNDS' }])
  await charge.retry((await charge.attempts())[0]!.id)
  await charge.report([{ id: null }])
  await charge.decline('INSUFFICIENT_FUNDS')
  assert.deepEqual(
    (await charge.charges()).map(({ status }) => status),
    ['success', 'failed']
  )
  assert.deepEqual((await charge.now()).slice(0, 4), ['active', 2, 3, 0])
})

test('a payment after a decline is a recovery for the history, and one without is none', async () => {
  const recoveries = async (life: Pick<Awaited<ReturnType<typeof aCharge>>, 'history'>) =>
    (await life.history()).filter((line) => line.startsWith('Recovered'))
  const paid = await aCharge()
  await paid.pay()
  assert.deepEqual(await recoveries(paid), [])
  const recovered = await aCharge()
  await recovered.decline('INSUFFICIENT_FUNDS')
  await recovered.retry((await recovered.attempts())[0]!.id)
  await recovered.pay()
  assert.deepEqual(await recoveries(recovered), ['Recovered 29 USD after a decline'])
})

test('the contract is read again after a charge of another amount or with a discount, and after no other', async () => {
  for (const [over, isRead] of [
    [{}, false],
    [{ totalMinor: 2500 }, true],
    [{ discountMinor: 100 }, true],
    [{ currency: 'EUR', totalMinor: 2500 }, false]
  ] as const) {
    const charge = await aKnownCharge()
    await charge.report([{ id: '7', order: anOrder(START, over) }])
    const reads = (await charge.jobs()).filter((job) => job.startsWith('sync-contract '))
    assert.deepEqual(reads, isRead ? [`sync-contract ${charge.contract.id}`] : [], JSON.stringify(over))
  }
})

test('a failure says whether a retry follows', async () => {
  for (const [code, isRetried] of [
    ['INSUFFICIENT_FUNDS', true],
    ['EXPIRED_PAYMENT_METHOD', false]
  ] as const) {
    const life = await aCharge()
    await life.decline(code)
    assert.equal((await life.lastEvent('billing.failed')).retry_scheduled, isRetried, code)
  }
})

test('the decline of a cycle that was missed meanwhile announces no retry', async () => {
  const life = await aCharge()
  await life.pause()
  await life.goTo('2026-03-31T14:00:00Z')
  await life.resume()
  const before = await life.now()
  await life.decline('INSUFFICIENT_FUNDS')
  assert.deepEqual(await life.charges(), [{ status: 'failed', code: 'card_declined', retries: 0 }])
  assert.deepEqual(await life.now(), before)
  assert.equal((await life.lastEvent('billing.failed')).attempts_remaining, 0)
})

test('what the platform says of an end is stored: the payment method of a payment, the message of a failure', async () => {
  const stored = (life: Awaited<ReturnType<typeof aCharge>>) =>
    life.inStore(({ tx, storeId }) =>
      tx.one(
        row({ message: nullable(text), method: nullable(text), isAfterStop: bool }),
        sql`select error_message as message, coalesce(payment_method ->> 'lastFour', payment_method::text) as method, charged_after_stop as is_after_stop
              from billing_attempts where store_id = ${storeId}`
      )
    )
  const paid = await aCharge()
  const paymentMethod = { type: 'card', lastFour: '4711', brand: 'visa' } as const
  const ref = { idempotencyKey: paid.key, platformAttemptId: '1' }
  await paid.inStore((ctx) => settleAttempts(ctx, [{ ...ref, state: 'success', order: null, paymentMethod }]))
  assert.deepEqual(await stored(paid), { message: null, method: '4711', isAfterStop: false })
  for (const [errorMessage, message] of [
    ['No funds', 'No funds'],
    [null, 'The charge failed']
  ] as const) {
    const failed = await aCharge()
    const result = { idempotencyKey: failed.key, platformAttemptId: '1', errorCode: 'CARD_DECLINED', errorMessage }
    await failed.inStore((ctx) => settleAttempts(ctx, [{ ...result, state: 'failed' }]))
    assert.deepEqual(await stored(failed), { message, method: null, isAfterStop: false })
  }
})

test('a charge that turns out to be paid after a cancellation is reported, and one during a pause is not', async () => {
  for (const [stop, alerts] of [
    ['cancel', ['charged_after_stop']],
    ['pause', []]
  ] as const) {
    const life = await aCharge()
    await life[stop]()
    await life.pay()
    assert.deepEqual(await life.alerts(), alerts, stop)
  }
})
