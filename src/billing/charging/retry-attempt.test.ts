// A manual retry beside all else that moves a subscription: the schedule is never lost, nor wound back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { at, aSubscriptionLife as lifeOf } from '../../../test/subscription-life.ts'

const { db } = await testDatabase()
const aSubscriptionLife = () => lifeOf(db)
const SECOND = '2026-02-28T15:00:00Z'
const SOFT = 'INSUFFICIENT_FUNDS'
const HARD = 'EXPIRED_PAYMENT_METHOD'

const announced = (attempts: { retryAt: Temporal.Instant | null }[]) =>
  attempts.map((a) => a.retryAt?.toString() ?? null)

test('a cycle that was in billing when the pause began is skipped, whatever becomes of its attempt', async () => {
  for (const [result, paidCycle] of [
    [SOFT, 1],
    [HARD, 1],
    [null, 2]
  ] as const) {
    const life = await aSubscriptionLife()
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
      const life = await aSubscriptionLife()
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

test('a missed cycle is not charged by a retry: the next one has its date already', async () => {
  const life = await aSubscriptionLife()
  await life.goTo(SECOND)
  await life.bill()
  await life.decline(SOFT)
  await life.pause()
  await life.resume('2026-03-15T00:00:00Z')
  const [first] = await life.attempts()
  const refused = {
    code: 'conflict',
    message: /Cycle 2 .* was missed .*: cycle 3 is next, on 2026-03-15T00:00:00/
  }
  await assert.rejects(life.retry(first!.id), refused)
  await life.goTo('2026-03-15T00:00:00Z')
  await life.bill()
  await assert.rejects(life.retry(first!.id), { code: 'conflict', message: /was missed/ })
  await life.pay()
  await assert.rejects(life.retry(first!.id), { code: 'conflict', message: /was missed/ })
  assert.deepEqual(await life.now(), ['active', 3, 4, 0, '2026-04-15T00:00:00Z'])
})

test('of a cycle that is paid a retry is refused as that, however long ago it was', async () => {
  const life = await aSubscriptionLife()
  await life.goTo(SECOND)
  await life.bill()
  await life.decline(SOFT)
  const [first] = await life.attempts()
  await life.retry(first!.id)
  await life.pay()
  await assert.rejects(life.retry(first!.id), {
    code: 'conflict',
    message: /^Cycle 2 of subscription sub_\d+ is paid by ba_\d+$/
  })
})

test('an older cycle that is paid late does not end the dunning of the present one; both may end in one batch', async () => {
  const life = await aSubscriptionLife()
  await life.goTo(SECOND)
  await life.bill()
  await life.pause()
  await life.resume('2026-03-15T00:00:00Z')
  await life.goTo('2026-03-15T00:00:00Z')
  await life.bill()
  await life.settle((cycle) => (cycle === 2 ? null : SOFT))
  assert.deepEqual(await life.now(), ['active', 2, 3, 1, '2026-03-17T00:00:00Z'])
})

test('the end of the retry schedule is not lost beside the late decline of a missed cycle', async () => {
  const life = await aSubscriptionLife()
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

test('a cycle whose charge was never sent is not missed by a pause', async () => {
  const life = await aSubscriptionLife()
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

test('a charge of a missed cycle is looked up, and not sent again', async () => {
  const life = await aSubscriptionLife()
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
    const life = await aSubscriptionLife()
    await life.goTo(SECOND)
    await life.bill()
    await Promise.all([life.decline(HARD), life.newCard()])
    assert.deepEqual(await life.now(), ['active', 1, 2, 1, SECOND])
  }
})

test('of one cycle only the newest attempt announces a retry, and none when the card turns out to be dead', async () => {
  const life = await aSubscriptionLife()
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

test('a retry of the schedule whose time passed meanwhile is made at once, and reported so', async () => {
  const life = await aSubscriptionLife()
  await life.goTo(SECOND)
  await life.bill()
  await life.decline(SOFT)
  await life.retry((await life.attempts())[0]!.id)
  await life.goTo('2026-03-20T00:00:00Z')
  await life.decline(SOFT)
  assert.deepEqual(await life.now(), ['active', 1, 2, 1, '2026-03-20T00:00:00Z'])
  assert.equal((await life.lastEvent('billing.retry_scheduled')).retry_date, '2026-03-20T00:00:00.000Z')
})

test('a payment method that comes while an attempt is under way is tried after its decline, manual or not', async () => {
  for (const isManual of [false, true]) {
    const life = await aSubscriptionLife()
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

test('a manual success takes the cycle out of dunning, and billing continues from the anchor', async () => {
  const life = await aSubscriptionLife()
  await life.goTo(SECOND)
  await life.bill()
  await life.decline(SOFT)
  await life.retry((await life.attempts())[0]!.id)
  await life.pay()
  assert.deepEqual(await life.now(), ['active', 2, 3, 0, '2026-03-31T14:00:00Z'])
  assert.deepEqual(announced(await life.attempts()), [null, null])
})

test('what waited for a new payment method does not wait for ever after a manual retry', async () => {
  for (const code of [SOFT, HARD, 'CONTRACT_PAUSED']) {
    const life = await aSubscriptionLife()
    await life.goTo(SECOND)
    await life.bill()
    await life.decline(HARD)
    assert.equal(await life.paymentMethodDeadline(), '2026-03-21T14:00:00Z')
    await life.goTo('2026-03-02T15:00:00Z')
    await life.retry((await life.attempts())[0]!.id)
    await life.decline(code)
    assert.deepEqual(await life.now(), ['active', 1, 2, 1, null], code)
    assert.equal(await life.paymentMethodDeadline(), '2026-03-23T14:00:00Z', code)
  }
})

test('a card that turns out dead beside the last retry of the ladder is not waited for for ever', async () => {
  const life = await aSubscriptionLife()
  for (const when of ['2026-02-28', '2026-03-02', '2026-03-07', '2026-03-14']) {
    await life.goTo(`${when}T15:00:00Z`)
    await life.bill()
    await life.decline(SOFT)
  }
  assert.deepEqual((await life.now()).slice(0, 4), ['active', 1, 2, 4])
  await life.retry((await life.attempts())[0]!.id)
  await life.decline(HARD)
  assert.deepEqual(await life.now(), ['active', 1, 2, 4, null])
  assert.equal(await life.paymentMethodDeadline(), '2026-04-04T15:00:00Z')
})

test('a contract that the platform would not bill for a moment is billed later; after many tries a person is asked', async () => {
  const life = await aSubscriptionLife()
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
  const life = await aSubscriptionLife()
  await life.goTo(SECOND)
  await life.bill()
  await life.decline('BILLING_CYCLE_SKIPPED')
  assert.deepEqual(await life.now(), ['active', 1, 3, 0, '2026-03-31T14:00:00Z'])
})

test('a cycle that is held for a person can be skipped; one that is being charged or waits for a card cannot', async () => {
  const life = await aSubscriptionLife()
  await life.goTo(SECOND)
  await life.bill()
  await assert.rejects(life.skip(), { code: 'conflict' })
  await life.decline('BLANK')
  assert.deepEqual(await life.now(), ['active', 1, 2, 0, null])
  await life.skip()
  assert.deepEqual(await life.now(), ['active', 1, 3, 0, '2026-03-31T14:00:00Z'])
  assert.match((await life.history()).at(-1)!, /^Cycle 2 skipped; next charge on 2026-03-31/)

  await life.goTo('2026-03-31T14:00:00Z')
  await life.bill()
  await life.decline(HARD)
  await assert.rejects(life.skip(), { code: 'conflict' })
})

test('a charge that waits can be retried whatever the date of its cycle is by now; one that waits for its date cannot', async () => {
  for (const code of [SOFT, HARD, 'INSUFFICIENT_INVENTORY', 'AMOUNT_TOO_SMALL', 'nothing'] as const) {
    const life = await aSubscriptionLife()
    await life.goTo('2026-02-28T15:00:00Z')
    await life.bill()
    await life.decline(code === 'nothing' ? SOFT : code)
    const { storeId } = life
    await life.inStore(({ tx }) =>
      tx.run(sql`update subscriptions set anchor_at = anchor_at + interval '3 days' where store_id = ${storeId}`)
    )
    if (code === 'nothing') {
      await life.inStore(({ tx }) => tx.run(sql`update subscriptions set declines = 0 where store_id = ${storeId}`))
    }
    const retry = life.retry((await life.attempts())[0]!.id)
    if (code === 'nothing') await assert.rejects(retry, { code: 'conflict' })
    else {
      await retry
      assert.equal((await life.history()).at(-1), 'Retry of the charge for cycle 2 requested')
    }
  }
})

test('only a failed attempt of an active subscription is retried; the refusal says what it is', async () => {
  const life = await aSubscriptionLife()
  await life.goTo(SECOND)
  await life.bill()
  const { id } = (await life.attempts())[0]!
  await assert.rejects(life.retry(id), { code: 'conflict', message: /^Billing attempt ba_\d+ is pending: / })
  await life.decline(SOFT)
  await life.pause()
  await assert.rejects(life.retry(id), { code: 'conflict', message: /^Subscription sub_\d+ is paused: / })
  await life.resume()
  await life.paidLate((await life.attempts())[0]!.key)
  await assert.rejects(life.retry(id), { code: 'conflict', message: /^Billing attempt ba_\d+ has succeeded: / })
})
