import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { listAlerts } from '#stores'
import { testDatabase } from '../../../test/database.ts'
import { listDeliveries } from '../history/list-deliveries.ts'
import { resendDelivery } from '../queue/resend-deliveries.ts'
import { sendSample } from '../queue/send-sample.ts'
import { aFact, aReceiver, aSendingStore } from '../receiver.test-helper.ts'
import { createEndpointWarningEngine } from './endpoint-warning-engine.ts'
import { findEndpoint } from './list-endpoints.ts'
import { setEndpointStatus } from './set-endpoint-status.ts'

const { db } = await testDatabase()
const START = Temporal.Instant.from('2026-01-01T00:00:00Z')
const after = (hours: number) => START.add({ milliseconds: Math.round(hours * 3_600_000) })

/** A store with one endpoint, whose receiver fails while `fails` is true. Deliveries use up their two tries in an hour. */
async function aFailing(maxTries = 2) {
  const state = { fails: true }
  const receiver = await aReceiver((_, response) => response.writeHead(state.fails ? 500 : 200).end())
  const schedule = { maxTries, delaysSeconds: [3_600] }
  const store = await aSendingStore(db, { clock: START.toString(), schedule })
  const { id } = await store.anEndpoint({ url: receiver.url })
  const warnings = createEndpointWarningEngine({ db })
  const self = {
    ...store,
    id,
    state,
    receiver,
    endpoint: async () => (await store.inStore((ctx) => findEndpoint(ctx, id)))!,
    alerts: async () => (await store.inStore((ctx) => listAlerts(ctx))).alerts.reverse(),
    /** At this time, everything that is due is done. */
    async at(hours: number) {
      await store.setClock(after(hours))
      await warnings.runOnce(store.storeId)
      await store.settle()
    },
    /** An event at this time whose delivery uses up its tries. */
    async lose(hours: number) {
      await self.at(hours)
      await store.record(aFact(1))
      await store.settle()
      for (let n = 1; n < maxTries; n++) await self.at(hours + n)
    },
    nextWarning: async () => (await warnings.nextDueAt(store.storeId))?.toString() ?? null
  }
  return self
}

test('five deliveries lost in five days without a success disable an endpoint, and say so', async () => {
  const failing = await aFailing()
  for (const hours of [0, 10, 20, 125]) await failing.lose(hours)
  // Four are too few, however long it takes.
  assert.deepEqual([(await failing.endpoint()).status, (await failing.endpoint()).failedDeliveries], ['enabled', 4])
  await failing.at(130)
  await failing.record(aFact(1))
  await failing.settle()
  assert.equal((await failing.endpoint()).status, 'enabled', 'the fifth was tried once only')
  await failing.at(131)
  const { status, disabledReason, failedDeliveries } = await failing.endpoint()
  assert.deepEqual(
    [status, failedDeliveries, disabledReason],
    ['disabled', 5, 'No delivery has succeeded for 5 days, and 5 have used up all their tries']
  )
  const alert = (await failing.alerts()).at(-1)!
  assert.equal(alert.kind, 'webhook_endpoint_disabled')
  assert.match(alert.message, /It has not taken a delivery since 31 December 2025/)
})

test('however many deliveries are lost, an endpoint stays enabled for five days', async () => {
  const failing = await aFailing(1)
  for (let hours = 0; hours < 120; hours += 10) await failing.lose(hours)
  await failing.lose(119.99)
  assert.deepEqual([(await failing.endpoint()).status, (await failing.endpoint()).failedDeliveries], ['enabled', 13])
  await failing.lose(120)
  assert.equal((await failing.endpoint()).status, 'disabled')
})

test('a blip in a quiet store never disables, whatever was lost long before', async () => {
  const failing = await aFailing()
  for (const hours of [0, 2, 4, 6, 8]) await failing.lose(hours)
  assert.equal((await failing.endpoint()).failedDeliveries, 5)
  // Three weeks later the next event fails once, and an hour later the receiver has it.
  await failing.at(500)
  await failing.record(aFact(1))
  await failing.settle()
  assert.equal((await failing.endpoint()).status, 'enabled')
  failing.state.fails = false
  await failing.at(501)
  const { status, failingSince, failedDeliveries } = await failing.endpoint()
  assert.deepEqual([status, failingSince, failedDeliveries], ['enabled', null, 0])
  assert.equal(await failing.nextWarning(), null)
})

test('a success begins the count and the five days again', async () => {
  const failing = await aFailing(1)
  for (const hours of [0, 1, 2, 3]) await failing.lose(hours)
  failing.state.fails = false
  await failing.lose(4)
  failing.state.fails = true
  for (const hours of [5, 6, 7, 8]) await failing.lose(hours)
  await failing.lose(124.5)
  assert.deepEqual([(await failing.endpoint()).status, (await failing.endpoint()).failedDeliveries], ['enabled', 5])
  await failing.lose(125)
  assert.equal((await failing.endpoint()).status, 'disabled')
})

test('what is sent again by hand, a sample, and an interrupted try count for nothing', async () => {
  const failing = await aFailing(1)
  await failing.lose(0)
  const [{ webhookId } = assert.fail()] = (await failing.inStore((ctx) => listDeliveries(ctx))).deliveries
  for (const hours of [30, 60, 90, 130, 131]) {
    await failing.at(hours)
    await failing.inStore((ctx) => resendDelivery(ctx, webhookId))
    await failing.inStore((ctx) => sendSample(ctx, failing.id, 'billing.success'))
    await failing.settle()
  }
  assert.deepEqual([(await failing.endpoint()).status, (await failing.endpoint()).failedDeliveries], ['enabled', 1])
  assert.equal(failing.receiver.received.length, 11)
})

