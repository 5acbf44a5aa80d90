import assert from 'node:assert/strict'
import { test } from 'node:test'
import { upsertFromContracts } from '#contracts'
import { type Ctx, instant, int, json, nullable, row, sql, text } from '#kit/postgres'
import { cancelSubscription, pauseSubscription } from '#lifecycle'
import type { PlatformContract } from '#platform'
import { setClock } from '#stores'
import { findSubscriptionByContract, lockSubscriptions } from '#subscriptions'
import { resumeEndedPauses } from '#subscriptions/for-billing'
import { aContract, anOrder } from '../../test/contract-builder.ts'
import { testDatabase } from '../../test/database.ts'
import { aStore, type BuiltStore } from '../../test/store-builder.ts'
import { claimAttempts } from './charging/claims.ts'
import { openDueAttempts } from './charging/open-attempts.ts'
import { settleAttempts } from './settling/settle-attempts.ts'

const { db } = await testDatabase()
const START = Temporal.Instant.from('2026-01-31T15:00:00Z')

const at = (text: string) => Temporal.Instant.from(text)
const goTo = (store: BuiltStore, when: string) => store.inStore((ctx) => setClock(ctx, at(when)))
const sync = (store: BuiltStore, ...contracts: PlatformContract[]) =>
  store.inStore((ctx) =>
    upsertFromContracts(
      ctx,
      contracts,
      contracts.flatMap((c) => (c.originOrder ? anOrder(START, { id: c.originOrder.id }) : []))
    )
  )
const open = (store: BuiltStore) => store.inStore((ctx) => openDueAttempts(ctx, 100))
const events = (store: BuiltStore) =>
  store.inStore((ctx) =>
    ctx.tx.many(
      row({ type: text, data: text }),
      sql`select name as type, data from facts
           where store_id = ${ctx.storeId} and name not like 'order.%' and name <> 'customer.created' order by id`
    )
  )
const types = async (store: BuiltStore) => (await events(store)).map((e) => e.type)
const keys = (store: BuiltStore) =>
  store.inStore(async (ctx) => {
    const rows = await ctx.tx.many(
      row({ key: text }),
      sql`select idempotency_key as key from billing_attempts where store_id = ${ctx.storeId} and status = 'pending' order by id`
    )
    return rows.map((r) => r.key)
  })
const succeed = async (store: BuiltStore) => {
  const results = (await keys(store)).map((idempotencyKey) => ({
    idempotencyKey,
    platformAttemptId: '77',
    state: 'success' as const,
    order: anOrder(START),
    paymentMethod: { type: 'card', lastFour: '4242', brand: 'visa' }
  }))
  return store.inStore((ctx) => settleAttempts(ctx, results))
}
const decline = async (store: BuiltStore, errorCode: string) => {
  const results = (await keys(store)).map((idempotencyKey) => ({
    idempotencyKey,
    platformAttemptId: '77',
    state: 'failed' as const,
    errorCode,
    errorMessage: 'The card was declined'
  }))
  return store.inStore((ctx) => settleAttempts(ctx, results))
}
const the = async (store: BuiltStore, contract: PlatformContract) =>
  store.inStore(async (ctx) => {
    const found = await findSubscriptionByContract(ctx, contract.id)
    return (await lockSubscriptions(ctx, [found!.id]))[0]!
  })
const memberOf = (ctx: Ctx, memberId: number) =>
  ctx.tx.one(
    row({ status: nullable(text), memberSince: nullable(instant), nextBillingAt: nullable(instant) }),
    sql`select status, member_since, next_billing_at from members where store_id = ${ctx.storeId} and id = ${memberId}`
  )

const Attempts = row({
  cycleIndex: int,
  attemptNumber: int,
  status: text,
  errorCode: nullable(text),
  retryAt: nullable(instant),
  attemptsRemaining: int,
  paymentMethod: nullable(json())
})
const attempts = (store: BuiltStore) =>
  store.inStore((ctx) =>
    ctx.tx.many(Attempts, sql`select * from billing_attempts where store_id = ${ctx.storeId} order by id`)
  )

