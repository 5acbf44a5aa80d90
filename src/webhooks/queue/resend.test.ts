import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int, row, sql } from '#kit/postgres'
import { atOnce } from '../../../test/at-once.ts'
import { testDatabase } from '../../../test/database.ts'
import { deleteEndpoint } from '../endpoints/delete-endpoint.ts'
import { findEndpoint } from '../endpoints/list-endpoints.ts'
import { setEndpointStatus } from '../endpoints/set-endpoint-status.ts'
import { findDeliveryRow } from '../history/history-queries.ts'
import { findDelivery, listDeliveries } from '../history/list-deliveries.ts'
import { createPartition, dropPartition, listPartitions, moveOpenDeliveries } from '../history/retention-queries.ts'
import { EVENT_TYPES } from '../public-events.ts'
import { aFact, aReceiver, aSendingStore } from '../receiver.test-helper.ts'
import { previewResend } from './preview-resend.ts'
import { openAgain, resendDelivery, resendFailed } from './resend-deliveries.ts'
import { sendSample } from './send-sample.ts'

const { db } = await testDatabase()
const at = (text: string) => Temporal.Instant.from(text)
type Sending = Awaited<ReturnType<typeof aSendingStore>>

const listed = async (store: Sending) => (await store.inStore((ctx) => listDeliveries(ctx))).deliveries
const resend = (store: Sending, webhookId: string) => store.inStore((ctx) => resendDelivery(ctx, webhookId))
/** A store that has sent one fact to its one endpoint, with the delivery of it. */
async function aStoreThatSent(receiver: { url: string }, options?: Parameters<typeof aSendingStore>[1]) {
  const store = await aSendingStore(db, options)
  const { id } = await store.anEndpoint({ url: receiver.url })
  await store.record(aFact(1))
  await store.settle()
  const [delivery = assert.fail()] = await listed(store)
  return { store, endpointId: id, webhookId: delivery.webhookId }
}
/** Runs all that is due until the store has nothing open. */
async function untilDone(store: Sending) {
  await store.settle()
  for (let due = await store.sender.nextDueAt(store.storeId); due; due = await store.sender.nextDueAt(store.storeId)) {
    await store.setClock(due)
    await store.settle()
  }
}

test('a sample of each type goes out as any event does, is tried once and marked as a test', async () => {
  const receiver = await aReceiver()
  const store = await aSendingStore(db, { clock: '2026-03-01T12:00:00Z' })
  // It need not receive the type.
  const { id } = await store.anEndpoint({ url: receiver.url, events: ['member.created'] })
  for (const event of EVENT_TYPES) {
    const queued = await store.inStore((ctx) => sendSample(ctx, id, event))
    assert.deepEqual([queued.status, queued.test, queued.object, queued.tries], ['retrying', true, null, 0])
  }
  await store.settle()
  const sent = receiver.received.map(({ body }) => JSON.parse(body))
  assert.deepEqual(new Set(sent.map((s) => s.event)), new Set(EVENT_TYPES))
  assert.ok(sent.every((s) => s.timestamp === '2026-03-01T12:00:00.000Z' && Object.keys(s.data).length > 0))
  assert.deepEqual(
    new Set((await listed(store)).map((d) => `${d.status} ${d.test} ${d.tries}`)),
    new Set(['delivered true 1'])
  )
})

test('samples that fail do not count towards the days after which an endpoint is disabled', async () => {
  const receiver = await aReceiver((_, r) => r.writeHead(500).end())
  const store = await aSendingStore(db, { clock: '2026-01-01T00:00:00Z' })
  const { id } = await store.anEndpoint({ url: receiver.url })
  for (const day of ['2026-01-01', '2026-01-09']) {
    await store.setClock(at(`${day}T00:00:00Z`))
    await store.inStore((ctx) => sendSample(ctx, id, 'member.created'))
    await store.settle()
    const endpoint = await store.inStore((ctx) => findEndpoint(ctx, id))
    assert.deepEqual([endpoint!.status, endpoint!.failingSince], ['enabled', null])
  }
  assert.equal(receiver.received.length, 2)
})

