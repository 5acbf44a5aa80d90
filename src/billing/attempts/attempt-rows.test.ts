// Which rows a statement means: the attempts of one cycle of one subscription, in their order, and no others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audit, auditWarnings } from '#audit'
import { bool, type Ctx, int, row, sql, text } from '#kit/postgres'
import { recordOrders } from '#orders'
import { listAlerts, setClock } from '#stores'
import { lockSubscriptions } from '#subscriptions'
import { anOrder } from '../../../test/contract-builder.ts'
import { testDatabase } from '../../../test/database.ts'
import { aDueStore } from '../../../test/due-store.ts'
import { aPlan } from '../../../test/plan-builder.ts'
import { at } from '../../../test/subscription-life.ts'
import { listCycleCredits } from '../settling/cycle-credits.ts'
import { recordReversals } from '../settling/record-reversals.ts'
import * as rows from './attempt.ts'
import type { AttemptResult } from './attempt-result.ts'
import { listFailedAttempts } from './list-failed-attempts.ts'
import * as ends from './settlement.ts'

const { db } = await testDatabase()
const DUE = at('2026-02-28T15:00:00Z')
const days = (n: number) => DUE.add({ hours: 24 * n })

type Written = {
  status?: 'pending' | 'success' | 'failed'
  error?: string
  amount?: number
  requested?: number | null
  cycleAt?: Temporal.Instant
  submittedAt?: Temporal.Instant | null
  lateAt?: Temporal.Instant | null
  retryAt?: Temporal.Instant | null
  remaining?: number
  platformId?: string | null
  completedAt?: Temporal.Instant
}

/** A store with two subscriptions that are due for cycle 2, `write` for attempts of them, and `read` for what they became. */
async function aStoreOfTwo() {
  const store = await aDueStore(db, { subscriptions: 2, dueAt: DUE })
  const { inStore, storeId } = store
  const subscriptions = await inStore(({ tx }) =>
    tx.many(
      row({ id: int, contract: text }),
      sql`select id, platform_contract_id as contract from subscriptions where store_id = ${storeId} order by id`
    )
  )
  const [one, two] = subscriptions.map(({ id }) => id) as [number, number]
  /** Writes an attempt under the key `subscription-cycle-number`, such as `one-2-1`. */
  const write = async (key: string, over: Written = {}): Promise<number> => {
    const [whose, cycle, number] = key.split('-')
    const { status = 'failed', amount = 2900, requested = null, cycleAt = DUE, submittedAt = DUE, remaining = 0 } = over
    const [checkAt, endedAt] = status === 'pending' ? [DUE, null] : [null, over.completedAt ?? DUE]
    const error = status === 'failed' ? (over.error ?? 'INSUFFICIENT_FUNDS') : null
    const { id } = await inStore(({ tx }) =>
      tx.one(
        row({ id: int }),
        sql`
        insert into billing_attempts (store_id, subscription_id, cycle_index, attempt_number, status, idempotency_key,
          amount_minor, requested_minor, currency, cycle_at, scheduled_at, submitted_at, check_at, completed_at, error_code,
          late_success_at, retry_at, attempts_remaining, platform_attempt_id, created_at)
        values (${storeId}, ${whose === 'one' ? one : two}, ${Number(cycle)}, ${Number(number)}, ${status}, ${key}, ${amount},
          ${requested}, 'USD', ${cycleAt}, ${DUE}, ${submittedAt}, ${checkAt}, ${endedAt}, ${error}, ${over.lateAt ?? null},
          ${over.retryAt ?? null}, ${remaining}, ${over.platformId ?? null}, ${DUE})
        returning id`
      )
    )
    return id
  }
  const attempt = (key: string) =>
    inStore(({ tx }) =>
      tx.one(rows.Attempt, sql`select * from billing_attempts where store_id = ${storeId} and idempotency_key = ${key}`)
    )
  /** One column of all attempts as text, by key. */
  const column = async (name: string) => {
    const found = await inStore(({ tx }) =>
      tx.many(
        row({ key: text, value: text }),
        sql`select idempotency_key as key, coalesce(to_jsonb(a) ->> ${name}::text, 'none') as value
              from billing_attempts a where store_id = ${storeId} order by idempotency_key`
      )
    )
    return Object.fromEntries(found.map(({ key, value }) => [key, value]))
  }
  /** The keys that `select` gives, and of them those that nobody else can lock meanwhile. */
  const lockedBy = async (select: (ctx: Ctx) => Promise<{ idempotencyKey: string }[]>) =>
    inStore(async (ctx) => {
      const keys = (await select(ctx)).map(({ idempotencyKey }) => idempotencyKey)
      const free = await inStore(({ tx }) =>
        tx.many(
          row({ key: text }),
          sql`select idempotency_key as key from billing_attempts where store_id = ${storeId} for update skip locked`
        )
      )
      const locked = keys.filter((key) => !free.some((other) => other.key === key))
      assert.deepEqual(locked, keys, 'what is read is locked')
      assert.equal(free.length + keys.length, Object.keys(await column('id')).length, 'nothing else is locked')
      return keys
    })
  const newAttempt = (whose: number, over: Partial<rows.NewAttempt> = {}): rows.NewAttempt => ({
    subscriptionId: whose,
    platformContractId: subscriptions.find(({ id }) => id === whose)!.contract,
    cycle: 2,
    cycleAt: DUE,
    amountMinor: 9900,
    currency: 'USD',
    attemptsRemaining: 1,
    ...over
  })
  return { ...store, one, two, subscriptions, write, attempt, column, lockedBy, newAttempt }
}