test('a contract becomes a subscription and its customer a member, reported once', async () => {
  const store = await aStore(db, { clockAt: START })
  const contract = aContract(START)
  await sync(store, contract)
  await sync(store, contract)

  assert.deepEqual(await types(store), ['member.created', 'subscription.created', 'subscription.activated'])
  const subscription = await the(store, contract)
  assert.equal(subscription.cycleIndex, 1)
  assert.equal(subscription.nextBillingAt?.toString(), '2026-02-28T15:00:00Z')
  const member = await store.inStore((ctx) => memberOf(ctx, subscription.memberId))
  assert.deepEqual(
    [member.status, member.memberSince?.toString(), member.nextBillingAt?.toString()],
    ['active', START.toString(), '2026-02-28T15:00:00Z']
  )

  const created = JSON.parse((await events(store))[1]!.data)
  assert.deepEqual(created, {
    subscription_id: `sub_${subscription.id}`,
    shopify_subscription_id: `gid://platform/SubscriptionContract/${contract.id}`,
    customer: {
      id: `cust_${subscription.memberId}`,
      shopify_id: `gid://platform/Customer/${contract.customer!.id}`,
      email: contract.customer!.email,
      first_name: 'Ada',
      last_name: 'Adler'
    },
    plan: { id: null, name: 'VIP', price: 29, currency: 'USD', billing_frequency: 'monthly' },
    status: 'active',
    created_at: '2026-01-31T15:00:00.000Z',
    next_billing_date: '2026-02-28T15:00:00.000Z'
  })
})

test('nothing is billed before its time, and a due cycle once', async () => {
  const store = await aStore(db, { clockAt: START })
  const contract = aContract(START)
  await sync(store, contract)
  await goTo(store, '2026-02-28T14:59:59.999Z')
  assert.equal(await open(store), 0)
  await goTo(store, '2026-02-28T15:00:00Z')
  await Promise.all([open(store), open(store), open(store)])
  assert.deepEqual(await keys(store), [`svc-${contract.id}-2-1`])

  assert.equal(await succeed(store), 1)
  assert.equal(await succeed(store), 0)
  const subscription = await the(store, contract)
  assert.equal(subscription.cycleIndex, 2)
  assert.equal(subscription.nextBillingAt?.toString(), '2026-03-31T14:00:00Z')
  assert.deepEqual((await types(store)).slice(3), ['billing.pending', 'billing.success'])
  const success = JSON.parse((await events(store)).at(-1)!.data)
  assert.deepEqual(Object.keys(success), [
    'billing_attempt_id',
    'subscription_id',
    'customer',
    'order',
    'amount',
    'currency',
    'payment_method',
    'next_billing_date'
  ])
  assert.equal(success.amount, 29)
  assert.deepEqual(success.payment_method, { type: 'card', last_four: '4242', brand: 'visa' })
  assert.equal(success.next_billing_date, '2026-03-31T14:00:00.000Z')
})

test('after an outage only the latest missed cycle is billed', async () => {
  const store = await aStore(db, { clockAt: START })
  const contract = aContract(START)
  await sync(store, contract)
  await goTo(store, '2026-05-15T00:00:00Z')
  await open(store)
  assert.deepEqual(await keys(store), [`svc-${contract.id}-4-1`])
  await succeed(store)
  assert.equal((await the(store, contract)).nextBillingAt?.toString(), '2026-05-31T14:00:00Z')
})

test('soft declines walk the ladder and end the subscription; a success on the way ends dunning', async () => {
  const store = await aStore(db, { clockAt: START })
  const contract = aContract(START)
  await sync(store, contract)
  const remaining: number[] = []
  for (const when of [
    '2026-02-28T15:00:00Z',
    '2026-03-02T15:00:00Z',
    '2026-03-07T15:00:00Z',
    '2026-03-14T14:00:00Z',
    '2026-03-21T14:00:00Z'
  ]) {
    await goTo(store, when)
    assert.equal(await open(store), 1, when)
    await decline(store, 'INSUFFICIENT_FUNDS')
    remaining.push((await attempts(store)).at(-1)!.attemptsRemaining)
  }
  assert.deepEqual(remaining, [4, 3, 2, 1, 0])
  assert.deepEqual(
    (await attempts(store)).map((a) => [
      a.cycleIndex,
      a.attemptNumber,
      a.retryAt?.toString() ?? null,
      a.attemptsRemaining
    ]),
    [
      [2, 1, '2026-03-02T15:00:00Z', 0],
      [2, 2, '2026-03-07T15:00:00Z', 0],
      [2, 3, '2026-03-14T14:00:00Z', 0],
      [2, 4, '2026-03-21T14:00:00Z', 0],
      [2, 5, null, 0]
    ]
  )
  const ended = await the(store, contract)
  assert.deepEqual([ended.status, ended.cancelReason, ended.nextBillingAt], ['cancelled', 'payment_failed', null])
  assert.deepEqual((await types(store)).slice(-3), ['billing.pending', 'billing.failed', 'subscription.cancelled'])
  assert.equal(await open(store), 0)
})

