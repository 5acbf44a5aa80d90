import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { sendSample } from '../queue/send-sample.ts'
import { aFact, aReceiver, aSendingStore } from '../receiver.test-helper.ts'
import { type DeliveryFilters, findDelivery, listDeliveries } from './list-deliveries.ts'

const { db } = await testDatabase()
const at = (text: string) => Temporal.Instant.from(text)

test('filters combine, page by page, newest first', async () => {
  const good = await aReceiver()
  const bad = await aReceiver((_, r) => r.writeHead(500).end())
  const store = await aSendingStore(db, { clock: '2026-01-01T00:00:00Z' })
  const [all, some] = [
    await store.anEndpoint({ url: good.url }),
    await store.anEndpoint({ url: bad.url, events: ['subscription.paused'] })
  ]
  for (const hour of ['00', '01', '02']) {
    await store.setClock(at(`2026-01-01T${hour}:00:00Z`))
    await store.record(
      aFact(1),
      { ...aFact(2), name: 'subscription.resumed' },
      { ...aFact(1, 'member:1'), name: 'member.updated' }
    )
    await store.settle()
  }
  await store.inStore((ctx) => sendSample(ctx, all.id, 'billing.success'))
  await store.settle()

  const list = (filters: DeliveryFilters) => store.inStore((ctx) => listDeliveries(ctx, filters))
  const count = async (filters: DeliveryFilters) => (await list(filters)).deliveries.length
  const [from, to] = [at('2026-01-01T01:00:00Z'), at('2026-01-01T02:00:00Z')]
  for (const [filters, expected] of [
    [{}, 13],
    [{ status: 'delivered' }, 10],
    [{ status: 'retrying' }, 3],
    [{ status: 'failed' }, 0],
    [{ event: 'subscription.paused' }, 6],
    [{ event: 'subscription.paused', status: 'retrying' }, 3],
    [{ event: 'billing.success' }, 1],
    [{ object: 'sub_1' }, 6],
    [{ object: 'sub_1', endpoint: some.id }, 3],
    [{ object: 'mem_1' }, 3],
    [{ object: 'mem_1', status: 'retrying' }, 0],
    [{ object: 'sub_999' }, 0],
    [{ endpoint: some.id }, 3],
    [{ endpoint: all.id, event: 'subscription.paused' }, 3],
    [{ endpoint: all.id, status: 'retrying' }, 0],
    [{ from }, 9],
    [{ to }, 8],
    [{ from, to }, 4],
    [{ from, to, status: 'retrying' }, 1],
    [{ from, to, object: 'sub_1', event: 'subscription.paused', endpoint: some.id, status: 'retrying' }, 1]
  ] as [DeliveryFilters, number][]) {
    assert.equal(await count(filters), expected, JSON.stringify(filters))
    const paged: string[] = []
    for (let next: string | null | undefined; next !== null; ) {
      const page = await list({ ...filters, limit: 2, ...(next && { before: next }) })
      paged.push(...page.deliveries.map((d) => d.webhookId))
      next = page.next
    }
    assert.deepEqual(
      paged,
      (await list(filters)).deliveries.map((d) => d.webhookId),
      JSON.stringify(filters)
    )
  }
  const times = (await list({})).deliveries.map((d) => d.createdAt.epochMilliseconds)
  assert.deepEqual(times, times.toSorted().reverse())
})

test('a delivery shows its object, its tries, what the receiver answered, and when it is tried next', async () => {
  const bad = await aReceiver((_, r) => r.writeHead(503).end('down for repairs'))
  const store = await aSendingStore(db, { clock: '2026-01-01T00:00:00Z' })
  const { id } = await store.anEndpoint({ url: bad.url })
  await store.record(aFact(7))
  await store.settle()
  await store.setClock(at('2026-01-01T00:01:00Z'))
  await store.settle()

  const [row] = (await store.inStore((ctx) => listDeliveries(ctx))).deliveries
  const { webhookId, durationMs, eventId, sequence, ...rest } = row!
  assert.match(eventId!, /^evt_\d+$/)
  assert.ok(sequence! > 0)
  assert.ok(durationMs! >= 0)
  assert.deepEqual(rest, {
    endpoint: id,
    endpointKind: 'url',
    event: 'subscription.paused',
    object: 'sub_7',
    test: false,
    status: 'retrying',
    cancelled: false,
    tries: 2,
    nextTryAt: at('2026-01-01T00:06:00Z'),
    createdAt: at('2026-01-01T00:00:00Z'),
    finishedAt: null,
    responseCode: 503,
    failure: 'status'
  })
  const detail = await store.inStore((ctx) => findDelivery(ctx, webhookId))
  assert.equal(detail!.body, bad.received[0]!.body)
  assert.deepEqual(
    detail!.history.map(({ durationMs: _, ...one }) => one),
    ['2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'].map((startedAt, i) => ({
      tryNumber: i + 1,
      startedAt: at(startedAt),
      responseCode: 503,
      failure: 'status',
      responseText: 'down for repairs'
    }))
  )
})

