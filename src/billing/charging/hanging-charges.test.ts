// Calls of the platform that hang: they hold up no other charge, their outcome stays unknown, and nothing is charged twice.
import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { int, nullable, row, type Statement, sql, text } from '#kit/postgres'
import { createConnectors, type PlatformAttempt } from '#platform'
import { setClock } from '#stores'
import { type PlatformCall, startChargingPlatform } from '../../../test/charging-platform.ts'
import { connectorTo, withCalls } from '../../../test/connectors.ts'
import { testDatabase } from '../../../test/database.ts'
import { aDueStore } from '../../../test/due-store.ts'
import { submitAttempts } from '../../../test/submit-attempts.ts'
import { aSubscriptionLife } from '../../../test/subscription-life.ts'
import { until } from '../../../test/until.ts'
import { createBillingEngine } from '../billing-engine.ts'
import { claimAttempts } from './claims.ts'
import { openDueAttempts } from './open-attempts.ts'

const { db } = await testDatabase()
const DUE = Temporal.Instant.from('2026-02-28T15:00:00Z')
/** Longer than the tests take, so that no call ends by its time limit unless it is cut off. */
const timeoutMs = 120_000

async function aRun(subscriptions: number, hangs: (call: PlatformCall) => boolean) {
  const platform = await startChargingPlatform({ hangs })
  const connectors = createConnectors({ timeoutMs })
  after(() => {
    connectors.cutOff()
    platform.close()
  })
  const store = await aDueStore(db, { subscriptions, dueAt: DUE })
  const { storeId, inStore } = store
  const connector = connectors.to({ storeId, profile: 'platform', url: platform.url, accessToken: `${storeId}` })
  const engine = createBillingEngine({
    db,
    leaseOwner: 1,
    connectorOf: async () => connector,
    maxCallMs: connectors.maxCallMs,
    patience: { slowMs: 50, comeBackMs: 50 }
  })
  const counts = () =>
    inStore(({ tx }) =>
      tx.one(
        row({ paid: int, pending: int }),
        sql`select count(*) filter (where status = 'success') as paid,
                   count(*) filter (where status = 'pending') as pending
              from billing_attempts where store_id = ${storeId}`
      )
    )
  return {
    ...store,
    platform,
    connectors,
    counts,
    runOnce: () => engine.runOnce(storeId),
    endUnderWay: () => engine.endUnderWay!(storeId),
    /** Runs the engine until so many are paid. */
    untilPaid: (paid: number) =>
      until(`${paid} charges`, async () => {
        await engine.runOnce(storeId)
        return (await counts()).paid >= paid
      })
  }
}

const ofContract =
  (...ends: string[]) =>
  ({ variables }: PlatformCall) =>
    ends.some((end) => String(variables.contractId).endsWith(end))

test('charges that hang hold up no other, and stay pending when their calls end without an answer', async () => {
  const run = await aRun(70, ofContract('03', '17', '42'))
  await run.untilPaid(67)
  assert.equal(run.platform.hanging(), 3, 'they still hang while all others are paid')
  assert.deepEqual(await run.counts(), { paid: 67, pending: 3 })

  run.connectors.cutOff()
  await until('the outcomes are written', async () => {
    await run.runOnce()
    const { n } = await run.inStore(({ tx }) =>
      tx.one(
        row({ n: int }),
        sql`select count(*) as n from billing_attempts where store_id = ${run.storeId} and leased_until is not null`
      )
    )
    return n === 0
  })
  assert.deepEqual(await run.counts(), { paid: 67, pending: 3 })
  assert.ok([...run.platform.charges.values()].every((times) => times === 1))
  assert.equal(await run.runOnce(), 0, 'they are asked for again later, not at once')
})

