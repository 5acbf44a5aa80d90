// Which rows the statements of subscriptions read and write, of several of one store: in which order, how many, and no others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audit } from '#audit'
import { waitingKeys } from '#kit/jobs'
import { type Ctx, int, nullable, row, type Statement, sql, text } from '#kit/postgres'
import type { PlatformContract } from '#platform'
import { setClock, updateShop } from '#stores'
import { atOnce } from '../../test/at-once.ts'
import { aContract } from '../../test/contract-builder.ts'
import { testDatabase } from '../../test/database.ts'
import { aPlan } from '../../test/plan-builder.ts'
import { aStore } from '../../test/store-builder.ts'
import { upsertFromContracts } from '../contracts/upsert-from-contracts.ts'
import { applyPlanVersion } from './apply-plan-version.ts'
import { markPaymentMethods, markPushed, markSeen, markTerms } from './contract-queries.ts'
import { endGraces } from './due-transitions.ts'
import { recordActivities } from './history/record-activity.ts'
import { insertSubscriptions } from './insert-subscriptions.ts'
import {
  lockDueSubscriptions,
  lockEndedPauses,
  lockPastPaymentMethodDeadline,
  lockSubscriptions,
  lockSubscriptionsOfContracts
} from './lock-subscriptions.ts'
import { deriveMembershipStatuses } from './membership-status/derive-membership-status.ts'
import { editContractJob, enqueuePushesOfDates, pushContractJob } from './platform-requests.ts'
import { listContractsOfCustomers, listDatesBehind, listGiftsTo } from './queries.ts'
import { reassignSubscriptions } from './reassign-subscriptions.ts'
import {
  countByTerms,
  fingerprintBehind,
  listAgreedBefore,
  listAgreedSince,
  listBehindVersion,
  listRepriced,
  lockBehindVersion,
  markVersion
} from './repricing-queries.ts'
import {
  deferForChanges,
  dropChange,
  endChanges,
  endChangesOf,
  endMethodChanges,
  enqueueWaitingEdits,
  listChanges,
  type NewChange,
  requestersOf,
  writeChanges
} from './requested-changes.ts'
import { rebaseNextSubscriptions } from './timezone-rebase-job.ts'
import { claimDueCycles, markDueNow, reopenCycles } from './transitions/claim-cycles.ts'

const { db } = await testDatabase()
const at = Temporal.Instant.from
const START = at('2026-01-31T15:00:00Z')
const DUE = at('2026-02-28T15:00:00Z')

/** A store with a subscription for each of these contracts. */
async function aStoreWith(given: Partial<PlatformContract>[]) {
  const store = await aStore(db, { clockAt: START })
  const { inStore, storeId } = store
  const contracts = given.map((over) => aContract(START, { originOrder: null, nextBillingDate: DUE, ...over }))
  await inStore((ctx) => upsertFromContracts(ctx, contracts, []))
  const ids = (
    await inStore(({ tx }) =>
      tx.many(row({ id: int }), sql`select id from subscriptions where store_id = ${storeId} order by id`)
    )
  ).map(({ id }) => id)
  await inStore(({ tx }) => tx.run(sql`delete from jobs where store_id = ${storeId}`))
  return {
    ...store,
    contracts,
    ids,
    run: (statement: Statement) => inStore(({ tx }) => tx.run(statement)),
    read: (column: Statement) => inStore(({ tx }) => tx.many(row({ id: int, value: nullable(text) }), column)),
    goTo: (now: Temporal.Instant) => inStore((ctx) => setClock(ctx, now)),
    /** Which of these have such a request to the platform. */
    requested: async (job: typeof pushContractJob) => {
      const keys = await inStore((ctx) => waitingKeys(ctx, job, ids.map(String)))
      return ids.filter((id) => keys.has(String(id)))
    }
  }
}
const many = (n: number, over: Partial<PlatformContract> = {}) => Array.from({ length: n }, () => over)
const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id)

test('rows are locked in order of id, by id and by contract, and no others', async () => {
  const store = await aStoreWith(many(4))
  const [a, b, c] = store.ids as [number, number, number]
  await store.run(sql`update subscriptions set name = 'later' where store_id = ${store.storeId} and id = ${a}`)
  const locked = await store.inStore((ctx) => lockSubscriptions(ctx, [c, a, b]))
  assert.deepEqual(idsOf(locked), [a, b, c])
  const contractOf = new Map(locked.map((s) => [s.id, s.platformContractId]))
  const wanted = [c, a].map((id) => contractOf.get(id)!)
  assert.deepEqual(idsOf(await store.inStore((ctx) => lockSubscriptionsOfContracts(ctx, wanted))), [a, c])
  for (const lock of [
    (ctx: Ctx) => lockSubscriptions(ctx, [a]),
    (ctx: Ctx) => lockSubscriptionsOfContracts(ctx, [contractOf.get(a)!])
  ]) {
    const outcome = await atOnce(
      store,
      (ctx) =>
        lockSubscriptions(ctx, [a]).then(() =>
          ctx.tx.run(sql`update subscriptions set name = 'mine' where store_id = ${ctx.storeId} and id = ${a}`)
        ),
      lock
    )
    assert.ok(outcome.status === 'fulfilled' && outcome.value[0]!.name === 'mine', 'it waits for the other')
    await store.run(sql`update subscriptions set name = 'later' where store_id = ${store.storeId} and id = ${a}`)
  }
})

