import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFactEngines, type Fact, pruneFacts, record, skipPositions } from '#kit/outbox'
import { type Ctx, int, row, sql, text } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { enginesInTurn } from '../../../test/engines-in-turn.ts'
import { aStore } from '../../../test/store-builder.ts'
import { eventsCounted } from '../audit-rules.ts'
import { webhooksConsumer } from '../queue/queue-deliveries.ts'
import { aReceiver, aSendingStore } from '../receiver.test-helper.ts'
import { BLOCK } from './event-span.ts'
import { listEvents } from './list-events.ts'
import { rollUpEventCounts } from './roll-up-event-counts.ts'

const { db } = await testDatabase()

const aFact = (n: number, { name = 'subscription.paused', member = 1 } = {}): Fact => ({
  name,
  orderingKey: `member:${member}`,
  data: { n, text: `Ünïcode ✓ "${n}"`, price: 29.5 },
  refs: { memberId: member }
})

/** A store whose facts are given positions and passed by the consumer when it is dispatched. */
async function aLoggingStore() {
  const store = await aStore(db)
  const engines = createFactEngines({ db, consumers: [webhooksConsumer] })
  const dispatch = enginesInTurn(engines)
  await dispatch.runOnce(store.storeId)
  const events = (filters: Partial<Parameters<typeof listEvents>[1]> = {}) =>
    store.inStore((ctx) => listEvents(ctx, { limit: 50, offset: 0, ...filters }))
  return {
    ...store,
    engines,
    events,
    record: (...facts: Fact[]) => store.inStore((ctx) => record(ctx, ...facts)),
    async dispatch() {
      while ((await dispatch.runOnce(store.storeId)) > 0);
    },
    /** Many facts at once, their names in turn, with positions, and passed by the consumer. */
    addMany: (count: number, names: string[]) => store.inStore((ctx) => addMany(ctx, count, names)),
    /** The numbers in the payloads of a page. */
    numbers: async (filters: Parameters<typeof events>[0]) =>
      (await events(filters)).events.map(({ data }) => (data as { n: number }).n)
  }
}

async function addMany({ tx, storeId, now }: Ctx, count: number, names: string[]) {
  await tx.run(sql`
    insert into facts (store_id, name, ordering_key, data, refs, occurred_at, position)
    select ${storeId}, (${names}::text[])[1 + (g.n - 1) % ${names.length}::int], 'member:1', json_build_object('n', g.n),
           '{"memberId": 1}', ${now}, l.last + g.n
      from (select last_position as last from fact_consumers where store_id = ${storeId} offset 0) l,
           generate_series(1, ${count}::bigint) as g(n)
    on conflict do nothing`)
  await tx.run(sql`
    update fact_consumers
       set position = last_position + ${count}, furthest = last_position + ${count}, last_position = last_position + ${count}
     where store_id = ${storeId}`)
}

test('events are in the order of their sequence, with the payload of their deliveries, byte by byte', async () => {
  const receiver = await aReceiver()
  const store = await aSendingStore(db, { clock: '2026-01-01T00:00:00Z' })
  await store.anEndpoint({ url: receiver.url })
  await store.record(aFact(1), aFact(2, { name: 'billing.failed' }), aFact(3))
  await store.settle()

  const { events, total } = await store.inStore((ctx) => listEvents(ctx, { limit: 50, offset: 0 }))
  assert.equal(total, 3)
  assert.deepEqual(
    events.map(({ type }) => type),
    ['subscription.paused', 'billing.failed', 'subscription.paused']
  )
  const sequences = events.map(({ sequence }) => sequence)
  assert.deepEqual(
    sequences,
    sequences.toSorted((a, b) => a - b)
  )
  for (const [i, { type, occurredAt, data }] of events.entries()) {
    const body = receiver.received.find((one) => one.body.includes(`"n":${i + 1},`))!.body
    const start = `{"event":"${type}","timestamp":"${occurredAt.toString({ smallestUnit: 'millisecond' })}",`
    assert.ok(body.startsWith(start), body)
    assert.ok(body.endsWith(`"data":${JSON.stringify(data)}}`), body)
  }
})

