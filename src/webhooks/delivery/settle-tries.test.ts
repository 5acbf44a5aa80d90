import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bool, type Ctx, int, nullable, row, sql, text } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { endpointIdOf } from '../endpoints/endpoint.ts'
import { aFact, aSendingStore } from '../receiver.test-helper.ts'
import { type ClaimedRow, claimDueDeliveries } from './claim-deliveries.ts'
import { cancelOpenDeliveries, releaseNextInOrder } from './open-deliveries.ts'
import { insertLateTries, type SettledTry, settleTries } from './settle-tries.ts'

const { db } = await testDatabase()
const START = Temporal.Instant.from('2026-01-01T00:00:00Z')

/** A store whose events wait in the queue of each of its endpoints: events of these customers, in this order. */
async function aQueue(customers: number[], endpoints = 1) {
  const store = await aSendingStore(db, { clock: START.toString() })
  const ids: number[] = []
  for (let n = 0; n < endpoints; n++)
    ids.push(endpointIdOf((await store.anEndpoint({ url: 'http://127.0.0.1:1/' })).id))
  await store.record(...customers.map((customer) => aFact(customer, `member:${customer}`)))
  while ((await store.dispatch.runOnce(store.storeId)) > 0);
  const run = (query: ReturnType<typeof sql>) => store.inStore(({ tx }) => tx.run(query))
  const { storeId } = store
  return {
    ...store,
    ids,
    run,
    claim: () =>
      store.inStore((ctx) =>
        claimDueDeliveries(
          ctx,
          1,
          { endpoints: new Map(), elsewhere: 9, paces: [{ pace: 'unknown', deliveries: 99, retries: 0, after: 0 }] },
          { listener: null }
        )
      ),
    settle: async (tries: SettledTry[], well: number[] = []) => [
      ...(await store.inStore((ctx) => settleTries(ctx, tries, { well })))
    ],
    /** What is in the queue, the first one first. */
    queue: () =>
      store.inStore(({ tx }) =>
        tx.many(
          row({ id: int, endpointId: int, tries: int, first: bool, ready: bool, leased: bool, started: bool }),
          sql`
          select delivery_id as id, endpoint_id, tries, first, ready, leased_until is not null as leased, started
            from webhook_queue where store_id = ${storeId} order by delivery_id`
        )
      ),
    /** How each delivery ended, and the numbers of its tries. */
    history: () =>
      store.inStore(({ tx }) =>
        tx.many(
          row({ status: nullable(text), tries: text }),
          sql`
          select d.undelivered_status as status,
                 coalesce((select string_agg(t.try_number::text, ',' order by t.try_number) from webhook_tries t
                            where t.store_id = ${storeId} and t.day = d.day and t.delivery_id = d.id), '') as tries
            from webhook_deliveries d where d.store_id = ${storeId} order by d.id`
        )
      )
  }
}

const aTry = (claimed: ClaimedRow, given: Partial<SettledTry> = {}): SettledTry => ({
  id: claimed.id,
  day: claimed.day,
  leaseToken: claimed.leaseToken,
  tryNumber: claimed.tries + 1,
  nextTryAt: null,
  startedAtMs: START.epochMilliseconds,
  durationMs: 5,
  responseCode: 200,
  failure: null,
  responseText: 'ok',
  ...given
})
const failed = { responseCode: 500, failure: 'status', responseText: 'no' }
const later = START.add({ minutes: 1 })

test('a result counts once, for the lease and the number of tries that it was made under', async () => {
  const { claim, settle, queue, history } = await aQueue([1])
  const [claimed = assert.fail()] = await claim()
  assert.deepEqual(await settle([aTry(claimed, { leaseToken: claimed.leaseToken - 1 })]), [])
  assert.deepEqual(await settle([aTry(claimed, { tryNumber: 2 })]), [])
  assert.deepEqual(await history(), [{ status: null, tries: '' }])
  assert.deepEqual(await settle([aTry(claimed, { ...failed, nextTryAt: later })]), [claimed.id])
  assert.deepEqual(await settle([aTry(claimed, { ...failed, nextTryAt: later })]), [])
  assert.deepEqual(await history(), [{ status: null, tries: '1' }])
  assert.deepEqual(
    (await queue()).map(({ tries, leased, started }) => [tries, leased, started]),
    [[1, false, false]]
  )
  // Of a lease that somebody else has by now, or of a try that was counted before.
  assert.deepEqual(await settle([aTry(claimed, { tryNumber: 2, leaseToken: claimed.leaseToken + 1 })]), [])
})