test('a new attempt has the amount and the date of the first of its cycle that was not voided', async () => {
  const { inStore, one, two, subscriptions, write, newAttempt } = await aStoreOfTwo()
  // Written in another order than they have.
  await write('one-2-3', { amount: 2700, cycleAt: days(-1) })
  await write('one-2-1', { amount: 1000, cycleAt: days(-3), error: 'voided' })
  await write('one-2-2', { amount: 2500, requested: 2600, cycleAt: days(-2) })
  await write('one-1-1', { amount: 100, cycleAt: days(-9) })
  await write('one-1-7', { amount: 100, cycleAt: days(-9) })
  await write('two-2-1', { amount: 200, cycleAt: days(-4) })
  await write('two-1-5', { amount: 300, cycleAt: days(-5) })
  await write('two-3-1', { amount: 400, cycleAt: days(-6) })
  const made = await inStore((ctx) =>
    rows.insertAttempts(ctx, [newAttempt(two, { currency: 'EUR' }), newAttempt(one), newAttempt(two, { cycle: 3 })])
  )
  const [first, second] = subscriptions.map(({ contract }) => contract)
  assert.deepEqual(
    made.map(({ idempotencyKey, attemptNumber, amountMinor, currency }) => [
      idempotencyKey,
      attemptNumber,
      amountMinor,
      currency
    ]),
    [
      [`svc-${second}-2-2`, 2, 9900, 'EUR'],
      [`svc-${first}-2-4`, 4, 2600, 'USD'],
      [`svc-${second}-3-2`, 2, 400, 'USD']
    ]
  )
  assert.ok(made[0]!.id < made[1]!.id)
  assert.deepEqual(
    made.map(({ manual, ladderRetryAt }) => [manual, ladderRetryAt]),
    [
      [false, null],
      [false, null],
      [false, null]
    ]
  )
  const dates = await inStore(({ tx, storeId }) =>
    tx.many(
      row({ at: text }),
      sql`select to_char(cycle_at at time zone 'utc', 'MM-DD') as at from billing_attempts
           where store_id = ${storeId} and status = 'pending' order by id`
    )
  )
  assert.deepEqual(
    dates.map((d) => d.at),
    ['02-24', '02-26', '02-22']
  )
})

test('the first attempt of a cycle has the date that is given, and a manual one the retry that waits for it', async () => {
  const { inStore, one, two, newAttempt } = await aStoreOfTwo()
  const made = await inStore((ctx) =>
    rows.insertAttempts(ctx, [
      newAttempt(one, { cycleAt: days(3), manual: true, ladderRetryAt: days(7) }),
      newAttempt(two, { cycleAt: days(4) })
    ])
  )
  assert.deepEqual(
    made.map(({ manual, ladderRetryAt }) => [manual, ladderRetryAt]),
    [
      [true, days(7)],
      [false, null]
    ]
  )
  const dates = await inStore(({ tx, storeId }) =>
    tx.many(
      row({ at: text }),
      sql`select to_char(cycle_at at time zone 'utc', 'MM-DD') as at from billing_attempts where store_id = ${storeId} order by id`
    )
  )
  assert.deepEqual(
    dates.map((d) => d.at),
    ['03-03', '03-04']
  )
})

test('a cycle with an open or a paid attempt gets no other; the other cycles of the batch do', async () => {
  for (const status of ['pending', 'success'] as const) {
    const { inStore, one, two, write, newAttempt } = await aStoreOfTwo()
    await write('one-2-1', { status })
    const made = await inStore((ctx) => rows.insertAttempts(ctx, [newAttempt(one), newAttempt(two)]))
    assert.deepEqual(
      made.map(({ subscriptionId }) => subscriptionId),
      [two],
      status
    )
  }
})

test('a report of a key means its open attempt, and a payment also one that failed and was not paid late before', async () => {
  const { inStore, one, two, write, lockedBy } = await aStoreOfTwo()
  await write('two-2-1', { status: 'pending' })
  await write('one-1-1', { status: 'success' })
  await write('one-2-1')
  await write('one-2-2', { lateAt: DUE })
  await write('one-3-1', { status: 'pending' })
  const keys = ['one-3-1', 'two-2-1', 'one-1-1', 'one-2-1', 'one-2-2', 'svc-unknown']
  assert.deepEqual(await lockedBy((ctx) => rows.lockAttemptsByKey(ctx, keys)), ['two-2-1', 'one-3-1'])
  assert.deepEqual(await lockedBy((ctx) => rows.lockAttemptsByKey(ctx, keys, keys)), ['two-2-1', 'one-2-1', 'one-3-1'])
  assert.deepEqual(await lockedBy((ctx) => rows.lockAttemptsByKey(ctx, keys, ['one-2-2'])), ['two-2-1', 'one-3-1'])
  assert.deepEqual(await lockedBy((ctx) => rows.lockAttemptsByKey(ctx, ['one-3-1'], ['one-3-1'])), ['one-3-1'])

  const whose = (some: string[], paid: string[]) => inStore((ctx) => rows.listSubscriptionsOfKeys(ctx, some, paid))
  assert.deepEqual(
    (await whose(keys, keys)).toSorted((a, b) => a - b),
    [one, two]
  )
  assert.deepEqual(await whose(['one-2-1'], []), [])
  assert.deepEqual(await whose(['one-2-1'], ['one-2-1']), [one])
  assert.deepEqual(await whose(['one-1-1', 'one-2-2'], ['one-1-1', 'one-2-2']), [])
  assert.deepEqual(await whose(['two-2-1'], []), [two])
})

test('the rivals of a charge are the open and paid ones of its cycle', async () => {
  const { inStore, one, two, write, lockedBy } = await aStoreOfTwo()
  await write('two-3-1', { status: 'pending' })
  await write('one-2-1')
  await write('one-2-2', { status: 'success' })
  await write('one-3-1', { status: 'pending' })
  await write('two-2-1', { status: 'pending' })
  const rivals = (...of: [number, number][]) =>
    lockedBy((ctx) =>
      rows.lockRivals(
        ctx,
        of.map(([subscriptionId, cycleIndex]) => ({ subscriptionId, cycleIndex }))
      )
    )
  assert.deepEqual(await rivals([one, 2]), ['one-2-2'])
  assert.deepEqual(await rivals([one, 3], [two, 3]), ['two-3-1', 'one-3-1'])
  assert.deepEqual(await rivals([one, 4]), [])

  const ofCycle = (whose: number, cycle: number) =>
    lockedBy(async (ctx) => {
      const found = await rows.lockAttemptOfCycle(ctx, whose, cycle)
      return found ? [found] : []
    })
  assert.deepEqual(await ofCycle(one, 2), ['one-2-2'])
  assert.deepEqual(await ofCycle(two, 2), ['two-2-1'])
  assert.deepEqual(await ofCycle(two, 4), [])
  const open = await write('two-4-1', { status: 'failed' })
  assert.deepEqual(await ofCycle(two, 4), [])
  assert.deepEqual(await lockedBy(async (ctx) => [(await rows.lockAttempt(ctx, open))!]), ['two-4-1'])
  assert.equal(await inStore((ctx) => rows.findSubscriptionOfAttempt(ctx, open)), two)
  assert.equal(await inStore((ctx) => rows.findSubscriptionOfAttempt(ctx, 0)), null)
})

