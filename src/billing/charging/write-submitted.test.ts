// What is written of what the platform answered, and what is held meanwhile.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { throwFirst } from '#kit/engines'
import { bool, Database, instant, int, isBusy, isOutage, nullable, row, sql, TIME_LIMITS, text } from '#kit/postgres'
import { lockSubscriptions } from '#subscriptions'
import { atOnce } from '../../../test/at-once.ts'
import { testDatabase } from '../../../test/database.ts'
import { aDueStore } from '../../../test/due-store.ts'
import { awayWhile } from '../../../test/failing-database.ts'
import { aSubscriptionLife, at } from '../../../test/subscription-life.ts'
import type { AttemptResult } from '../attempts/attempt-result.ts'
import { type ClaimedAttempt, claimAttempts } from './claims.ts'
import { openDueAttempts } from './open-attempts.ts'
import { checkLater, type SubmitOutcome } from './submit-outcome.ts'
import { newWriteHistory, writeSubmitted } from './write-submitted.ts'

const { db, url } = await testDatabase()
const SECOND = '2026-02-28T15:00:00Z'
const THIRD = '2026-03-31T14:00:00Z'
const FOURTH = '2026-04-30T14:00:00Z'
const SOFT = 'INSUFFICIENT_FUNDS'

const success = (idempotencyKey: string, platformAttemptId: string): AttemptResult => ({
  idempotencyKey,
  platformAttemptId,
  state: 'success',
  order: null,
  paymentMethod: null
})
const failure = (idempotencyKey: string, errorCode: string): AttemptResult => ({
  idempotencyKey,
  platformAttemptId: null,
  state: 'failed',
  errorCode,
  errorMessage: null,
  isPaymentSearched: true
})

const written: (...args: Parameters<typeof writeSubmitted>) => Promise<void> = async (...args) =>
  throwFirst(await writeSubmitted(...args))

/** A life whose open attempts can be claimed again at once. */
async function aLife() {
  const life = await aSubscriptionLife(db)
  const { inStore, storeId } = life
  const claim = async (): Promise<ClaimedAttempt> => {
    await inStore(({ tx }) =>
      tx.run(sql`
        update billing_attempts set leased_until = null, check_at = scheduled_at
         where store_id = ${storeId} and status = 'pending'`)
    )
    return (await inStore((ctx) => claimAttempts(ctx, 1, 1)))[0]!
  }
  const write = async (attempt: ClaimedAttempt, ...outcomes: SubmitOutcome[]) =>
    written(db, storeId, [{ attempts: [attempt], outcomes, isThrottled: false, alone: [] }])
  const reads = async () => {
    const found = await inStore(({ tx }) =>
      tx.many(
        row({ key: text }),
        sql`select dedupe_key as key from jobs where store_id = ${storeId} and kind = 'sync-contract'`
      )
    )
    return found.map(({ key }) => key)
  }
  return { ...life, claim, write, reads }
}

test('a charge that never arrived and is wanted again is due at once; its attempt ends as voided', async () => {
  const life = await aLife()
  await life.goTo(SECOND)
  await life.bill()
  const attempt = await life.claim()
  await life.write(attempt, { unsent: attempt })
  assert.deepEqual(await life.charges(), [{ status: 'failed', code: 'voided', retries: 0 }])
  assert.deepEqual(await life.now(), ['active', 1, 2, 0, SECOND])
})

test('what another process has claimed, or the platform has by now, is not voided, and its cycle is not due', async () => {
  const sent = (id: number) => sql`update billing_attempts set platform_attempt_id = '900' where store_id = ${id}`
  const claimedAgain = (id: number) =>
    sql`update billing_attempts set lease_token = lease_token + 1 where store_id = ${id}`
  for (const [what, change, leased] of [
    ['sent', sent, null],
    ['claimed', claimedAgain, 1]
  ] as const) {
    const life = await aLife()
    await life.goTo(SECOND)
    await life.bill()
    const attempt = await life.claim()
    const before = await life.now()
    await life.inStore(({ tx }) => tx.run(change(life.storeId)))
    await life.write(attempt, { unsent: attempt })
    assert.deepEqual(
      [await life.charges(), await life.now()],
      [[{ status: 'pending', code: '', retries: 0 }], before],
      what
    )
    const [row1] = await life.inStore(({ tx }) =>
      tx.many(
        row({ leaseOwner: nullable(int), checkAt: instant }),
        sql`select lease_owner, check_at from billing_attempts where store_id = ${life.storeId}`
      )
    )
    assert.equal(row1!.leaseOwner, leased, what)
    assert.equal(Temporal.Instant.compare(row1!.checkAt, at(SECOND)) > 0, leased === null, what)
  }
})

