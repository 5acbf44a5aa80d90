// A manual retry beside all else that moves a subscription: the schedule is never lost, nor wound back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant, int, nullable, row, sql, text } from '#kit/postgres'
import { setClock } from '#stores'
import { findSubscriptionByContract, lockSubscriptions, resumeSubscription, syncContracts } from '#subscriptions'
import { aContract, anOrder } from '../../test/contract-builder.ts'
import { testDatabase } from '../../test/database.ts'
import { aStore } from '../../test/store-builder.ts'
import { claimAttempts } from './claims.ts'
import { openDueAttempts } from './open-attempts.ts'
import { retryAttempt } from './retry-attempt.ts'
import { type AttemptResult, settleAttempts } from './settle-attempts.ts'
import { pauseSubscription } from './stop-billing.ts'
import { retryHeldCharges } from './take-payment-news.ts'

const { db } = await testDatabase()
const at = (when: string) => Temporal.Instant.from(when)
const START = at('2026-01-31T15:00:00Z')
const SECOND = '2026-02-28T15:00:00Z'
const SOFT = 'INSUFFICIENT_FUNDS'
const HARD = 'EXPIRED_PAYMENT_METHOD'

/** One monthly subscription from 31 January, moved by hand. */
async function aLife() {
  const store = await aStore(db, { clockAt: START })
  const contract = aContract(START)
  const { inStore, storeId } = store
  await inStore((ctx) => syncContracts(ctx, [contract], [anOrder(START, { id: contract.originOrder!.id })]))
  const { id } = (await inStore((ctx) => findSubscriptionByContract(ctx, contract.id)))!

  const pending = () =>
    inStore(({ tx }) =>
      tx.many(
        row({ key: text, cycle: int }),
        sql`select idempotency_key as key, cycle_index as cycle from billing_attempts
             where store_id = ${storeId} and status = 'pending' order by id`
      )
    )
  /** Ends what is pending: with an error code, with success for null; 'wait' leaves it. */
  const settle = async (outcome: (cycle: number) => string | null) => {
    const ending = (await pending()).filter(({ cycle }) => outcome(cycle) !== 'wait')
    const results = ending.map(({ key, cycle }): AttemptResult => {
      const errorCode = outcome(cycle)
      const ref = { idempotencyKey: key, platformAttemptId: key }
      return errorCode === null
        ? { ...ref, state: 'success', order: null, paymentMethod: null }
        : { ...ref, state: 'failed', errorCode, errorMessage: 'No' }
    })
    await inStore((ctx) => settleAttempts(ctx, results))
  }
  return {
    goTo: (when: string) => inStore((ctx) => setClock(ctx, at(when))),
    /** Opens what is due and marks it as sent: from then on only the platform ends it. */
    bill: async () => {
      await inStore((ctx) => openDueAttempts(ctx, 10))
      await inStore((ctx) => claimAttempts(ctx, 10, 1))
    },
    /** Opens what is due, and no call is made for it yet. */
    open: () => inStore((ctx) => openDueAttempts(ctx, 10)),
    /** Whether each pending attempt is still to be sent when its turn comes, the oldest first. */
    claimLater: async () => {
      await inStore(({ tx }) =>
        tx.run(sql`update billing_attempts set check_at = scheduled_at, leased_until = null where store_id = ${storeId}
                      and status = 'pending'`)
      )
      return (await inStore((ctx) => claimAttempts(ctx, 10, 1))).map(({ isWanted }) => isWanted)
    },
    pay: () => settle(() => null),
    decline: (errorCode: string) => settle(() => errorCode),
    settle,
    retry: async (attemptId: number) => {
      await inStore((ctx) => retryAttempt(ctx, attemptId))
      await inStore((ctx) => claimAttempts(ctx, 10, 1))
    },
    pause: () => inStore((ctx) => pauseSubscription(ctx, id, null, 'api')),
    resume: (when: string | null = null) =>
      inStore((ctx) => resumeSubscription(ctx, id, when ? at(when) : null, 'api')),
    givesUpAt: async () => {
      const [s] = await inStore((ctx) => lockSubscriptions(ctx, [id]))
      return s!.givesUpAt?.toString() ?? null
    },
    newCard: () => inStore((ctx) => retryHeldCharges(ctx, [contract.customer!.id])),
    attempts: () =>
      inStore(({ tx }) =>
        tx.many(
          row({ id: int, status: text, cycleIndex: int, retryAt: nullable(instant), attemptsRemaining: int }),
          sql`select * from billing_attempts where store_id = ${storeId} order by id`
        )
      ),
    lastEvent: async (type: string) => {
      const events = await inStore(({ tx }) =>
        tx.many(
          row({ data: text }),
          sql`select data from events where store_id = ${storeId} and type = ${type} order by id desc limit 1`
        )
      )
      return JSON.parse(events[0]!.data)
    },
    /** [status, last cycle paid, next cycle, declines, due] */
    now: async () => {
      const [s] = await inStore((ctx) => lockSubscriptions(ctx, [id]))
      return [s!.status, s!.cycleIndex, s!.nextCycle, s!.declines, s!.billingDueAt?.toString() ?? null]
    }
  }
}
const announced = (attempts: { retryAt: Temporal.Instant | null }[]) =>
  attempts.map((a) => a.retryAt?.toString() ?? null)