test('the history goes on over days, also where an open delivery has moved to a later one', async () => {
  const good = await aReceiver()
  const store = await aSendingStore(db)
  await store.anEndpoint({ url: good.url })
  for (let n = 0; n < 6; n++) await store.record(aFact(n))
  await store.settle()
  const webhookIds = (await store.inStore((ctx) => listDeliveries(ctx))).deliveries.map((d) => d.webhookId)
  // The two in the middle were made a day before, and the oldest moved to today.
  await db.inInstallation(({ run }) =>
    run(sql`select create_webhook_partition((clock_timestamp() at time zone 'UTC')::date - 1)`)
  )
  const [a, b, c, d, e, oldest] = webhookIds
  await store.inStore(async ({ tx, storeId }) => {
    await tx.run(sql`
      update webhook_tries t set day = t.day - 1 from webhook_deliveries d
       where t.store_id = ${storeId} and d.store_id = ${storeId} and d.id = t.delivery_id
         and d.webhook_id = any(${[c, d]}::text[])`)
    await tx.run(sql`
      update webhook_deliveries set day = day - 1
       where store_id = ${storeId} and webhook_id = any(${[c, d]}::text[])`)
  })
  const paged: string[] = []
  for (let next: string | null | undefined; next !== null; ) {
    const page = await store.inStore((ctx) => listDeliveries(ctx, { limit: 2, ...(next && { before: next }) }))
    paged.push(...page.deliveries.map((one) => one.webhookId))
    next = page.next
  }
  assert.deepEqual(paged, [a, b, e, oldest, c, d])
  assert.deepEqual(
    (await store.inStore((ctx) => listDeliveries(ctx, { status: 'delivered' }))).deliveries.map(
      (one) => one.responseCode
    ),
    Array(6).fill(200)
  )
  assert.equal((await store.inStore((ctx) => findDelivery(ctx, d!)))!.history.length, 1)
})

test('a live store finds from a time on without looking at earlier days', async () => {
  const live = await aStore(db, {
    sandbox: false,
    accessToken: 'token-of-20-chars-xx',
    appSecret: 'secret-of-20-chars-xx'
  })
  const from = Temporal.Now.instant().subtract({ hours: 1 })
  assert.deepEqual((await live.inStore((ctx) => listDeliveries(ctx, { from }))).deliveries, [])
})

test('a filter that can match nothing that exists is refused with what it takes', async () => {
  const [store, other] = [await aSendingStore(db), await aSendingStore(db)]
  const theirs = await other.anEndpoint({ url: 'https://93.184.216.34/' })
  await other.record(aFact(1))
  await other.dispatch.runOnce(other.storeId)
  const [foreign] = (await other.inStore((ctx) => listDeliveries(ctx))).deliveries
  const list = (filters: DeliveryFilters) => store.inStore((ctx) => listDeliveries(ctx, filters))

  await assert.rejects(list({ event: 'nope' }), { code: 'invalid_request', message: /^event must be an event type/ })
  await assert.rejects(list({ object: 'cust_1' }), {
    code: 'invalid_request',
    message: /^object must be .*sub_12 or mem_3/
  })
  for (const endpoint of ['x', 'we_999999', theirs.id]) {
    await assert.rejects(list({ endpoint }), { code: 'not_found' })
  }
  for (const before of ['wh_x', `wh_${'0'.repeat(32)}`, 'wh_\0', foreign!.webhookId]) {
    await assert.rejects(list({ before }), { code: 'not_found' })
    assert.equal(await store.inStore((ctx) => findDelivery(ctx, before)), null)
  }
  assert.deepEqual((await list({})).deliveries, [])
})

test('of what is open the newest comes first too, one page after the other', async () => {
  const store = await aSendingStore(db, { clock: '2026-01-01T00:00:00Z' })
  await store.anEndpoint({ url: 'http://127.0.0.1:1/' })
  await store.record(...[1, 2, 3, 4].map((n) => aFact(n)))
  await store.settle()
  const page = (filters: DeliveryFilters) =>
    store.inStore(async (ctx) => {
      // No index that happens to have this order.
      await ctx.tx.run(sql`set local plan_cache_mode = force_custom_plan`)
      await ctx.tx.run(sql`set local enable_indexscan = off`)
      return listDeliveries(ctx, { status: 'retrying', limit: 1, ...filters })
    })
  const seen: (string | null)[] = []
  for (let next: string | null | undefined; next !== null; ) {
    const found = await page(next ? { before: next } : {})
    assert.equal(found.deliveries.length, 1)
    seen.push(found.deliveries[0]!.object)
    next = found.next
  }
  assert.deepEqual(seen, ['sub_4', 'sub_3', 'sub_2', 'sub_1'])
})