test('what is due is taken earliest first, at most so many, from its very instant on, and not from another who has it', async () => {
  const store = await aStoreWith(many(5))
  const [a, b, c, d, e] = store.ids as [number, number, number, number, number]
  const dated = async (id: number, hours: number) => {
    const when = START.add({ hours })
    await store.run(sql`
      update subscriptions set next_billing_at = ${when}, billing_due_at = ${when}
       where store_id = ${store.storeId} and id = ${id}`)
  }
  for (const [id, hours] of [
    [a, 3],
    [b, 1],
    [c, 2],
    [d, 1],
    [e, 4]
  ] as const) {
    await dated(id, hours)
  }
  const due = async (ctx: Ctx, limit: number) =>
    (await lockDueSubscriptions(ctx, limit)).map(({ subscription }) => subscription)
  const now = START.add({ hours: 3 })
  await store.goTo(now)
  const check = async (lock: (ctx: Ctx, limit: number) => Promise<{ id: number; email: string | null }[]>) => {
    const all = await store.inStore((ctx) => lock(ctx, 9))
    assert.deepEqual(idsOf(all), [b, d, c, a])
    assert.equal(new Set(all.map(({ email }) => email)).size, 4, 'each with its own customer')
    assert.deepEqual(idsOf(await store.inStore((ctx) => lock(ctx, 3))), [b, d, c])
    const others = await atOnce(
      store,
      (ctx) => lock(ctx, 1),
      (ctx) => lock(ctx, 2)
    )
    assert.deepEqual(others.status === 'fulfilled' && idsOf(others.value), [d, c])
  }
  await check(due)
  await store.run(sql`
    update subscriptions set payment_method_deadline = billing_due_at, billing_due_at = null where store_id = ${store.storeId}`)
  await check(lockPastPaymentMethodDeadline)
  await store.run(sql`
    update subscriptions
       set status = 'paused', paused_at = ${START}, resumes_at = payment_method_deadline, next_billing_at = null,
           payment_method_deadline = null
     where store_id = ${store.storeId}`)
  await check(lockEndedPauses)
  await store.run(sql`
    update subscriptions
       set status = 'cancelled', cancelled_at = ${START}, cancel_reason = 'other', grace_ends_at = resumes_at, paused_at = null,
           resumes_at = null
     where store_id = ${store.storeId}`)
  const left = async () =>
    idsOf(
      await store.read(sql`
        select id, null as value from subscriptions where store_id = ${store.storeId} and grace_ends_at is not null order by id`)
    )
  const others = await atOnce(
    store,
    (ctx) => lockSubscriptions(ctx, [b]),
    (ctx) => endGraces(ctx, 1)
  )
  assert.deepEqual([others.status === 'fulfilled' && others.value, await left()], [1, [a, b, c, e]])
  assert.deepEqual(await store.requested(pushContractJob), [d])
  assert.equal(await store.inStore((ctx) => endGraces(ctx, 1)), 1)
  assert.deepEqual(await left(), [a, c, e])
  assert.equal(await store.inStore((ctx) => endGraces(ctx, 9)), 2)
  assert.deepEqual([await left(), await store.requested(pushContractJob)], [[e], [a, b, c, d]])
})

const NOTHING: Omit<NewChange, 'subscriptionId'> = {
  planId: null,
  priceMinor: null,
  linePriceMinor: null,
  interval: null,
  intervalCount: null,
  platformPaymentMethodId: null,
  replaces: null,
  actor: 'api',
  actorId: 'k'
}

test('a requested change is ended by its version alone, and what was deferred for it is due again', async () => {
  const store = await aStoreWith(many(4))
  const { inStore } = store
  const [a, b, c, d] = store.ids as [number, number, number, number]
  const ask = (id: number, over: Partial<NewChange>) =>
    inStore((ctx) => writeChanges(ctx, [{ ...NOTHING, subscriptionId: id, ...over }]))
  for (const id of [a, b, c]) await ask(id, { priceMinor: 1900, platformPaymentMethodId: 'card-2' })
  await ask(b, { priceMinor: 2100, platformPaymentMethodId: 'card-3', actor: 'operator', actorId: null })
  const shown = async () =>
    (await inStore((ctx) => listChanges(ctx, store.ids)))
      .toSorted((x, y) => x.subscriptionId - y.subscriptionId)
      .map((one) => [one.subscriptionId, one.priceMinor, one.platformPaymentMethodId, one.version])
  assert.deepEqual(await shown(), [
    [a, 1900, 'card-2', 1],
    [b, 2100, 'card-3', 2],
    [c, 1900, 'card-2', 1]
  ])
  assert.deepEqual(
    idsOf((await inStore((ctx) => listChanges(ctx, [b, d]))).map((one) => ({ id: one.subscriptionId }))),
    [b]
  )
  assert.deepEqual(
    await inStore((ctx) => requestersOf(ctx, [a, b])),
    new Map([
      [a, { actor: 'api', actorId: 'k' }],
      [b, { actor: 'operator', actorId: null }]
    ])
  )

  await store.goTo(DUE)
  await store.run(sql`delete from jobs where store_id = ${store.storeId}`)
  await inStore((ctx) => deferForChanges(ctx, [a, b]))
  assert.deepEqual(await store.requested(editContractJob), [a, b])
  const dates = async () =>
    (
      await store.read(sql`
        select id, (extract(epoch from billing_due_at - ${DUE}) / 60)::int::text as value from subscriptions
         where store_id = ${store.storeId} order by id`)
    ).map(({ value }) => value)
  assert.deepEqual(await dates(), ['15', '15', '0', '0'])

  const of = (subscriptionId: number, version: number) => ({ subscriptionId, version })
  await inStore((ctx) => endMethodChanges(ctx, [of(a, 1), of(b, 1)]))
  assert.deepEqual(await shown(), [
    [a, 1900, null, 2],
    [b, 2100, 'card-3', 2],
    [c, 1900, 'card-2', 1]
  ])
  await inStore((ctx) => endChanges(ctx, [of(a, 2), of(b, 1)]))
  assert.deepEqual(
    [(await shown()).map(([id]) => id), await dates()],
    [
      [b, c],
      ['0', '15', '0', '0']
    ]
  )
  // A retry after a decline keeps its own date, and so does what is not active.
  await store.run(sql`update subscriptions set declines = 1 where store_id = ${store.storeId} and id = ${b}`)
  await inStore((ctx) => endChanges(ctx, [of(b, 2)]))
  assert.deepEqual([(await shown()).map(([id]) => id), await dates()], [[c], ['0', '15', '0', '0']])

  // Nor does one become due whose cycle is being charged.
  await store.run(sql`update subscriptions set billing_due_at = null where store_id = ${store.storeId} and id = ${a}`)
  await ask(a, { priceMinor: 1 })
  await inStore(async (ctx) => endChanges(ctx, await listChanges(ctx, [a])))
  assert.deepEqual([(await shown()).map(([id]) => id), await dates()], [[c], [null, '15', '0', '0']])

  await store.run(sql`delete from jobs where store_id = ${store.storeId}`)
  await inStore((ctx) => enqueueWaitingEdits(ctx, [a, d]))
  assert.deepEqual(await store.requested(editContractJob), [])
  await ask(d, { priceMinor: 1 })
  await store.run(sql`delete from jobs where store_id = ${store.storeId}`)
  await inStore((ctx) => enqueueWaitingEdits(ctx, [a, c]))
  assert.deepEqual(await store.requested(editContractJob), [c])
  await inStore((ctx) => endChangesOf(ctx, [a, c]))
  assert.deepEqual(
    (await shown()).map(([id]) => id),
    [d]
  )
})