test('a cycle that was in billing when the pause began is passed over, whatever becomes of its attempt', async () => {
  for (const [result, paidCycle] of [
    [SOFT, 1],
    [HARD, 1],
    [null, 2]
  ] as const) {
    const life = await aLife()
    await life.goTo(SECOND)
    await life.bill()
    await life.pause()
    await life.resume('2026-06-01T00:00:00Z')
    await life.settle(() => result)
    assert.deepEqual(await life.now(), ['active', paidCycle, 3, 0, '2026-06-01T00:00:00Z'], String(result))
  }
})

test('a late end of a manual retry leaves the schedule alone that a resumption made meanwhile', async () => {
  for (const first of [SOFT, HARD]) {
    for (const [result, paidCycle] of [
      [SOFT, 1],
      [HARD, 1],
      [null, 2]
    ] as const) {
      const life = await aLife()
      await life.goTo(SECOND)
      await life.bill()
      await life.decline(first)
      await life.retry((await life.attempts())[0]!.id)
      await life.pause()
      await life.resume('2026-06-01T00:00:00Z')
      await life.settle(() => result)
      assert.deepEqual(await life.now(), ['active', paidCycle, 3, 0, '2026-06-01T00:00:00Z'], `${first}, ${result}`)
    }
  }
})

test('the debt of a cycle that was passed over is collected without moving the next date', async () => {
  for (const [result, paidCycle] of [
    [SOFT, 1],
    [HARD, 1],
    [null, 4]
  ] as const) {
    const life = await aLife()
    await life.pause()
    await life.goTo('2026-04-10T00:00:00Z')
    await life.resume()
    await life.goTo('2026-04-30T15:00:00Z')
    await life.bill()
    await life.decline(SOFT)
    await life.pause()
    await life.resume('2026-06-01T00:00:00Z')
    await life.retry((await life.attempts())[0]!.id)
    await life.settle(() => result)
    assert.deepEqual(await life.now(), ['active', paidCycle, 5, 0, '2026-06-01T00:00:00Z'], String(result))
    assert.deepEqual(announced(await life.attempts()), [null, null])
  }
})

test('an older debt that is paid does not end the dunning of the present cycle; both may end in one batch', async () => {
  const life = await aLife()
  await life.goTo(SECOND)
  await life.bill()
  await life.decline(SOFT)
  await life.pause()
  await life.resume('2026-03-15T00:00:00Z')
  await life.goTo('2026-03-15T00:00:00Z')
  await life.bill()
  await life.retry((await life.attempts())[0]!.id)
  await life.settle((cycle) => (cycle === 2 ? null : SOFT))
  assert.deepEqual(await life.now(), ['active', 2, 3, 1, '2026-03-17T00:00:00Z'])
})