test('a charge whose cycle was paid by an earlier one is not ended while another process has claimed it', async () => {
  const life = await aLife()
  await life.goTo(SECOND)
  await life.bill()
  await life.decline(SOFT)
  await life.retry((await life.attempts())[0]!.id)
  const attempt = await life.claim()
  const again = await life.claim()
  const instead = success((await life.attempts())[0]!.key, '900')
  await life.write(attempt, { superseded: attempt, instead })
  assert.equal((await life.charges())[1]!.status, 'pending')
  await life.write(again, { superseded: again, instead })
  assert.deepEqual(
    (await life.charges()).map(({ status, code }) => [status, code]),
    [
      ['success', ''],
      ['failed', 'superseded']
    ]
  )
})

test('a charge whose cycle was paid by an earlier one ends also when the platform has it by now', async () => {
  const life = await aLife()
  await life.goTo(SECOND)
  await life.bill()
  const attempt = await life.claim()
  await life.inStore(({ tx, storeId }) =>
    tx.run(sql`update billing_attempts set platform_attempt_id = '7' where store_id = ${storeId}`)
  )
  await life.write(attempt, { superseded: attempt, instead: success('unknown', '5') })
  assert.deepEqual(await life.charges(), [{ status: 'failed', code: 'superseded', retries: 0 }])
})

test('a charge that never arrived leaves a date alone that was set meanwhile, and another cycle that waits', async () => {
  const life = await aLife()
  await life.goTo(SECOND)
  await life.bill()
  await life.decline(SOFT)
  await life.retry((await life.attempts())[0]!.id)
  await life.pause()
  const attempt = await life.claim()
  assert.equal(attempt.isWanted, false)
  await life.resume()
  const before = await life.now()
  assert.deepEqual(before, ['active', 1, 2, 1, '2026-03-01T15:00:00Z'])
  await life.write(attempt, { unsent: attempt })
  assert.deepEqual([await life.now(), (await life.charges())[1]!.code], [before, 'voided'])

  const missed = await aLife()
  await missed.goTo(SECOND)
  await missed.bill()
  const ofSecond = await missed.claim()
  await missed.pause()
  await missed.goTo(THIRD)
  await missed.resume()
  await missed.goTo(FOURTH)
  await missed.bill()
  await missed.settle((cycle) => (cycle === 2 ? 'wait' : 'EXPIRED_PAYMENT_METHOD'))
  const waiting = await missed.now()
  assert.deepEqual([waiting[0], waiting[4], (await missed.paymentMethodDeadline()) !== null], ['active', null, true])
  await missed.write(ofSecond, { unsent: ofSecond })
  assert.deepEqual([await missed.now(), (await missed.paymentMethodDeadline()) !== null], [waiting, true])
})

test('the contract is read again where the platform does not bill it or calls it paid, and after no other decline', async () => {
  for (const [code, isRead] of [
    ['CONTRACT_PAUSED', true],
    ['INVOICE_ALREADY_PAID', true],
    [SOFT, false],
    [null, false]
  ] as const) {
    const life = await aLife()
    await life.goTo(SECOND)
    await life.bill()
    const attempt = await life.claim()
    const { idempotencyKey: key } = attempt
    const result =
      code === null
        ? success(key, '1')
        : { ...failure(key, code), ...(code === 'CONTRACT_PAUSED' && { isRefusal: true }) }
    await life.write(attempt, { result } as SubmitOutcome)
    assert.deepEqual(await life.reads(), isRead ? [life.contract.id] : [], String(code))
  }
})

test('a payment that has paid another cycle pays no second one: the charge ends as paid elsewhere', async () => {
  for (const isKnown of [true, false]) {
    const life = await aLife()
    await life.goTo(SECOND)
    await life.bill()
    await life.write(await life.claim(), { result: success(`svc-${life.contract.id}-2-1`, '900') })
    await life.goTo(THIRD)
    await life.bill()
    const attempt = await life.claim()
    const id = isKnown ? '900' : '901'
    await life.write(attempt, { result: success(attempt.idempotencyKey, id), external: attempt, platformAttemptId: id })
    assert.deepEqual(
      (await life.charges()).map(({ status, code }) => [status, code]),
      [['success', ''], isKnown ? ['failed', 'already_paid'] : ['success', '']]
    )
    assert.deepEqual((await life.now()).slice(0, 3), ['active', isKnown ? 2 : 3, 4])
  }
})