test('a fact that is not public is never an event, and a filter by type or customer leaves out the others', async () => {
  const store = await aLoggingStore()
  await store.record(
    aFact(1),
    { ...aFact(2), name: 'internal.thing' },
    aFact(3, { name: 'billing.failed' }),
    aFact(4, { member: 2 })
  )
  // As older code recorded it: the key is the subscription.
  await store.record({ ...aFact(5), orderingKey: 'subscription:7' })
  await store.dispatch()
  assert.deepEqual(await store.numbers({}), [1, 3, 4, 5])
  assert.equal((await store.events()).total, 4)
  assert.deepEqual(await store.numbers({ type: 'billing.failed' }), [3])
  assert.equal((await store.events({ type: 'billing.failed' })).total, 1)
  const nobody = await store.events({ customer: { memberId: 999, platformId: null } })
  assert.deepEqual([nobody.events, nobody.total], [[], 0])
})

test("a customer's events are found by the customer, also those that older code recorded of a subscription", async () => {
  const store = await aLoggingStore()
  const { memberId, subscriptionId } = await store.inStore(async ({ tx, storeId, now }) => {
    const member = await tx.one(
      row({ id: int }),
      sql`
      insert into members (store_id, platform_customer_id, created_at, updated_at)
      values (${storeId}, '77', ${now}, ${now}) returning id`
    )
    const subscription = await tx.one(
      row({ id: int }),
      sql`
      insert into subscriptions
             (store_id, member_id, platform_contract_id, platform_revision, name, status, price_minor, currency, interval,
              interval_count, anchor_at, anchor_cycle, cycle_index, next_cycle, next_billing_at, created_at, updated_at)
      values (${storeId}, ${member.id}, '88', '1', 'VIP', 'active', 2900, 'USD', 'month', 1, ${now}, 1, 0, 1, ${now}, ${now},
              ${now})
      returning id`
    )
    return { memberId: member.id, subscriptionId: subscription.id }
  })
  const other = memberId + 1
  await store.record(
    aFact(1, { member: memberId }),
    aFact(2, { member: other }),
    { ...aFact(3, { member: memberId }), orderingKey: `subscription:${subscriptionId}` },
    // Of who had the subscription before.
    { ...aFact(4, { member: other }), orderingKey: `subscription:${subscriptionId}` },
    aFact(5, { member: memberId, name: 'billing.failed' })
  )
  await store.dispatch()
  const customer = { memberId, platformId: null }
  assert.deepEqual(await store.numbers({ customer }), [1, 3, 5])
  assert.deepEqual(await store.numbers({ customer: { memberId: null, platformId: '77' }, limit: 1, offset: 1 }), [3])
  assert.deepEqual(await store.numbers({ customer, type: 'billing.failed' }), [5])
  assert.equal((await store.events({ customer, type: 'billing.failed' })).total, 1)
  const { events } = await store.events({ customer })
  const rest = await store.events({ customer, since: events[0]!.sequence })
  assert.deepEqual([rest.events.length, rest.total], [2, 2])
})

test('a fact is an event when the consumer of events has passed it, not before', async () => {
  const store = await aLoggingStore()
  await store.record(aFact(1))
  const [sequencer] = store.engines
  await sequencer!.runOnce(store.storeId)
  const { positions } = await store.inStore(({ tx, storeId }) =>
    tx.one(
      row({ positions: int }),
      sql`select count(*) as positions from facts where store_id = ${storeId} and position is not null`
    )
  )
  // A position is sure only when a later commit has reached the disk: until then a crash can give it to another fact.
  assert.deepEqual([positions, (await store.events()).total], [1, 0])
  await store.dispatch()
  assert.equal((await store.events()).total, 1)
})