test('a requested change holds a cycle for a day, and only that of its own subscription', async () => {
  const store = await aStoreWith(many(2))
  const [a, b] = store.ids as [number, number]
  await store.inStore((ctx) => writeChanges(ctx, [{ ...NOTHING, subscriptionId: a, priceMinor: 1 }]))
  const held = async (now: Temporal.Instant) => {
    await store.goTo(now)
    const due = await store.inStore((ctx) => lockDueSubscriptions(ctx, 9))
    return due.flatMap(({ subscription, hasChange }) => (hasChange ? subscription.id : []))
  }
  assert.deepEqual(await held(DUE), [a])
  assert.deepEqual(await held(DUE.add({ hours: 24 }).subtract({ seconds: 1 })), [a])
  assert.deepEqual(await held(DUE.add({ hours: 24 })), [])
  await store.inStore((ctx) => writeChanges(ctx, [{ ...NOTHING, subscriptionId: b, priceMinor: 1 }]))
  assert.deepEqual(await held(DUE.add({ hours: 47 })), [b], 'from the request on')
})

test('what was read of a contract, pushed to it or changed by it is written to its own subscription', async () => {
  const store = await aStoreWith([{ revision: '9' }, { revision: '9' }, { revision: '9' }])
  const { inStore, storeId } = store
  const [a, b, c] = store.ids as [number, number, number]
  const rows = async () => new Map((await inStore((ctx) => lockSubscriptions(ctx, store.ids))).map((s) => [s.id, s]))
  const column = async <K extends keyof NonNullable<ReturnType<Awaited<ReturnType<typeof rows>>['get']>>>(name: K) => {
    const found = await rows()
    return store.ids.map((id) => found.get(id)![name])
  }
  const push = (id: number, revision: string, nextBillingAt: Temporal.Instant | null) =>
    inStore((ctx) => markPushed(ctx, [{ id, revision, nextBillingAt }]))
  const later = DUE.add({ hours: 24 })
  await push(a, '10', later)
  assert.deepEqual(await column('platformRevision'), ['10', '9', '9'])
  assert.deepEqual((await column('platformNextBillingAt')).map(String), [later, DUE, DUE].map(String))
  await push(a, '9', null)
  assert.deepEqual(await column('platformRevision'), ['10', '9', '9'])
  await push(a, '11', null)
  assert.deepEqual(await column('platformRevision'), ['11', '9', '9'])
  assert.deepEqual((await column('platformNextBillingAt')).map(String), [later, DUE, DUE].map(String))

  // A charge that waited for its contract is due; a date ahead, and one that is over, stay.
  await store.goTo(DUE)
  await store.run(sql`
    update subscriptions set billing_due_at = ${later} where store_id = ${storeId} and id in (${a}, ${b})`)
  await push(a, '12', null)
  assert.deepEqual((await column('billingDueAt')).map(String), [DUE, later, DUE].map(String))
  await store.run(sql`update subscriptions set next_billing_at = ${later} where store_id = ${storeId} and id = ${b}`)
  await push(b, '12', null)
  assert.deepEqual((await column('billingDueAt')).map(String), [DUE, later, DUE].map(String))
  const now = DUE.add({ hours: 1 })
  await store.goTo(now)
  await push(c, '12', null)
  assert.deepEqual((await column('billingDueAt')).map(String), [DUE, later, DUE].map(String))

  const before = (await rows()).get(a)!
  await inStore((ctx) => markTerms(ctx, [{ ...before, name: 'Gold', priceMinor: 7 }]))
  assert.deepEqual(await column('name'), ['Gold', 'VIP', 'VIP'])
  await inStore((ctx) => markSeen(ctx, [{ ...before, maxCycles: 5, platformRevision: '13' }]))
  assert.deepEqual(await column('maxCycles'), [5, null, null])
  assert.deepEqual(await column('platformRevision'), ['13', '12', '12'])

  await store.run(sql`
    update subscriptions set status = 'paused', paused_at = ${START}, next_billing_at = null, billing_due_at = null, past_due_cycle = 2
     where store_id = ${storeId} and id = ${b}`)
  await store.run(sql`
    update subscriptions set status = 'cancelled', cancelled_at = ${START}, cancel_reason = 'other', grace_ends_at = ${later}, next_billing_at = null,
           billing_due_at = null where store_id = ${storeId} and id = ${c}`)
  const present = await rows()
  await inStore((ctx) =>
    markSeen(
      ctx,
      [b, c].map((id) => ({ ...present.get(id)!, platformRevision: '14' }))
    )
  )
  assert.deepEqual(await column('pastDueCycle'), [null, 2, null])
  assert.deepEqual(await column('graceEndsAt'), [null, null, later])

  const contractId = (await rows()).get(b)!.platformContractId
  await inStore((ctx) => markPaymentMethods(ctx, [{ contractId, methodId: 'card-7' }]))
  assert.deepEqual(await column('platformPaymentMethodId'), ['card-1', 'card-7', 'card-1'])
})

test('a contract that has a subscription is left as it is; new ones get their ids in the order in which they began', async () => {
  const store = await aStoreWith([{}])
  const { inStore, storeId } = store
  const [first] = await inStore((ctx) => lockSubscriptions(ctx, store.ids))
  const of = (platformContractId: string, createdAt: Temporal.Instant) => ({
    ...first!,
    platformContractId,
    createdAt,
    name: platformContractId,
    originOrderId: null
  })
  const rows = [of('8', DUE), of('7', DUE), of('9', START), of(first!.platformContractId, START)]
  await inStore((ctx) => insertSubscriptions(ctx, rows))
  const names = await store.read(
    sql`select id, name as value from subscriptions where store_id = ${storeId} order by id`
  )
  assert.deepEqual(
    names.map(({ value }) => value),
    ['VIP', '9', '7', '8']
  )
})

