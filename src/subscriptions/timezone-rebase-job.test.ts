import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createJobEngine } from '#kit/jobs'
import { type Ctx, int, row, sql, text } from '#kit/postgres'
import { setClock, updateShop } from '#stores'
import { aContract } from '../../test/contract-builder.ts'
import { testDatabase } from '../../test/database.ts'
import { aPlatform, data, aContract as there } from '../../test/fake-platform.ts'
import { aStore, testVault } from '../../test/store-builder.ts'
import { jobs } from '../app/jobs.ts'
import { noMail } from '../app/mail.ts'
import { upsertFromContracts } from '../contracts/upsert-from-contracts.ts'
import { rescheduleSubscription } from '../lifecycle/reschedule-subscription.ts'
import { lockDueSubscriptions, lockSubscriptions } from './lock-subscriptions.ts'
import { enqueueTimezoneRebase, rebaseNextSubscriptions, rebaseTimezoneJob } from './timezone-rebase-job.ts'

const { db } = await testDatabase()
const at = Temporal.Instant.from
// Ten in the morning in New York.
const START = at('2026-02-01T15:00:00Z')
const NEXT_IN_NEW_YORK = '2026-03-01T15:00:00Z'
const NEXT_IN_TOKYO = '2026-03-01T01:00:00Z'

async function aStoreWith(many: number) {
  const store = await aStore(db, { clockAt: START })
  const contracts = Array.from({ length: many }, () => aContract(START))
  await store.inStore((ctx) => upsertFromContracts(ctx, contracts, []))
  const rows = () =>
    store.inStore(({ tx, storeId }) =>
      tx.many(
        row({ id: int, next: text }),
        sql`select id, to_char(next_billing_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as next
              from subscriptions where store_id = ${storeId} order by id`
      )
    )
  return {
    ...store,
    contracts,
    ids: (await rows()).map(({ id }) => id),
    nextDates: async () => (await rows()).map(({ next }) => next),
    /** The zone alone; subscriptions follow later. */
    moveTo: (timezone: string) =>
      store.inStore(async (ctx) => {
        await updateShop(ctx, { name: 'Moved', timezone })
        await enqueueTimezoneRebase(ctx)
      })
  }
}

const times = <T>(many: number, value: T) => Array.from({ length: many }, () => value)

test('subscriptions follow their shop in batches; one that stopped half way goes on', async () => {
  const store = await aStoreWith(1_200)
  await store.moveTo('Asia/Tokyo')
  const first = await store.inStore((ctx) => rebaseNextSubscriptions(ctx, 0))
  assert.equal(first, store.ids[499])
  assert.deepEqual(await store.nextDates(), [...times(500, NEXT_IN_TOKYO), ...times(700, NEXT_IN_NEW_YORK)])
  // As after a crash: from the beginning, and none of those that have moved moves twice.
  for (let last: number | null = 0; last !== null; ) {
    const after: number = last
    last = await store.inStore((ctx) => rebaseNextSubscriptions(ctx, after))
  }
  assert.deepEqual(await store.nextDates(), times(1_200, NEXT_IN_TOKYO))
  const { lines } = await store.inStore(({ tx, storeId }) =>
    tx.one(
      row({ lines: int }),
      sql`select count(*) as lines from contract_activities where store_id = ${storeId} and text like 'The shop moved%'`
    )
  )
  assert.equal(lines, 1_200)
})

test('the job does a batch per run, and goes on where the last one ended', async () => {
  const store = await aStoreWith(600)
  await store.moveTo('Asia/Tokyo')
  const run = (input: { after?: number }) =>
    rebaseTimezoneJob.run({ db }, store.storeId, [{ input, attempts: 1, renewLease: async () => {} }])
  const continued = (after: number) => [{ done: false, continues: true, input: { after } }]
  assert.deepEqual(await run({}), continued(store.ids[499]!))
  assert.deepEqual(await store.nextDates(), [...times(500, NEXT_IN_TOKYO), ...times(100, NEXT_IN_NEW_YORK)])
  assert.deepEqual(await run({ after: store.ids[499]! }), continued(store.ids[599]!))
  assert.deepEqual(await store.nextDates(), times(600, NEXT_IN_TOKYO))
  assert.deepEqual(await run({ after: store.ids[599]! }), [{ done: true }])
})