test('who follows next_since misses nothing and gets nothing twice, while transactions commit in another order', async () => {
  const store = await aLoggingStore()
  const writers = 12
  const each = 25
  let writing = writers
  const write = async (writer: number) => {
    for (let i = 0; i < each; i++) {
      await store.inStore(async (ctx) => {
        await record(ctx, aFact(writer * each + i, { member: writer, name: i % 2 ? 'billing.failed' : undefined }))
        // The number of the fact is given, and later ones are committed before it.
        await ctx.tx.run(sql`select pg_sleep(${((writer * 7 + i * 13) % 10) / 1000})`)
      })
    }
    writing--
  }
  const dispatch = async () => {
    while (writing > 0) await store.dispatch()
    await store.dispatch()
  }
  const follow = async (type?: 'billing.failed') => {
    const seen: number[] = []
    let since = 0
    for (let isLast = false; !isLast; ) {
      isLast = writing === 0 && !dispatching
      const { events, total, nextSince } = await store.events({ since, limit: 7, type })
      assert.ok(total >= events.length)
      assert.ok(events.every(({ sequence }) => sequence > since))
      assert.ok(nextSince >= since)
      seen.push(...events.map(({ data }) => (data as { n: number }).n))
      if (nextSince > since) isLast = false
      since = nextSince
    }
    return seen.toSorted((a, b) => a - b)
  }
  let dispatching = true
  const dispatched = dispatch().then(() => {
    dispatching = false
  })
  const [all, failed] = await Promise.all([
    follow(),
    follow('billing.failed'),
    dispatched,
    ...Array.from({ length: writers }, (_, writer) => write(writer))
  ])
  const expected = Array.from({ length: writers * each }, (_, n) => n)
  assert.deepEqual(all, expected)
  assert.deepEqual(
    failed,
    expected.filter((n) => (n % each) % 2)
  )
})

test('limit, offset and since page exactly; the total is that of what follows since', async () => {
  const store = await aLoggingStore()
  await store.record(...Array.from({ length: 9 }, (_, n) => aFact(n)))
  await store.dispatch()
  const first = await store.events({ limit: 4 })
  assert.deepEqual([first.events.length, first.total, first.nextSince], [4, 9, first.events[3]!.sequence])
  const second = await store.events({ limit: 4, since: first.nextSince })
  assert.deepEqual([second.events.length, second.total], [4, 5])
  const third = await store.events({ limit: 4, since: second.nextSince })
  const skipped = await store.events({ limit: 4, offset: 8 })
  assert.deepEqual(skipped.events, third.events)
  assert.deepEqual([third.total, skipped.total, third.nextSince === skipped.nextSince], [1, 9, true])
  const none = await store.events({ since: third.nextSince })
  assert.deepEqual([none.events, none.total, none.nextSince], [[], 0, third.nextSince])
  // A filter that finds nothing still moves on.
  assert.equal((await store.events({ type: 'billing.success' })).nextSince, third.nextSince)
  // The last page leads to the end, past what the filter leaves out, also when it is full.
  await store.record(aFact(10, { name: 'billing.failed' }))
  await store.dispatch()
  const { nextSince } = await store.events()
  assert.equal((await store.events({ type: first.events[0]!.type, limit: 9 })).nextSince, nextSince)
})

test('a since before what is kept, or after the last event, is refused with the sequence that is possible', async () => {
  const store = await aLoggingStore()
  const old = Temporal.Now.instant().subtract({ hours: 24 * 100 })
  await store.inStore((ctx) => record({ ...ctx, now: old }, aFact(1), aFact(2)))
  await store.inStore((ctx) => record({ ...ctx, now: Temporal.Now.instant() }, aFact(3)))
  await store.dispatch()
  const [, second, third] = (await store.events()).events
  const last = (await store.events()).nextSince
  assert.equal(await pruneFacts(db, [store.storeId]), 2)

  const { events, total } = await store.events()
  assert.deepEqual([events.map(({ id }) => id), total], [[third!.id], 1])
  for (const since of [0, second!.sequence - 1]) {
    await assert.rejects(store.events({ since }), {
      code: 'invalid_request',
      message: `since must be ${second!.sequence} or more: events up to that sequence are no longer kept. Leave it out for the events that are`,
      details: [
        {
          field: 'since',
          code: 'invalid',
          message: `must be ${second!.sequence} or more: events up to that sequence are no longer kept. Leave it out for the events that are`
        }
      ]
    })
  }
  assert.equal((await store.events({ since: second!.sequence })).total, 1)
  await assert.rejects(store.events({ since: last + 1 }), {
    code: 'invalid_request',
    message: /since must be .* or less/
  })
})