test('late successes that wait are those of the same cycle that are still failed', async () => {
  const { write, attempt, lockedBy } = await aStoreOfTwo()
  await write('two-2-1', { lateAt: DUE })
  await write('one-1-1', { lateAt: DUE })
  await write('one-2-1', { status: 'success', lateAt: DUE })
  await write('one-2-2', { lateAt: DUE })
  await write('one-2-3')
  const [mine, other] = [await attempt('one-2-3'), await attempt('two-2-1')]
  assert.deepEqual(await lockedBy((ctx) => rows.lockLateSuccesses(ctx, [mine])), ['one-2-2'])
  assert.deepEqual(await lockedBy((ctx) => rows.lockLateSuccesses(ctx, [mine, other])), ['two-2-1', 'one-2-2'])
})

test('a subscription is in billing by a pending attempt of its next cycle, and its last error is that of the newest try', async () => {
  const { inStore, one, two, write } = await aStoreOfTwo()
  const both = () => inStore((ctx) => lockSubscriptions(ctx, [one, two]))
  const inBilling = async () => inStore(async (ctx) => rows.listSubscriptionsInBilling(ctx, await both()))
  const errors = async () => Object.fromEntries(await inStore(async (ctx) => rows.listLastErrors(ctx, await both())))
  await write('one-1-1', { status: 'pending' })
  await write('two-2-1', { error: 'FIRST' })
  assert.deepEqual(await inBilling(), [])
  assert.deepEqual(await errors(), { [two]: 'FIRST' })
  await write('two-2-3', { error: 'THIRD' })
  await write('two-2-2', { error: 'SECOND' })
  await write('two-3-1', { error: 'OTHER' })
  assert.deepEqual(await errors(), { [two]: 'THIRD' })
  await write('two-2-4', { status: 'pending' })
  await write('one-2-1', { error: 'ITS OWN' })
  assert.deepEqual(await inBilling(), [two])
  assert.deepEqual(await inStore(async (ctx) => rows.listSubscriptionsInBilling(ctx, [(await both())[0]!])), [])
  assert.deepEqual(await errors(), { [one]: 'ITS OWN' })
  await write('one-2-2', { error: 'LATE', lateAt: DUE })
  assert.deepEqual(await errors(), { [one]: 'ITS OWN' }, 'one that is known to be paid is none')
  const ofTwo = await inStore(async (ctx) => rows.listLastErrors(ctx, [(await both())[1]!]))
  assert.deepEqual(Object.fromEntries(ofTwo), {}, 'nothing of another subscription')
  assert.deepEqual(Object.fromEntries(await inStore((ctx) => rows.listLastErrors(ctx, []))), {})
})

test('a new payment method is noted on the open attempts of its subscriptions; only unsent ones can still be taken back', async () => {
  const { inStore, one, two, write, column, lockedBy } = await aStoreOfTwo()
  await write('one-3-1', { status: 'pending', submittedAt: null })
  await write('one-1-1')
  await write('one-2-1', { status: 'pending' })
  await write('two-2-1', { status: 'pending', submittedAt: null })
  await write('one-4-1', { status: 'pending', submittedAt: null })
  await write('one-5-1', { submittedAt: null })
  await inStore((ctx) => rows.markNewPaymentMethod(ctx, []))
  await inStore((ctx) => rows.markNewPaymentMethod(ctx, [one]))
  assert.deepEqual(await column('new_payment_method'), {
    'one-1-1': 'false',
    'one-2-1': 'true',
    'one-3-1': 'true',
    'one-4-1': 'true',
    'one-5-1': 'false',
    'two-2-1': 'false'
  })
  assert.deepEqual(await lockedBy((ctx) => rows.lockUnsentAttempts(ctx, [one])), ['one-3-1', 'one-4-1'])
  assert.deepEqual(await lockedBy((ctx) => rows.lockUnsentAttempts(ctx, [two])), ['two-2-1'])
})

test('a payment is a recovery only after a decline of its own cycle that the platform had made', async () => {
  for (const [earlier, error, recovered] of [
    ['one-2-1', 'INSUFFICIENT_FUNDS', 'true'],
    ['one-2-1', 'voided', 'false'],
    ['one-2-1', 'superseded', 'false'],
    ['one-3-1', 'INSUFFICIENT_FUNDS', 'false'],
    ['two-2-1', 'INSUFFICIENT_FUNDS', 'false'],
    ['one-2-3', 'INSUFFICIENT_FUNDS', 'false']
  ] as const) {
    for (const isLate of [false, true]) {
      const { inStore, write, column } = await aStoreOfTwo()
      await write(earlier, { error })
      const id = await write('one-2-2', { status: isLate ? 'failed' : 'pending' })
      const paid = { ...ends.failedSettlement(id), status: 'success' as const, creditMinor: null }
      const ended = await inStore((ctx) =>
        isLate ? ends.markCorrected(ctx, [paid], false) : ends.markSettled(ctx, [paid])
      )
      assert.deepEqual([...ended.keys()], [id])
      assert.equal(String(ended.get(id)!.recovered), recovered, `${earlier} ${error} ${isLate}`)
      assert.equal((await column('recovered'))['one-2-2'], recovered)
      assert.equal((await column('status'))['one-2-2'], 'success')
    }
  }
})

test('the first attempt of a cycle recovers nothing', async () => {
  const { inStore, write } = await aStoreOfTwo()
  const id = await write('one-2-1', { status: 'pending' })
  const paid = { ...ends.failedSettlement(id), status: 'success' as const }
  const ended = await inStore((ctx) => ends.markSettled(ctx, [paid]))
  assert.equal(ended.get(id)!.recovered, false)
})

