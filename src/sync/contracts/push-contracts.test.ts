import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant, nullable, row, sql, text } from '#kit/postgres'
import type { Connector, ContractEdit, PlatformContract } from '#platform'
import { setClock } from '#stores'
import { aContract, anOrder } from '../../../test/contract-builder.ts'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { upsertFromContracts } from '../../contracts/upsert-from-contracts.ts'
import { pauseSubscription } from '../../lifecycle/pause-subscription.ts'
import { requestChange } from '../../lifecycle/request-change.ts'
import { findSubscriptionByContract } from '../../subscriptions/queries.ts'
import { listChanges } from '../../subscriptions/requested-changes.ts'
import { editContracts } from './edit-contracts.ts'
import { pushContracts } from './push-contracts.ts'

const { db } = await testDatabase()
const START = Temporal.Instant.from('2026-01-31T15:00:30Z')
const AHEAD = Temporal.Instant.from('2026-02-28T15:00:30Z')
type Answer =
  | { ok: true; value: PlatformContract }
  | { ok: false; failure: { kind: string; code: string; message: string } }

/** A store with subscriptions, and a platform whose contracts the calls change; `answer` fails a call. */
async function aPushed(count: number, answer: (call: string) => Answer | null = () => null) {
  const store = await aStore(db, { clockAt: START })
  const given = Array.from({ length: count }, () => aContract(START, { nextBillingDate: AHEAD }))
  await store.inStore((ctx) =>
    upsertFromContracts(
      ctx,
      given,
      given.map(({ originOrder }) => anOrder(START, { id: originOrder!.id }))
    )
  )
  const ids: number[] = []
  for (const { id } of given) ids.push((await store.inStore((ctx) => findSubscriptionByContract(ctx, id)))!.id)
  const contracts = new Map(given.map((contract) => [contract.id, contract]))
  const unreadable = new Map<string, string>()
  const calls: string[] = []
  const change = async (call: string, id: string, to: Partial<PlatformContract>): Promise<Answer> => {
    calls.push(`${call} ${given.findIndex((one) => one.id === id)}`)
    const failed = answer(calls.at(-1)!)
    if (failed) return failed
    const before = contracts.get(id)!
    const value = { ...before, ...to, revision: String(Number(before.revision) + 1) }
    contracts.set(id, value)
    return { ok: true, value }
  }
  const connector = {
    contracts: {
      findReadable: async (wanted: string[]) => ({
        ok: true,
        value: {
          contracts: new Map([...contracts].filter(([id]) => wanted.includes(id) && !unreadable.has(id))),
          unreadable: new Map([...unreadable].filter(([id]) => wanted.includes(id)))
        }
      }),
      find: async (id: string) => ({ ok: true, value: contracts.get(id) ?? null }),
      pause: (id: string) => change('pause', id, { status: 'paused' }),
      activate: (id: string) => change('activate', id, { status: 'active' }),
      cancel: (id: string) => change('cancel', id, { status: 'cancelled' }),
      setNextBillingDate: (id: string, at: Temporal.Instant) =>
        // The platform keeps whole minutes.
        change('date', id, { nextBillingDate: at.round({ smallestUnit: 'minute', roundingMode: 'floor' }) }),
      edit: ({ contractId }: ContractEdit) => change('edit', contractId, {})
    },
    customers: { findMany: async () => ({ ok: true, value: new Map() }) },
    orders: { findMany: async () => ({ ok: true, value: new Map() }) }
  } as unknown as Connector
  const deps = { db, connectorOf: async () => connector }
  const jobs = (attempts: number) =>
    ids.map((subscriptionId) => ({ input: { subscriptionId }, attempts, renewLease: async () => {} }))
  return {
    ...store,
    ids,
    given,
    contracts,
    unreadable,
    calls,
    push: (attempts = 1) => pushContracts.run(deps, store.storeId, jobs(attempts)),
    edit: () => editContracts.run(deps, store.storeId, jobs(1)),
    /** What is known here of the platform's contracts. */
    known: () =>
      store.inStore(({ tx, storeId }) =>
        tx.many(
          row({ revision: text, date: nullable(instant) }),
          sql`
          select platform_revision as revision, platform_next_billing_at as date from subscriptions
           where store_id = ${storeId} order by id`
        )
      )
  }
}

const failure = (code: string, kind = 'rejected'): Answer => ({
  ok: false,
  failure: { kind, code, message: `It is ${code}` }
})

test('what a contract has already is not pushed; the date that the platform made of ours is the one that is known', async () => {
  const { contracts, given, push, calls, known } = await aPushed(2)
  const moved = AHEAD.add({ hours: 24 })
  contracts.set(given[1]!.id, { ...given[1]!, revision: '7', nextBillingDate: moved })
  assert.deepEqual(await push(), [{ done: true }, { done: true }])
  assert.deepEqual(calls, ['date 1'])
  assert.deepEqual(
    (await known()).map(({ revision, date }) => [revision, String(date)]),
    [
      ['1', String(AHEAD)],
      ['8', '2026-02-28T15:00:00Z']
    ]
  )
})