test('a success of a sample, or of what is sent again by hand, does not end a failure', async () => {
  const failing = await aFailing(1)
  await failing.lose(0)
  for (const hours of [20, 40, 60, 80, 100]) {
    failing.state.fails = false
    await failing.at(hours)
    const [{ webhookId } = assert.fail()] = (await failing.inStore((ctx) => listDeliveries(ctx, { status: 'failed' })))
      .deliveries
    await failing.inStore((ctx) => resendDelivery(ctx, webhookId))
    await failing.inStore((ctx) => sendSample(ctx, failing.id, 'billing.success'))
    await failing.settle()
    failing.state.fails = true
    await failing.lose(hours + 1)
  }
  const { failingSince, failedDeliveries } = await failing.endpoint()
  assert.deepEqual([failingSince?.toString(), failedDeliveries], [START.toString(), 6])
  assert.deepEqual(
    (await failing.alerts()).map(({ kind }) => kind),
    ['webhook_endpoint_failing', 'webhook_endpoint_failing']
  )
  await failing.lose(120)
  assert.equal((await failing.endpoint()).status, 'disabled')
})

test('nor does a failure of one begin it', async () => {
  const failing = await aFailing(1)
  failing.state.fails = false
  await failing.lose(0)
  const [{ webhookId } = assert.fail()] = (await failing.inStore((ctx) => listDeliveries(ctx))).deliveries
  failing.state.fails = true
  await failing.inStore((ctx) => resendDelivery(ctx, webhookId))
  await failing.inStore((ctx) => sendSample(ctx, failing.id, 'billing.success'))
  await failing.settle()
  assert.equal(failing.receiver.received.length, 3)
  assert.deepEqual([(await failing.endpoint()).failingSince, await failing.nextWarning()], [null, null])
})

test('one that a person disables does not fail any more, however a try under way ends', async () => {
  let end = () => {}
  const receiver = await aReceiver((_, response) => {
    end = () => response.writeHead(500).end()
  })
  const store = await aSendingStore(db, { clock: START.toString() })
  const { id } = await store.anEndpoint({ url: receiver.url })
  await store.record(aFact(1))
  while ((await store.dispatch.runOnce(store.storeId)) > 0);
  while (receiver.received.length === 0) await store.sender.runOnce(store.storeId)
  await store.inStore(({ tx, storeId, now }) =>
    tx.run(sql`update webhook_endpoints set failing_since = ${now}, failed_deliveries = 3 where store_id = ${storeId}`)
  )
  await store.inStore((ctx) => setEndpointStatus(ctx, id, 'disabled'))
  end()
  await store.settle()
  const { status, failingSince, failedDeliveries } = (await store.inStore((ctx) => findEndpoint(ctx, id)))!
  assert.deepEqual([status, failingSince, failedDeliveries], ['disabled', null, 0])
})

test('warnings after a day and after three, each once; none after a success', async () => {
  const failing = await aFailing()
  await failing.lose(0)
  assert.equal(await failing.nextWarning(), after(24).toString())
  await failing.at(23.99)
  assert.deepEqual(await failing.alerts(), [])
  await failing.at(24)
  assert.equal(await failing.nextWarning(), after(72).toString())
  await failing.at(25)
  await failing.at(72)
  await failing.at(100)
  assert.deepEqual(
    (await failing.alerts()).map(({ kind, subject, createdAt }) => [kind, subject, createdAt.toString()]),
    [
      ['webhook_endpoint_failing', `Webhook endpoint ${failing.id} has not taken a delivery for a day`, after(24)],
      ['webhook_endpoint_failing', `Webhook endpoint ${failing.id} has not taken a delivery for 3 days`, after(72)]
    ].map(([kind, subject, at]) => [kind, subject, String(at)])
  )
  const [first] = await failing.alerts()
  assert.match(
    first!.message,
    /since 31 December 2025 at 19:00 \(America\/New_York\)\. One delivery has used up all its tries since then\./
  )
  assert.match(first!.message, new RegExp(`resend-failed --store store_${failing.storeId} --endpoint ${failing.id}`))
  assert.equal(await failing.nextWarning(), null)

  failing.state.fails = false
  await failing.lose(200)
  failing.state.fails = true
  await failing.lose(210)
  failing.state.fails = false
  await failing.lose(220)
  await failing.at(400)
  assert.equal((await failing.alerts()).length, 2, 'it responded before the day was over')
})

test('warnings that nobody was there to send are one; older code that ended the failure leaves none', async () => {
  const failing = await aFailing()
  await failing.lose(0)
  await failing.at(80)
  assert.deepEqual(
    (await failing.alerts()).map(({ subject }) => subject),
    [`Webhook endpoint ${failing.id} has not taken a delivery for 3 days`]
  )

  const other = await aFailing()
  await other.lose(0)
  await other.inStore(({ tx, storeId }) =>
    tx.run(sql`update webhook_endpoints set failing_since = null where store_id = ${storeId}`)
  )
  await other.at(30)
  assert.deepEqual([await other.alerts(), await other.nextWarning()], [[], null])
})