test('where a later fact was removed before an earlier one, the earlier one is not offered as if nothing were missing', async () => {
  const store = await aLoggingStore()
  const now = Temporal.Now.instant()
  const old = now.subtract({ hours: 24 * 100 })
  const add = async (at: Temporal.Instant, n: number) => {
    await store.inStore((ctx) => record({ ...ctx, now: at }, aFact(n)))
    await store.dispatch()
  }
  await add(old, 1)
  assert.equal(await pruneFacts(db, [store.storeId]), 1)
  for (const [n, at] of [old, now, old, now].entries()) await add(at, n + 2)
  const [, third] = (await store.events()).events
  assert.equal(await pruneFacts(db, [store.storeId]), 2)
  // The third is still there, and the fourth is not.
  assert.deepEqual(await store.numbers({}), [5])
  await assert.rejects(store.events({ since: third!.sequence }), { code: 'invalid_request' })
})

test('what is removed while a page is read is not left out in silence', async () => {
  for (const since of [undefined, 0]) {
    const store = await aLoggingStore()
    const now = Temporal.Now.instant()
    await store.inStore((ctx) => record({ ...ctx, now: now.subtract({ hours: 24 * 100 }) }, aFact(1)))
    await store.inStore((ctx) => record({ ...ctx, now }, aFact(2)))
    await store.dispatch()
    let pruned = 0
    const { events } = await store
      .inStore((ctx) => {
        // Between the first look at what is kept and the page.
        const tx = Object.create(ctx.tx, {
          many: {
            value: async (...args: Parameters<Ctx['tx']['many']>) => {
              pruned += await pruneFacts(db, [store.storeId])
              return ctx.tx.many(...args)
            }
          },
          one: { value: (...args: Parameters<Ctx['tx']['one']>) => ctx.tx.one(...args) }
        }) as Ctx['tx']
        return listEvents({ ...ctx, tx }, { since, limit: 50, offset: 0 })
      })
      .catch((err) => {
        assert.equal(err.details[0].field, 'since')
        return { events: [] }
      })
    assert.equal(pruned, 1)
    // Without a since it begins where events are kept by now.
    assert.deepEqual(
      events.map(({ data }) => (data as { n: number }).n),
      since === undefined ? [2] : []
    )
  }
})

test('totals and pages are the same with counted blocks, from any since, for every type', async () => {
  await rollUpEventCounts(db)
  const store = await aLoggingStore()
  const names = ['subscription.paused', 'billing.failed', 'subscription.paused', 'internal.thing', 'member.updated']
  await store.addMany(3 * BLOCK + 17, names)
  // Rare, and far behind.
  await store.addMany(2 * BLOCK, ['subscription.paused'])
  await store.addMany(1, ['billing.success'])
  await store.addMany(BLOCK + 3, ['subscription.paused'])
  const { nextSince: end } = await store.events({ limit: 1, offset: 9999 })

  const sinces = [
    0,
    1,
    100,
    BLOCK - 1,
    BLOCK,
    BLOCK + 1,
    2 * BLOCK + 5,
    5 * BLOCK,
    6 * BLOCK - 1,
    6 * BLOCK,
    end - 1,
    end
  ]
  const types = [undefined, 'subscription.paused', 'billing.failed', 'billing.success', 'store_credit.added'] as const
  const read = async () => {
    const found = []
    for (const since of sinces) {
      for (const type of types) {
        const { total: all } = await store.events({ since, type, limit: 1 })
        for (const [limit, offset] of [
          [3, 0],
          [5, 300],
          [4, Math.max(0, all - 4)]
        ] as const) {
          const { events, total, nextSince } = await store.events({ since, type, limit, offset })
          found.push([since, type, offset, total, nextSince, ...events.map(({ sequence }) => sequence)])
        }
      }
    }
    return found
  }
  const uncounted = await read()
  const countFrom = async (since: number) => {
    const { count } = await store.inStore(({ tx, storeId }) =>
      tx.one(
        row({ count: int }),
        sql`
        select count(*) as count from facts
         where store_id = ${storeId} and position > ${since} and name <> 'internal.thing'`
      )
    )
    return count
  }
  for (const [since, type, , total] of uncounted) {
    if (type === undefined) assert.equal(total, await countFrom(since as number), `after ${since}`)
  }

  assert.equal(await rollUpEventCounts(db, 2), 6)
  assert.deepEqual(await read(), uncounted)
  assert.equal(await rollUpEventCounts(db), 0)
  await store.addMany(BLOCK, ['billing.failed'])
  assert.equal(await rollUpEventCounts(db), 1)
  assert.equal((await store.events({ type: 'billing.failed', since: end })).total, BLOCK)

  // A total is made of counts: without the rows that are counted it stays the same, and the doctor finds the difference.
  assert.deepEqual(await differences(store), [])
  const { total } = await store.events()
  await store.inStore(({ tx, storeId }) =>
    tx.run(sql`delete from facts where store_id = ${storeId} and position between ${BLOCK + 1} and ${BLOCK + 10}`)
  )
  assert.equal((await store.events()).total, total)
  assert.ok((await differences(store)).length > 0)
})

