// Payments of our contracts that no attempt of ours has made.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { row, sql, text } from '#kit/postgres'
import { listAlerts } from '#stores'
import { lockSubscriptionsOfContracts } from '#subscriptions'
import { atOnce } from '../../../test/at-once.ts'
import { testDatabase } from '../../../test/database.ts'
import { aDueStore } from '../../../test/due-store.ts'
import { aSubscriptionLife, at } from '../../../test/subscription-life.ts'
import { adoptPayments } from './adopt-payments.ts'

const { db } = await testDatabase()
const SECOND = '2026-02-28T15:00:00Z'
const THIRD = '2026-03-31T14:00:00Z'
const FOURTH = '2026-04-30T14:00:00Z'

const payment = (contractId: string, id: string, when: string) => ({
  idempotencyKey: `staff-${id}`,
  platformAttemptId: id,
  of: { contractId, originAt: at(when), createdAt: at(when) },
  state: 'success' as const,
  order: null,
  paymentMethod: null
})

test('of two payments of a contract the older pays the older cycle, in whatever order they are reported', async () => {
  const life = await aSubscriptionLife(db)
  await life.goTo(THIRD)
  const { id } = life.contract
  const reported = [payment(id, '902', THIRD), payment(id, '901', SECOND)]
  assert.equal(await life.inStore((ctx) => adoptPayments(ctx, reported)), 2)
  assert.deepEqual((await life.now()).slice(0, 3), ['active', 3, 4])
  const paid = await life.inStore(({ tx, storeId }) =>
    tx.many(
      row({ is: text }),
      sql`select cycle_index || ' ' || platform_attempt_id as is from billing_attempts where store_id = ${storeId} order by id`
    )
  )
  assert.deepEqual(
    paid.map(({ is }) => is),
    ['2 901', '3 902']
  )
  assert.deepEqual([await life.alerts(), (await life.now())[4]], [[], FOURTH])
})

test('a payment for a paused subscription, or for a time that is paid, counts for no cycle and is reported once', async () => {
  for (const isPaused of [true, false]) {
    const life = await aSubscriptionLife(db)
    await life.goTo(SECOND)
    if (isPaused) await life.pause()
    const before = await life.now()
    const one = payment(life.contract.id, '901', isPaused ? SECOND : '2026-01-31T15:00:00Z')
    for (let times = 0; times < 2; times++) assert.equal(await life.inStore((ctx) => adoptPayments(ctx, [one])), 0)
    assert.deepEqual([await life.now(), await life.attempts(), await life.alerts()], [before, [], ['paid_outside']])
  }
})

test('a payment is known by what its own subscription has of it, also where it stands beside an open attempt', async () => {
  const { inStore, storeId } = await aDueStore(db, { subscriptions: 2, dueAt: at(SECOND) })
  const contracts = await inStore(({ tx }) =>
    tx.many(
      row({ id: text }),
      sql`select platform_contract_id as id from subscriptions where store_id = ${storeId} order by id`
    )
  )
  const [one, two] = contracts.map(({ id }) => id) as [string, string]
  assert.equal(await inStore((ctx) => adoptPayments(ctx, [payment(one, '901', SECOND)])), 1)
  assert.equal(await inStore((ctx) => adoptPayments(ctx, [payment(one, '901', SECOND)])), 0)
  const { alerts } = await inStore((ctx) => listAlerts(ctx))
  assert.deepEqual(alerts, [], 'what is known is not reported')
  const unknown = [payment('1', '903', SECOND), payment(two, '901', SECOND)]
  assert.equal(await inStore((ctx) => adoptPayments(ctx, unknown)), 1, 'that of the other subscription')

  const life = await aSubscriptionLife(db)
  await life.goTo(SECOND)
  await life.bill()
  await life.inStore(({ tx, storeId: id }) =>
    tx.run(sql`update billing_attempts set other_payment_id = '905' where store_id = ${id}`)
  )
  assert.equal(await life.inStore((ctx) => adoptPayments(ctx, [payment(life.contract.id, '905', SECOND)])), 0)
  assert.deepEqual([(await life.attempts()).length, await life.alerts()], [1, []])
  assert.equal(await life.inStore((ctx) => adoptPayments(ctx, [payment(life.contract.id, '906', SECOND)])), 0)
  assert.deepEqual([(await life.attempts()).length, await life.alerts()], [2, ['paid_outside']])
})

test('payments of several contracts lock their subscriptions at once and in order', async () => {
  const { inStore, storeId } = await aDueStore(db, { subscriptions: 2, dueAt: at(SECOND) })
  const contracts = await inStore(({ tx }) =>
    tx.many(
      row({ id: text }),
      sql`select platform_contract_id as id from subscriptions where store_id = ${storeId} order by id`
    )
  )
  const [low, high] = contracts.map(({ id }) => id) as [string, string]
  // That of the later contract is older, and is looked at first.
  const payments = [payment(high, '902', '2026-02-28T14:00:00Z'), payment(low, '901', SECOND)]
  const adopted = await atOnce(
    { inStore },
    (ctx) => lockSubscriptionsOfContracts(ctx, [low]),
    (ctx) => adoptPayments(ctx, payments),
    // Who waits for the first holds nothing of the second.
    ({ tx }) =>
      tx.run(sql`
        select from subscriptions where store_id = ${storeId} and platform_contract_id = ${high} for update nowait`)
  )
  assert.deepEqual(adopted, { status: 'fulfilled', value: 2 })
})
