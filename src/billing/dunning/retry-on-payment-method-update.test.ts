// Which charges a new payment method brings forward, and which it leaves alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bool, row, sql, text } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { aDueStore } from '../../../test/due-store.ts'
import { aSubscriptionLife, at } from '../../../test/subscription-life.ts'
import {
  listContractsAwaitingPaymentMethod,
  retryHeldCharges,
  retryWithNewMethod
} from './retry-on-payment-method-update.ts'
import { remainingBeside } from './retry-schedule.ts'

const { db } = await testDatabase()
const SECOND = '2026-02-28T15:00:00Z'
const HARD = 'EXPIRED_PAYMENT_METHOD'

async function aStoreOf(count: number) {
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
  /** Nothing falls due for this contract. */
  const hold = (contract: string) =>
    inStore(({ tx }) =>
      tx.run(sql`
        update subscriptions set billing_due_at = null, next_billing_at = null
         where store_id = ${storeId} and platform_contract_id = ${contract}`)
    )
  return { ...store, contracts, hold }
}

test('contracts that a new payment method can help are those of the customer that are held or were declined', async () => {
  const { inStore, storeId, contracts, hold } = await aStoreOf(5)
  const [held, declined, due, paused, ofAnother] = contracts as [string, string, string, string, string]
  for (const one of [paused, ofAnother, held]) await hold(one)
  await inStore(({ tx }) =>
    tx.run(sql`
      update subscriptions set declines = 1 where store_id = ${storeId} and platform_contract_id = ${declined}`)
  )
  await inStore(({ tx }) =>
    tx.run(sql`
      update subscriptions set status = 'paused', paused_at = updated_at
       where store_id = ${storeId} and platform_contract_id = ${paused}`)
  )
  // Contracts and customers have the same numbers here.
  const list = (...customers: string[]) => inStore((ctx) => listContractsAwaitingPaymentMethod(ctx, customers))
  assert.deepEqual(await list(paused, due, declined, held), [held, declined])
  assert.deepEqual(await list(ofAnother), [ofAnother])
})

async function aDecline(errorCode: string) {
  const life = await aSubscriptionLife(db)
  await life.goTo(SECOND)
  await life.bill()
  await life.decline(errorCode)
  const dates = async () => [
    (await life.read()).billingDueAt?.toString() ?? null,
    (await life.attempts()).at(-1)!.retryAt?.toString() ?? null
  ]
  return { ...life, dates }
}

test('a held charge is due at once, and the announced retry of a decline; a retry that waits for stock stays, and so does what is held for a person', async () => {
  const held = await aDecline(HARD)
  assert.deepEqual(await held.dates(), [null, null])
  await held.newCard()
  assert.deepEqual(await held.dates(), [SECOND, null])
  const declined = await aDecline('INSUFFICIENT_FUNDS')
  assert.ok((await declined.dates())[0]! > SECOND)
  await declined.newCard()
  assert.deepEqual(await declined.dates(), [SECOND, SECOND])
  for (const code of ['INSUFFICIENT_INVENTORY', 'AMOUNT_TOO_SMALL']) {
    const other = await aDecline(code)
    const before = await other.dates()
    await other.newCard()
    assert.deepEqual(await other.dates(), before, code)
  }
})

test('a cycle that was held for a person and has a date again is due at once', async () => {
  const life = await aDecline('INSUFFICIENT_FUNDS')
  await life.retry((await life.attempts())[0]!.id)
  await life.decline('AMOUNT_TOO_SMALL')
  await life.pause()
  await life.resume()
  assert.ok((await life.dates())[0]! > SECOND)
  await life.newCard()
  assert.equal((await life.dates())[0], SECOND)
})

test('an open attempt is marked where its subscription names another method, and nothing falls due beside it; not where it was stopped', async () => {
  for (const stop of [null, 'pause', 'cancel'] as const) {
    const life = await aSubscriptionLife(db)
    await life.goTo(SECOND)
    await life.bill()
    const isMarked = async () => {
      const { is } = await life.inStore(({ tx, storeId }) =>
        tx.one(
          row({ is: bool }),
          sql`select new_payment_method as is from billing_attempts where store_id = ${storeId}`
        )
      )
      return is
    }
    const before = await life.now()
    await life.inStore((ctx) => retryWithNewMethod(ctx, [life.id], []))
    assert.deepEqual([await isMarked(), await life.now()], [false, before])
    if (stop) await life[stop]()
    const { status } = await life.read()
    await life.inStore((ctx) => retryWithNewMethod(ctx, [], [life.id]))
    assert.deepEqual([await isMarked(), (await life.now())[4]], [status === 'active', null])
  }
})

test('only the contracts that are named are brought forward', async () => {
  const { inStore, storeId, contracts, hold } = await aStoreOf(2)
  for (const contract of contracts) await hold(contract)
  await inStore((ctx) => retryHeldCharges(ctx, [contracts[1]!]))
  const due = await inStore(({ tx }) =>
    tx.many(
      row({ id: text }),
      sql`select platform_contract_id as id from subscriptions where store_id = ${storeId} and billing_due_at is not null`
    )
  )
  assert.deepEqual(due, [{ id: contracts[1] }])
})

test('a manual attempt of a cycle that was never declined is followed by the whole schedule, one that waits for a card by nothing', () => {
  const dunning = { retryAfterDays: [2, 5], inventory: { retryAfterDays: [1] } }
  const remaining = (declines: number, retryAt: Temporal.Instant | null = null) =>
    remainingBeside(retryAt, { declines, inventoryFailures: 0 }, dunning)
  assert.deepEqual([remaining(0), remaining(1), remaining(1, at(SECOND))], [2, 0, 2])
})