test('what becomes due while a charge hangs is charged at once', async () => {
  const run = await aRun(3, ofContract('02'))
  await run.untilPaid(2)
  await run.inStore(({ tx }) =>
    tx.run(sql`update subscriptions set billing_due_at = ${DUE}
                where store_id = ${run.storeId} and billing_due_at > ${DUE}`)
  )
  await run.untilPaid(4)
  assert.equal(run.platform.hanging(), 1)
})

test('a store whose platform answers nothing has a bounded number of claims, and does not hold up another on the same host', async () => {
  const run = await aRun(150, () => true)
  const other = await aRun(40, () => false)
  await until('as many are claimed as may', async () => {
    await run.runOnce()
    return run.platform.hanging() >= 16
  })
  for (let turn = 0; turn < 8; turn++) await run.runOnce()
  const { n } = await run.inStore(({ tx }) =>
    tx.one(
      row({ n: int }),
      sql`select count(*) as n from billing_attempts where store_id = ${run.storeId} and leased_until is not null`
    )
  )
  assert.equal(n, 96, 'three times as many as are sent together')
  await other.untilPaid(40)
})

test('a charge that hangs when the service stops is cut off, and its lease ends with it', async () => {
  const run = await aRun(5, ofContract('04'))
  await run.untilPaid(4)
  const ended = run.endUnderWay()
  run.connectors.cutOff()
  await ended
  assert.deepEqual(await run.counts(), { paid: 4, pending: 1 })
  const { n } = await run.inStore(({ tx }) =>
    tx.one(
      row({ n: int }),
      sql`select count(*) as n from billing_attempts where store_id = ${run.storeId} and leased_until is not null`
    )
  )
  assert.equal(n, 0)
})

test('while the platform throttles, fewer attempts are claimed at once, and more again afterwards', async () => {
  const { storeId, inStore } = await aDueStore(db, { subscriptions: 150, dueAt: DUE })
  const platform = await startChargingPlatform()
  after(() => platform.close())
  const real = connectorTo({ storeId, profile: 'platform', url: platform.url, accessToken: 't' })
  let isThrottled = true
  const claimed: number[] = []
  let sent = 0
  const connector = withCalls(real, {
    billing: {
      createAttempts: async (requests) => {
        sent += requests.length
        return isThrottled
          ? requests.map(() => ({ ok: false, failure: { kind: 'throttled', message: 'No points', retryAfterMs: 10 } }))
          : real.billing.createAttempts(requests)
      }
    }
  })
  const engine = createBillingEngine({ db, leaseOwner: 1, connectorOf: async () => connector })
  const turn = async () => {
    sent = 0
    await engine.runOnce(storeId)
    claimed.push(sent)
  }
  await inStore((ctx) => openDueAttempts(ctx, 200))
  for (let n = 0; n < 5; n++) await turn()
  isThrottled = false
  for (let n = 0; n < 3; n++) await turn()
  assert.deepEqual(claimed, [32, 16, 8, 4, 2, 1, 2, 4])
})