test('the date of a contract that is not active is somebody else’s: it is neither pushed nor noted', async () => {
  const { contracts, given, ids, inStore, push, calls, known } = await aPushed(1)
  await inStore((ctx) => pauseSubscription(ctx, ids[0]!, null, 'api'))
  contracts.set(given[0]!.id, { ...given[0]!, nextBillingDate: AHEAD.add({ hours: 24 }) })
  assert.deepEqual(await push(), [{ done: true }])
  assert.deepEqual(calls, ['pause 0'])
  assert.deepEqual(
    (await known()).map(({ revision, date }) => [revision, String(date)]),
    [['2', String(AHEAD)]]
  )
})

test('while a cycle is charged the date there is neither pushed nor noted', async () => {
  const { contracts, given, inStore, push, calls, known } = await aPushed(1)
  await inStore((ctx) => setClock(ctx, AHEAD.add({ hours: 1 })))
  contracts.set(given[0]!.id, { ...given[0]!, revision: '7', nextBillingDate: AHEAD.add({ hours: 48 }) })
  assert.deepEqual(await push(), [{ done: true }])
  assert.deepEqual(calls, [])
  assert.deepEqual(
    (await known()).map(({ revision, date }) => [revision, String(date)]),
    [['7', String(AHEAD)]]
  )
})

test('one that cannot be read, or whose call fails, fails alone; what the others came to is recorded', async () => {
  const failing = await aPushed(3, (call) => (call === 'pause 1' ? failure('busy', 'unavailable') : null))
  const { ids, inStore, given, unreadable, push, known } = failing
  for (const id of ids) await inStore((ctx) => pauseSubscription(ctx, id, null, 'api'))
  unreadable.set(given[0]!.id, 'No price')
  assert.deepEqual(await push(), [
    { done: false, reason: 'No price' },
    { done: false, reason: 'It is busy' },
    { done: true }
  ])
  assert.deepEqual(
    (await known()).map(({ revision }) => revision),
    ['1', '1', '2']
  )
})

test('a contract that the platform does not have is looked up four times before it counts as missing', async () => {
  const { contracts, given, push, inStore } = await aPushed(2)
  contracts.delete(given[0]!.id)
  const missing = () =>
    inStore(({ tx, storeId }) => tx.run(sql`select from missing_contracts where store_id = ${storeId}`))
  assert.deepEqual(await push(3), [
    { done: false, reason: `The platform has no contract ${given[0]!.id}` },
    { done: true }
  ])
  assert.equal(await missing(), 0)
  assert.deepEqual(await push(4), [{ done: true }, { done: true }])
  assert.equal(await missing(), 1)
})

/** A requested price for each subscription, and what the job says of them. */
async function edited(count: number, answer: (call: string, calls: string[]) => Answer | null) {
  const calls: string[] = []
  const store = await aPushed(count, (call) => {
    calls.push(call)
    return answer(call, calls)
  })
  for (const id of store.ids) {
    await store.inStore((ctx) => requestChange(ctx, id, { priceMinor: 1900 }, 'operator'))
  }
  const outcomes = await store.edit()
  const waiting = (await store.inStore((ctx) => listChanges(ctx, store.ids))).map(({ subscriptionId }) =>
    store.ids.indexOf(subscriptionId)
  )
  const alerts = await store.inStore(({ tx, storeId }) => tx.run(sql`select from alerts where store_id = ${storeId}`))
  return { outcomes, waiting, alerts, calls }
}

test('a change that was made waits no more; one that failed for now is made again, beside it', async () => {
  const { outcomes, waiting } = await edited(3, (call) => (call === 'edit 1' ? failure('busy', 'unavailable') : null))
  assert.deepEqual(outcomes, [{ done: true }, { done: false, reason: 'It is busy' }, { done: true }])
  assert.deepEqual(waiting, [1])
})

test('what the platform refuses for good is dropped, and is not tried again', async () => {
  const { outcomes, waiting, calls } = await edited(2, (call) => (call === 'edit 0' ? failure('invalid') : null))
  assert.deepEqual([outcomes, waiting], [[{ done: true }, { done: true }], []])
  assert.deepEqual(calls.toSorted(), ['edit 0', 'edit 1'])
})

test('a contract that changed meanwhile is read and edited again, three times at most', async () => {
  const once = await edited(1, (_call, calls) => (calls.length === 1 ? failure('stale_contract') : null))
  assert.deepEqual([once.outcomes, once.waiting, once.calls.length], [[{ done: true }], [], 2])
  const always = await edited(1, () => failure('stale_contract'))
  assert.deepEqual(
    [always.outcomes, always.waiting, always.calls.length],
    [[{ done: false, reason: 'It is stale_contract' }], [0], 3]
  )
})
