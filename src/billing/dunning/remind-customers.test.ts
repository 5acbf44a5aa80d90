// Payments that their customer has to confirm: asked for once, and reminded of at the dates of the store.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant, int, nullable, row, sql, text } from '#kit/postgres'
import { atOnce } from '../../../test/at-once.ts'
import { testDatabase } from '../../../test/database.ts'
import { aDueStore } from '../../../test/due-store.ts'
import { at } from '../../../test/subscription-life.ts'
import { claimAttempts } from '../charging/claims.ts'
import { openDueAttempts } from '../charging/open-attempts.ts'
import { recordActionRequired } from './record-action-required.ts'
import { remindCustomers } from './remind-customers.ts'

const { db } = await testDatabase()
const START = at('2026-02-28T15:00:00Z')
const hours = (n: number) => START.add({ hours: n })

/** A store whose charges were all sent and wait for their customers since `START`; reminders are due after 24 and 72 hours. */
async function aStoreThatWaits(count: number) {
  const store = await aDueStore(db, { subscriptions: count, dueAt: START })
  const { inStore, storeId } = store
  await inStore((ctx) => openDueAttempts(ctx, 100))
  const claimed = await inStore((ctx) => claimAttempts(ctx, 100, 1))
  const keys = claimed.map(({ idempotencyKey }) => idempotencyKey)
  const ask = (some: string[], actionUrl = 'https://pay.example/1', platformAttemptId: string | null = null) =>
    inStore((ctx) =>
      recordActionRequired(
        ctx,
        some.map((idempotencyKey) => ({ idempotencyKey, platformAttemptId, actionUrl }))
      )
    )
  /** Sets when attempts are checked; where it is left out, far ahead. */
  const checkAt = (when: Temporal.Instant = hours(500)) =>
    inStore(({ tx }) => tx.run(sql`update billing_attempts set check_at = ${when} where store_id = ${storeId}`))
  await checkAt()
  await ask(keys)
  await checkAt()
  const remindAt = (key: string, when: Temporal.Instant) =>
    inStore(({ tx }) =>
      tx.run(
        sql`update billing_attempts set remind_at = ${when} where store_id = ${storeId} and idempotency_key = ${key}`
      )
    )
  const rows = () =>
    inStore(({ tx }) =>
      tx.many(
        row({
          key: text,
          reminders: int,
          remindAt: nullable(instant),
          checkAt: nullable(instant),
          url: nullable(text),
          since: nullable(instant)
        }),
        sql`select idempotency_key as key, action_reminders as reminders, remind_at, check_at, action_url as url,
                   action_required_at as since
              from billing_attempts where store_id = ${storeId} order by id`
      )
    )
  /** Of each event, oldest first: whose charge it is about (0 for the first), and the number of the reminder. */
  const told = async () => {
    const events = await inStore(({ tx }) =>
      tx.many(
        row({ data: text }),
        sql`select data from facts where store_id = ${storeId} and name = 'billing.action_required' order by id`
      )
    )
    const ids = claimed.map(({ id }) => `ba_${id}`)
    return events
      .map(({ data }) => JSON.parse(data))
      .map(({ billing_attempt_id, reminder }) => [ids.indexOf(billing_attempt_id), reminder])
      .slice(count)
  }
  const remind = (now: Temporal.Instant, limit = 10) => inStore((ctx) => remindCustomers({ ...ctx, now }, limit))
  const set = (statement: ReturnType<typeof sql>) => inStore(({ tx }) => tx.run(statement))
  return { ...store, claimed, keys, ask, checkAt, remindAt, rows, told, remind, set }
}