test('a refused call ends no charge that the platform has by now, nor one that another process has claimed; it is looked at again', async () => {
  const has = (id: number) => sql`update billing_attempts set platform_attempt_id = '900' where store_id = ${id}`
  const claimedAgain = (id: number) =>
    sql`update billing_attempts set lease_token = lease_token + 1 where store_id = ${id}`
  for (const [change, status, isReleased] of [
    [has, 'pending', true],
    [claimedAgain, 'pending', false],
    [null, 'failed', true]
  ] as const) {
    const life = await aLife()
    await life.goTo(SECOND)
    await life.bill()
    const attempt = await life.claim()
    if (change) await life.inStore(({ tx }) => tx.run(change(life.storeId)))
    const result = { ...failure(attempt.idempotencyKey, 'CONTRACT_PAUSED'), isPaymentSearched: false, isRefusal: true }
    await life.write(attempt, { result })
    const [row1] = await life.inStore(({ tx }) =>
      tx.many(
        row({ status: text, leaseOwner: nullable(int), isLater: bool }),
        sql`select status, lease_owner, coalesce(check_at > scheduled_at, true) as is_later
              from billing_attempts where store_id = ${life.storeId}`
      )
    )
    assert.deepEqual(row1, { status, leaseOwner: isReleased ? null : 1, isLater: isReleased })
  }
})

test('a charge that the platform declined since the cycle was paid otherwise fails also where its attempt there is known', async () => {
  const life = await aLife()
  await life.goTo(SECOND)
  await life.bill()
  await life.write(await life.claim(), { result: success(`svc-${life.contract.id}-2-1`, '900') })
  await life.goTo(THIRD)
  await life.bill()
  const attempt = await life.claim()
  await life.inStore(({ tx }) =>
    tx.run(
      sql`update billing_attempts set platform_attempt_id = '901' where store_id = ${life.storeId} and id = ${attempt.id}`
    )
  )
  await life.write(attempt, {
    result: success(attempt.idempotencyKey, '900'),
    external: attempt,
    platformAttemptId: '900'
  })
  assert.deepEqual((await life.charges())[1], { status: 'failed', code: 'already_paid', retries: 0 })
})

/** The database, whose transactions fail one after the other with what `fail` does. */
function failingDatabase(...fail: (() => Promise<unknown>)[]): Database {
  const inStore = async (...args: Parameters<Database['inStore']>) => {
    await fail.shift()?.()
    return db.inStore(...args)
  }
  return Object.create(db, { inStore: { value: inStore } })
}
const isAway = () => awayWhile(db, () => true).inStore(1, async () => {})
const doesNotFit = () => Promise.reject(new Error('It does not fit'))

test('a decline of an attempt that the platform has is recorded whoever has claimed the charge by now', async () => {
  const life = await aLife()
  await life.goTo(SECOND)
  await life.bill()
  const attempt = await life.claim()
  await life.inStore(({ tx }) =>
    tx.run(sql`update billing_attempts set lease_token = lease_token + 1 where store_id = ${life.storeId}`)
  )
  await life.write(attempt, { result: { ...failure(attempt.idempotencyKey, SOFT), platformAttemptId: '900' } })
  assert.deepEqual(await life.charges(), [{ status: 'failed', code: 'card_declined', retries: 1 }])
})

test('what can neither be written nor put off, since the database is away by then, is to be written again', async () => {
  const store = await aStoreOfTwo()
  const { low, storeId } = store
  const one = {
    attempts: [low],
    outcomes: [{ result: success(low.idempotencyKey, '6') }],
    isThrottled: false,
    alone: []
  }
  const [end] = await writeSubmitted(failingDatabase(doesNotFit, isAway), storeId, [one])
  assert.ok(end?.status === 'rejected' && isOutage(end.reason))
})

test('of outcomes that were read together those that are written are not written again, and none is lost when another cannot be', async () => {
  const store = await aStoreOfTwo()
  const { low, high, storeId, inStore } = store
  const outcomes = [low, high].map((a) => ({ result: success(a.idempotencyKey, `6${a.id}`) }))
  const one = { attempts: [low, high], outcomes, isThrottled: false, alone: [] }
  const history = newWriteHistory()
  // Together, and each by itself.
  const failing = failingDatabase(doesNotFit, doesNotFit, isAway)
  const [end] = await writeSubmitted(failing, storeId, [one], history)
  assert.ok(end?.status === 'rejected' && isOutage(end.reason), 'what is away, not what does not fit')
  const statuses = async () =>
    (
      await inStore(({ tx }) =>
        tx.many(row({ status: text }), sql`select status from billing_attempts where store_id = ${storeId} order by id`)
      )
    ).map(({ status }) => status)
  assert.deepEqual(await statuses(), ['pending', 'pending'])
  assert.equal((await writeSubmitted(db, storeId, [one], history))[0]!.status, 'fulfilled')
  assert.deepEqual(await statuses(), ['success', 'success'])
  const unused = Object.create(db, { inStore: { value: () => assert.fail('it is written') } })
  assert.equal((await writeSubmitted(unused, storeId, [one], history))[0]!.status, 'fulfilled')
})