test('lists of contracts, gifts and dates name live subscriptions of these customers, and no others', async () => {
  const store = await aStoreWith([...many(5), { status: 'paused' }, { status: 'cancelled' }])
  const { inStore, storeId, contracts } = store
  const customers = contracts.map(({ customer }) => customer!.id)
  const [a, b, c, d, , paused, over] = store.ids as [number, number, number, number, number, number, number]
  const locked = await inStore((ctx) => lockSubscriptions(ctx, store.ids))
  const contractOf = (id: number) => locked.find((s) => s.id === id)!.platformContractId
  const customerOf = (id: number) => locked.find((s) => s.id === id)!.platformCustomerId
  const wanted = [over, paused, b, a].map(customerOf)
  const listed = await inStore((ctx) => listContractsOfCustomers(ctx, wanted))
  assert.deepEqual(listed, [a, b, paused].map(contractOf))

  const memberOf = (id: number) => locked.find((s) => s.id === id)!.memberId
  for (const [id, to] of [
    [a, c],
    [paused, c],
    [over, c],
    [b, d]
  ] as const) {
    await store.run(sql`
      update subscriptions set receiver_member_id = ${memberOf(to)}, gifted_at = ${START} where store_id = ${storeId} and id = ${id}`)
  }
  const gifts = await inStore((ctx) => listGiftsTo(ctx, [customerOf(c)]))
  assert.deepEqual(gifts.toSorted(), [a, paused])
  assert.equal(customers.length, 7)

  const date = (id: number, ours: Temporal.Instant | null, theirs: Temporal.Instant) =>
    store.run(sql`
      update subscriptions set next_billing_at = ${ours}, platform_next_billing_at = ${theirs}
       where store_id = ${storeId} and id = ${id}`)
  await date(a, DUE, START)
  await date(b, DUE.add({ milliseconds: 300 }), DUE)
  await date(c, START, DUE)
  await date(d, DUE, DUE.add({ seconds: 1 }))
  assert.deepEqual(await inStore(listDatesBehind), [a, d])
  await inStore(enqueuePushesOfDates)
  assert.deepEqual(await store.requested(pushContractJob), [a, d])
})

test('a version finds the live subscriptions of its plan that are behind it, a page at a time, and counts them', async () => {
  const store = await aStore(db, { clockAt: START })
  const { inStore, storeId } = store
  const [gold, silver] = [await aPlan(store, { name: 'Gold' }), await aPlan(store, { name: 'Silver' })]
  const of = (plan: { sellingPlanId: string }, over: Partial<PlatformContract> = {}) => {
    const contract = aContract(START, { originOrder: null, nextBillingDate: DUE, ...over })
    return { ...contract, lines: contract.lines.map((line) => ({ ...line, ...plan })) }
  }
  const contracts = [
    of(gold),
    of(silver),
    of(gold, { status: 'paused' }),
    of(gold),
    of(gold, { status: 'cancelled' }),
    of(gold, { status: 'cancelled' })
  ]
  await inStore((ctx) => upsertFromContracts(ctx, contracts, []))
  const found = await inStore((ctx) =>
    lockSubscriptionsOfContracts(
      ctx,
      contracts.map(({ id }) => id)
    )
  )
  const idOf = (i: number) => found.find((s) => s.platformContractId === contracts[i]!.id)!.id
  const [a, paused, unknown, over, grace] = [idOf(0), idOf(2), idOf(3), idOf(4), idOf(5)] as const
  const { planId } = found.find(({ id }) => id === a)!
  const set = (statement: Statement) => inStore(({ tx }) => tx.run(statement))
  await set(sql`update subscriptions set grace_ends_at = ${DUE} where store_id = ${storeId} and id = ${grace}`)
  await set(sql`update subscriptions set plan_version = null where store_id = ${storeId} and id = ${unknown}`)
  const behind = { planId: planId!, version: 2, afterId: 0, limit: 9 }
  for (const list of [listBehindVersion, lockBehindVersion]) {
    const ids = (over: Partial<typeof behind> = {}) => inStore((ctx) => list(ctx, { ...behind, ...over }))
    assert.deepEqual(await ids(), [a, paused, unknown, grace])
    assert.deepEqual(await ids({ limit: 2 }), [a, paused])
    assert.deepEqual(await ids({ afterId: a }), [paused, unknown, grace])
    assert.deepEqual(await ids({ version: 1 }), [unknown], 'not its own version')
  }
  const outcome = await atOnce(
    store,
    (ctx) => lockBehindVersion(ctx, behind),
    (ctx) => lockSubscriptions(ctx, [a]).then(() => ctx.tx.one(row({ value: text }), sql`select 'late' as value`)),
    (ctx) => ctx.tx.run(sql`update subscriptions set name = 'mine' where store_id = ${storeId} and id = ${a}`)
  )
  assert.equal(outcome.status, 'fulfilled')
  const [held] = await inStore((ctx) => lockSubscriptions(ctx, [a]))
  assert.equal(held!.name, 'mine', 'who asks for a change of it waits')

  await inStore((ctx) => writeChanges(ctx, [{ ...NOTHING, subscriptionId: a, priceMinor: 1900 }]))
  const repriced = await inStore((ctx) => listRepriced(ctx, [paused, a]))
  assert.deepEqual(
    repriced.map((one) => [one.id, one.memberId, one.requestedPriceMinor]),
    [a, paused].map((id) => [id, found.find((s) => s.id === id)!.memberId, id === a ? 1900 : null])
  )
  assert.equal(repriced[0]!.email, found.find(({ id }) => id === a)!.email)
  assert.deepEqual(await inStore((ctx) => listRepriced(ctx, [])), [])
  const fingerprint = (version = 2) => inStore((ctx) => fingerprintBehind(ctx, { planId: planId!, version }))
  const before = await fingerprint()
  assert.match(before, /^4:-?\d+$/)
  assert.match(await fingerprint(1), /^1:/)
  assert.match(await fingerprint(0), /^1:/)
  await set(sql`update subscriptions set price_minor = price_minor + 1 where store_id = ${storeId} and id = ${idOf(1)}`)
  assert.equal(await fingerprint(), before, 'another plan')
  await set(sql`update subscriptions set price_minor = price_minor + 1 where store_id = ${storeId} and id = ${paused}`)
  const after = await fingerprint()
  assert.notEqual(after, before)
  await inStore((ctx) => writeChanges(ctx, [{ ...NOTHING, subscriptionId: paused, priceMinor: 1901 }]))
  assert.notEqual(await fingerprint(), after)
  await inStore((ctx) => dropChange(ctx, paused))
  await set(sql`update subscriptions set price_minor = price_minor - 1 where store_id = ${storeId} and id = ${paused}`)
  assert.equal(await fingerprint(), before)
  await set(sql`update subscriptions set price_minor = 3000 where store_id = ${storeId} and id = ${grace}`)
  const counted = await inStore((ctx) => countByTerms(ctx, { planId: planId!, version: 2 }))
  assert.deepEqual(
    counted.map((one) => [one.planVersion, one.priceMinor, one.requestedPriceMinor, one.count].join()).toSorted(),
    [',2900,,1', '1,2900,,1', '1,2900,1900,1', '1,3000,,1']
  )
  assert.deepEqual(
    (await inStore((ctx) => countByTerms(ctx, { planId: planId!, version: 1 }))).map(({ count }) => count),
    [1]
  )
  await set(sql`
    insert into plan_versions (store_id, plan_id, version, price_minor, interval, interval_count, credit_minor,
                               platform_selling_plan_id, applies_to, created_at)
    select v.store_id, v.plan_id, 2, v.price_minor, v.interval, v.interval_count, v.credit_minor,
                                     v.platform_selling_plan_id, v.applies_to, v.created_at
      from plan_versions v where v.store_id = ${storeId} and v.plan_id = ${planId}`)
  await inStore((ctx) => markVersion(ctx, 2, [a, over]))
  assert.deepEqual(await inStore((ctx) => listBehindVersion(ctx, behind)), [paused, unknown, grace])
})

