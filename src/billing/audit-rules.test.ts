// What the auditor says of charges: of which rows, in which order, and at most a hundred of each kind.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audit, auditWarnings } from '#audit'
import { changeCredits } from '#credits'
import { int, row, sql } from '#kit/postgres'
import { setClock } from '#stores'
import { testDatabase } from '../../test/database.ts'
import { aDueStore } from '../../test/due-store.ts'
import { at } from '../../test/subscription-life.ts'
import { datesOnAnchor } from './audit-rules.ts'

const { db } = await testDatabase()
const DUE = at('2026-02-28T15:00:00Z')

async function aStoreOf(subscriptions: number) {
  const store = await aDueStore(db, { subscriptions, dueAt: DUE })
  const { inStore, storeId } = store
  const ids = async (table: 'subscriptions' | 'billing_attempts') => {
    const found = await inStore(({ tx }) =>
      tx.many(
        row({ id: int }),
        table === 'subscriptions'
          ? sql`select id from subscriptions where store_id = ${storeId} order by id`
          : sql`select id from billing_attempts where store_id = ${storeId} order by id`
      )
    )
    return found.map(({ id }) => `${table === 'subscriptions' ? 'sub' : 'ba'}_${id}`)
  }
  const write = (...statements: ReturnType<typeof sql>[]) =>
    inStore(async ({ tx }) => {
      for (const statement of statements) await tx.run(statement)
    })
  /** The subjects of what a rule finds, and how many things it has looked at. */
  const look = async (rule: string) => {
    const { findings, checked } = await inStore(audit)
    const all = [...findings, ...(await inStore(auditWarnings))]
    return {
      found: all.filter(({ check }) => check === rule).map(({ subject }) => subject),
      checked: checked[rule as keyof typeof checked]
    }
  }
  const found = async (rule: string) => (await look(rule)).found
  return { ...store, ids, write, look, found }
}

test('of each kind a hundred are named, the oldest first', async () => {
  const { inStore, storeId, ids, write, found } = await aStoreOf(101)
  const subscriptions = await ids('subscriptions')
  const firstOf = (all: string[]) => all.slice(0, 100)
  await inStore((ctx) => setClock(ctx, DUE.add({ hours: 2 })))
  // The last is due for longest.
  await write(sql`
    update subscriptions set billing_due_at = billing_due_at - id * interval '1 millisecond' where store_id = ${storeId}`)
  assert.deepEqual(await found('charges_not_missed'), firstOf(subscriptions.toReversed()))
  await write(sql`update subscriptions set billing_due_at = null where store_id = ${storeId}`)
  assert.deepEqual(await found('active_subscriptions_scheduled'), firstOf(subscriptions))

  await write(sql`
    insert into billing_attempts (store_id, subscription_id, cycle_index, attempt_number, status, idempotency_key, amount_minor,
      currency, cycle_at, attempts_remaining, scheduled_at, submitted_at, check_at, created_at)
    select store_id, id, 2, 1, 'pending', 'one-' || id, 2900, 'USD', ${DUE}, 0, ${DUE.subtract({ hours: 200 })}, ${DUE}, ${DUE}, ${DUE}
      from subscriptions where store_id = ${storeId} order by id`)
  const attempts = await ids('billing_attempts')
  assert.deepEqual(await found('outcomes_known'), firstOf(attempts))
  assert.deepEqual(await found('attempt_events_complete'), firstOf(attempts))
  await write(sql`
    update billing_attempts set status = 'failed', error_code = 'invalid_order', completed_at = ${DUE}, check_at = null
     where store_id = ${storeId}`)
  assert.deepEqual(await found('charges_held'), firstOf(subscriptions))
  assert.deepEqual(await found('charge_reversed'), [])

  await write(sql`
    update billing_attempts set status = 'success', error_code = null, credit_minor = 500, charged_after_stop = true,
           reversed_at = ${DUE} where store_id = ${storeId}`)
  assert.deepEqual(await found('charged_after_stop'), firstOf(attempts))
  assert.deepEqual(await found('charge_reversed'), firstOf(attempts))
  assert.deepEqual(await found('cycle_credits_issued'), firstOf(attempts.toSorted()))
  await write(sql`
    insert into billing_attempts (store_id, subscription_id, cycle_index, attempt_number, status, idempotency_key, amount_minor,
      currency, cycle_at, attempts_remaining, scheduled_at, submitted_at, completed_at, error_code, late_success_at,
      platform_attempt_id, created_at)
    select store_id, subscription_id, 2, 2, 'failed', 'two-' || subscription_id, 2900, 'USD', ${DUE}, 0, ${DUE}, ${DUE}, ${DUE},
           'superseded', ${DUE}, subscription_id::text, ${DUE}
      from billing_attempts where store_id = ${storeId} order by id`)
  assert.deepEqual(await found('charged_twice'), firstOf((await ids('billing_attempts')).slice(101)))
})