for (const [onFailure, status] of [
  ['pause', 'paused'],
  ['fail', 'failed']
] as const) {
  test(`after the last retry of dunning, a store may have it ${onFailure}`, async () => {
    const store = await aStore(db, { clockAt: START, dunning: { retryAfterDays: [], onFailure } })
    const contract = aContract(START)
    await sync(store, contract)
    await goTo(store, '2026-02-28T15:00:00Z')
    await open(store)
    await decline(store, 'do_not_honor')
    assert.equal((await the(store, contract)).status, status)
  })
}

test('a hard decline is not retried by itself', async () => {
  const store = await aStore(db, { clockAt: START })
  const contract = aContract(START)
  await sync(store, contract)
  await goTo(store, '2026-02-28T15:00:00Z')
  await open(store)
  await decline(store, 'EXPIRED_CARD')
  const [attempt] = await attempts(store)
  assert.deepEqual([attempt!.errorCode, attempt!.retryAt], ['expired_payment_method', null])
  await goTo(store, '2026-12-28T15:00:00Z')
  assert.equal(await open(store), 0)
  assert.equal((await the(store, contract)).status, 'active')
})

test('cancelling ends what was not sent and calls off the retry, in one go', async () => {
  const store = await aStore(db, { clockAt: START })
  const unsent = aContract(START)
  const retried = aContract(START)
  await sync(store, retried)
  await goTo(store, '2026-02-28T15:00:00Z')
  await open(store)
  await decline(store, 'insufficient_funds')
  await sync(store, { ...unsent, createdAt: START })
  await open(store)
  for (const contract of [unsent, retried]) {
    const { id } = await the(store, contract)
    await store.inStore((ctx) => cancelSubscription(ctx, id, { reason: 'too_expensive', comment: null, by: 'api' }))
  }
  assert.deepEqual(
    (await attempts(store)).map((a) => [a.status, a.errorCode, a.retryAt]),
    [
      ['failed', 'card_declined', null],
      ['failed', 'voided', null]
    ]
  )
  await goTo(store, '2027-02-28T15:00:00Z')
  assert.equal(await open(store), 0)
  const { id } = await the(store, unsent)
  await assert.rejects(
    store.inStore((ctx) => cancelSubscription(ctx, id, { reason: 'other', comment: null, by: 'api' })),
    { code: 'conflict' }
  )
})

test('an attempt that was sent outlives a cancellation, and its success is booked without reviving anything', async () => {
  const store = await aStore(db, { clockAt: START })
  const contract = aContract(START)
  await sync(store, contract)
  await goTo(store, '2026-02-28T15:00:00Z')
  await open(store)
  await store.inStore((ctx) => claimAttempts(ctx, 10, 1))
  const { id } = await the(store, contract)
  await store.inStore((ctx) => cancelSubscription(ctx, id, { reason: 'other', comment: null, by: 'customer' }))
  assert.equal((await attempts(store))[0]!.status, 'pending')
  await succeed(store)
  assert.equal((await attempts(store))[0]!.status, 'success')
  const ended = await the(store, contract)
  assert.deepEqual([ended.status, ended.nextBillingAt, ended.billingDueAt], ['cancelled', null, null])
})

test('a first charge that is paid while the subscription is paused activates it, one that is paid after its end does not', async () => {
  const store = await aStore(db, { clockAt: START })
  const unpaid = { originOrder: null, nextBillingDate: START.add({ hours: 24 }) }
  const [paused, ended] = [aContract(START, unpaid), aContract(START, unpaid)]
  await sync(store, paused, ended)
  await goTo(store, '2026-02-01T15:00:00Z')
  await open(store)
  await store.inStore((ctx) => claimAttempts(ctx, 10, 1))
  const { id } = await the(store, paused)
  await store.inStore((ctx) => pauseSubscription(ctx, id, null, 'api'))
  const other = await the(store, ended)
  await store.inStore((ctx) => cancelSubscription(ctx, other.id, { reason: 'other', comment: null, by: 'api' }))
  await succeed(store)
  const activated = (await events(store)).filter(({ type }) => type === 'subscription.activated')
  assert.deepEqual(
    activated
      .map(({ data }) => JSON.parse(data))
      .map((reported) => [reported.subscription_id, reported.status, reported.activated_at]),
    [[`sub_${id}`, 'paused', '2026-02-01T15:00:00.000Z']]
  )
  assert.deepEqual((await types(store)).at(-1), 'subscription.activated', 'after the payments')
})