test('of two customers who were merged one gets all of the other: what they pay, what was given to them, their history', async () => {
  const store = await aStoreWith(many(5))
  const { inStore, storeId } = store
  const locked = await inStore((ctx) => lockSubscriptions(ctx, store.ids))
  const memberOf = (i: number) => locked[i]!.memberId
  const [from, to, bo] = [memberOf(0), memberOf(1), memberOf(2)]
  const give = (i: number, receiver: number) =>
    store.run(sql`
      update subscriptions set receiver_member_id = ${receiver}, gifted_at = ${START} where store_id = ${storeId} and id = ${store.ids[i]!}`)
  await give(1, from)
  await give(2, from)
  await give(3, bo)
  await store.goTo(DUE)
  await inStore((ctx) => reassignSubscriptions(ctx, from, to))
  const after = await inStore((ctx) => lockSubscriptions(ctx, store.ids))
  assert.deepEqual(
    after.map((s) => [s.memberId, s.receiverMemberId, s.giftedAt !== null]),
    [
      [to, null, false],
      [to, null, false],
      [bo, to, true],
      [memberOf(3), bo, true],
      [memberOf(4), null, false]
    ]
  )
  assert.deepEqual(
    after.map(({ updatedAt }) => updatedAt),
    [DUE, DUE, DUE, START, START]
  )
  const history = await store.read(sql`
    select member_id as id, min(subscription_id)::text as value from contract_activities where store_id = ${storeId} group by member_id order by 1`)
  assert.deepEqual(
    history.map(({ id, value }) => [id, value]),
    [to, bo, memberOf(3), memberOf(4)]
      .toSorted((x, y) => x - y)
      .map((member) => [member, String(store.ids[member === to ? 0 : locked.findIndex((s) => s.memberId === member)])])
  )
  const statuses = await store.read(
    sql`select id, status as value from members where store_id = ${storeId} and id in (${from}, ${to}) order by id`
  )
  assert.deepEqual(
    new Map(statuses.map(({ id, value }) => [id, value])),
    new Map([
      [from, 'cancelled'],
      [to, 'active']
    ])
  )
})

test('a new payment method makes only charges due that are held or wait for a retry', async () => {
  const store = await aStoreWith([...many(5), { status: 'paused' }])
  const { storeId } = store
  const [held, retried, soon, plain, other, paused] = store.ids as [number, number, number, number, number, number]
  const later = START.add({ hours: 24 })
  const set = (id: number, due: Temporal.Instant | null, declines: number) =>
    store.run(sql`
      update subscriptions set billing_due_at = ${due}, declines = ${declines},
             payment_method_deadline = ${due === null ? later : null}
       where store_id = ${storeId} and id = ${id}`)
  await set(held, null, 0)
  await set(retried, later, 1)
  await set(soon, START, 1)
  await set(plain, later, 0)
  await set(other, null, 1)
  await store.inStore((ctx) => markDueNow(ctx, [held, retried, soon, plain, paused]))
  const due = await store.read(sql`
    select id, payment_method_deadline::text as value from subscriptions
     where store_id = ${storeId} and billing_due_at = ${START} and next_billing_at = ${START} order by id`)
  assert.deepEqual(
    due.map(({ id, value }) => [id, value]),
    [held, retried].map((id) => [id, null])
  )
  const [, , , , kept] = await store.inStore((ctx) => lockSubscriptions(ctx, store.ids))
  assert.deepEqual([kept!.billingDueAt, kept!.paymentMethodDeadline], [null, later])
  const next = await store.read(
    sql`select id, next_billing_at::text as value from members where store_id = ${storeId} order by id`
  )
  assert.equal(next.filter(({ value }) => value?.startsWith('2026-01-31 15:00:00')).length, 2)
})