test('a date that the first day does not give is found, unless a try or a change of its cycle has set it', async () => {
  const { inStore, storeId, ids, write } = await aStoreOf(8)
  const subscriptions = await ids('subscriptions')
  const id = (n: number) => Number(subscriptions[n]!.slice(4))
  const attempt = (n: number, cycle: number) => sql`
    insert into billing_attempts (store_id, subscription_id, cycle_index, attempt_number, status, idempotency_key, amount_minor,
      currency, cycle_at, attempts_remaining, scheduled_at, submitted_at, completed_at, error_code, created_at)
    values (${storeId}, ${id(n)}, ${cycle}, 1, 'failed', ${`key-${n}`}, 2900, 'USD', ${DUE}, 0, ${DUE}, ${DUE}, ${DUE}, 'voided', ${DUE})`
  await write(
    sql`update subscriptions set next_billing_at = next_billing_at + interval '1 day' where store_id = ${storeId} and id <> ${id(7)}`,
    sql`update subscriptions set declines = 1 where store_id = ${storeId} and id = ${id(1)}`,
    sql`update subscriptions set inventory_failures = 1 where store_id = ${storeId} and id = ${id(2)}`,
    sql`update subscriptions set past_due_cycle = 1 where store_id = ${storeId} and id = ${id(3)}`,
    sql`update subscriptions set status = 'paused', paused_at = ${DUE}, next_billing_at = null, billing_due_at = null
         where store_id = ${storeId} and id = ${id(4)}`,
    attempt(5, 2),
    attempt(6, 1)
  )
  const { wrong, counted } = await inStore((ctx) => datesOnAnchor.check(ctx))
  assert.deepEqual([wrong.map(({ subject }) => subject), counted], [[subscriptions[0], subscriptions[6]], 3])
})

test('a payment counts as a second one of its own cycle only, a held charge of its own cycle only, and issued credit as issued', async () => {
  const { inStore, storeId, ids, write, look, found } = await aStoreOf(2)
  const [one, two] = (await ids('subscriptions')).map((id) => Number(id.slice(4))) as [number, number]
  const attempt = (whose: number, cycle: number, number: number, status: 'failed' | 'success', isLate = false) => sql`
    insert into billing_attempts (store_id, subscription_id, cycle_index, attempt_number, status, idempotency_key, amount_minor,
      currency, cycle_at, attempts_remaining, scheduled_at, submitted_at, completed_at, error_code, late_success_at,
      platform_attempt_id, created_at)
    values (${storeId}, ${whose}, ${cycle}, ${number}, ${status}, ${`${whose}-${cycle}-${number}`}, 2900, 'USD', ${DUE}, 0, ${DUE}, ${DUE},
      ${DUE}, ${status === 'failed' ? 'invalid_order' : null}, ${isLate ? DUE : null}, ${`9${whose}${cycle}${number}`}, ${DUE})`
  await write(
    sql`update subscriptions set billing_due_at = null where store_id = ${storeId}`,
    attempt(one, 1, 1, 'success'),
    attempt(one, 2, 1, 'failed', true),
    attempt(one, 2, 2, 'failed'),
    attempt(two, 1, 2, 'failed'),
    attempt(two, 2, 1, 'success')
  )
  assert.deepEqual(await found('charged_twice'), [])
  assert.deepEqual(await found('charges_held'), [`sub_${one}`])
  assert.deepEqual(await look('cycles_charged_once'), { found: [], checked: 2 })
  assert.deepEqual(await look('active_subscriptions_scheduled'), { found: [`sub_${two}`], checked: 2 })
  await write(sql`
    update subscriptions set status = 'paused', paused_at = ${DUE}, next_billing_at = null
     where store_id = ${storeId} and id = ${two}`)
  assert.deepEqual(await look('active_subscriptions_scheduled'), { found: [], checked: 1 })
  assert.equal((await look('cycle_credits_issued')).checked, 0)
  const [paid] = await ids('billing_attempts')
  await write(
    sql`update billing_attempts set credit_minor = 500 where store_id = ${storeId} and id = ${Number(paid!.slice(3))}`
  )
  assert.deepEqual(await look('cycle_credits_issued'), { found: [paid], checked: 1 })
  const { memberId } = await inStore(({ tx }) =>
    tx.one(row({ memberId: int }), sql`select member_id from subscriptions where store_id = ${storeId} and id = ${one}`)
  )
  const credit = { memberId, amountMinor: 500, type: 'membership_charge' as const, reason: 'charge' }
  await inStore((ctx) =>
    changeCredits(ctx, [
      { ...credit, operationId: `charge:${paid}` },
      { ...credit, operationId: 'gift:1' }
    ])
  )
  assert.deepEqual(await found('cycle_credits_issued'), [])
})
