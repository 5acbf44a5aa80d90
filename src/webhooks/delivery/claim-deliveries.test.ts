import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int, row, sql } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { endpointIdOf } from '../endpoints/endpoint.ts'
import { aFact, aSendingStore } from '../receiver.test-helper.ts'
import { claimDueDeliveries, type EndpointQuota, listTargets, type PaceQuota } from './claim-deliveries.ts'
import { releaseDeliveries } from './open-deliveries.ts'

const { db } = await testDatabase()

/** A store with endpoints, each with three events that are due. */
async function aQueue(endpoints: number) {
  const store = await aSendingStore(db)
  const ids: number[] = []
  for (let n = 0; n < endpoints; n++) {
    ids.push(endpointIdOf((await store.anEndpoint({ url: 'http://127.0.0.1:1/' })).id))
  }
  await store.record(aFact(1), aFact(2), aFact(3))
  while ((await store.dispatch.runOnce(store.storeId)) > 0);
  const run = (query: ReturnType<typeof sql>) => store.inStore(({ tx }) => tx.run(query))
  return {
    ids,
    run,
    storeId: store.storeId,
    inStore: store.inStore,
    /** The ids of what is leased. */
    async claimed(
      paces: (Partial<PaceQuota> & Pick<PaceQuota, 'pace'>)[],
      endpoints = new Map<number, EndpointQuota>()
    ) {
      const quotas = {
        endpoints,
        elsewhere: 1,
        paces: paces.map((pace) => ({ deliveries: 0, retries: 0, after: 0, ...pace }))
      }
      return store.inStore(async (ctx) => {
        // No index that happens to have this order, nor a plan from before.
        await ctx.tx.run(sql`set local plan_cache_mode = force_custom_plan`)
        await ctx.tx.run(sql`set local enable_indexscan = off`)
        return (await claimDueDeliveries(ctx, 1, quotas, { listener: null })).map(({ id }) => id)
      })
    },
    /** How many are leased of each endpoint, by its place in `ids`. */
    async claim(paces: (Partial<PaceQuota> & Pick<PaceQuota, 'pace'>)[], of: Record<number, EndpointQuota> = {}) {
      const quotas = {
        endpoints: new Map(Object.entries(of).map(([n, quota]) => [ids[Number(n)]!, quota])),
        elsewhere: 2,
        paces: paces.map((pace) => ({ deliveries: 0, retries: 0, after: 0, ...pace }))
      }
      const claimed = await store.inStore((ctx) => claimDueDeliveries(ctx, 1, quotas, { listener: null }))
      return ids.map((id) => claimed.filter((one) => one.endpointId === id).length)
    }
  }
}

test('a pace has as many as its quota, endpoint by endpoint, from the one after the last on and then from the first', async () => {
  const { ids, claim } = await aQueue(4)
  assert.deepEqual(await claim([{ pace: 'unknown', deliveries: 3 }]), [2, 1, 0, 0])
  assert.deepEqual(await claim([{ pace: 'unknown', deliveries: 4, after: ids[1]! }]), [0, 0, 2, 2])
  assert.deepEqual(await claim([{ pace: 'unknown', deliveries: 3, after: ids[2]! }]), [1, 1, 0, 1])
  assert.deepEqual(await claim([{ pace: 'quick', deliveries: 9 }]), [0, 0, 0, 0], 'nobody is known to be quick')
})

test('paces have quotas of their own; one that fails is taken for silent, and has one', async () => {
  const { ids, claim, run, storeId } = await aQueue(4)
  await run(sql`
    update webhook_endpoints set failing_since = created_at
     where store_id = ${storeId} and id = any(${ids.slice(2)}::bigint[])`)
  const paces = [
    { pace: 'unknown', deliveries: 9 },
    { pace: 'slow', deliveries: 2 },
    { pace: 'silent', deliveries: 9 }
  ] as const
  assert.deepEqual(await claim([...paces], { 0: { pace: 'slow', deliveries: 3, retries: 0 } }), [2, 2, 1, 1])
  // What this process knows of it counts.
  assert.deepEqual(await claim([...paces], { 2: { pace: 'unknown', deliveries: 1, retries: 0 } }), [1, 1, 1, 1])
})