test('only open attempts are ended; what was charged is kept beside what was requested', async () => {
  const { inStore, write, column } = await aStoreOfTwo()
  const failed = await write('one-2-1', { platformId: '7' })
  const less = await write('one-2-2', { status: 'pending', platformId: '8' })
  const same = await write('two-2-1', { status: 'pending', platformId: '9' })
  const paid = (id: number, over: Partial<ends.Settlement> = {}): ends.Settlement => ({
    ...ends.failedSettlement(id),
    status: 'success',
    ...over
  })
  const ended = await inStore((ctx) =>
    ends.markSettled(ctx, [
      paid(failed),
      paid(less, { chargedMinor: 2500, platformAttemptId: '80' }),
      paid(same, { chargedMinor: 2900 })
    ])
  )
  assert.deepEqual(
    [...ended.keys()].toSorted((a, b) => a - b),
    [less, same]
  )
  assert.deepEqual(await column('status'), { 'one-2-1': 'failed', 'one-2-2': 'success', 'two-2-1': 'success' })
  assert.deepEqual(await column('amount_minor'), { 'one-2-1': '2900', 'one-2-2': '2500', 'two-2-1': '2900' })
  assert.deepEqual(await column('requested_minor'), { 'one-2-1': 'none', 'one-2-2': '2900', 'two-2-1': 'none' })
  assert.deepEqual(await column('platform_attempt_id'), { 'one-2-1': '7', 'one-2-2': '80', 'two-2-1': '9' })
  assert.deepEqual(await inStore((ctx) => ends.markSettled(ctx, [])), new Map())
})

test('a late success waits, with all that is known of it, while another attempt of the cycle is open or paid', async () => {
  const { inStore, write, column } = await aStoreOfTwo()
  const id = await write('one-2-1', { retryAt: days(1), remaining: 2, platformId: '7', requested: 3000 })
  const open = await write('one-2-2', { status: 'pending' })
  const paid = (over: Partial<ends.Corrected> = {}): ends.Corrected => ({
    id,
    platformAttemptId: null,
    orderId: null,
    paymentMethod: null,
    chargedMinor: null,
    chargedAfterStop: false,
    creditMinor: null,
    ...over
  })
  const known = async () =>
    Promise.all(
      ['status', 'error_code', 'amount_minor', 'requested_minor', 'retry_at', 'attempts_remaining', 'recovered'].map(
        async (name) => (await column(name))['one-2-1']
      )
    )
  await inStore((ctx) => ends.markCorrected(ctx, [paid(), paid({ id: open })], true))
  assert.deepEqual(await known(), ['failed', 'INSUFFICIENT_FUNDS', '2900', '3000', 'none', '0', 'false'])
  assert.equal((await column('status'))['one-2-2'], 'pending')
  assert.notEqual((await column('late_success_at'))['one-2-1'], 'none')
  assert.equal((await column('late_success_at'))['one-2-2'], 'none')

  const orders = await inStore((ctx) => recordOrders(ctx, [anOrder(DUE, { id: '71' }), anOrder(DUE, { id: '72' })]))
  const [order, other] = ['71', '72'].map((id) => orders.get(id)!.id)
  const orderId = async () => (await column('order_id'))['one-2-1']
  await inStore((ctx) => ends.markCorrected(ctx, [paid({ orderId: order! })], true))
  assert.equal(await orderId(), String(order))
  await inStore((ctx) => ends.markCorrected(ctx, [paid()], true))
  assert.equal(await orderId(), String(order), 'what is known of the order stays known')
  await inStore((ctx) => ends.markCorrected(ctx, [paid({ orderId: other! })], true))
  assert.equal(await orderId(), String(other))

  const first = (await column('late_success_at'))['one-2-1']
  const visa = { type: 'card', lastFour: '4242', brand: 'visa' } as never
  await inStore((ctx) =>
    ends.markCorrected(ctx, [paid({ chargedMinor: 2500, platformAttemptId: '70', paymentMethod: visa })], true)
  )
  assert.deepEqual((await known()).slice(2, 4), ['2500', '2900'])
  assert.deepEqual((await column('platform_attempt_id'))['one-2-1'], '70')
  await inStore((ctx) => ends.markSettled(ctx, [{ ...ends.failedSettlement(open), errorCode: 'voided' }]))
  await inStore((ctx) => ends.markCorrected(ctx, [paid()], false))
  assert.deepEqual(await known(), ['success', 'none', '2500', '2900', 'none', '0', 'false'])
  assert.equal((await column('late_success_at'))['one-2-1'], first)
  assert.match((await column('payment_method'))['one-2-1']!, /4242/)
  assert.equal((await column('platform_attempt_id'))['one-2-1'], '70')
  assert.deepEqual(await inStore((ctx) => ends.markCorrected(ctx, [], false)), new Map())
})

test('only announced retries that are still ahead are brought forward, and only those of the subscriptions that are meant', async () => {
  const { inStore, one, write, column } = await aStoreOfTwo()
  await write('one-2-1', { retryAt: days(1) })
  await write('one-1-1', { retryAt: days(-1) })
  await write('one-3-1')
  await write('two-2-1', { retryAt: days(1) })
  await inStore((ctx) => ends.expediteRetries(ctx, []))
  const before = await column('retry_at')
  await inStore((ctx) => ends.expediteRetries(ctx, [one]))
  assert.deepEqual(await column('retry_at'), { ...before, 'one-2-1': (await column('scheduled_at'))['one-2-1'] })
})

test('retries are cancelled that are ahead, and due ones without a following attempt; no tries are left', async () => {
  const { inStore, one, write, column } = await aStoreOfTwo()
  await write('one-1-1', { retryAt: days(-1), remaining: 1 })
  await write('one-1-2', { retryAt: DUE, remaining: 1 })
  await write('one-2-1', { retryAt: days(-1), remaining: 1 })
  await write('one-3-1', { retryAt: days(1), remaining: 1 })
  await write('one-4-1', { remaining: 3 })
  await write('one-5-1', { retryAt: days(1), remaining: 1 })
  await write('one-5-2', { remaining: 3 })
  await write('one-6-1', { retryAt: DUE, remaining: 1 })
  await write('one-6-2', { remaining: 3 })
  await write('two-1-2', { remaining: 4 })
  await write('two-2-3', { remaining: 4 })
  await write('two-2-1', { retryAt: days(1), remaining: 1 })
  await inStore((ctx) => ends.clearRetries(ctx, [one]))
  assert.deepEqual(await column('attempts_remaining'), {
    'one-1-1': '0',
    'one-1-2': '0',
    'one-2-1': '0',
    'one-3-1': '0',
    'one-4-1': '0',
    'one-5-1': '0',
    'one-5-2': '0',
    'one-6-1': '0',
    'one-6-2': '0',
    'two-1-2': '4',
    'two-2-1': '1',
    'two-2-3': '4'
  })
  const left = Object.entries(await column('retry_at')).filter(([, when]) => when !== 'none')
  assert.deepEqual(
    left.map(([key]) => key),
    ['one-1-1', 'two-2-1']
  )
})