test('each of several results has its own consequence: delivered, to be tried again, failed', async () => {
  const { claim, settle, queue, history } = await aQueue([1, 2, 3, 4])
  const [one, two, three, four] = (await claim()) as [ClaimedRow, ClaimedRow, ClaimedRow, ClaimedRow]
  const settled = await settle([
    aTry(three, failed),
    aTry(two, { ...failed, nextTryAt: later }),
    aTry(one),
    aTry(four, { failure: 'interrupted', responseCode: null, nextTryAt: START })
  ])
  assert.deepEqual(settled.toSorted(), [one.id, two.id, three.id, four.id].toSorted())
  assert.deepEqual(
    (await history()).map(({ status }) => status),
    [null, null, 'failed', null]
  )
  // One that was interrupted may not have been sent: it keeps its place before the later ones of its customer.
  assert.deepEqual(
    (await queue()).map(({ id, tries, first, leased }) => [id, tries, first, leased]),
    [
      [two.id, 1, false, false],
      [four.id, 1, true, false]
    ]
  )
})

test('one that has lost its place before the others has it no more after an interruption', async () => {
  const { claim, settle, queue, setClock } = await aQueue([1])
  const [first = assert.fail()] = await claim()
  await settle([aTry(first, { ...failed, nextTryAt: later })])
  await setClock(later)
  const [second = assert.fail()] = await claim()
  await settle([aTry(second, { failure: 'interrupted', responseCode: null, nextTryAt: later })])
  assert.deepEqual(
    (await queue()).map((one) => one.first),
    [false]
  )
})

test('only the receivers that are well are said to be so', async () => {
  const { claim, settle, ids, run, storeId, inStore } = await aQueue([1], 2)
  await run(sql`
    update webhook_endpoints set failing_since = created_at, failed_deliveries = 3, warn_at = created_at
     where store_id = ${storeId}`)
  const claimed = await claim()
  await settle(
    claimed.map((one) => aTry(one)),
    [ids[1]!]
  )
  const endpoints = await inStore(({ tx }) =>
    tx.many(
      row({ id: int, failing: bool, failedDeliveries: int, warned: bool }),
      sql`
      select id, failing_since is not null as failing, failed_deliveries, warn_at is not null as warned
        from webhook_endpoints where store_id = ${storeId} order by id`
    )
  )
  assert.deepEqual(endpoints, [
    { id: ids[0]!, failing: true, failedDeliveries: 3, warned: true },
    { id: ids[1]!, failing: false, failedDeliveries: 0, warned: false }
  ])
})

test('cancelled are the open deliveries of these endpoints; a try under way is kept, and one that succeeded has delivered', async () => {
  const { claim, ids, inStore, queue, history, settle } = await aQueue([1, 2], 3)
  const claimed = await claim()
  assert.deepEqual(
    claimed.map(({ endpointId }) => ids.indexOf(endpointId)),
    [0, 1, 2, 0, 1, 2]
  )
  await inStore((ctx) => cancelOpenDeliveries(ctx, [ids[0]!, ids[2]!]))
  assert.deepEqual(
    (await queue()).map(({ endpointId }) => endpointId),
    [ids[1], ids[1]]
  )
  const statuses = async () => (await history()).map(({ status }) => status)
  assert.deepEqual(await statuses(), ['cancelled', null, 'cancelled', 'cancelled', null, 'cancelled'])

  const tries = claimed.map((one, n) => aTry(one, n < 3 ? {} : failed))
  assert.deepEqual(await settle([tries[0]!, tries[3]!]), [], 'they have left the queue')
  // Also those that were not cancelled: such a result has been recorded, or is that of a lease that was lost.
  await inStore((ctx) => insertLateTries(ctx, tries))
  await inStore((ctx) => insertLateTries(ctx, tries))
  assert.deepEqual(await history(), [
    { status: null, tries: '1' },
    { status: null, tries: '' },
    { status: null, tries: '1' },
    { status: 'cancelled', tries: '1' },
    { status: null, tries: '' },
    { status: 'cancelled', tries: '1' }
  ])
})