test('graces, pauses, payment deadlines and reminders that end do not wait for the charges of a throttled store', async () => {
  const { storeId, inStore } = await aDueStore(db, { subscriptions: 45, dueAt: DUE })
  const access = { storeId, profile: 'platform' as const, url: 'http://127.0.0.1:9', accessToken: 'none' }
  const connector = withCalls(connectorTo(access), {
    billing: {
      createAttempts: async (requests) =>
        requests.map(() => ({ ok: false, failure: { kind: 'throttled', message: 'No points', retryAfterMs: 10 } }))
    }
  })
  const engine = createBillingEngine({ db, leaseOwner: 1, connectorOf: async () => connector })
  const [grace, pause, deadline, reminder, ...others] = await inStore(async (ctx) => {
    await openDueAttempts(ctx, 100)
    return ctx.tx.many(row({ id: int }), sql`select id from subscriptions where store_id = ${storeId} order by id`)
  })
  const free = [grace!, pause!, deadline!, reminder!].map(({ id }) => id)
  const set = (statement: Statement) => inStore(({ tx }) => tx.run(statement))
  await set(
    sql`delete from billing_attempts where store_id = ${storeId} and subscription_id = any(${free.slice(0, 3)}::bigint[])`
  )
  await set(sql`
    update subscriptions set status = 'cancelled', cancelled_at = ${DUE}, cancel_reason = 'other', grace_ends_at = ${DUE},
           next_billing_at = null where store_id = ${storeId} and id = ${grace!.id}`)
  await set(sql`
    update subscriptions set status = 'paused', paused_at = created_at, resumes_at = ${DUE}, next_billing_at = null
     where store_id = ${storeId} and id = ${pause!.id}`)
  await set(sql`
    update subscriptions set payment_method_deadline = ${DUE}, past_due_cycle = 2, declines = 1
     where store_id = ${storeId} and id = ${deadline!.id}`)
  await set(sql`
    update billing_attempts set platform_attempt_id = '1', submitted_at = ${DUE}, check_at = ${DUE.add({ hours: 1 })}, remind_at = ${DUE},
           action_required_at = ${DUE.subtract({ hours: 30 })}, action_url = 'https://pay.example/1'
     where store_id = ${storeId} and subscription_id = ${reminder!.id}`)
  const left = () =>
    inStore(({ tx }) =>
      tx.one(
        row({ graces: int, pauses: int, deadlines: int, reminders: int, waiting: int }),
        sql`select count(*) filter (where s.grace_ends_at is not null) as graces, count(*) filter (where s.resumes_at is not null) as pauses,
                   count(*) filter (where s.payment_method_deadline is not null) as deadlines,
                   (select count(*) from billing_attempts where store_id = ${storeId} and remind_at <= ${DUE}) as reminders,
                   (select count(*) from billing_attempts where store_id = ${storeId} and check_at <= ${DUE}) as waiting
              from subscriptions s where s.store_id = ${storeId}`
      )
    )
  assert.deepEqual(await left(), { graces: 1, pauses: 1, deadlines: 1, reminders: 1, waiting: others.length })
  await engine.runOnce(storeId)
  const { waiting, ...ended } = await left()
  assert.ok(waiting > 0, 'charges still wait')
  assert.deepEqual(ended, { graces: 0, pauses: 0, deadlines: 0, reminders: 0 })
})

test('of attempts that are read together, one that cannot be read holds up no other', async () => {
  const { storeId, inStore } = await aDueStore(db, { subscriptions: 3, dueAt: DUE })
  const platform = await startChargingPlatform()
  after(() => platform.close())
  const real = connectorTo({ storeId, profile: 'platform', url: platform.url, accessToken: 't' })
  const paid = new Map<string, PlatformAttempt>()
  let reads: string[][] = []
  const connector = withCalls(real, {
    billing: {
      // The platform pays each charge later: at first it is pending.
      createAttempts: async (requests) => {
        const results = await real.billing.createAttempts(requests)
        return results.map((result) => {
          if (!result.ok) return result
          paid.set(result.value.id, result.value)
          return { ok: true, value: { ...result.value, state: 'pending', order: null } }
        })
      },
      findAttempts: async (ids) => {
        reads.push(ids)
        const bad = [...paid.keys()][0]!
        if (ids.includes(bad)) return { ok: false, failure: { kind: 'unavailable', message: 'It hangs' } }
        return { ok: true, value: new Map(ids.map((id) => [id, paid.get(id)!])) }
      }
    }
  })
  await inStore((ctx) => openDueAttempts(ctx, 10))
  await submitAttempts(db, storeId, connector, 1)
  reads = []
  await inStore((ctx) => setClock(ctx, DUE.add({ minutes: 11 })))
  await submitAttempts(db, storeId, connector, 1)
  assert.deepEqual(
    reads.map((ids) => ids.length),
    [3, 1, 1, 1]
  )
  const statuses = await inStore(({ tx }) =>
    tx.many(row({ status: text }), sql`select status from billing_attempts where store_id = ${storeId} order by status`)
  )
  assert.deepEqual(
    statuses.map(({ status }) => status),
    ['pending', 'success', 'success']
  )
})