test('of one cycle the retries ahead are cancelled; a paid cycle has no tries left', async () => {
  for (const isPaid of [false, true]) {
    const { inStore, write, attempt, column } = await aStoreOfTwo()
    await write('one-1-1', { retryAt: days(1), remaining: 2 })
    await write('one-2-1', { retryAt: days(-1), remaining: 2 })
    await write('one-2-2', { retryAt: DUE, remaining: 2 })
    await write('two-2-1', { retryAt: days(1), remaining: 2 })
    const of = await attempt('one-2-2')
    await inStore((ctx) => ends.clearRetriesOfCycle(ctx, of, { isPaid }))
    const left = Object.entries(await column('retry_at')).filter(([, when]) => when !== 'none')
    assert.deepEqual(
      left.map(([key]) => key),
      ['one-1-1', 'one-2-1', 'two-2-1']
    )
    const ofCycle = isPaid ? '0' : '2'
    assert.deepEqual(await column('attempts_remaining'), {
      'one-1-1': '2',
      'one-2-1': ofCycle,
      'one-2-2': ofCycle,
      'two-2-1': '2'
    })
  }
})

test('what is noted on open attempts changes no ended one, and none of another subscription', async () => {
  const { inStore, one, write, attempt, column, lockedBy } = await aStoreOfTwo()
  const failed = await write('one-2-1', { remaining: 1 })
  const pending = await write('one-2-2', { status: 'pending', remaining: 1 })
  await write('one-3-1', { status: 'pending', remaining: 1 })
  await write('two-2-1', { status: 'pending', remaining: 1 })
  assert.deepEqual(await lockedBy((ctx) => rows.lockPendingAttempts(ctx, [one])), ['one-2-2', 'one-3-1'])
  await inStore((ctx) => ends.markRemaining(ctx, []))
  await inStore((ctx) =>
    ends.markRemaining(
      ctx,
      [pending, failed].map((id) => ({ id, remaining: 5 }))
    )
  )
  assert.deepEqual(await column('attempts_remaining'), {
    'one-2-1': '1',
    'one-2-2': '5',
    'one-3-1': '1',
    'two-2-1': '1'
  })
  const open = await attempt('one-2-2')
  await inStore((ctx) => ends.noteOtherPayment(ctx, open, '55'))
  await inStore((ctx) => ends.noteOtherPayment(ctx, { ...open, id: failed }, '56'))
  assert.deepEqual(await column('other_payment_id'), {
    'one-2-1': 'none',
    'one-2-2': '55',
    'one-3-1': 'none',
    'two-2-1': 'none'
  })
  await inStore(({ tx, storeId }) =>
    tx.run(sql`update billing_attempts set check_at = ${days(9)} where store_id = ${storeId} and status = 'pending'`)
  )
  await inStore((ctx) => ends.checkNow(ctx, []))
  await inStore((ctx) => ends.checkNow(ctx, [open, { ...open, id: failed }]))
  const checks = await column('check_at')
  assert.equal(checks['one-2-1'], 'none')
  assert.ok(checks['one-2-2']! < checks['one-3-1']!)
  assert.equal(checks['two-2-1'], checks['one-3-1'])
})

test('a payment of the platform is known by what was paid in other cycles of its own subscription', async () => {
  const { inStore, one, two, write } = await aStoreOfTwo()
  await write('one-1-1', { status: 'success', platformId: '7' })
  await write('one-2-1', { platformId: '8' })
  await write('one-2-2', { platformId: '10', lateAt: DUE })
  const isKnown = (subscriptionId: number, cycleIndex: number, id: string) =>
    inStore((ctx) => ends.isKnownPayment(ctx, { subscriptionId, cycleIndex }, id))
  assert.deepEqual([await isKnown(one, 3, '7'), await isKnown(one, 3, '10')], [true, true])
  // That of the cycle itself, a failure, one of somebody else, one that is not known.
  const unknown = [
    isKnown(one, 1, '7'),
    isKnown(one, 2, '10'),
    isKnown(one, 3, '8'),
    isKnown(two, 3, '7'),
    isKnown(one, 3, '9')
  ]
  assert.deepEqual(await Promise.all(unknown), [false, false, false, false, false])
})

