// When billing has work in a store: by each of its dates, and for as long as nobody else has it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dueStores } from '#kit/engines'
import { instant, int, row, type Statement, sql, text } from '#kit/postgres'
import { listAlerts } from '#stores'
import { testDatabase } from '../../test/database.ts'
import { aDueStore } from '../../test/due-store.ts'
import { at } from '../../test/subscription-life.ts'
import { createBillingEngine } from './billing-engine.ts'
import { openDueAttempts } from './charging/open-attempts.ts'
import { aPlatform, reported } from './charging/platform-of-attempts.test-helper.ts'
import { settleAttempts } from './settling/settle-attempts.ts'

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

/** A store whose subscriptions rest, with an engine, and the charges that its platform got. */
async function aStoreThatRuns(subscriptions: number) {
  const store = await aDueStore(db, { subscriptions, dueAt: DUE })
  const { inStore, storeId } = store
  const { connector, asked } = aPlatform([], { charge: (key) => reported(key, 'pending', key) })
  const engine = createBillingEngine({ db, leaseOwner: 1, connectorOf: async () => connector })
  const ids = (
    await inStore(({ tx }) =>
      tx.many(row({ id: int }), sql`select id from subscriptions where store_id = ${storeId} order by id`)
    )
  ).map(({ id }) => id)
  const write = (statement: ReturnType<typeof sql>) => inStore(({ tx }) => tx.run(statement))
  const hold = (...some: number[]) =>
    write(sql`
      update subscriptions set billing_due_at = null, next_billing_at = null
       where store_id = ${storeId} and id = any(${some}::bigint[])`)
  return { ...store, ids, write, hold, asked, run: () => engine.runOnce(storeId), engine }
}

type Running = Awaited<ReturnType<typeof aStoreThatRuns>>

/** What else can be due for a subscription, and how it shows that it was done. */
const others: Record<string, { make: (store: Running, id: number) => Promise<unknown>; isDone: string }> = {
  'the end of a grace period': {
    make: ({ write, storeId }, id) =>
      write(sql`
        update subscriptions set status = 'cancelled', cancelled_at = ${DUE}, cancel_reason = 'other', grace_ends_at = ${DUE}
         where store_id = ${storeId} and id = ${id}`),
    isDone: 'cancelled -'
  },
  'the end of a wait for a card': {
    make: ({ write, storeId }, id) =>
      write(sql`update subscriptions set payment_method_deadline = ${DUE} where store_id = ${storeId} and id = ${id}`),
    isDone: 'cancelled -'
  },
  'the end of a pause': {
    make: ({ write, storeId }, id) =>
      write(sql`
        update subscriptions set status = 'paused', paused_at = ${DUE.subtract({ hours: 1 })}, resumes_at = ${DUE}
         where store_id = ${storeId} and id = ${id}`),
    isDone: 'active -'
  },
  'a reminder': {
    make: ({ write, storeId }, id) =>
      write(sql`
        insert into billing_attempts (store_id, subscription_id, cycle_index, attempt_number, status, idempotency_key,
          amount_minor, currency, cycle_at, attempts_remaining, scheduled_at, submitted_at, check_at, remind_at,
          action_required_at, action_url, created_at)
        values (${storeId}, ${id}, 2, 1, 'pending', 'waits', 2900, 'USD', ${DUE}, 0, ${DUE}, ${DUE}, ${minutes(60)}, ${DUE},
          ${DUE.subtract({ hours: 24 })}, 'https://pay.example/1', ${DUE})`),
    isDone: 'active 1'
  }
}

const stateOf = ({ inStore, storeId }: Running, id: number) =>
  inStore(async ({ tx }) => {
    const { is } = await tx.one(
      row({ is: text }),
      sql`
      select s.status || ' ' || coalesce((select max(a.action_reminders)::text from billing_attempts a
                                           where a.store_id = ${storeId} and a.subscription_id = s.id), '-') as is
        from subscriptions s where s.store_id = ${storeId} and s.id = ${id} and s.grace_ends_at is null
         and s.payment_method_deadline is null and s.resumes_at is null`
    )
    return is
  })

for (const [what, { make, isDone }] of Object.entries(others)) {
  test(`one run does ${what}, and opens and sends what is due`, async () => {
    const store = await aStoreThatRuns(2)
    const [other] = store.ids as [number, number]
    await store.hold(other)
    await make(store, other)
    await store.run()
    assert.equal(await stateOf(store, other), isDone)
    assert.equal(store.asked.length, 1)
  })
}

test('a run counts what it has opened, claimed and written; where nothing is due it does nothing and asks for no connector', async () => {
  const { run, hold, ids, asked, write, storeId } = await aStoreThatRuns(2)
  await hold(ids[1]!)
  assert.deepEqual([await run(), asked.length], [3, 1])
  // The charge is to be checked later.
  const idle = createBillingEngine({ db, leaseOwner: 1, connectorOf: () => assert.fail('nothing is to be sent') })
  assert.equal(await idle.runOnce(storeId), 0)
  await write(sql`update billing_attempts set check_at = ${minutes(-1)} where store_id = ${storeId}`)
  await assert.rejects(idle.runOnce(storeId), /nothing is to be sent/)
})

test('an answer that comes when a message has ended its charge is taken all the same', async () => {
  const { storeId, inStore } = await aDueStore(db, { subscriptions: 1, dueAt: DUE })
  const { promise, resolve } = Promise.withResolvers<void>()
  const { connector, asked } = aPlatform([], { charge: (key) => reported('2', 'success', key) })
  const billing: typeof connector.billing = {
    ...connector.billing,
    createAttempts: async (requests) => {
      const made = await connector.billing.createAttempts(requests)
      await promise
      return made
    }
  }
  const engine = createBillingEngine({
    db,
    leaseOwner: 1,
    connectorOf: async () => ({ ...connector, billing }),
    patience: { comeBackMs: 20 }
  })
  await engine.runOnce(storeId)
  const idempotencyKey = asked[0]!.replace('charge ', '')
  const first = { idempotencyKey, platformAttemptId: '1', state: 'success' as const, order: null, paymentMethod: null }
  assert.equal(await inStore((ctx) => settleAttempts(ctx, [first])), 1)
  resolve()
  assert.equal(await engine.runOnce(storeId), 1)
  const { alerts } = await inStore((ctx) => listAlerts(ctx))
  assert.deepEqual(
    alerts.map(({ kind }) => kind),
    ['charged_twice']
  )
})

test('while as many charges wait as may be sent at once no cycle is opened, and all else that is due is done', async () => {
  const store = await aStoreThatRuns(36)
  const { run, hold, ids, asked, inStore, write, storeId } = store
  const [grace, due] = ids as [number, number]
  await hold(grace, due)
  await inStore((ctx) => openDueAttempts(ctx, 100))
  await others['the end of a grace period']!.make(store, grace)
  await write(sql`
    update subscriptions set billing_due_at = ${DUE}, next_billing_at = ${DUE} where store_id = ${storeId} and id = ${due}`)
  assert.equal(await run(), 32 + 32 + 1, 'claimed, answered, and the end of the grace period')
  assert.deepEqual([asked.length, await stateOf(store, grace)], [32, 'cancelled -'])
  const isOpened = async () => {
    const { count } = await inStore(({ tx }) =>
      tx.one(
        row({ count: int }),
        sql`select count(*) as count from billing_attempts where store_id = ${storeId} and subscription_id = ${due}`
      )
    )
    return count === 1
  }
  assert.equal(await isOpened(), false)
  await run()
  assert.deepEqual([asked.length, await isOpened()], [35, true])
})