test('what is taken for billing is no longer due, and the others are', async () => {
  const store = await aStoreWith(many(3))
  await store.goTo(DUE)
  const { cycles, looked } = await store.inStore((ctx) => claimDueCycles(ctx, 2))
  const [a, b, c] = store.ids as [number, number, number]
  assert.deepEqual(
    [cycles.map(({ subscription, cycle }) => [subscription.id, cycle]), looked],
    [
      [
        [a, 1],
        [b, 1]
      ],
      2
    ]
  )
  const due = await store.read(sql`
    select id, null as value from subscriptions where store_id = ${store.storeId} and billing_due_at is not null`)
  assert.deepEqual(idsOf(due), [c])
  assert.deepEqual(await store.inStore((ctx) => claimDueCycles(ctx, 0)), { cycles: [], looked: 0 })
})

test('a pause gets back only the one cycle that it had counted as missed and that is not paid', async () => {
  const store = await aStoreWith([...many(4, { status: 'paused' }), {}])
  const { storeId } = store
  const [a, b, c, other, active] = store.ids as [number, number, number, number, number]
  const cycles = async () =>
    (await store.inStore((ctx) => lockSubscriptions(ctx, store.ids))).map(({ nextCycle }) => nextCycle)
  await store.run(sql`update subscriptions set next_cycle = 4, cycle_index = 2 where store_id = ${storeId}`)
  const of = (id: number, cycle: number) => ({ id, cycle })
  await store.run(sql`update subscriptions set cycle_index = 1 where store_id = ${storeId} and id = ${b}`)
  await store.inStore((ctx) => reopenCycles(ctx, [of(a, 3), of(b, 2), of(c, 4), of(active, 3)]))
  assert.deepEqual(await cycles(), [3, 4, 4, 4, 4])
  await store.run(sql`update subscriptions set cycle_index = 3 where store_id = ${storeId} and id = ${other}`)
  await store.inStore((ctx) => reopenCycles(ctx, [of(other, 3)]))
  assert.deepEqual(await cycles(), [3, 4, 4, 4, 4], 'a cycle that was paid is not the next one')
})

test('those who follow the shop to another time zone are the live ones, and those whose end can be taken back', async () => {
  const store = await aStoreWith([
    {},
    { status: 'paused' },
    { status: 'cancelled' },
    { status: 'cancelled' },
    { status: 'failed' }
  ])
  const { storeId, inStore } = store
  const [a, paused, , grace] = store.ids as [number, number, number, number]
  await store.run(sql`update subscriptions set grace_ends_at = ${DUE} where store_id = ${storeId} and id = ${grace}`)
  await inStore((ctx) => updateShop(ctx, { name: 'Moved', timezone: 'Asia/Tokyo' }))
  assert.equal(await inStore((ctx) => rebaseNextSubscriptions(ctx, a)), grace)
  const moved = async () =>
    idsOf(
      await store.read(sql`
        select id, null as value from subscriptions where store_id = ${storeId} and timezone_rebases = 1 order by id`)
    )
  assert.deepEqual(await moved(), [paused, grace])
  assert.equal(await inStore((ctx) => rebaseNextSubscriptions(ctx, 0)), a)
  assert.deepEqual(await moved(), [a, paused, grace])
  assert.equal(await inStore((ctx) => rebaseNextSubscriptions(ctx, 0)), null)
  const shown = await store.read(sql`
    select (refs ->> 'subscriptionId')::bigint as id, null as value from facts where store_id = ${storeId} and name = 'subscription.updated'`)
  assert.deepEqual(idsOf(shown), [a], 'only of what is active the date is shown')
})

test('rows that have followed the shop further than this transaction knows are left for a later one', async () => {
  const store = await aStoreWith([{}])
  await store.run(sql`update subscriptions set timezone_rebases = 1 where store_id = ${store.storeId}`)
  await assert.rejects(
    store.inStore((ctx) => lockSubscriptions(ctx, store.ids)),
    { code: 'unavailable', message: 'The shop has just moved to another time zone: try again in a moment' }
  )
})

test('a price that was changed or requested after a moment is later than it, whatever else was', async () => {
  const store = await aStoreWith(many(5))
  const { inStore, ids } = store
  const [changed, early, requested, line, other] = ids as [number, number, number, number, number]
  const record = (subscriptionId: number, kind: 'price_changed' | 'skipped', when: Temporal.Instant) =>
    inStore((ctx) => recordActivities({ ...ctx, now: when }, [{ subscriptionId, kind, actor: 'api', text: kind }]))
  const ask = (subscriptionId: number, over: Partial<NewChange>, when: Temporal.Instant) =>
    inStore((ctx) => writeChanges({ ...ctx, now: when }, [{ ...NOTHING, subscriptionId, ...over }]))
  const later = START.add({ hours: 1 })
  await record(changed, 'price_changed', later)
  await record(early, 'price_changed', START)
  await record(early, 'skipped', later)
  await ask(early, { priceMinor: 1 }, START)
  await ask(requested, { priceMinor: 1 }, later)
  await ask(line, { linePriceMinor: 1 }, later)
  await ask(other, { interval: 'week', intervalCount: 1 }, later)
  const since = (when: Temporal.Instant, of = ids) => inStore((ctx) => listAgreedSince(ctx, of, when, null))
  assert.deepEqual(
    [...(await since(START))].toSorted((a, b) => a - b),
    [changed, requested, line]
  )
  assert.deepEqual([...(await since(START, [line, early]))], [line])
  assert.deepEqual([...(await since(later))], [])
  assert.deepEqual([...(await since(START.subtract({ hours: 1 }), [early]))], [early])
})

test('the price of a subscription that is created or imported after a moment is later than it', async () => {
  const store = await aStoreWith(many(3))
  const [created, imported, early] = store.ids as [number, number, number]
  const later = START.add({ hours: 1 })
  for (const [subscriptionId, kind, when] of [
    [created, 'created', later],
    [imported, 'imported', later],
    [early, 'created', START]
  ] as const) {
    await store.inStore((ctx) =>
      recordActivities({ ...ctx, now: when }, [{ subscriptionId, kind, actor: 'api', text: kind }])
    )
  }
  const agreed = await store.inStore((ctx) => listAgreedSince(ctx, store.ids, START, null))
  assert.deepEqual(
    [...agreed].toSorted((a, b) => a - b),
    [created, imported]
  )
})