test('who reads on misses nothing, however wrong the counts are', async () => {
  for (const by of [-120, 120]) {
    const store = await aLoggingStore()
    await store.addMany(3 * BLOCK, ['billing.failed', 'member.created'])
    await rollUpEventCounts(db)
    await store.inStore(({ tx, storeId }) =>
      tx.run(sql`
        update event_counts set through = through + ${by}::bigint
         where store_id = ${storeId} and counted_to = ${3 * BLOCK}::bigint`)
    )
    for (const type of [undefined, 'billing.failed'] as const) {
      const read: number[] = []
      let since = 0
      for (let pages = 0; pages < 100; pages++) {
        const { events, nextSince } = await store.events({ type, since, limit: 50 })
        read.push(...events.map(({ sequence }) => sequence))
        if (nextSince === since) break
        since = nextSince
      }
      assert.equal(new Set(read).size, type ? (3 * BLOCK) / 2 : 3 * BLOCK)
      assert.equal(read.length, type ? (3 * BLOCK) / 2 : 3 * BLOCK)
    }
  }
})

const differences = ({ inStore }: Awaited<ReturnType<typeof aLoggingStore>>) =>
  inStore(async (ctx) => ctx.tx.many(row({ subject: text, message: text }), await eventsCounted.wrong(ctx)))

test('the doctor finds no difference where blocks are counted and old facts removed while it compares', async () => {
  const store = await aLoggingStore()
  await store.addMany(2 * BLOCK, ['billing.failed'])
  await rollUpEventCounts(db)
  await store.addMany(2 * BLOCK, ['billing.failed'])
  const found = await store.inStore(async (ctx) => {
    const compare = await eventsCounted.wrong(ctx)
    await rollUpEventCounts(db)
    await store.inStore(async ({ tx, storeId, now }) => {
      await tx.run(sql`delete from facts where store_id = ${storeId} and position <= ${BLOCK}`)
      await tx.run(sql`
        insert into fact_history (store_id, complete_since, pruned_through) values (${storeId}, ${now}, ${BLOCK})`)
    })
    return ctx.tx.many(row({ subject: text, message: text }), compare)
  })
  assert.deepEqual(found, [])
})