/**
 * A retry whose search for the first charge lasts `tookMs` of a claim of 60 s, in which `meanwhile` happens: how often it is
 * sent.
 */
async function afterSlowSearch(
  t: TestContext,
  tookMs: number,
  meanwhile: (life: Awaited<ReturnType<typeof aSubscriptionLife>>) => Promise<unknown> = async () => {}
) {
  const life = await aSubscriptionLife(db)
  await life.goTo('2026-02-28T15:00:00Z')
  await life.bill()
  await life.decline('INSUFFICIENT_FUNDS')
  const [{ id }] = (await life.attempts()) as unknown as [{ id: number }]
  await life.retry(id)
  await life.inStore(({ tx }) =>
    tx.run(sql`update billing_attempts set check_at = scheduled_at, leased_until = null
                where store_id = ${life.storeId} and status = 'pending'`)
  )
  const lastAttempt = async () => {
    const [last] = await life.inStore(({ tx }) =>
      tx.many(
        row({ status: text, leasedSeconds: nullable(int), leaseToken: int }),
        sql`select status, extract(epoch from leased_until - statement_timestamp())::int as leased_seconds, lease_token
              from billing_attempts where store_id = ${life.storeId} order by id desc`
      )
    )
    return last!
  }
  const sentWith: number[] = []
  let hasSearched = false
  const now = performance.now.bind(performance)
  const access = { storeId: life.storeId, profile: 'platform' as const, url: 'http://127.0.0.1:9', accessToken: 'none' }
  const connector = withCalls(connectorTo(access), {
    billing: {
      findAttemptsByKeys: async () => {
        if (hasSearched) return { ok: true, value: [] }
        hasSearched = true
        t.mock.method(performance, 'now', () => now() + tookMs)
        await life.inStore(({ tx, storeId }) =>
          tx.run(sql`update billing_attempts set leased_until = leased_until - ${tookMs} * interval '1 millisecond'
                      where store_id = ${storeId} and status = 'pending'`)
        )
        await meanwhile(life)
        return { ok: true, value: [] }
      },
      createAttempts: async (requests) => {
        sentWith.push((await lastAttempt()).leasedSeconds!)
        return requests.map(() => ({
          ok: false,
          failure: { kind: 'unavailable', message: 'No', outcomeUnknown: true }
        }))
      }
    }
  })
  assert.ok((await submitAttempts(db, life.storeId, connector, 2)) > 0)
  t.mock.restoreAll()
  return { sentWith, last: await lastAttempt() }
}

for (const tookMs of [9_000, 11_000, 50_000, 200_000]) {
  test(`a charge whose search took ${tookMs / 1000} s is sent under a claim that outlasts its call`, async (t) => {
    const { sentWith, last } = await afterSlowSearch(t, tookMs)
    assert.equal(sentWith.length, 1)
    assert.ok(sentWith[0]! >= 45, `leased for ${sentWith[0]} s`)
    assert.deepEqual([last.status, last.leasedSeconds], ['pending', null])
  })
}

test('a charge is not sent after a slow search when another process has claimed it, its store is held, or it is wanted no more', async (t) => {
  const claimed = await afterSlowSearch(t, 200_000, (life) => life.inStore((ctx) => claimAttempts(ctx, 10, 3)))
  assert.deepEqual(claimed.sentWith, [])
  assert.ok(claimed.last.leasedSeconds! > 45, 'the claim of the other process stays')
  const held = await afterSlowSearch(t, 11_000, (life) =>
    life.inStore(({ tx, storeId }) => tx.run(sql`update stores set restored_at = now() where store_id = ${storeId}`))
  )
  assert.deepEqual(held.sentWith, [])
  const paused = await afterSlowSearch(t, 11_000, (life) => life.pause())
  assert.deepEqual(paused.sentWith, [])
})
