import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { Busy } from '#kit/refusal'
import { testDatabase } from '../../../test/database.ts'
import { listEndpoints } from '../endpoints/list-endpoints.ts'
import { rollSecret } from '../endpoints/roll-secret.ts'
import { setEndpointStatus } from '../endpoints/set-endpoint-status.ts'
import { updateEndpoint } from '../endpoints/update-endpoint.ts'
import { findDelivery, listDeliveries } from '../history/list-deliveries.ts'
import { resendDelivery, resendFailed } from '../queue/resend-deliveries.ts'
import { sendSample } from '../queue/send-sample.ts'
import { triggerSample } from '../queue/trigger-sample.ts'
import { aFact, aReceiver, aSendingStore, testSettings } from '../receiver.test-helper.ts'
import { closeListener, closeSilentListeners, deleteForgottenListeners } from './close-listener.ts'
import { type FetchedDelivery, type FetchOptions, fetchDeliveries } from './fetch-deliveries.ts'
import { openListener } from './open-listener.ts'
import { type ListenerResult, recordResults } from './record-results.ts'

const { db } = await testDatabase()
const { vault } = testSettings
const never = new AbortController().signal

type Sending = Awaited<ReturnType<typeof aSendingStore>>

/** A listener of the store, call by call. */
async function aListener(store: Sending, given: { events?: string[] } = {}) {
  const opened = await store.inStore((ctx) => openListener(ctx, given, { vault }))
  const id = opened.id
  const result = ({ handle }: FetchedDelivery, so: Partial<ListenerResult> = {}): ListenerResult => ({
    handle,
    durationMs: 12,
    responseCode: 200,
    failure: null,
    responseText: 'ok',
    ...so
  })
  return {
    ...opened,
    result,
    fetch: (wait: Partial<Omit<FetchOptions, 'vault'>> = {}) =>
      fetchDeliveries(db, store.storeId, id, { vault, max: 8, waitMs: 0, ending: never, gone: never, ...wait }),
    report: (...results: ListenerResult[]) => recordResults(db, store.storeId, id, results, { vault }),
    /** Real time passes for this listener and the deliveries it has fetched. */
    async passes(interval: '50 seconds' | '61 seconds') {
      await store.inStore(async ({ tx }) => {
        await tx.run(sql`
          update webhook_endpoints set listening_until = listening_until - ${interval}::interval
           where store_id = ${store.storeId} and kind = 'listener'`)
        await tx.run(sql`
          update webhook_queue set leased_until = leased_until - ${interval}::interval where store_id = ${store.storeId}`)
      })
    }
  }
}

const dispatch = (store: Sending) => store.dispatch.runOnce(store.storeId)
const listed = async (store: Sending) => (await store.inStore((ctx) => listDeliveries(ctx))).deliveries
const outcomes = async (store: Sending) =>
  (await listed(store)).map((d) => [d.object, d.status, d.cancelled, d.tries, d.failure]).reverse()

test('a listener fetches the signed bytes, and what it reports is the history', async () => {
  const store = await aSendingStore(db, { clock: '2026-03-01T12:00:00Z' })
  const listener = await aListener(store, { events: ['subscription.paused'] })
  await store.record(aFact(1), { ...aFact(2), name: 'subscription.resumed' })
  await dispatch(store)
  assert.equal(await store.sender.nextDueAt(store.storeId), null, 'the sender has nothing to do with it')

  const [fetched = assert.fail(), ...others] = await listener.fetch()
  assert.deepEqual(others, [])
  assert.deepEqual(
    [fetched.event, fetched.object, fetched.test, fetched.headers['webhook-id']],
    ['subscription.paused', 'sub_1', false, fetched.webhookId]
  )
  const hmac = createHmac('sha256', listener.secret).update(fetched.body).digest('hex')
  assert.equal(fetched.headers['x-svc-signature'], `sha256=${hmac}`)
  assert.equal(JSON.parse(fetched.body).webhook_id, fetched.webhookId)
  assert.deepEqual(await listener.fetch(), [], 'it has it in hand')

  await listener.report(listener.result(fetched))
  const delivery = (await store.inStore((ctx) => findDelivery(ctx, fetched.webhookId)))!
  assert.deepEqual(
    [delivery.endpoint, delivery.endpointKind, delivery.status, delivery.responseCode, delivery.durationMs],
    [listener.id, 'listener', 'delivered', 200, 12]
  )
  assert.deepEqual(
    delivery.history.map((h) => [String(h.startedAt), h.responseText]),
    [['2026-03-01T12:00:00Z', 'ok']]
  )
})