test('a sample that fails is not tried again', async () => {
  const receiver = await aReceiver((_, r) => r.writeHead(500).end())
  const store = await aSendingStore(db)
  const { id } = await store.anEndpoint({ url: receiver.url })
  const { webhookId } = await store.inStore((ctx) => sendSample(ctx, id, 'billing.failed'))
  await store.settle()
  const failed = await store.inStore((ctx) => findDelivery(ctx, webhookId))
  assert.deepEqual([failed!.status, failed!.tries, failed!.nextTryAt], ['failed', 1, null])
  await resend(store, webhookId)
  await store.settle()
  assert.deepEqual(
    (await listed(store)).map((d) => [d.status, d.tries]),
    [['failed', 2]]
  )
})

test('samples and resends are refused where nothing can be sent', async () => {
  const receiver = await aReceiver()
  const { store, endpointId: id, webhookId } = await aStoreThatSent(receiver)
  const other = await aSendingStore(db)
  const sample = (endpoint: string, event: string) => store.inStore((ctx) => sendSample(ctx, endpoint, event))

  await assert.rejects(sample(id, 'nope'), { code: 'invalid_request', message: /^event must be an event type/ })
  await assert.rejects(sample('we_999999', 'member.created'), { code: 'not_found' })
  await assert.rejects(
    other.inStore((ctx) => sendSample(ctx, id, 'member.created')),
    { code: 'not_found' }
  )
  for (const unknown of [`wh_${'0'.repeat(32)}`, 'wh_1', '\0']) {
    await assert.rejects(resend(store, unknown), { code: 'not_found' })
  }
  await assert.rejects(resend(other, webhookId), { code: 'not_found' })

  await store.inStore((ctx) => setEndpointStatus(ctx, id, 'disabled', 'They move house'))
  const disabled = { code: 'conflict', message: /is disabled \(They move house\): nothing is sent to it until/ }
  await assert.rejects(sample(id, 'member.created'), disabled)
  await assert.rejects(resend(store, webhookId), disabled)
  await assert.rejects(resendFailed(db, store.storeId, { since: at('2020-01-01T00:00:00Z'), endpoint: id }), disabled)

  await store.inStore((ctx) => deleteEndpoint(ctx, id))
  await assert.rejects(sample(id, 'member.created'), { code: 'not_found' })
  await assert.rejects(resend(store, webhookId), { code: 'conflict', message: /is deleted/ })
  await assert.rejects(resendFailed(db, store.storeId, { since: at('2020-01-01T00:00:00Z'), endpoint: id }), {
    code: 'not_found'
  })
  assert.equal(receiver.received.length, 1)
})

test('a delivered one is sent again under the same webhook_id with the same bytes', async () => {
  const receiver = await aReceiver()
  const { store, webhookId } = await aStoreThatSent(receiver)
  const again = await resend(store, webhookId)
  assert.deepEqual([again.status, again.tries, again.finishedAt], ['retrying', 1, null])
  await store.settle()
  assert.equal(receiver.received.length, 2)
  assert.equal(receiver.received[0]!.body, receiver.received[1]!.body)
  const [after] = await listed(store)
  assert.deepEqual([after!.webhookId, after!.status, after!.tries], [webhookId, 'delivered', 2])
})

test('a failed one has a new round of the whole schedule, and its tries are counted on', async () => {
  const receiver = await aReceiver((_, r) => r.writeHead(500).end())
  const store = await aSendingStore(db, { clock: '2026-01-01T00:00:00Z' })
  await store.anEndpoint({ url: receiver.url })
  await store.record(aFact(1))
  await untilDone(store)
  const [failed] = await listed(store)
  assert.deepEqual([failed!.status, failed!.tries], ['failed', 6])

  await store.setClock(at('2026-01-02T00:00:00Z'))
  await resend(store, failed!.webhookId)
  await store.settle()
  assert.equal((await listed(store))[0]!.nextTryAt!.toString(), '2026-01-02T00:01:00Z')
  await untilDone(store)
  const detail = await store.inStore((ctx) => findDelivery(ctx, failed!.webhookId))
  assert.deepEqual([detail!.status, detail!.tries, receiver.received.length], ['failed', 12, 12])
  assert.deepEqual(
    detail!.history.map((t) => t.tryNumber),
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
  )
  assert.equal(detail!.history[11]!.startedAt.toString(), '2026-01-02T14:36:00Z')
})