test('while the database is away each try waits for it once, however many outcomes are to be written by themselves', async () => {
  const store = await aStoreOfTwo()
  const { low, high, storeId } = store
  const submitted = [low, high].map((a) => ({
    attempts: [a],
    outcomes: [{ result: success(a.idempotencyKey, `6${a.id}`) }],
    isThrottled: false,
    alone: []
  }))
  const history = newWriteHistory()
  let waits = 0
  const away = Object.create(db, {
    inStore: {
      value() {
        waits++
        return isAway()
      }
    }
  })
  for (let tries = 1; tries <= 6; tries++) {
    const ends = await writeSubmitted(away, storeId, submitted, history)
    assert.ok(ends.every((end) => end.status === 'rejected' && isOutage(end.reason)))
    assert.equal(waits, tries)
  }
  const ends = await writeSubmitted(db, storeId, submitted, history)
  assert.ok(ends.every(({ status }) => status === 'fulfilled'))
})

/** Two subscriptions, `low` before `high`, with their charges claimed. */
async function aStoreOfTwo() {
  const store = await aDueStore(db, { subscriptions: 2, dueAt: at(SECOND) })
  const { inStore, storeId } = store
  await inStore((ctx) => openDueAttempts(ctx, 10))
  const attempts = await inStore((ctx) => claimAttempts(ctx, 10, 1))
  const [low, high] = attempts.toSorted((a, b) => a.subscriptionId - b.subscriptionId) as [
    ClaimedAttempt,
    ClaimedAttempt
  ]
  const write = (...outcomes: SubmitOutcome[]) =>
    written(db, storeId, [{ attempts, outcomes, isThrottled: false, alone: [] }])
  return { ...store, low, high, write }
}

const challenge = (attempt: ClaimedAttempt): SubmitOutcome => ({
  checked: { ...checkLater(attempt).checked, platformAttemptId: '7', actionUrl: 'https://pay.example/1' }
})

for (const [what, outcome] of [
  ['never arrived', (attempt: ClaimedAttempt): SubmitOutcome => ({ unsent: attempt })],
  ['was superseded', (attempt: ClaimedAttempt) => ({ superseded: attempt, instead: success('unknown', '5') })],
  ['has to be confirmed', challenge]
] as const) {
  test(`one that ${what} is written with all subscriptions of the batch locked at once, in order, and before any attempt`, async () => {
    const store = await aStoreOfTwo()
    const { low, high, write, storeId } = store
    const written = await atOnce(
      store,
      (ctx) => lockSubscriptions(ctx, [low.subscriptionId]),
      () => write(outcome(high), { result: success(low.idempotencyKey, '6') }),
      // Who waits for the first holds nothing else.
      async ({ tx }) => {
        await tx.run(sql`
          select from subscriptions where store_id = ${storeId} and id = ${high.subscriptionId} for update nowait`)
        await tx.run(sql`select from billing_attempts where store_id = ${storeId} for update nowait`)
      }
    )
    assert.equal(written.status, 'fulfilled')
  })
}

test('of charges that were read together, one whose subscription stays locked holds up the others only at first', async () => {
  const store = await aStoreOfTwo()
  const { low, high, storeId, inStore } = store
  const one = { attempts: [low, high], outcomes: [low, high].map(challenge), isThrottled: false, alone: [] }
  const limits = { ...TIME_LIMITS, background: { ...TIME_LIMITS.background, lockMs: 50 } }
  const impatient = new Database({ url, limits })
  const history = newWriteHistory()
  const leased = async () =>
    (
      await inStore(({ tx }) =>
        tx.many(
          row({ id: int, isLeased: bool }),
          sql`select id, leased_until is not null as is_leased from billing_attempts where store_id = ${storeId}`
        )
      )
    ).flatMap(({ id, isLeased }) => (isLeased ? id : []))
  await inStore(async (ctx) => {
    await lockSubscriptions(ctx, [low.subscriptionId])
    for (let tries = 0; tries < 5; tries++) {
      const [end] = await writeSubmitted(impatient, storeId, [one], history)
      assert.ok(end?.status === 'rejected' && isBusy(end.reason))
    }
    assert.deepEqual(await leased(), [low.id])
  })
  await written(impatient, storeId, [one], history)
  assert.deepEqual(await leased(), [])
  await impatient.close()
})

test('a plain result waits for no other subscription of its batch', async () => {
  const store = await aStoreOfTwo()
  const { low, high, write } = store
  const written = await atOnce(
    store,
    (ctx) => lockSubscriptions(ctx, [low.subscriptionId]),
    () => write({ result: success(high.idempotencyKey, '6') }),
    () => assert.fail('it waits for the other')
  )
  assert.equal(written.status, 'fulfilled')
})