test('while the clocks differ nothing is signed for a listener: what is due waits, and the fetch is to be repeated', async () => {
  const store = await aSendingStore(db)
  const listener = await aListener(store)
  let isRight = false
  const maySign = () => isRight
  assert.deepEqual(await listener.fetch({ maySign }), [], 'nothing is due')
  await store.record(aFact(1))
  await dispatch(store)
  await assert.rejects(
    listener.fetch({ maySign }),
    (err) => err instanceof Busy && /^This node's clock/.test(err.message)
  )
  assert.deepEqual(await outcomes(store), [['sub_1', 'retrying', false, 0, null]])
  isRight = true
  assert.equal((await listener.fetch({ maySign })).length, 1)
})

test('what fails at a listener is tried again only when a person asks for it', async () => {
  const store = await aSendingStore(db)
  const listener = await aListener(store)
  await store.record(aFact(1))
  await dispatch(store)
  const [first = assert.fail()] = await listener.fetch()
  await listener.report(listener.result(first, { responseCode: null, failure: 'connect', responseText: '' }))
  assert.deepEqual(await outcomes(store), [['sub_1', 'failed', false, 1, 'connect']])

  await store.inStore((ctx) => resendDelivery(ctx, first.webhookId))
  const [second = assert.fail()] = await listener.fetch()
  assert.equal(second.webhookId, first.webhookId)
  assert.equal(second.body, first.body)
  await listener.report(listener.result(second, { responseCode: 503 }))
  assert.deepEqual(await outcomes(store), [['sub_1', 'failed', false, 2, 'status']])
  assert.deepEqual(await listener.fetch(), [])
})

test('first tries of one object go in order, those of different objects side by side', async () => {
  const store = await aSendingStore(db)
  const listener = await aListener(store)
  await store.record(aFact(1), { ...aFact(1), name: 'subscription.resumed' }, aFact(2))
  await dispatch(store)
  const objects = (fetched: FetchedDelivery[]) => fetched.map((f) => `${f.object} ${f.event}`)
  const first = await listener.fetch()
  assert.deepEqual(objects(first), ['sub_1 subscription.paused', 'sub_2 subscription.paused'])
  const waiting = listener.fetch({ waitMs: 10_000 })
  await listener.report(listener.result(first[0]!, { responseCode: 500 }))
  assert.deepEqual(objects(await waiting), ['sub_1 subscription.resumed'])
  assert.equal((await listener.fetch({ max: 1 })).length, 0)
})

test('a wait ends as soon as something is due, as the service stops, and as the listener disconnects', async () => {
  const store = await aSendingStore(db)
  const listener = await aListener(store)
  const [ending, gone] = [new AbortController(), new AbortController()]
  const waits = [
    listener.fetch({ waitMs: 25_000, ending: ending.signal }),
    listener.fetch({ waitMs: 25_000, gone: gone.signal })
  ]
  ending.abort()
  gone.abort()
  assert.deepEqual(await Promise.all(waits), [[], []])
  const waiting = listener.fetch({ waitMs: 25_000 })
  await store.record(aFact(1))
  await dispatch(store)
  const [{ webhookId } = assert.fail()] = await waiting
  assert.equal((await listed(store))[0]!.webhookId, webhookId)
})

test('a listener that has disconnected gets nothing, however late it does so', async () => {
  const store = await aSendingStore(db)
  const listener = await aListener(store)
  await store.record(aFact(1))
  await dispatch(store)
  const gone = new AbortController()
  // The queue is locked until the fetch waits to take the delivery; then the listener disconnects.
  const leaving = await store.inStore(async ({ tx }) => {
    await tx.run(sql`lock table webhook_queue in exclusive mode`)
    const fetching = listener.fetch({ gone: gone.signal })
    const waits = sql`select from pg_locks where relation = 'webhook_queue'::regclass and not granted`
    while ((await tx.run(waits)) === 0);
    gone.abort()
    return { fetching }
  })
  assert.deepEqual(await leaving.fetching, [])
  const [fetched = assert.fail()] = await listener.fetch()
  await listener.report(listener.result(fetched))
  assert.deepEqual(await outcomes(store), [['sub_1', 'delivered', false, 1, null]])
})