test('the retries of slow receivers come first, as many as their quota; the rest is shared with first tries', async () => {
  const { ids, claim, run, storeId } = await aQueue(3)
  // The last two of each endpoint have failed once.
  await run(sql`
    update webhook_queue q set tries = 1, first = false
     where q.store_id = ${storeId} and q.delivery_id <> all(array(
           select min(o.delivery_id) from webhook_queue o where o.store_id = ${storeId} group by o.endpoint_id))`)
  const slow = (deliveries: number, retries: number): EndpointQuota => ({ pace: 'slow', deliveries, retries })
  assert.deepEqual(
    await claim([{ pace: 'slow', deliveries: 3, retries: 2, after: ids[0]! }], {
      0: slow(3, 2),
      1: slow(1, 1),
      2: slow(1, 1)
    }),
    [1, 1, 1]
  )
  assert.deepEqual(
    await claim([{ pace: 'slow', deliveries: 9, retries: 9 }], { 0: slow(3, 1), 1: slow(0, 0), 2: slow(1, 0) }),
    [2, 0, 1]
  )
})

test('of an endpoint the one that has been due longest comes first, among retries and among first tries', async () => {
  const { run, storeId, ids, claimed } = await aQueue(1)
  const order = (tries: number) =>
    run(sql`
      update webhook_queue q set tries = ${tries}, next_try_at = next_try_at - o.n * interval '1 hour'
        from (select delivery_id, row_number() over (order by delivery_id) as n from webhook_queue
               where store_id = ${storeId}) o
       where q.store_id = ${storeId} and q.delivery_id = o.delivery_id`)
  const slow = { pace: 'slow', deliveries: 1, retries: 1 } as const
  const all = await claimed([{ pace: 'unknown', deliveries: 0 }])
  assert.deepEqual(all, [])
  await order(0)
  const [newest] = await claimed([{ pace: 'unknown', deliveries: 1 }])
  await order(1)
  const [second] = await claimed([{ pace: 'slow', deliveries: 1, retries: 1 }], new Map([[ids[0]!, slow]]))
  // The last two that were made have been due longest.
  assert.ok(newest! > second!, `${newest} ${second}`)
  const [third] = await claimed([{ pace: 'unknown', deliveries: 1 }])
  assert.ok(second! > third!, `${second} ${third}`)
})

test('what was not sent is released, and nothing else that has the same lease number', async () => {
  const { run, inStore, storeId, claim } = await aQueue(2)
  assert.deepEqual(await claim([{ pace: 'unknown', deliveries: 4 }]), [2, 2])
  const leased = await inStore(({ tx }) =>
    tx.many(
      row({ id: int, leaseToken: int }),
      sql`select delivery_id as id, lease_token from webhook_queue
           where store_id = ${storeId} and leased_until is not null order by delivery_id`
    )
  )
  await inStore((ctx) => releaseDeliveries(ctx, [leased[0]!]))
  const still = () =>
    run(sql`select from webhook_queue where store_id = ${storeId} and leased_until is not null and started`)
  assert.equal(await still(), 3)
  // A lease that somebody else has by now is not released.
  await inStore((ctx) => releaseDeliveries(ctx, [{ ...leased[1]!, leaseToken: leased[1]!.leaseToken - 1 }]))
  assert.equal(await still(), 3)
})

test('a receiver is known to fail when its deliveries are leased', async () => {
  const { run, inStore, storeId, ids } = await aQueue(2)
  await run(
    sql`update webhook_endpoints set failing_since = created_at where store_id = ${storeId} and id = ${ids[1]!}`
  )
  const targets = await inStore((ctx) => listTargets(ctx, ids))
  assert.deepEqual(
    new Map(targets.map(({ id, failing }) => [id, failing])),
    new Map([
      [ids[0]!, false],
      [ids[1]!, true]
    ])
  )
})

test('and so whatever order the rows of the queue have', async () => {
  const { run, storeId, ids, claimed, inStore } = await aQueue(1)
  const rows = await inStore(({ tx }) =>
    tx.many(row({ id: int }), sql`select delivery_id as id from webhook_queue where store_id = ${storeId} order by 1`)
  )
  const all = rows.map(({ id }) => id)
  for (const tries of [0, 1]) {
    for (const due of [all, all.toReversed()]) {
      // Those that have been due longest are written last.
      for (const [n, id] of due.toReversed().entries()) {
        await run(sql`
          update webhook_queue
             set tries = ${tries}, next_try_at = now() - ${n + 1}::int * interval '1 hour', leased_until = null,
                 lease_owner = null
           where store_id = ${storeId} and delivery_id = ${id}`)
      }
      const slow = { pace: 'slow', deliveries: 2, retries: 2 * tries } as const
      const first = await claimed([{ pace: 'slow', deliveries: 2, retries: 2 * tries }], new Map([[ids[0]!, slow]]))
      assert.deepEqual(first, due.slice(0, 2))
    }
  }
})
