// attempts_remaining is the number of automatic tries still to come: in the rows, which REST shows, and in the facts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { aSubscriptionLife } from '../../../test/subscription-life.ts'

const { db } = await testDatabase()
const SECOND = '2026-02-28T15:00:00Z'
const SOFT = 'INSUFFICIENT_FUNDS'
const HARD = 'EXPIRED_CARD'

/** A subscription whose second cycle is being charged, with retries after 1, 2 and 3 days. */
async function aCharge(dunning: { inventory?: object } = {}) {
  const life = await aSubscriptionLife(db, { dunning: { retryAfterDays: [1, 2, 3], ...dunning } })
  await life.goTo(SECOND)
  await life.bill()
  return {
    ...life,
    left: async () => (await life.attempts()).map((a) => a.attemptsRemaining),
    /** Goes to the announced retry and sends it. */
    async next() {
      await life.goTo((await life.attempts()).at(-1)!.retryAt!.toString())
      await life.bill()
    },
    /** Those of the last failure, and of the retry that it announced. */
    reported: async () => (await life.lastEvent('billing.failed')).attempts_remaining as number,
    announced: async () => (await life.lastEvent('billing.retry_scheduled')).attempts_remaining as number
  }
}

test('soft declines count down to 0, and a success ends it', async () => {
  const life = await aCharge()
  for (const remaining of [3, 2, 1]) {
    assert.equal((await life.left()).at(-1), remaining, 'while it is open')
    await life.decline(SOFT)
    assert.deepEqual(
      [(await life.left()).at(-1), await life.reported(), await life.announced()],
      Array(3).fill(remaining)
    )
    await life.next()
  }
  assert.equal((await life.left()).at(-1), 0, 'the last one is open')
  await life.decline(SOFT)
  assert.deepEqual([await life.left(), await life.reported()], [[0, 0, 0, 0], 0])

  const paid = await aCharge()
  await paid.decline(SOFT)
  await paid.next()
  await paid.pay()
  assert.deepEqual(await paid.left(), [0, 0])
})

test('nothing is to come after a hard decline, nor where the charge waits for a person', async () => {
  for (const code of [HARD, 'INVALID_CURRENCY', 'BLANK']) {
    const life = await aCharge()
    await life.decline(code)
    assert.deepEqual([await life.left(), await life.reported()], [[0], 0], code)
  }
  // Nor of the attempts before it.
  for (const code of [HARD, 'INVALID_CURRENCY']) {
    const second = await aCharge()
    await second.decline(SOFT)
    await second.next()
    assert.deepEqual(await second.left(), [3, 2])
    await second.decline(code)
    assert.deepEqual([await second.left(), await second.reported()], [[0, 0], 0], code)
  }
  // A new card has the charge repeated, and then the schedule goes on after its one decline.
  const life = await aCharge()
  await life.decline(HARD)
  await life.newCard()
  await life.bill()
  assert.deepEqual(await life.left(), [0, 2])
})

test('a card that arrives during the attempt has it repeated at once: that try counts, and those after it', async () => {
  for (const [code, remaining] of [
    [HARD, 3],
    [SOFT, 3],
    ['BLANK', 4]
  ] as const) {
    const life = await aCharge()
    await life.newCard()
    await life.decline(code)
    assert.deepEqual([await life.left(), await life.reported()], [[remaining], remaining], code)
    await life.bill()
    assert.equal((await life.left()).at(-1), remaining - 1, code)
  }
})

test('a manual retry leaves what waits for it; without anything that waits there is nothing to come', async () => {
  const life = await aCharge()
  await life.decline(SOFT)
  await life.retry((await life.attempts())[0]!.id)
  assert.deepEqual(await life.left(), [3, 3])
  await life.decline(SOFT)
  assert.deepEqual([await life.left(), await life.reported()], [[3, 3], 3])
  await life.next()
  assert.equal((await life.left()).at(-1), 2)

  const held = await aCharge()
  await held.decline(HARD)
  await held.retry((await held.attempts())[0]!.id)
  assert.deepEqual(await held.left(), [0, 0])
  await held.decline(SOFT)
  assert.deepEqual([await held.left(), await held.reported()], [[0, 0], 0])
})

test('a manual retry beside a schedule of inventory counts by that one', async () => {
  const life = await aCharge({ inventory: { retryAfterDays: [1, 1, 1, 1, 1], onFailure: 'skip' } })
  await life.decline('INSUFFICIENT_INVENTORY')
  assert.deepEqual(await life.left(), [5])
  await life.retry((await life.attempts())[0]!.id)
  assert.deepEqual(await life.left(), [5, 5])
})

for (const stop of ['cancel', 'pause'] as const) {
  test(`after a ${stop} nothing is to come, also of a charge that was sent before it`, async () => {
    const waiting = await aCharge()
    await waiting.decline(SOFT)
    await waiting.next()
    await waiting.decline(SOFT)
    assert.deepEqual(await waiting.left(), [3, 2])
    await waiting[stop]()
    assert.deepEqual(await waiting.left(), [0, 0])

    const sent = await aCharge()
    await sent[stop]()
    assert.deepEqual(await sent.left(), [0])
    await sent.decline(SOFT)
    assert.deepEqual([await sent.left(), await sent.reported()], [[0], 0])
  })
}

test('a resumption brings back the tries of a charge that was sent before the pause', async () => {
  const life = await aCharge()
  await life.pause()
  await life.resume()
  const [attempt] = await life.attempts()
  assert.deepEqual([attempt!.status, attempt!.attemptsRemaining], ['pending', 3])
})

test('a resumption brings back what waits for a manual retry that was sent before the pause, and no more', async () => {
  for (const [code, before, after] of [
    [HARD, [0, 0], [0, 0]],
    [SOFT, [3, 3], [0, 3]]
  ] as const) {
    const life = await aCharge()
    await life.decline(code)
    await life.retry((await life.attempts())[0]!.id)
    await life.bill()
    assert.deepEqual(await life.left(), before, code)
    await life.pause()
    assert.deepEqual(await life.left(), [0, 0], code)
    await life.resume()
    assert.deepEqual(await life.left(), after, code)
    await life.decline(SOFT)
    assert.deepEqual([(await life.left()).at(-1), await life.reported()], [after[1], after[1]], code)
  }
})

test('a cycle that ends leaves the tries of the next one as they are', async () => {
  const life = await aCharge()
  await life.decline(SOFT)
  await life.next()
  await life.pay()
  await life.goTo('2026-03-31T15:00:00Z')
  await life.bill()
  await life.decline(SOFT)
  assert.deepEqual(await life.left(), [0, 0, 3])
})

test('a late success of an earlier try ends those that a later one has announced', async () => {
  const life = await aCharge()
  await life.decline(SOFT)
  await life.next()
  await life.decline(SOFT)
  await life.next()
  await life.decline(SOFT)
  assert.deepEqual(await life.left(), [3, 2, 1])
  await life.paidLate(`svc-${life.contract.id}-2-1`)
  assert.deepEqual(await life.left(), [0, 0, 0])
})