test('one that is to be retried is tried at once, and goes on in its round', async () => {
  const receiver = await aReceiver((_, r) => r.writeHead(500).end())
  const { store, webhookId } = await aStoreThatSent(receiver, { clock: '2026-01-01T00:00:00Z' })
  const expedited = await resend(store, webhookId)
  assert.equal(expedited.nextTryAt!.toString(), '2026-01-01T00:00:00Z')
  await store.settle()
  const [after] = await listed(store)
  assert.deepEqual([after!.tries, after!.nextTryAt!.toString()], [2, '2026-01-01T00:05:00Z'])
  await untilDone(store)
  assert.equal(receiver.received.length, 6)
})

test('one that waits for earlier ones with its ordering key keeps its place', async () => {
  const receiver = await aReceiver()
  const store = await aSendingStore(db)
  await store.anEndpoint({ url: receiver.url })
  await store.record({ ...aFact(1), data: { n: 1 } }, { ...aFact(1), data: { n: 2 } })
  await store.dispatch.runOnce(store.storeId)
  const [second] = await listed(store)
  await resend(store, second!.webhookId)
  await store.settle()
  assert.deepEqual(
    receiver.received.map(({ body }) => JSON.parse(body).data.n),
    [1, 2]
  )
})

test('one that is being sent just now is left to the sender: nothing is sent twice', async () => {
  const held: (() => void)[] = []
  const receiver = await aReceiver((_, r) => void held.push(() => r.end()))
  const store = await aSendingStore(db)
  await store.anEndpoint({ url: receiver.url })
  await store.record(aFact(1))
  await store.dispatch.runOnce(store.storeId)
  await store.sender.runOnce(store.storeId)
  while (held.length === 0) await store.sender.runOnce(store.storeId)
  const [{ webhookId } = assert.fail()] = await listed(store)
  const during = await resend(store, webhookId)
  assert.equal(during.status, 'retrying')
  for (const respond of held) respond()
  await store.settle()
  assert.equal(receiver.received.length, 1)
  assert.deepEqual(
    (await listed(store)).map((d) => [d.status, d.tries]),
    [['delivered', 1]]
  )
})

test('resends of one delivery at once begin one round', async () => {
  const receiver = await aReceiver()
  const { store, webhookId } = await aStoreThatSent(receiver)
  await Promise.all(Array.from({ length: 5 }, () => resend(store, webhookId)))
  await store.settle()
  assert.deepEqual(
    (await listed(store)).map((d) => [d.status, d.tries]),
    [['delivered', 2]]
  )
})

test('a delivery that arrives while it is being opened again is opened after that try, which keeps its number', async () => {
  const receiver = await aReceiver()
  const { store, webhookId } = await aStoreThatSent(receiver)
  const found = (await store.inStore((ctx) => findDeliveryRow(ctx, webhookId)))!
  await resend(store, webhookId)

  // As the sender settles a success: the try is written and the delivery leaves the queue, in one transaction.
  const opened = await atOnce(
    store,
    async ({ tx, storeId }) => {
      await tx.run(sql`delete from webhook_queue where store_id = ${storeId} and delivery_id = ${found.id}`)
      await tx.run(sql`
        insert into webhook_tries (store_id, day, delivery_id, try_number, started_at, duration_ms, response_code)
        values (${storeId}, ${found.day}, ${found.id}, 2, now(), 1, 200)`)
    },
    (ctx) => openAgain(ctx, found)
  )
  assert.deepEqual(opened, { status: 'fulfilled', value: true })
  await untilDone(store)
  const { status, tries } = (await store.inStore((ctx) => findDelivery(ctx, webhookId)))!
  assert.deepEqual([status, tries], ['delivered', 3])
})