test('a late success does not deliver what has used up its tries', async () => {
  const { claim, settle, history, inStore } = await aQueue([1])
  const [claimed = assert.fail()] = await claim()
  await settle([aTry(claimed, failed)])
  await inStore((ctx) => insertLateTries(ctx, [aTry(claimed, { tryNumber: 2 })]))
  assert.deepEqual(await history(), [{ status: 'failed', tries: '1' }])
})

test('the next of a customer is ready when its first try is over, one at a time, and nobody else’s', async () => {
  const { claim, settle, inStore, queue, ids } = await aQueue([1, 2, 1, 2, 1], 2)
  const ready = async () => (await queue()).map((one) => one.ready)
  const claimed = await claim()
  assert.equal(claimed.length, 4, 'the first of each customer at each endpoint')
  const one = claimed.find((c) => c.orderingKey === 'member:1' && c.endpointId === ids[0])!
  const key = { endpointId: ids[0]!, orderingKey: 'member:1' }
  await inStore((ctx) => releaseNextInOrder(ctx, [key]))
  assert.equal((await ready()).filter(Boolean).length, 4, 'the first try is not over')

  await settle([aTry(one, { ...failed, nextTryAt: later })])
  await inStore((ctx) => releaseNextInOrder(ctx, [key]))
  await inStore((ctx) => releaseNextInOrder(ctx, [key]))
  const next = await claim()
  assert.deepEqual(
    next.map((c) => [c.endpointId, c.orderingKey]),
    [[ids[0], 'member:1']]
  )
  const ofKey = (await queue()).filter((q) => q.endpointId === ids[0] && !q.ready)
  assert.equal(ofKey.length, 2, 'the third of the first customer and the second of the other one')
  assert.ok(ofKey.every((q) => q.id > next[0]!.id))
})

test('two that claim at once share what is due, and neither waits for the other', async () => {
  const { inStore } = await aQueue([1, 2])
  const claimOf = (ctx: Ctx, owner: number, deliveries: number) =>
    claimDueDeliveries(
      ctx,
      owner,
      { endpoints: new Map(), elsewhere: deliveries, paces: [{ pace: 'unknown', deliveries, retries: 0, after: 0 }] },
      { listener: null }
    )
  const both = await inStore(async (ctx) => ({
    first: await claimOf(ctx, 1, 1),
    second: await inStore(async (other) => {
      await other.tx.run(sql`set local lock_timeout = '2s'`)
      return claimOf(other, 2, 9)
    })
  }))
  assert.deepEqual([both.first.length, both.second.length], [1, 1])
  assert.notEqual(both.first[0]!.id, both.second[0]!.id)
})

test('leased is what is due at an enabled endpoint and not leased, or whose lease is over', async () => {
  const { claim, run, storeId, ids, setClock } = await aQueue([1], 4)
  await run(sql`
    update webhook_queue set next_try_at = ${later} where store_id = ${storeId} and endpoint_id = ${ids[0]!}`)
  await run(sql`update webhook_queue set ready = false where store_id = ${storeId} and endpoint_id = ${ids[1]!}`)
  await run(sql`
    update webhook_endpoints set status = 'disabled', disabled_at = created_at, disabled_reason = 'Test'
     where store_id = ${storeId} and id = ${ids[2]!}`)
  const of = (claimed: ClaimedRow[]) => claimed.map((c) => [ids.indexOf(c.endpointId), c.wasStarted, c.leaseToken])
  assert.deepEqual(of(await claim()), [[3, false, 1]])
  assert.deepEqual(of(await claim()), [])
  await run(sql`
    update webhook_queue set leased_until = statement_timestamp() - interval '1 second'
     where store_id = ${storeId} and leased_until is not null`)
  const again = await claim()
  assert.deepEqual(of(again), [[3, true, 2]])
  assert.equal(String(again[0]!.startedBefore), String(START))
  await setClock(later)
  assert.deepEqual(of(await claim()), [[0, false, 1]])
})