test('a run whose job another process has by now moves nothing', async () => {
  const store = await aStoreWith(2)
  await store.moveTo('Asia/Tokyo')
  const renewLease = () => Promise.reject(new Error('lost'))
  await assert.rejects(rebaseTimezoneJob.run({ db }, store.storeId, [{ input: {}, attempts: 1, renewLease }]), /lost/)
  assert.deepEqual(await store.nextDates(), times(2, NEXT_IN_NEW_YORK))
})

test('whoever holds a subscription before its batch comes finds it on the clocks of the new zone', async () => {
  const store = await aStoreWith(3)
  await store.moveTo('Asia/Tokyo')
  const [a, b] = store.ids as [number, number]
  const [held] = await store.inStore((ctx) => lockSubscriptions(ctx, [a]))
  assert.equal(held?.nextBillingAt?.toString(), NEXT_IN_TOKYO)
  // Moved again before the others followed the first time: each day and time stays that of the first zone.
  await store.moveTo('America/Los_Angeles')
  await store.inStore((ctx) => rescheduleSubscription(ctx, b, at('2026-03-10T18:00:00Z'), 'api'))
  await store.inStore((ctx) => rebaseNextSubscriptions(ctx, 0))
  assert.deepEqual(await store.nextDates(), ['2026-03-01T18:00:00Z', '2026-03-10T18:00:00Z', '2026-03-01T18:00:00Z'])
})

test('what was due by the clocks of the old zone is not taken as due before its time in the new one', async () => {
  const store = await aStoreWith(2)
  await store.moveTo('America/Los_Angeles')
  await store.inStore((ctx) => setClock(ctx, at('2026-03-01T16:00:00Z')))
  const due = (ctx: Ctx) => lockDueSubscriptions(ctx, 10)
  assert.deepEqual(await store.inStore(due), [])
  assert.deepEqual(await store.nextDates(), times(2, '2026-03-01T18:00:00Z'))
  await store.inStore((ctx) => setClock(ctx, at('2026-03-01T18:00:00Z')))
  assert.equal((await store.inStore(due)).length, 2)
})

test('the platform gets the next dates of the new zone at once, and only dates that are ahead', async () => {
  const store = await aStoreWith(2)
  const set: [string, string][] = []
  const { connector } = await aPlatform((res, { operation, variables }) => {
    const requested = ((variables.ids ?? []) as string[]).map((gid) => gid.split('/').at(-1)!)
    if (operation === 'ContractsByIds')
      return data(res, { nodes: requested.map((id) => ({ ...there(id), nextBillingDate: NEXT_IN_NEW_YORK })) })
    const id = String(variables.id).split('/').at(-1)!
    set.push([id, String(variables.date)])
    const contract = { ...there(id), nextBillingDate: variables.date }
    data(res, { subscriptionContractSetNextBillingDate: { contract, userErrors: [] } })
  })
  const engine = createJobEngine({
    db,
    leaseOwner: 1,
    jobs,
    deps: { db, vault: testVault, connectorOf: async () => connector, sendMail: noMail }
  })
  const work = async () => {
    while ((await engine.runOnce(store.storeId)) > 0) {}
  }
  await store.moveTo('Asia/Tokyo')
  await work()
  assert.deepEqual(set.sort(), store.contracts.map(({ id }) => [id, NEXT_IN_TOKYO]).sort())

  // Its time in the new zone is over by now: it is due, and the platform keeps the date that it has.
  set.length = 0
  await store.inStore((ctx) => setClock(ctx, at('2026-03-01T00:30:00Z')))
  await store.moveTo('Pacific/Auckland')
  await work()
  assert.deepEqual(set, [])
  assert.deepEqual(await store.nextDates(), times(2, '2026-02-28T21:00:00Z'))
})