test('a customer is reminded at each date of the store, once, and the charge is checked at the latest at the next', async () => {
  const { remind, checkAt, rows, told, remindAt, keys } = await aStoreThatWaits(1)
  assert.equal(await remind(hours(23)), 0)
  await checkAt(hours(24))
  assert.equal(await remind(hours(24)), 0, 'it is checked first')
  await checkAt()
  assert.equal(await remind(hours(24)), 1)
  const first = (await rows())[0]!
  assert.deepEqual([first.reminders, first.remindAt, first.checkAt], [1, hours(72), hours(72)])
  assert.equal(await remind(hours(25)), 0)
  // Looked at again before another date has passed.
  await remindAt(keys[0]!, hours(24))
  assert.equal(await remind(hours(25)), 1)
  assert.deepEqual([(await rows())[0]!.reminders, await told()], [1, [[0, 1]]])
  await checkAt()
  assert.equal(await remind(hours(72)), 1)
  const last = (await rows())[0]!
  assert.deepEqual([last.reminders, last.remindAt, last.checkAt], [2, null, hours(500)])
  assert.deepEqual(await told(), [
    [0, 1],
    [0, 2]
  ])
})

test('of several missed reminders the latest is sent, and none for a charge that is not wanted any more', async () => {
  const { remind, rows, told, set, storeId, claimed } = await aStoreThatWaits(2)
  await set(sql`
    update subscriptions set status = 'paused', next_billing_at = null, billing_due_at = null, paused_at = ${START}
     where store_id = ${storeId} and id = ${claimed[1]!.subscriptionId}`)
  assert.equal(await remind(hours(80)), 2)
  assert.deepEqual(
    (await rows()).map(({ reminders, remindAt }) => [reminders, remindAt]),
    [
      [2, null],
      [0, null]
    ]
  )
  assert.deepEqual(await told(), [[0, 2]])
})

test('as many customers are reminded as are wanted, those who wait for longest first, and nothing of the others changes', async () => {
  const { remind, rows, told, remindAt, keys } = await aStoreThatWaits(4)
  await remindAt(keys[2]!, hours(23))
  await remindAt(keys[3]!, hours(22))
  await remindAt(keys[1]!, hours(25))
  assert.equal(await remind(hours(24), 2), 2)
  assert.deepEqual(await told(), [
    [2, 1],
    [3, 1]
  ])
  assert.deepEqual(
    (await rows()).map((one) => [one.reminders, one.remindAt]),
    [
      [0, hours(24)],
      [0, hours(25)],
      [1, hours(72)],
      [1, hours(72)]
    ]
  )
  await remindAt(keys[1]!, hours(24))
  assert.equal(await remind(hours(24), 1), 1)
  assert.deepEqual((await told()).at(-1), [0, 1], 'the oldest of those of the same time')
})

test('subscriptions that somebody else holds are left for later, without a wait', async () => {
  const store = await aStoreThatWaits(2)
  const reminded = await atOnce(
    store,
    ({ tx, storeId }) =>
      tx.run(sql`
        select from subscriptions where store_id = ${storeId} and id = ${store.claimed[0]!.subscriptionId} for update`),
    (ctx) => remindCustomers({ ...ctx, now: hours(24) }, 10),
    () => assert.fail('it waits for another process')
  )
  assert.deepEqual(reminded, { status: 'fulfilled', value: 1 })
  assert.deepEqual(await store.told(), [[1, 1]])
})

test('the customer is asked once; another address replaces the first, and a payment that has to be confirmed again is asked for again', async () => {
  const { ask, keys, rows, told, set, storeId } = await aStoreThatWaits(1)
  await set(
    sql`update billing_attempts set remind_at = ${hours(30)}, platform_attempt_id = '7' where store_id = ${storeId}`
  )
  await ask(keys)
  await ask(keys, 'https://pay.example/other', '8')
  const known = { key: keys[0]!, reminders: 0, remindAt: hours(30), checkAt: hours(500), since: START }
  assert.deepEqual(await rows(), [{ ...known, url: 'https://pay.example/1' }], 'of another attempt it says nothing')
  await ask(keys, 'https://pay.example/2')
  assert.deepEqual([await rows(), await told()], [[{ ...known, url: 'https://pay.example/2' }], []])
  await ask(keys, 'https://pay.example/3', '7')
  assert.equal((await rows())[0]!.url, 'https://pay.example/3')
  // Confirmed, as a check has seen.
  await set(sql`
    update billing_attempts set action_required_at = null, remind_at = null where store_id = ${storeId}`)
  await ask(keys, 'https://pay.example/3')
  const again = (await rows())[0]!
  assert.deepEqual([await told(), again.remindAt, again.checkAt], [[[0, 0]], hours(24), hours(24)])
})