test('a price that is agreed by a transaction which began before the preview and ends after it is later than the preview', async () => {
  const store = await aStoreWith(many(5))
  const { inStore } = store
  const [seen, changed, asked, again, other] = store.ids as [number, number, number, number, number]
  await aPlan(store, { name: 'Gold' })
  await store.run(sql`
    update subscriptions set plan_id = (select max(id) from plans where store_id = ${store.storeId}) where store_id = ${store.storeId}`)
  const found = await store.read(sql`select max(id) as id, null as value from plans where store_id = ${store.storeId}`)
  const planId = found[0]!.id
  const agree = (ctx: Ctx, subscriptionId: number) =>
    recordActivities(ctx, [{ subscriptionId, kind: 'price_changed', actor: 'api', text: 'Agreed' }])
  const ask = (ctx: Ctx, subscriptionId: number, priceMinor: number) =>
    writeChanges(ctx, [{ ...NOTHING, subscriptionId, priceMinor }])
  await inStore((ctx) => agree(ctx, seen))
  await inStore((ctx) => ask(ctx, again, 1))
  await inStore((ctx) => ask(ctx, seen, 1))
  await inStore((ctx) => agree({ ...ctx, now: ctx.now.subtract({ hours: 1 }) }, other))
  const { since, marks } = await inStore(async (late) => {
    await agree(late, changed)
    await ask(late, asked, 1)
    await ask(late, again, 2)
    return inStore(async (ctx) => ({ since: ctx.now, marks: await listAgreedBefore(ctx, planId) }))
  })
  const agreed = (named: string[] | null) => inStore((ctx) => listAgreedSince(ctx, store.ids, since, named))
  assert.equal(marks!.length >= 2, true)
  assert.deepEqual(
    [...(await agreed(marks))].toSorted((a, b) => a - b),
    [changed, asked, again]
  )
  assert.deepEqual([...(await agreed(null))], [], 'times alone do not show it')
  // More than can be named: then times decide.
  await store.run(sql`
    insert into contract_activities (store_id, subscription_id, member_id, kind, actor, text, plan_name, occurred_at)
    select s.store_id, s.id, s.member_id, 'price_changed', 'api', 'Agreed', 'Gold', ${since}
      from subscriptions s, generate_series(1, 1001) where s.store_id = ${store.storeId} and s.id = ${seen}`)
  assert.equal(await inStore((ctx) => listAgreedBefore(ctx, planId)), null)
  assert.deepEqual(await inStore((ctx) => listAgreedBefore(ctx, planId + 1)), [], 'of other plans nothing is named')
})

test('before a preview that is named which agreed a price of the plan within the longest transaction, or nothing where that is too much', async () => {
  const store = await aStoreWith(many(4))
  const { inStore, storeId } = store
  const [one, two, old, ofAnother] = store.ids as [number, number, number, number]
  await aPlan(store, { name: 'Gold' })
  await store.run(sql`
    update subscriptions set plan_id = (select max(id) from plans where store_id = ${storeId})
     where store_id = ${storeId} and id <> ${ofAnother}`)
  const found = await store.read(sql`select max(id) as id, null as value from plans where store_id = ${storeId}`)
  const planId = found[0]!.id
  const now = START.add({ hours: 1 })
  const edge = now.subtract({ minutes: 10 })
  const named = async (at = now) => {
    const marks = await inStore((ctx) => listAgreedBefore({ ...ctx, now: at }, planId))
    return marks?.map((mark) => mark.split(' ', 2)[0]).toSorted() ?? null
  }
  const record = (subscriptionId: number, kind: 'price_changed' | 'skipped', when: Temporal.Instant, times = 1) =>
    store.run(sql`
      insert into contract_activities (store_id, subscription_id, member_id, kind, actor, text, plan_name, occurred_at)
      select s.store_id, s.id, s.member_id, ${kind}, 'api', 'Text', 'Gold', ${when}
        from subscriptions s, generate_series(1, ${times}::int) where s.store_id = ${storeId} and s.id = ${subscriptionId}`)
  const ask = (subscriptionId: number, over: Partial<NewChange>, when: Temporal.Instant) =>
    inStore((ctx) => writeChanges({ ...ctx, now: when }, [{ ...NOTHING, subscriptionId, ...over }]))
  for (const when of [edge, edge.add({ seconds: 1 })]) await record(one, 'price_changed', when)
  await record(one, 'skipped', now)
  await record(ofAnother, 'price_changed', now)
  await ask(one, { priceMinor: 1 }, now)
  await ask(two, { interval: 'week', intervalCount: 1 }, now)
  await ask(old, { linePriceMinor: 1 }, edge)
  await ask(ofAnother, { priceMinor: 1 }, now)
  assert.deepEqual(await named(), ['activity', 'request'])
  // Of a long history the newest part is looked through.
  await record(one, 'skipped', edge, 9_999)
  await record(two, 'price_changed', now)
  assert.deepEqual(await named(), ['activity', 'request'])
  await record(one, 'skipped', now, 9_998)
  assert.deepEqual(await named(), ['activity', 'request'])
  await record(one, 'skipped', now)
  assert.equal(await named(), null, 'there may be more')
  const later = now.add({ hours: 1 })
  await record(two, 'price_changed', later, 1000)
  assert.equal((await named(later))?.length, 1000)
  await record(two, 'price_changed', later)
  assert.equal(await named(later), null, 'that is too much to name')
})

test('what a requested price replaces is stored with it, and without a price nothing is', async () => {
  const store = await aStoreWith(many(2))
  const replaces = { unitPrices: [2900], prices: [1], of: { priceMinor: 1900, linePriceMinor: null } }
  await store.inStore((ctx) =>
    writeChanges(
      ctx,
      store.ids.map((subscriptionId, i) => ({
        ...NOTHING,
        subscriptionId,
        priceMinor: 1900,
        replaces: i === 0 ? replaces : null
      }))
    )
  )
  const changes = await store.inStore((ctx) => listChanges(ctx, store.ids))
  assert.deepEqual(
    changes.toSorted((x, y) => x.subscriptionId - y.subscriptionId).map((one) => one.replaces),
    [replaces, null]
  )
})