test('resends while the sender works and the endpoint is switched off and on leave everything in one state', async () => {
  const receiver = await aReceiver((_, r) => setTimeout(() => r.writeHead(Math.random() < 0.5 ? 500 : 200).end(), 1))
  const store = await aSendingStore(db)
  const { id } = await store.anEndpoint({ url: receiver.url })
  await store.record(...Array.from({ length: 30 }, (_, n) => aFact(n % 10)))
  await store.settle()
  const all = await listed(store)
  let working = true
  const send = async () => {
    while (working) await store.sender.runOnce(store.storeId)
  }
  const expedite = async (offset: number) => {
    for (let i = 0; i < 40; i++) {
      await resend(store, all[(i * 7 + offset) % all.length]!.webhookId).catch((err) =>
        assert.equal(err.code, 'conflict', err.message)
      )
    }
  }
  const toggle = async () => {
    for (let i = 0; i < 6; i++) {
      await store.inStore((ctx) => setEndpointStatus(ctx, id, i % 2 === 0 ? 'disabled' : 'enabled'))
      if (i % 2 === 1) await resendFailed(db, store.storeId, { since: at('2020-01-01T00:00:00Z') })
    }
  }
  const sending = send()
  try {
    await Promise.all([expedite(0), expedite(3), toggle()])
  } finally {
    working = false
    await sending
  }
  await store.settle()
  const { wrong } = await store.inStore(({ tx, storeId }) =>
    tx.one(
      row({ wrong: int }),
      sql`
      select count(*) as wrong
        from webhook_deliveries d
        full join webhook_queue q on q.store_id = d.store_id and q.delivery_id = d.id
       where (d.store_id = ${storeId} or q.store_id = ${storeId})
         and (d.id is null
              or q.delivery_id is not null and (d.undelivered_status is not null or q.tries <> (
                   select count(*) from webhook_tries t
                    where t.store_id = d.store_id and t.day = d.day and t.delivery_id = d.id))
              or q.delivery_id is null and d.undelivered_status is null and not exists (
                   select from webhook_tries t where t.store_id = d.store_id and t.day = d.day and t.delivery_id = d.id
                      and t.failure is null))`
    )
  )
  assert.equal(wrong, 0)
})

test('all failed since a time go out again, in chunks, once; samples and disabled endpoints stay', async () => {
  let unhealthy = true
  const receiver = await aReceiver((_, r) => r.writeHead(unhealthy ? 500 : 200).end())
  const store = await aSendingStore(db, {
    clock: '2026-01-01T00:00:00Z',
    schedule: { maxTries: 1, delaysSeconds: [60] }
  })
  const [one, off] = [await store.anEndpoint({ url: receiver.url }), await store.anEndpoint({ url: receiver.url })]
  await store.record(aFact(1), aFact(2), aFact(3))
  await store.settle()
  await store.setClock(at('2026-01-01T10:00:00Z'))
  await store.record(aFact(4), aFact(4))
  await store.inStore((ctx) => sendSample(ctx, one.id, 'member.created'))
  await store.settle()
  await store.inStore((ctx) => setEndpointStatus(ctx, off.id, 'disabled'))
  unhealthy = false
  const again = (since: string, endpoint?: string) => resendFailed(db, store.storeId, { since: at(since), endpoint })

  const preview = (since: string, endpoint?: string) =>
    store.inStore((ctx) => previewResend(ctx, { since: at(since), endpoint }))

  assert.deepEqual(await preview('2026-01-01T00:00:00Z'), { resent: 5, skipped: 5, missed: null })
  assert.deepEqual(await preview('2026-01-01T10:00:00Z', one.id), { resent: 2, skipped: 0, missed: 0 })
  assert.deepEqual(await preview('2026-01-01T00:00:00Z', off.id), { resent: 0, skipped: 5, missed: 0 })
  await assert.rejects(preview('2026-01-01T00:00:00Z', 'we_999999'), { code: 'not_found' })
  assert.deepEqual(await again('2026-01-01T10:00:01Z'), { resent: 0, skipped: 0 })
  assert.deepEqual(await again('2026-01-01T10:00:00Z', one.id), { resent: 2, skipped: 0 })
  assert.deepEqual(await again('2026-01-01T00:00:00Z'), { resent: 3, skipped: 5 })
  assert.deepEqual(await again('2026-01-01T00:00:00Z'), { resent: 0, skipped: 5 })
  await store.settle()
  const { deliveries } = await store.inStore((ctx) => listDeliveries(ctx, { endpoint: one.id }))
  assert.equal(deliveries.length, 6)
  assert.ok(deliveries.every(({ test, status }) => status === (test ? 'failed' : 'delivered')))
  await store.inStore((ctx) => deleteEndpoint(ctx, off.id))
  assert.deepEqual(await again('2026-01-01T00:00:00Z'), { resent: 0, skipped: 5 })
  await assert.rejects(again('2026-01-01T00:00:00Z', 'we_999999'), { code: 'not_found' })
})