test('the end of the ladder is not lost beside the result of an older cycle', async () => {
  const life = await aLife()
  await life.goTo(SECOND)
  await life.bill()
  await life.decline(SOFT)
  await life.pause()
  await life.resume('2026-03-15T00:00:00Z')
  for (const when of ['2026-03-15', '2026-03-17', '2026-03-22', '2026-03-29', '2026-04-05']) {
    await life.goTo(`${when}T00:00:00Z`)
    await life.bill()
    if (when !== '2026-04-05') await life.decline(SOFT)
  }
  await life.retry((await life.attempts())[0]!.id)
  await life.decline(SOFT)
  assert.deepEqual(await life.now(), ['cancelled', 1, 3, 5, null])
})

test('the end of the ladder is not lost beside the late decline of a cycle that was passed over', async () => {
  const life = await aLife()
  await life.goTo(SECOND)
  await life.bill()
  await life.pause()
  await life.resume('2026-03-15T00:00:00Z')
  for (const when of ['2026-03-15', '2026-03-17', '2026-03-22', '2026-03-29', '2026-04-05']) {
    await life.goTo(`${when}T00:00:00Z`)
    await life.bill()
    if (when !== '2026-04-05') await life.settle((cycle) => (cycle === 2 ? 'wait' : SOFT))
  }
  await life.decline(SOFT)
  assert.deepEqual(await life.now(), ['cancelled', 1, 3, 5, null])
})

test('a cycle whose charge never left the house is not passed over by a pause', async () => {
  const life = await aLife()
  await life.goTo(SECOND)
  await life.open()
  await life.pause()
  await life.resume('2026-03-10T00:00:00Z')
  assert.deepEqual(await life.now(), ['active', 1, 2, 0, '2026-03-10T00:00:00Z'])
  await life.goTo('2026-03-10T00:00:00Z')
  await life.bill()
  await life.pay()
  assert.deepEqual(await life.now(), ['active', 2, 3, 0, '2026-04-10T00:00:00Z'])
})

test('a charge of a cycle that was passed over is looked up, and not sent again', async () => {
  const life = await aLife()
  await life.goTo(SECOND)
  await life.bill()
  await life.pause()
  await life.resume('2026-06-01T00:00:00Z')
  assert.deepEqual(await life.claimLater(), [false])
  await life.settle(() => 'wait')
  await life.goTo('2026-06-01T00:00:00Z')
  await life.open()
  assert.deepEqual(await life.claimLater(), [false, true])
})

test('a payment method that comes at the moment of a decline is tried, whichever is first', async () => {
  for (let round = 0; round < 10; round++) {
    const life = await aLife()
    await life.goTo(SECOND)
    await life.bill()
    await Promise.all([life.decline(HARD), life.newCard()])
    assert.deepEqual(await life.now(), ['active', 1, 2, 1, SECOND])
  }
})

test('of one cycle only the newest attempt announces a retry, and none when the card turns out to be dead', async () => {
  const life = await aLife()
  await life.goTo(SECOND)
  await life.bill()
  await life.decline(SOFT)
  const [first] = await life.attempts()
  await life.retry(first!.id)
  await life.decline(SOFT)
  const ladder = '2026-03-02T15:00:00Z'
  assert.deepEqual(announced(await life.attempts()), [null, ladder])
  assert.deepEqual(await life.now(), ['active', 1, 2, 1, ladder])

  await life.retry(first!.id)
  await life.decline(HARD)
  assert.deepEqual(announced(await life.attempts()), [null, null, null])
  assert.deepEqual(await life.now(), ['active', 1, 2, 1, null], 'held for a new payment method')
  await life.newCard()
  assert.deepEqual(await life.now(), ['active', 1, 2, 1, SECOND])
})