test('another payment under a key is one whose attempt is paid by a different one, and that no attempt stands for', async () => {
  const { inStore, one, write, column } = await aStoreOfTwo()
  const paid = await write('one-1-1', { status: 'success', platformId: '7' })
  await write('one-1-2', { platformId: '8', lateAt: DUE })
  await write('one-2-1', { platformId: '9' })
  const unnamed = await write('one-3-1', { status: 'success' })
  await write('one-4-1')
  const payments = ['7', '8', '70'].flatMap((platformAttemptId) =>
    ['one-1-1', 'one-2-1', 'one-3-1'].map((idempotencyKey) => ({ idempotencyKey, platformAttemptId }))
  )
  const others = () => inStore((ctx) => rows.listOtherPayments(ctx, payments))
  assert.deepEqual(await others(), [{ id: paid, platformAttemptId: '70' }])
  const whose = (some: typeof payments) =>
    inStore((ctx) => rows.listSubscriptionsOfKeys(ctx, ['one-1-1', 'one-3-1'], ['one-1-1', 'one-3-1'], some))
  assert.deepEqual(await whose(payments), [one])
  assert.deepEqual(await whose(payments.filter(({ platformAttemptId }) => platformAttemptId !== '70')), [])
  const ofKey = (key: string, ...some: [key: string, id: string][]) =>
    inStore((ctx) =>
      rows.listSubscriptionsOfKeys(
        ctx,
        [key],
        [],
        some.map(([idempotencyKey, platformAttemptId]) => ({ idempotencyKey, platformAttemptId }))
      )
    )
  assert.deepEqual(await ofKey('one-2-1', ['one-2-1', '70']), [], 'it is not paid')
  assert.deepEqual(await ofKey('one-1-1', ['one-9-9', '70']), [], 'it is of another key')
  assert.deepEqual(await ofKey('one-1-2', ['one-1-2', '70']), [one], 'it was paid late')
  assert.deepEqual(await ofKey('one-3-1', ['one-3-1', '70']), [], 'nobody knows which payment it was')
  // What had no id gets it once.
  await inStore((ctx) => rows.namePayments(ctx, [{ idempotencyKey: 'one-9-9', platformAttemptId: '4' }]))
  await inStore((ctx) => rows.namePayments(ctx, [{ idempotencyKey: 'one-4-1', platformAttemptId: '4' }]))
  await inStore((ctx) => rows.namePayments(ctx, [{ idempotencyKey: 'one-3-1', platformAttemptId: '6' }]))
  await inStore((ctx) => rows.namePayments(ctx, [{ idempotencyKey: 'one-3-1', platformAttemptId: '5' }]))
  await inStore((ctx) => rows.namePayments(ctx, [{ idempotencyKey: 'one-1-2', platformAttemptId: '5' }]))
  assert.deepEqual(await others(), [
    { id: paid, platformAttemptId: '70' },
    { id: unnamed, platformAttemptId: '70' }
  ])
  const ids = await column('platform_attempt_id')
  assert.deepEqual([ids['one-3-1'], ids['one-1-2'], ids['one-4-1']], ['6', '8', 'none'])
  const late = ['72', '71'].map((platformAttemptId) => ({ idempotencyKey: 'one-1-2', platformAttemptId }))
  const known = () => inStore((ctx) => rows.listOtherPayments(ctx, late))
  assert.deepEqual(
    (await known()).map(({ platformAttemptId }) => platformAttemptId),
    ['71', '72'],
    'beside one that was paid late'
  )
  await write('two-1-1', { status: 'success', platformId: '71' })
  assert.equal((await known()).length, 2, 'what another subscription has says nothing')
  assert.deepEqual(await ofKey('one-1-2', ['one-1-2', '71']), [one])
})

test('a payment beside an attempt is the next of its cycle, under a key that is never sent', async () => {
  const { inStore, subscriptions, write } = await aStoreOfTwo()
  const open = await write('one-2-1', { status: 'pending', amount: 2700 })
  await write('one-2-2')
  await write('one-3-5')
  await write('two-2-7')
  const beside = await inStore((ctx) => rows.insertOtherPayment(ctx, { id: open }, '900'))
  const { subscriptionId, cycleIndex, attemptNumber, status, idempotencyKey, amountMinor, platformAttemptId } = beside
  assert.deepEqual(
    [subscriptionId, cycleIndex, attemptNumber, status, idempotencyKey, amountMinor, platformAttemptId],
    [subscriptions[0]!.id, 2, 3, 'failed', `svc-${subscriptions[0]!.contract}-2-3`, 2700, '900']
  )
})

test('a charge is wanted while its subscription runs and its cycle was not missed', () => {
  const isWanted = (status: 'active' | 'paused', nextCycle: number) =>
    rows.isWanted({ cycleIndex: 2 } as rows.Attempt, { status, nextCycle } as Parameters<typeof rows.isWanted>[1])
  assert.deepEqual(
    [isWanted('active', 2), isWanted('active', 1), isWanted('active', 3), isWanted('paused', 2)],
    [true, true, false, false]
  )
})

test('failed charges are listed from a position on, in the order of their end; not those that never reached the platform or are paid', async () => {
  const { inStore, write } = await aStoreOfTwo()
  await write('one-1-1', { platformId: '1', completedAt: days(2) })
  const first = await write('one-2-1', { platformId: '2', completedAt: days(1) })
  const second = await write('one-2-2', { platformId: '3', completedAt: days(1) })
  await write('one-2-3', { completedAt: days(1) })
  await write('one-2-4', { platformId: '5', completedAt: days(1), lateAt: DUE })
  await write('one-2-5', { platformId: '6', completedAt: days(1), status: 'success' })
  const list = async (completedAfter: Temporal.Instant, id: number, limit = 10) =>
    (await inStore((ctx) => listFailedAttempts(ctx, { completedAfter, id, limit }))).map((a) => a.platformAttemptId)
  assert.deepEqual(await list(days(0), 0), ['2', '3', '1'])
  assert.deepEqual(await list(days(1), first), ['3', '1'])
  assert.deepEqual(await list(days(1), second), ['1'])
  assert.deepEqual(await list(days(2), 0, 10), ['1'])
  assert.deepEqual(await list(days(0), 0, 2), ['2', '3'])
})

