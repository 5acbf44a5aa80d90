// When billing has work in a store: by each of its dates, and for as long as nobody else has it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dueStores } from '#kit/engines'
import { instant, int, row, type Statement, sql } from '#kit/postgres'
import { testDatabase } from '../../test/database.ts'
import { aDueStore } from '../../test/due-store.ts'
import { at } from '../../test/subscription-life.ts'
import { createBillingEngine } from './billing-engine.ts'
import { openDueAttempts } from './charging/open-attempts.ts'

const { db } = await testDatabase()
const DUE = at('2026-02-28T15:00:00Z')
const minutes = (n: number) => DUE.add({ minutes: n })

/** A store with two subscriptions that nothing falls due for, of which `write` changes one. */
async function aQuietStore() {
  const store = await aDueStore(db, { subscriptions: 2, dueAt: DUE })
  const { inStore, storeId } = store
  const ids = (
    await inStore(({ tx }) =>
      tx.many(row({ id: int }), sql`select id from subscriptions where store_id = ${storeId} order by id`)
    )
  ).map(({ id }) => id) as [number, number]
  const engine = createBillingEngine({ db, leaseOwner: 1, connectorOf: () => assert.fail('nothing is to be sent') })
  const write = (statement: ReturnType<typeof sql>) => inStore(({ tx }) => tx.run(statement))
  const rest = () =>
    write(sql`
      update subscriptions
         set status = 'active', billing_due_at = null, next_billing_at = null, payment_method_deadline = null,
             resumes_at = null, paused_at = null, cancelled_at = null, cancel_reason = null, grace_ends_at = null
       where store_id = ${storeId}`)
  /** The instants of what is due until then, oldest first. */
  const dueUntil = async (until: Temporal.Instant) => {
    const statement: Statement = engine.due(dueStores([{ storeId, until: until.toString() }]))
    const found = await db.acrossStores.many(row({ storeId: int, dueAt: instant }), statement)
    assert.ok(found.every((one) => one.storeId === storeId))
    return found.map(({ dueAt }) => dueAt).sort(Temporal.Instant.compare)
  }
  await rest()
  return { ...store, ids, engine, write, rest, dueUntil, next: () => engine.nextDueAt(storeId) }
}

test('a store has work from the first of its dates on: of a charge, the end of a pause, of a grace period, of a wait for a card', async () => {
  const { storeId, ids, write, rest, dueUntil, next } = await aQuietStore()
  assert.deepEqual([await dueUntil(minutes(99)), await next()], [[], null])
  const dates: Record<string, (id: number, when: Temporal.Instant) => Promise<unknown>> = {
    'a charge': (id, when) =>
      write(sql`
        update subscriptions set billing_due_at = ${when}, next_billing_at = ${when} where store_id = ${storeId} and id = ${id}`),
    'the end of a pause': (id, when) =>
      write(sql`
        update subscriptions set status = 'paused', paused_at = ${DUE}, resumes_at = ${when}
         where store_id = ${storeId} and id = ${id}`),
    'the end of a grace period': (id, when) =>
      write(sql`
        update subscriptions set status = 'cancelled', cancelled_at = ${DUE}, cancel_reason = 'other', grace_ends_at = ${when}
         where store_id = ${storeId} and id = ${id}`),
    'a deadline': (id, when) =>
      write(sql`
        update subscriptions set payment_method_deadline = ${when} where store_id = ${storeId} and id = ${id}`)
  }
  for (const [what, set] of Object.entries(dates)) {
    await rest()
    await set(ids[0], minutes(9))
    await set(ids[1], minutes(5))
    assert.deepEqual(await dueUntil(minutes(4)), [], what)
    assert.deepEqual(await dueUntil(minutes(5)), [minutes(5)], what)
    assert.deepEqual(await dueUntil(minutes(10)), [minutes(5)], what)
    assert.deepEqual(await next(), minutes(5), what)
  }
})

test('a store has work when an attempt is to be checked that nobody has claimed, and when a customer is to be reminded', async () => {
  const { storeId, inStore, write, rest, dueUntil, next } = await aQuietStore()
  await write(
    sql`update subscriptions set billing_due_at = ${DUE}, next_billing_at = ${DUE} where store_id = ${storeId}`
  )
  await inStore((ctx) => openDueAttempts(ctx, 10))
  await rest()
  await write(sql`
    update billing_attempts a set check_at = ${minutes(5)} where store_id = ${storeId} and id = (
      select max(id) from billing_attempts where store_id = ${storeId})`)
  assert.deepEqual(await next(), DUE)
  await write(
    sql`update billing_attempts set check_at = ${minutes(9)} where store_id = ${storeId} and check_at = ${DUE}`
  )
  assert.deepEqual([await dueUntil(minutes(4)), await dueUntil(minutes(5))], [[], [minutes(5)]])
  assert.deepEqual([await dueUntil(minutes(10)), await next()], [[minutes(5)], minutes(5)])
  // What is claimed counts when its claim is over.
  await write(sql`
    update billing_attempts set leased_until = statement_timestamp() + interval '1 hour'
     where store_id = ${storeId} and check_at = ${minutes(5)}`)
  assert.deepEqual(await dueUntil(minutes(10)), [minutes(9)])
  await write(sql`
    update billing_attempts set leased_until = statement_timestamp() - interval '1 second'
     where store_id = ${storeId} and check_at = ${minutes(5)}`)
  assert.deepEqual(await dueUntil(minutes(10)), [minutes(5)])

  await write(
    sql`update billing_attempts set action_required_at = ${DUE}, remind_at = check_at - interval '4 minutes' where store_id = ${storeId}`
  )
  assert.deepEqual([await dueUntil(DUE), await dueUntil(minutes(1))], [[], [minutes(1)]])
  assert.deepEqual([await dueUntil(minutes(6)), await next()], [[minutes(1), minutes(5)], minutes(1)])
})