test('a result counts once, and only for what this listener was given', async () => {
  const store = await aSendingStore(db)
  const [mine, other] = [await aListener(store), await aListener(store)]
  const elsewhere = await aSendingStore(db)
  const foreign = await aListener(elsewhere)
  await store.record(aFact(1))
  await dispatch(store)
  const [fetched = assert.fail()] = await mine.fetch()
  const forged = fetched.handle.slice(0, -2) + (fetched.handle.endsWith('AA') ? 'BB' : 'AA')
  const unknown = { code: 'invalid_request', message: /^results has a handle that was not given to this listener/ }
  for (const [listener, handle] of [
    [mine, forged],
    [mine, ''],
    [mine, 'x'.repeat(400)],
    [other, fetched.handle],
    [foreign, fetched.handle]
  ] as const) {
    await assert.rejects(listener.report(listener.result({ ...fetched, handle })), unknown)
  }
  await assert.rejects(mine.report(mine.result(fetched, { responseCode: null })), { code: 'invalid_request' })
  await assert.rejects(mine.report(mine.result(fetched, { failure: 'reset' })), { code: 'invalid_request' })
  await assert.rejects(recordResults(db, elsewhere.storeId, mine.id, [mine.result(fetched)], { vault }), {
    code: 'not_found'
  })

  await mine.report(mine.result(fetched), mine.result(fetched))
  await mine.report(mine.result(fetched, { responseCode: 500 }))
  const [delivered] = (await listed(store)).filter((d) => d.endpoint === mine.id)
  assert.deepEqual([delivered!.status, delivered!.tries, delivered!.responseCode], ['delivered', 1, 200])
})

test('a listener that is silent for a minute: its open deliveries failed as interrupted, the next one is sent', async () => {
  const store = await aSendingStore(db)
  const receiver = await aReceiver()
  await store.anEndpoint({ url: receiver.url })
  const listener = await aListener(store)
  await store.record(aFact(1), aFact(1))
  await store.settle()
  assert.equal(receiver.received.length, 2, 'the endpoint does not wait for the listener')

  const [lost = assert.fail()] = await listener.fetch()
  await listener.passes('50 seconds')
  assert.deepEqual(await listener.fetch(), [])
  await listener.passes('50 seconds')
  const [next = assert.fail()] = await listener.fetch({ waitMs: 5_000 })
  assert.notEqual(next.webhookId, lost.webhookId)
  await listener.report(listener.result(lost), listener.result(next))
  const ofListener = (await listed(store)).filter((d) => d.endpointKind === 'listener').reverse()
  assert.deepEqual(
    ofListener.map((d) => [d.status, d.tries, d.failure]),
    [
      ['failed', 1, 'interrupted'],
      ['delivered', 1, null]
    ]
  )
})

test('a listener that is gone is closed: its open deliveries were interrupted, those that waited are cancelled', async () => {
  const store = await aSendingStore(db)
  const listener = await aListener(store)
  await store.record(aFact(1), aFact(1), aFact(2))
  await dispatch(store)
  const [fetched = assert.fail()] = await listener.fetch({ max: 1 })
  await closeSilentListeners(db)
  assert.equal((await store.inStore(listEndpoints)).length, 1)

  await listener.passes('61 seconds')
  await assert.rejects(listener.fetch(), {
    code: 'not_found',
    message: /^There is no open listener we_\d+: it has been/
  })
  assert.deepEqual(await store.inStore(listEndpoints), [])
  await store.record(aFact(3))
  await dispatch(store)
  await closeSilentListeners(db)
  await listener.report(listener.result(fetched))
  assert.deepEqual(await outcomes(store), [
    ['sub_1', 'failed', false, 1, 'interrupted'],
    ['sub_1', 'failed', true, 0, null],
    ['sub_2', 'failed', true, 0, null]
  ])
  await assert.rejects(
    store.inStore((ctx) => resendDelivery(ctx, fetched.webhookId)),
    { code: 'conflict' }
  )
  // They are nobody's failures any more.
  const since = Temporal.Instant.from('2020-01-01T00:00:00Z')
  assert.deepEqual(await resendFailed(db, store.storeId, { since }), { resent: 0, skipped: 0 })

  const unheard = await aListener(store)
  await store.inStore((ctx) => closeListener(ctx, unheard.id))
  await assert.rejects(
    store.inStore((ctx) => closeListener(ctx, unheard.id)),
    { code: 'not_found' }
  )
  await deleteForgottenListeners(db)
  const left = await store.inStore(({ tx, storeId }) =>
    tx.run(sql`select from webhook_endpoints where store_id = ${storeId}`)
  )
  assert.equal(left, 1, 'only the one that the history names')
})