test('a paid cycle issues the credit of its plan in the version of the subscription, in the currency of the store, and once it is paid', async () => {
  const { inStore, storeId, one, two, write } = await aStoreOfTwo()
  await aPlan({ inStore }, { name: 'Silver', creditMinor: 700 })
  const set = (...statements: ReturnType<typeof sql>[]) =>
    inStore(async ({ tx }) => {
      for (const statement of statements) await tx.run(statement)
    })
  await set(
    sql`update plan_versions v set credit_minor = 500 from plans p
         where v.store_id = ${storeId} and p.store_id = ${storeId} and p.id = v.plan_id and p.name = 'VIP'`,
    sql`insert into plan_versions (store_id, plan_id, version, price_minor, interval, interval_count, credit_minor,
          platform_selling_plan_id, applies_to, created_at)
        select store_id, plan_id, 2, price_minor, interval, interval_count, 900, platform_selling_plan_id, 'new', created_at
          from plan_versions where store_id = ${storeId}`,
    sql`update subscriptions s set plan_version = 1, plan_id = case when s.id = ${one} then s.plan_id else p.id end
          from plans p where s.store_id = ${storeId} and p.store_id = ${storeId} and p.name = 'Silver'`
  )
  const credits = async () => {
    const listed = await inStore((ctx) => listCycleCredits(ctx, [two, one]))
    const attempts = [await write('one-9-1', { status: 'pending' }), await write('two-9-1', { status: 'pending' })]
    const declined = await write('one-8-1', { status: 'pending' })
    const written = await inStore((ctx) =>
      ends.markSettled(ctx, [
        ...attempts.map((id) => ({ ...ends.failedSettlement(id), status: 'success' as const })),
        { ...ends.failedSettlement(declined), errorCode: 'INSUFFICIENT_FUNDS' }
      ])
    )
    assert.equal(written.get(declined)!.creditMinor, null)
    await set(sql`delete from billing_attempts where store_id = ${storeId}`)
    const settled = attempts.map((id) => written.get(id)!.creditMinor)
    assert.deepEqual(
      listed.map(({ subscriptionId, amountMinor }) => [subscriptionId, amountMinor]),
      [one, two].flatMap((id, i) => (settled[i] === null ? [] : [[id, settled[i]]])),
      'both statements mean the same'
    )
    for (const listedOne of listed) {
      assert.deepEqual(await inStore((ctx) => listCycleCredits(ctx, [listedOne.subscriptionId])), [listedOne])
    }
    return settled
  }
  assert.deepEqual(await credits(), [500, 700])
  await set(sql`update subscriptions set plan_version = 2 where store_id = ${storeId} and id = ${one}`)
  assert.deepEqual(await credits(), [900, 700])
  await set(sql`update plans set currency = 'EUR' where store_id = ${storeId} and name = 'VIP'`)
  assert.deepEqual(await credits(), [null, 700])
  await set(sql`update plans set currency = 'USD' where store_id = ${storeId} and name = 'VIP'`)
  await set(sql`update plans set credit_type = 'coupon' where store_id = ${storeId} and name = 'Silver'`)
  assert.deepEqual(await credits(), [900, 700], 'the kind of credit says how it is spent, not whether it is issued')
  await set(sql`update plans set credit_type = 'storecredit' where store_id = ${storeId} and name = 'Silver'`)
  await set(sql`update plan_versions set credit_minor = 0 where store_id = ${storeId} and version = 2`)
  assert.deepEqual(await credits(), [null, 700])
  await set(
    sql`update subscriptions set plan_id = null, plan_version = null where store_id = ${storeId} and id = ${two}`
  )
  assert.deepEqual(await credits(), [null, null])
})

test('the database says that a cycle was declined before an attempt: of earlier ones of it, and not of what nobody declined', async () => {
  const { inStore, storeId, one, two, write } = await aStoreOfTwo()
  for (const key of ['one-2-1', 'one-2-3', 'one-4-3']) await write(key)
  await write('one-3-1', { error: 'voided' })
  await write('one-3-2', { error: 'superseded' })
  await write('two-3-1', { status: 'success' })
  const { storeId: other } = await aDueStore(db, { subscriptions: 1, dueAt: DUE })
  const isDeclined = (subscription: number, cycle: number, number: number, store = storeId) =>
    inStore(async ({ tx }) => {
      const { is } = await tx.one(
        row({ is: bool }),
        sql`select cycle_declined(${store}, ${subscription}, ${cycle}::int, ${number}::int) as is`
      )
      return is
    })
  assert.deepEqual(
    [await isDeclined(one, 2, 2), await isDeclined(one, 2, 3), await isDeclined(one, 2, 9)],
    [true, true, true]
  )
  assert.equal(await isDeclined(one, 2, 1), false, 'not by itself')
  assert.equal(await isDeclined(one, 4, 3), false, 'nor by a later one')
  assert.deepEqual(
    [await isDeclined(one, 3, 9), await isDeclined(two, 3, 9), await isDeclined(two, 2, 9)],
    [false, false, false]
  )
  assert.equal(await isDeclined(one, 2, 9, other), false)
})