test('the auditor finds a status that the subscriptions contradict, and creations that were never reported', async () => {
  const store = await aStoreWith([{}, { status: 'paused' }, { status: 'cancelled' }, {}])
  const { inStore, storeId, ids } = store
  const locked = await inStore((ctx) => lockSubscriptions(ctx, ids))
  const memberOf = (i: number) => locked[i]!.memberId
  await store.run(sql`
    update subscriptions set receiver_member_id = ${memberOf(2)}, gifted_at = ${START} where store_id = ${storeId} and id = ${ids[3]!}`)
  await inStore((ctx) => deriveMembershipStatuses(ctx, [memberOf(2), memberOf(3)]))
  const found = async () => {
    const { findings, checked } = await inStore(audit)
    assert.deepEqual([checked.member_status_consistent, checked.created_events_complete], [4, 8])
    return findings.map(({ check, subject, message }) => `${check} ${subject} ${message}`)
  }
  assert.deepEqual(await found(), [], 'who has given all away has none left, and the receiver counts')
  const setStatus = (i: number, status: string) =>
    store.run(sql`update members set status = ${status} where store_id = ${storeId} and id = ${memberOf(i)}`)
  await setStatus(0, 'cancelled')
  await setStatus(1, 'active')
  await setStatus(3, 'active')
  const wrong = (i: number, is: string, say: string) =>
    `member_status_consistent mem_${memberOf(i)} is ${is} but the subscriptions say ${say}`
  const statuses = [wrong(0, 'cancelled', 'active'), wrong(1, 'active', 'paused'), wrong(3, 'active', 'none')]
  assert.deepEqual(await found(), statuses)
  for (const [i, status] of [
    [0, 'active'],
    [1, 'paused'],
    [3, 'cancelled']
  ] as const) {
    await setStatus(i, status)
  }

  await store.run(sql`
    delete from facts where store_id = ${storeId}
       and (name = 'subscription.created' and (refs ->> 'subscriptionId')::bigint = ${ids[0]!}
            or name = 'member.created' and ordering_key = ${`member:${memberOf(1)}`})`)
  const never = [
    `created_events_complete mem_${memberOf(1)} was recorded as created 0 times`,
    `created_events_complete sub_${ids[0]!} was recorded as created 0 times`
  ]
  assert.deepEqual((await found()).toSorted(), never)
  await store.run(sql`
    insert into fact_history (store_id, complete_since) values (${storeId}, ${DUE})
    on conflict (store_id) do update set complete_since = excluded.complete_since`)
  assert.deepEqual(await found(), [], 'facts of before are gone by now')
})

test('a version that changes a price replaces the price of now and the requested one; one that does not leaves what is requested', async () => {
  const store = await aStore(db, { clockAt: START })
  const { inStore, storeId } = store
  const gold = await aPlan(store, { name: 'Gold' })
  const contracts = many(3).map(() => {
    const contract = aContract(START, { originOrder: null, nextBillingDate: DUE })
    return { ...contract, lines: contract.lines.map((line) => ({ ...line, ...gold })) }
  })
  await inStore((ctx) => upsertFromContracts(ctx, contracts, []))
  const rows = await inStore((ctx) =>
    lockSubscriptionsOfContracts(
      ctx,
      contracts.map(({ id }) => id)
    )
  )
  const [plain, asked, both] = rows.map(({ id }) => id) as [number, number, number]
  const planId = rows[0]!.planId!
  const replaces = { unitPrices: [2500], prices: [], of: { priceMinor: 1900, linePriceMinor: null as number | null } }
  await inStore((ctx) =>
    writeChanges(ctx, [
      { ...NOTHING, subscriptionId: asked, priceMinor: 1900, platformPaymentMethodId: 'card-2', replaces },
      {
        ...NOTHING,
        subscriptionId: both,
        priceMinor: 1900,
        linePriceMinor: 3500,
        replaces: { ...replaces, of: { priceMinor: 1900, linePriceMinor: 3500 } }
      }
    ])
  )
  const follow = async (version: number, priceMinor: number) => {
    await inStore(({ tx }) =>
      tx.run(sql`
        insert into plan_versions (store_id, plan_id, version, price_minor, interval, interval_count, credit_minor,
                                   platform_selling_plan_id, applies_to, created_at)
        select store_id, plan_id, ${version}::int, ${priceMinor}::bigint, 'year', 1, credit_minor, platform_selling_plan_id, applies_to, created_at
          from plan_versions where store_id = ${storeId} and plan_id = ${planId} and version = 1`)
    )
    const input = { planId, version, target: 'all' as const, afterId: 0 }
    const ended = await applyPlanVersion.run({ db }, storeId, [{ input, attempts: 1, renewLease: async () => {} }])
    assert.deepEqual(ended, [{ done: true }])
    const changes = await inStore((ctx) =>
      listChanges(
        ctx,
        rows.map(({ id }) => id)
      )
    )
    return changes
      .toSorted((x, y) => x.subscriptionId - y.subscriptionId)
      .map((one) => [one.subscriptionId, one.priceMinor, one.linePriceMinor, one.interval, one.replaces])
  }
  // The interval alone: what is requested of the price waits on, with what it replaces.
  assert.deepEqual(await follow(2, 2900), [
    [plain, null, null, 'year', null],
    [asked, 1900, null, 'year', replaces],
    [both, 1900, 3500, 'year', { ...replaces, of: { priceMinor: 1900, linePriceMinor: 3500 } }]
  ])
  // Another price: of one, where the total of a cycle is not the list price.
  const of = { priceMinor: null, linePriceMinor: 3500 }
  assert.deepEqual(await follow(3, 3500), [
    [plain, 3500, 3500, 'year', { unitPrices: [2900], prices: [], of: { priceMinor: 3500, linePriceMinor: 3500 } }],
    [asked, null, 3500, 'year', { unitPrices: [2900, 2500], prices: [1900], of }],
    [both, null, 3500, 'year', { unitPrices: [2900, 3500, 2500], prices: [1900], of }]
  ])
})