test('counts of what is no longer kept are removed, and totals stay exact', async () => {
  const store = await aLoggingStore()
  // One that is rare: in the first block and in the fourth.
  await store.addMany(1, ['member.updated'])
  await store.addMany(3 * BLOCK - 1, ['subscription.paused', 'billing.failed'])
  await store.addMany(1, ['member.updated'])
  await store.addMany(BLOCK - 1, ['billing.failed'])
  await rollUpEventCounts(db)
  const cut = BLOCK + 100
  await store.inStore(async ({ tx, storeId, now }) => {
    await tx.run(sql`delete from facts where store_id = ${storeId} and position <= ${cut}`)
    await tx.run(sql`
      insert into fact_history (store_id, complete_since, pruned_through) values (${storeId}, ${now}, ${cut})`)
  })
  await store.addMany(BLOCK, ['billing.failed'])
  await rollUpEventCounts(db)
  assert.deepEqual(await differences(store), [])
  const rows = await store.inStore(({ tx, storeId }) =>
    tx.many(
      row({ name: text, first: int }),
      sql`select name, min(counted_to) as first from event_counts where store_id = ${storeId} group by name order by name`
    )
  )
  assert.deepEqual(
    rows.map(({ name, first }) => [name, first]),
    [
      ['billing.failed', 2 * BLOCK],
      ['member.updated', BLOCK],
      ['subscription.paused', 2 * BLOCK]
    ]
  )
  assert.equal((await store.events()).total, 5 * BLOCK - cut)
  assert.equal((await store.events({ type: 'member.updated' })).total, 1)
})

test('positions that are left out after a restore cost no blocks, and totals stay exact', async () => {
  const store = await aLoggingStore()
  await store.addMany(BLOCK + 10, ['subscription.paused'])
  assert.equal(await rollUpEventCounts(db), 1)
  const AHEAD = 10_000_000
  await store.inStore((ctx) => skipPositions(ctx, AHEAD))
  await store.addMany(2 * BLOCK, ['subscription.paused', 'billing.failed'])
  // The rest of the block before the gap, and what is full after it.
  const counted = await rollUpEventCounts(db)
  const { marks } = await store.inStore(({ tx, storeId }) =>
    tx.one(row({ marks: int }), sql`select counted_to as marks from event_count_marks where store_id = ${storeId}`)
  )
  const end = BLOCK + 10 + AHEAD + 2 * BLOCK
  assert.equal(marks, Math.floor(end / BLOCK) * BLOCK)
  assert.ok(counted < AHEAD / BLOCK / 10, `${counted} blocks`)
  assert.deepEqual(await differences(store), [])
  assert.equal((await store.events()).total, 3 * BLOCK + 10)
  assert.equal((await store.events({ type: 'billing.failed' })).total, BLOCK)
  assert.equal((await store.events({ since: BLOCK + 5 })).total, 5 + 2 * BLOCK)
  assert.equal((await store.events({ since: BLOCK + 10 + AHEAD / 2 })).total, 2 * BLOCK)
})

test('counting begins with the block of the first fact, also where that is the last of its block', async () => {
  const store = await aLoggingStore()
  await store.inStore((ctx) => skipPositions(ctx, BLOCK - 1))
  await store.addMany(BLOCK + 1, ['subscription.paused'])
  assert.equal(await rollUpEventCounts(db), 2)
  assert.deepEqual(await differences(store), [])
  assert.equal((await store.events()).total, BLOCK + 1)
  const { events } = await store.events({ type: 'subscription.paused', limit: 1 })
  assert.equal(events[0]!.sequence, BLOCK)
})

test('events are in the order of their sequence, whatever order the rows have', async () => {
  const store = await aLoggingStore()
  await store.addMany(3, ['subscription.paused', 'billing.failed', 'member.updated'])
  // The first one is written last.
  await store.inStore(({ tx, storeId }) =>
    tx.run(sql`
      update facts set occurred_at = occurred_at
       where store_id = ${storeId} and position = (select min(position) from facts where store_id = ${storeId})`)
  )
  const { events } = await store.inStore(async (ctx) => {
    await ctx.tx.run(sql`set local plan_cache_mode = force_custom_plan`)
    await ctx.tx.run(sql`set local enable_indexscan = off`)
    await ctx.tx.run(sql`set local enable_bitmapscan = off`)
    return listEvents(ctx, { limit: 50, offset: 0 })
  })
  assert.deepEqual(
    events.map(({ data }) => (data as { n: number }).n),
    [1, 2, 3]
  )
})