test('the auditor finds what is charged twice, late, after an end or not at all, and nothing else', async () => {
  const { inStore, storeId, one, two, write } = await aStoreOfTwo()
  const set = (statement: ReturnType<typeof sql>) => inStore(({ tx }) => tx.run(statement))
  const look = async () => {
    const { findings, checked } = await inStore(audit)
    const warnings = await inStore(auditWarnings)
    const all = [...findings, ...warnings].map(({ check, subject, message }) => `${check} ${subject}: ${message}`)
    return {
      of: (check: string) => all.filter((one) => one.startsWith(`${check} `)).map((one) => one.slice(check.length + 1)),
      checked
    }
  }
  assert.deepEqual((await look()).of('charges_not_missed'), [])
  await inStore((ctx) => setClock(ctx, DUE.add({ hours: 1 })))
  assert.deepEqual((await look()).of('charges_not_missed'), [])
  await inStore((ctx) => setClock(ctx, DUE.add({ hours: 1, seconds: 1 })))
  await set(
    sql`update subscriptions set billing_due_at = billing_due_at - interval '1 hour' where store_id = ${storeId} and id = ${two}`
  )
  const late = await look()
  assert.deepEqual(
    late.of('charges_not_missed').map((found) => found.replace(/ was due.*/, '')),
    [`sub_${two}:`, `sub_${one}:`]
  )
  assert.equal(late.checked.charges_not_missed, 2)
  await set(sql`update stores set status = 'disconnected' where store_id = ${storeId}`)
  assert.deepEqual((await look()).of('charges_not_missed'), [])
  await set(sql`update stores set status = 'active' where store_id = ${storeId}`)

  await set(sql`update subscriptions set billing_due_at = null where store_id = ${storeId}`)
  const unscheduled = async () =>
    (await look()).of('active_subscriptions_scheduled').map((found) => found.split(':')[0])
  assert.deepEqual(await unscheduled(), [`sub_${one}`, `sub_${two}`])
  const paid = await write('one-1-1', { status: 'success' })
  const earlier = await write('two-1-1')
  assert.deepEqual(await unscheduled(), [`sub_${one}`, `sub_${two}`], 'an earlier cycle says nothing')
  await set(sql`update subscriptions set declines = 1 where store_id = ${storeId} and id = ${two}`)
  assert.deepEqual(await unscheduled(), [`sub_${one}`])
  await set(sql`update subscriptions set declines = 0 where store_id = ${storeId}`)
  const open = await write('one-2-1', { status: 'pending' })
  const held = await write('two-2-1', { error: 'invalid_order' })
  const checked = await look()
  assert.deepEqual(checked.of('active_subscriptions_scheduled'), [])
  assert.deepEqual(
    [
      checked.checked.active_subscriptions_scheduled,
      checked.checked.cycles_charged_once,
      checked.checked.outcomes_known
    ],
    [2, 1, 1]
  )

  const told = checked.of('attempt_events_complete')
  const events = (id: number, status: string) =>
    `ba_${id}: is ${status}, recorded as pending 0, success 0, failed 0 times`
  assert.deepEqual(told, [
    events(paid, 'success'),
    events(earlier, 'failed'),
    events(open, 'pending'),
    events(held, 'failed')
  ])
  const tell = (id: number, name: string) =>
    set(sql`
      insert into facts (store_id, name, ordering_key, data, refs, occurred_at)
      select store_id, ${name}, ordering_key, ${JSON.stringify({ billing_attempt_id: `ba_${id}` })}, '{}', occurred_at
        from facts where store_id = ${storeId} limit 1`)
  for (const id of [paid, earlier, open, held]) await tell(id, 'billing.pending')
  await tell(paid, 'billing.success')
  await tell(held, 'billing.failed')
  const failed = `ba_${earlier}: is failed, recorded as pending 1, success 0, failed 0 times`
  assert.deepEqual((await look()).of('attempt_events_complete'), [failed])
  await tell(open, 'billing.pending')
  assert.equal((await look()).of('attempt_events_complete').length, 2)

  const pending = async () => (await look()).of('outcomes_known').map((found) => found.split(':')[0])
  await inStore((ctx) => setClock(ctx, days(7)))
  assert.deepEqual(await pending(), [])
  await inStore((ctx) => setClock(ctx, days(7).add({ seconds: 1 })))
  assert.deepEqual(await pending(), [`ba_${open}`])

  await set(sql`update billing_attempts set credit_minor = 700 where store_id = ${storeId} and id = ${paid}`)
  const credits = (await look()).of('cycle_credits_issued')
  assert.deepEqual(credits, [`ba_${paid}: should issue 7.00 USD of store credit and issued none`])

  await set(
    sql`update billing_attempts set charged_after_stop = true, reversed_at = ${DUE} where store_id = ${storeId} and id = ${paid}`
  )
  const after = await look()
  assert.deepEqual(after.of('charged_after_stop'), [
    `ba_${paid}: was paid after sub_${one} had ended, and is not refunded`
  ])
  assert.deepEqual(after.of('charge_reversed'), [
    `ba_${paid}: is reported as failed although it was paid, and its order is not refunded`
  ])
  const twice = await write('one-1-2', { lateAt: DUE, platformId: '9' })
  await write('two-1-2', { lateAt: DUE, platformId: '8' })
  assert.deepEqual((await look()).of('charged_twice'), [
    `ba_${twice}: was paid (attempt 9 of the platform), and so was ba_${paid} (attempt unknown) for the same cycle 1 of sub_${one}; it is not refunded`
  ])
  const orders = await inStore((ctx) => recordOrders(ctx, [anOrder(DUE, { id: '4711', refundedMinor: 2899 })]))
  const { id: order } = orders.get('4711')!
  await set(
    sql`update billing_attempts set order_id = ${order} where store_id = ${storeId} and id in (${paid}, ${twice})`
  )
  const three = async () => {
    const { of } = await look()
    return [of('charged_after_stop').length, of('charge_reversed').length, of('charged_twice').length]
  }
  assert.deepEqual(await three(), [1, 1, 1])
  await set(sql`update orders set refunded_minor = 2900 where store_id = ${storeId}`)
  assert.deepEqual(await three(), [0, 0, 0])
})

test('a charge that was paid is marked as taken back once, by its own report: of that attempt, subscription and cycle', async () => {
  const { inStore, storeId, one, write, column } = await aStoreOfTwo()
  await write('one-2-1', { status: 'success', platformId: '7' })
  await write('one-2-2', { status: 'failed', platformId: '8' })
  await write('one-6-1', { status: 'pending', platformId: '9' })
  await write('one-3-1', { status: 'success', platformId: '10' })
  await write('two-2-1', { status: 'success', platformId: '11' })
  await write('one-4-1', { lateAt: DUE, platformId: '12' })
  await write('one-5-1', { status: 'success' })
  const report = (idempotencyKey: string, platformAttemptId: string | null, isReversed?: boolean) => {
    const ref = { idempotencyKey, platformAttemptId }
    const result = isReversed
      ? { ...ref, state: 'success', order: null, paymentMethod: null, isReversed }
      : { ...ref, state: 'failed', errorCode: 'CARD_DECLINED', errorMessage: 'No' }
    return inStore((ctx) => recordReversals(ctx, [result as AttemptResult]))
  }
  const reversed = async () => {
    const at = await column('reversed_at')
    return Object.keys(at).filter((key) => at[key] !== 'none')
  }
  for (const [key, id] of [
    ['one-2-1', '8'],
    ['one-6-1', '9'],
    ['one-2-1', '10'],
    ['one-2-1', '11'],
    ['one-2-1', null],
    ['one-4-1', '12'],
    ['unknown', '7']
  ] as const) {
    await report(key, id)
    assert.deepEqual(await reversed(), [], `${key} ${id}`)
  }
  const paidReport = {
    idempotencyKey: 'one-2-1',
    platformAttemptId: '7',
    state: 'success',
    order: null,
    paymentMethod: null
  }
  await inStore((ctx) => recordReversals(ctx, [paidReport as AttemptResult]))
  assert.deepEqual(await reversed(), [], 'a payment takes nothing back')
  const alerts = async () =>
    (await inStore((ctx) => listAlerts(ctx))).alerts.filter(({ kind }) => kind === 'charge_reversed').length
  await report('one-2-2', '7')
  assert.deepEqual([await reversed(), await alerts()], [['one-2-1'], 1], 'under whatever key of its cycle')
  await report('one-2-1', '7')
  assert.equal(await alerts(), 1)
  await report('one-4-1', '12', true)
  await write('one-5-2', { lateAt: DUE, platformId: '13' })
  await report('one-5-1', null, true)
  assert.deepEqual([await reversed(), await alerts()], [['one-2-1', 'one-4-1', 'one-5-1'], 3])
  const notes = await inStore(({ tx }) =>
    tx.many(
      row({ id: int }),
      sql`select subscription_id as id from contract_activities where store_id = ${storeId} and kind = 'reconciled'`
    )
  )
  assert.deepEqual(
    notes.map(({ id }) => id),
    [one, one, one]
  )
})