test('a retry of the ladder that was waited over comes at once, and is told of so', async () => {
  const life = await aLife()
  await life.goTo(SECOND)
  await life.bill()
  await life.decline(SOFT)
  await life.retry((await life.attempts())[0]!.id)
  await life.goTo('2026-03-20T00:00:00Z')
  await life.decline(SOFT)
  assert.deepEqual(await life.now(), ['active', 1, 2, 1, '2026-03-20T00:00:00Z'])
  assert.equal((await life.lastEvent('billing.retry_scheduled')).retry_date, '2026-03-20T00:00:00.000Z')
})

test('a payment method that comes while an attempt is under way is tried after its decline, by hand or not', async () => {
  for (const isManual of [false, true]) {
    const life = await aLife()
    await life.goTo(SECOND)
    await life.bill()
    if (isManual) {
      await life.decline(HARD)
      await life.retry((await life.attempts())[0]!.id)
    }
    await life.newCard()
    await life.decline(HARD)
    assert.deepEqual(await life.now(), ['active', 1, 2, 1, SECOND])
    await life.bill()
    await life.pay()
    assert.deepEqual(await life.now(), ['active', 2, 3, 0, '2026-03-31T14:00:00Z'])
  }
})

test('a success by hand takes the cycle out of dunning, and billing goes on from the anchor', async () => {
  const life = await aLife()
  await life.goTo(SECOND)
  await life.bill()
  await life.decline(SOFT)
  await life.retry((await life.attempts())[0]!.id)
  await life.pay()
  assert.deepEqual(await life.now(), ['active', 2, 3, 0, '2026-03-31T14:00:00Z'])
  assert.deepEqual(announced(await life.attempts()), [null, null])
})

test('what waited for a new payment method does not wait for ever after a retry by hand', async () => {
  for (const code of [SOFT, HARD, 'CONTRACT_PAUSED']) {
    const life = await aLife()
    await life.goTo(SECOND)
    await life.bill()
    await life.decline(HARD)
    assert.equal(await life.givesUpAt(), '2026-03-21T14:00:00Z')
    await life.goTo('2026-03-02T15:00:00Z')
    await life.retry((await life.attempts())[0]!.id)
    await life.decline(code)
    assert.deepEqual(await life.now(), ['active', 1, 2, 1, null], code)
    assert.equal(await life.givesUpAt(), '2026-03-23T14:00:00Z', code)
  }
})

test('a card that turns out dead beside the last retry of the ladder is not waited for for ever', async () => {
  const life = await aLife()
  for (const when of ['2026-02-28', '2026-03-02', '2026-03-07', '2026-03-14']) {
    await life.goTo(`${when}T15:00:00Z`)
    await life.bill()
    await life.decline(SOFT)
  }
  assert.deepEqual((await life.now()).slice(0, 4), ['active', 1, 2, 4])
  await life.retry((await life.attempts())[0]!.id)
  await life.decline(HARD)
  assert.deepEqual(await life.now(), ['active', 1, 2, 4, null])
  assert.equal(await life.givesUpAt(), '2026-04-04T15:00:00Z')
})

test('a contract that the platform would not bill for a moment is billed later; after many tries a person is asked', async () => {
  const life = await aLife()
  await life.goTo(SECOND)
  await life.bill()
  let waited = 0
  for (const hours of [1, 6, 24, 48, 96, 168]) {
    await life.decline('CONTRACT_PAUSED')
    waited += hours
    const due = at(SECOND).add({ hours: waited }).toString()
    assert.deepEqual(await life.now(), ['active', 1, 2, 0, due])
    await life.goTo(due)
    await life.bill()
  }
  await life.decline('CONTRACT_PAUSED')
  assert.deepEqual(await life.now(), ['active', 1, 2, 0, null])
  await life.retry((await life.attempts())[0]!.id)
  await life.pay()
  assert.deepEqual(await life.now(), ['active', 2, 3, 0, '2026-03-31T14:00:00Z'])
})

test('a cycle that was skipped on the platform is skipped here', async () => {
  const life = await aLife()
  await life.goTo(SECOND)
  await life.bill()
  await life.decline('BILLING_CYCLE_SKIPPED')
  assert.deepEqual(await life.now(), ['active', 1, 3, 0, '2026-03-31T14:00:00Z'])
})