test('thousands go out again in several transactions', async () => {
  const store = await aSendingStore(db)
  const { id } = await store.anEndpoint({ url: 'https://93.184.216.34/' })
  await store.inStore(({ tx, storeId, now }) =>
    tx.run(sql`
      insert into webhook_deliveries (store_id, day, endpoint_id, fact_id, webhook_id, event_type, ordering_key, body, undelivered_status,
                                      undelivered_at, created_at)
      select ${storeId}, (clock_timestamp() at time zone 'UTC')::date, ${Number(id.slice(3))}, n, 'wh_' || md5(n::text),
             'member.created', 'member:' || n, '{}', case when n % 2 = 0 then 'failed' else 'cancelled' end, ${now}, ${now}
        from generate_series(2, 4502) n`)
  )
  const since = Temporal.Now.instant().subtract({ hours: 1 })
  assert.deepEqual(await resendFailed(db, store.storeId, { since }), { resent: 4501, skipped: 0 })
  assert.deepEqual(await resendFailed(db, store.storeId, { since }), { resent: 0, skipped: 0 })
})

test('what goes with its day while it is to be sent again is unknown from then on; an open one moves and is sent', async () => {
  const receiver = await aReceiver((_, r) => r.writeHead(500).end())
  const store = await aSendingStore(db, {
    clock: '2026-01-01T00:00:00Z',
    schedule: { maxTries: 2, delaysSeconds: [60] }
  })
  await store.anEndpoint({ url: receiver.url })
  await store.record(aFact(1), aFact(2), aFact(3))
  await store.settle()
  await store.setClock(at('2026-01-01T00:01:00Z'))
  await store.settle()
  const [gone, moved, stays] = await listed(store)
  // All three were made days ago.
  await db.inInstallation(async (tx) => createPartition(tx, (await listPartitions(tx)).today.subtract({ days: 3 })))
  await store.inStore(async ({ tx, storeId }) => {
    await tx.run(sql`update webhook_deliveries set day = day - 3 where store_id = ${storeId}`)
    await tx.run(sql`update webhook_tries set day = day - 3 where store_id = ${storeId}`)
  })
  await resend(store, moved!.webhookId)
  const racing: Promise<unknown>[] = []
  await db.inInstallation(async (tx) => {
    const old = (await listPartitions(tx)).known[0]!
    await tx.run(sql`lock table webhook_deliveries in access exclusive mode`)
    racing.push(
      resend(store, gone!.webhookId).catch((err) => err.code),
      resend(store, moved!.webhookId),
      resendFailed(db, store.storeId, { since: at('2020-01-01T00:00:00Z') })
    )
    await moveOpenDeliveries(tx, old, old.add({ days: 3 }))
    await dropPartition(tx, old)
  })
  const [first, second, all] = await Promise.all(racing)
  assert.equal(first, 'not_found')
  assert.equal((second as { status: string }).status, 'retrying')
  assert.deepEqual(all, { resent: 0, skipped: 0 })
  await assert.rejects(resend(store, stays!.webhookId), { code: 'not_found' })
  await store.settle()
  assert.deepEqual(
    (await listed(store)).map((d) => [d.webhookId, d.tries, d.status]),
    [[moved!.webhookId, 3, 'retrying']]
  )
})