test('a listener is listed while it is open, cannot be changed, and has a limit of its own', async () => {
  const store = await aSendingStore(db)
  const { id } = await aListener(store, { events: ['billing.failed'] })
  const [shown] = await store.inStore(listEndpoints)
  assert.deepEqual([shown!.id, shown!.kind, shown!.events], [id, 'listener', ['billing.failed']])
  const fixed = { code: 'conflict', message: /is a listener \(`perennial listen`\) and cannot be changed/ }
  await assert.rejects(updateEndpoint(db, store.storeId, id, { events: null }, testSettings), fixed)
  await assert.rejects(
    store.inStore((ctx) => rollSecret(ctx, id, { vault })),
    fixed
  )
  for (const status of ['enabled', 'disabled'] as const) {
    await assert.rejects(
      store.inStore((ctx) => setEndpointStatus(ctx, id, status)),
      fixed
    )
  }
  for (let n = 2; n <= 10; n++) await aListener(store)
  await assert.rejects(aListener(store), { code: 'conflict', message: /^The store has 10 listeners/ })
  await store.inStore((ctx) => closeListener(ctx, id))
  await aListener(store)
  await assert.rejects(aListener(store, { events: ['x'] }), { code: 'invalid_request', message: /^events must be/ })
})

test('a response of 410 or long failure does not close a listener', async () => {
  const store = await aSendingStore(db, { clock: '2026-03-01T12:00:00Z' })
  const listener = await aListener(store)
  for (const at of ['2026-03-01T12:00:00Z', '2026-03-11T12:00:00Z']) {
    await store.setClock(Temporal.Instant.from(at))
    await store.record(aFact(1))
    await dispatch(store)
    const [fetched = assert.fail()] = await listener.fetch()
    await listener.report(listener.result(fetched, { responseCode: 410 }))
  }
  const [shown] = await store.inStore(listEndpoints)
  assert.equal(shown!.status, 'enabled')
})

test('a sample goes to all that receive its type; in a live store to listeners only', async () => {
  const receiver = await aReceiver()
  const store = await aSendingStore(db)
  await store.anEndpoint({ url: receiver.url })
  await store.anEndpoint({ url: receiver.url, events: ['billing.failed'] })
  const off = await store.anEndpoint({ url: receiver.url })
  await store.inStore((ctx) => setEndpointStatus(ctx, off.id, 'disabled'))
  const listener = await aListener(store, { events: ['member.created'] })
  const trigger = (event: string) => store.inStore((ctx) => triggerSample(ctx, event))

  const { deliveries, terminalsOnly } = await trigger('member.created')
  assert.equal(terminalsOnly, false)
  assert.deepEqual(
    deliveries.map((d) => [d.endpointKind, d.event, d.test, d.status]),
    [
      ['url', 'member.created', true, 'retrying'],
      ['listener', 'member.created', true, 'retrying']
    ]
  )
  await store.settle()
  assert.equal(receiver.received.length, 1)
  assert.deepEqual(
    (await listener.fetch()).map((f) => [f.event, f.object, f.test, f.headers['x-svc-test']]),
    [['member.created', null, true, 'true']]
  )
  await store.inStore((ctx) => sendSample(ctx, listener.id, 'billing.pending'))
  assert.equal((await listener.fetch()).length, 1)
  await assert.rejects(trigger('member.gone'), { code: 'invalid_request', message: /member\.points_changed/ })

  await store.inStore(({ tx, storeId }) => tx.run(sql`update stores set sandbox = false where store_id = ${storeId}`))
  assert.deepEqual(await trigger('billing.failed'), { deliveries: [], terminalsOnly: true })
  assert.equal((await trigger('member.created')).deliveries.length, 1)
})

test('an endpoint that is no listener is not closed like one', async () => {
  const store = await aSendingStore(db)
  const { id } = await store.anEndpoint({ url: 'http://127.0.0.1:1/' })
  await assert.rejects(store.inStore((ctx) => closeListener(ctx, id)))
  const [shown] = await store.inStore(listEndpoints)
  assert.deepEqual([shown!.id, shown!.status], [id, 'enabled'])
})