test('a pause bills nothing, ends by itself, and skips the cycles it covered', async () => {
  const store = await aStore(db, { clockAt: START })
  const contract = aContract(START)
  await sync(store, contract)
  const { id } = await the(store, contract)
  await store.inStore((ctx) => pauseSubscription(ctx, id, at('2026-04-10T00:00:00Z'), 'api'))
  await goTo(store, '2026-04-09T23:59:59Z')
  assert.equal(await open(store), 0)
  assert.equal(await store.inStore((ctx) => resumeEndedPauses(ctx, 10)), 0)
  await goTo(store, '2026-04-10T00:00:00Z')
  assert.equal(await store.inStore((ctx) => resumeEndedPauses(ctx, 10)), 1)
  const resumed = await the(store, contract)
  assert.deepEqual(
    [resumed.status, resumed.nextCycle, resumed.nextBillingAt?.toString()],
    ['active', 4, '2026-04-30T14:00:00Z']
  )
  assert.equal(await open(store), 0)
  assert.deepEqual((await types(store)).slice(3), ['subscription.paused', 'subscription.resumed'])
})

test('a date that somebody moved on the platform is followed, older revisions and our own changes are not', async () => {
  const store = await aStore(db, { clockAt: START })
  const contract = aContract(START)
  await sync(store, contract)
  await sync(store, { ...contract, status: 'paused', revision: '5' })
  assert.equal((await the(store, contract)).status, 'paused')
  await sync(store, { ...contract, status: 'active', revision: '4' })
  assert.equal((await the(store, contract)).status, 'paused')
  await sync(store, { ...contract, status: 'active', revision: '6', priceMinor: 3100 })
  const active = await the(store, contract)
  assert.deepEqual([active.status, active.priceMinor], ['active', 3100])
  // We cancel, the platform does not know yet: its old word must not undo ours.
  await store.inStore((ctx) => cancelSubscription(ctx, active.id, { reason: 'other', comment: null, by: 'api' }))
  await sync(store, { ...contract, status: 'active', revision: '7' })
  assert.equal((await the(store, contract)).status, 'cancelled')
})

test('the late end of a missed cycle changes nothing about the next one, and nothing waits for it', async () => {
  const store = await aStore(db, { clockAt: START })
  const [contract, other] = [aContract(START), aContract(START)]
  await sync(store, contract, other)
  await goTo(store, '2026-02-28T15:00:00Z')
  await open(store)
  await store.inStore((ctx) => claimAttempts(ctx, 10, 1))
  const old = (await keys(store))[0]!
  const { id } = await the(store, contract)
  await store.inStore((ctx) => pauseSubscription(ctx, id, at('2026-03-31T14:00:00Z'), 'api'))
  await goTo(store, '2026-03-31T14:00:00Z')
  await store.inStore((ctx) => resumeEndedPauses(ctx, 10))
  await goTo(store, '2026-03-31T14:15:00Z')
  await open(store)
  const lateDecline = {
    idempotencyKey: old,
    platformAttemptId: '1',
    state: 'failed' as const,
    errorCode: 'card_declined',
    errorMessage: null
  }
  await store.inStore((ctx) => settleAttempts(ctx, [lateDecline]))
  const after = await the(store, contract)
  assert.deepEqual([after.status, after.declines, after.nextCycle, after.billingDueAt], ['active', 0, 3, null])
  await open(store)
  assert.deepEqual(
    (await attempts(store)).map((a) => [a.cycleIndex, a.status]).filter(([cycle]) => cycle === 3),
    [[3, 'pending']]
  )
})

test("one store's subscriptions cannot be seen or moved from another", async () => {
  const store = await aStore(db, { clockAt: START })
  const other = await aStore(db, { clockAt: START })
  const contract = aContract(START)
  await sync(store, contract)
  const { id } = await the(store, contract)
  await assert.rejects(
    other.inStore((ctx) => cancelSubscription(ctx, id, { reason: 'other', comment: null, by: 'api' })),
    { code: 'not_found' }
  )
  assert.deepEqual(await other.inStore((ctx) => ctx.tx.many(row({ id: int }), sql`select id from subscriptions`)), [])
})
