import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFactEngines } from '#kit/outbox'
import { sql } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { enginesInTurn } from '../../../test/engines-in-turn.ts'
import { aStore } from '../../../test/store-builder.ts'
import { webhooksConsumer } from '../queue/queue-deliveries.ts'
import { BLOCK } from './event-span.ts'
import { listEvents } from './list-events.ts'
import { listLatestEvents } from './list-latest-events.ts'
import { rollUpEventCounts } from './roll-up-event-counts.ts'

const { db } = await testDatabase()

/** A store with so many events, most of one type, of two customers, none of which is counted yet. */
async function aStoreWithEvents(count: number) {
  const store = await aStore(db)
  await enginesInTurn(createFactEngines({ db, consumers: [webhooksConsumer] })).runOnce(store.storeId)
  await store.inStore(async ({ tx, storeId, now }) => {
    await tx.run(sql`
      insert into members (store_id, platform_customer_id, created_at, updated_at)
      values (${storeId}, '71', ${now}, ${now}), (${storeId}, '72', ${now}, ${now})`)
    await tx.run(sql`
      insert into facts (store_id, name, ordering_key, data, refs, occurred_at, position)
      select ${storeId},
             case when g.n % 211 = 3 then 'billing.failed' when g.n % 5 = 0 then 'internal.thing' else 'subscription.paused' end,
             'member:' || m.id, json_build_object('n', g.n), json_build_object('memberId', m.id), ${now}, l.last + g.n
        from (select last_position as last from fact_consumers where store_id = ${storeId} offset 0) l,
             generate_series(1, ${count}::bigint) as g(n)
             join members m on m.store_id = ${storeId}
              and m.platform_customer_id = case when g.n % 97 = 1 then '72' else '71' end`)
    await tx.run(sql`
      update fact_consumers
         set position = last_position + ${count}, furthest = last_position + ${count}, last_position = last_position + ${count}
       where store_id = ${storeId}`)
  })
  type Filters = Omit<Parameters<typeof listLatestEvents>[1], 'limit'>
  return {
    ...store,
    latest: (filters: Filters & { limit: number }) => store.inStore((ctx) => listLatestEvents(ctx, filters)),
    /** All that the other list has, turned round. */
    async expected({ type, customer }: Filters) {
      const all: number[] = []
      for (let since: number | undefined; ; ) {
        const page = await store.inStore((ctx) => listEvents(ctx, { type, customer, since, limit: 500, offset: 0 }))
        all.push(...page.events.map(({ sequence }) => sequence))
        since = page.nextSince
        if (page.events.length === 0) return all.reverse()
      }
    }
  }
}

for (const counted of [false, true]) {
  test(`page by page back it has what the list of events has${counted ? ', with counted blocks too' : ''}`, async () => {
    const store = await aStoreWithEvents(3 * BLOCK + 40)
    if (counted) await rollUpEventCounts(db)
    for (const filters of [
      {},
      { type: 'billing.failed' },
      { type: 'subscription.paused' },
      { type: 'member.created' },
      { customer: { memberId: null, platformId: '72' } },
      { customer: { memberId: null, platformId: '72' }, type: 'subscription.paused' },
      { customer: { memberId: null, platformId: '73' } }
    ] as const) {
      const expected = await store.expected(filters)
      const seen: number[] = []
      let before: number | undefined
      do {
        const page = await store.latest({ ...filters, before, limit: 60 })
        assert.equal(page.total, expected.length - seen.length, JSON.stringify(filters))
        seen.push(...page.events.map(({ sequence }) => sequence))
        before = page.nextBefore ?? undefined
      } while (before !== undefined)
      assert.deepEqual(seen, expected, JSON.stringify(filters))
    }
  })
}

test('what comes later is found from next_since on', async () => {
  const store = await aStoreWithEvents(20)
  const { nextSince, events } = await store.latest({ limit: 5 })
  assert.equal(events[0]!.sequence <= nextSince, true)
  assert.deepEqual(
    (await store.inStore((ctx) => listEvents(ctx, { since: nextSince, limit: 5, offset: 0 }))).events,
    []
  )
  assert.equal((await store.latest({ limit: 5, before: events[0]!.sequence })).nextSince, nextSince)
})
