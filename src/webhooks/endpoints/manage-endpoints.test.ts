import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { bytes, nullable, row, sql } from '#kit/postgres'
import { listAlerts } from '#stores'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { findDelivery, listDeliveries } from '../history/list-deliveries.ts'
import { aFact, aReceiver, aSendingStore, testSettings } from '../receiver.test-helper.ts'
import { createEndpoint } from './create-endpoint.ts'
import { deleteEndpoint } from './delete-endpoint.ts'
import { findEndpoint, listEndpoints } from './list-endpoints.ts'
import { endRoll, rollSecret } from './roll-secret.ts'
import { setEndpointStatus } from './set-endpoint-status.ts'
import { updateEndpoint } from './update-endpoint.ts'

const { db } = await testDatabase()
const PUBLIC = 'https://93.184.216.34/hooks'
const PRIVATE = 'name-of-a-private-address.example'
/** The DNS, in which one name leads to a private address. */
const lookup = ((
  host: string,
  _: unknown,
  done: (err: null, addresses: { address: string; family: number }[]) => void
) => done(null, [{ address: host === PRIVATE ? '10.0.0.7' : '93.184.216.34', family: 4 }])) as never
const addresses = { ...testSettings.addresses, lookup }

test('an update changes what is given; events go back to all types with null', async () => {
  const store = await aStore(db)
  const { id } = await createEndpoint(db, store.storeId, { url: PUBLIC, events: ['billing.success'] }, testSettings)
  const update = (changes: Parameters<typeof updateEndpoint>[3]) =>
    updateEndpoint(db, store.storeId, id, changes, { addresses })

  const described = await update({ description: 'Our CRM' })
  assert.deepEqual([described.url, described.events, described.description], [PUBLIC, ['billing.success'], 'Our CRM'])
  const moved = await update({ url: 'https://Example.com/a', events: ['member.created', 'member.created'] })
  assert.deepEqual(
    [moved.url, moved.events, moved.description],
    ['https://example.com/a', ['member.created'], 'Our CRM']
  )
  assert.equal((await update({ events: null })).events, null)

  await assert.rejects(update({ url: 'http://example.com' }), {
    code: 'invalid_request',
    message: /^url must be an https/
  })
  await assert.rejects(update({ url: 'https://[::ffff:10.0.0.1]/' }), { message: /^url must not point/ })
  await assert.rejects(update({ url: `https://${PRIVATE}/` }), { message: /^url must not point.*10\.0\.0\.7/ })
  await assert.rejects(update({ events: [] }), { message: /^events must name/ })
  await assert.rejects(update({ events: ['x'] }), { message: /^events must be event types/ })
  await assert.rejects(update({ description: 'a\nb' }), { message: /^description must have/ })
  assert.equal((await store.inStore((ctx) => findEndpoint(ctx, id)))!.url, 'https://example.com/a')
})

test('what waits for an endpoint goes to its new address, which has not failed yet', async () => {
  const bad = await aReceiver((_, r) => r.writeHead(500).end())
  const good = await aReceiver()
  const store = await aSendingStore(db, { clock: '2026-01-01T00:00:00Z' })
  const { id } = await store.anEndpoint({ url: bad.url })
  await store.record(aFact(1))
  await store.settle()
  const moved = await updateEndpoint(db, store.storeId, id, { url: good.url }, testSettings)
  assert.equal(moved.failingSince, null)
  await store.setClock(Temporal.Instant.from('2026-01-01T00:01:00Z'))
  await store.settle()
  assert.deepEqual([bad.received.length, good.received.length], [1, 1])
})

test('a rolled secret signs beside the new one until the overlap ends; a second roll replaces the new one', async () => {
  const receiver = await aReceiver()
  const store = await aSendingStore(db, { clock: '2026-01-01T00:00:00Z' })
  const { id, secret: oldest } = await store.anEndpoint({ url: receiver.url })
  const roll = (hours?: number) => store.inStore((ctx) => rollSecret(ctx, id, testSettings, hours))
  const signedNow = async () => {
    await store.record(aFact(1))
    await store.settle()
    const { headers, body } = receiver.received.at(-1)!
    return (secret: string) => {
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
      return String(headers['webhook-signature'])
        .split(' ')
        .includes(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
    }
  }

  const first = await roll()
  assert.match(first.secret, /^whsec_/)
  assert.notEqual(first.secret, oldest)
  // Real time, also where the store has a test clock.
  const hours = (Number(first.previousSecretUntil!.epochMilliseconds) - Date.now()) / 3_600_000
  assert.ok(hours > 23.9 && hours < 24.1)
  const both = await signedNow()
  assert.deepEqual([both(oldest), both(first.secret)], [true, true])

  const second = await roll(168)
  const later = await signedNow()
  assert.deepEqual([later(oldest), later(first.secret), later(second.secret)], [true, false, true])

  assert.equal((await store.inStore((ctx) => endRoll(ctx, id))).previousSecretUntil, null)
  assert.equal((await store.inStore((ctx) => endRoll(ctx, id))).previousSecretUntil, null)
  const ended = await signedNow()
  assert.deepEqual([ended(oldest), ended(second.secret)], [false, true])

  const third = await roll(0)
  assert.equal(third.previousSecretUntil, null)
  const { previous } = await store.inStore(({ tx, storeId }) =>
    tx.one(
      row({ previous: nullable(bytes) }),
      sql`select previous_secret as previous from webhook_endpoints where store_id = ${storeId}`
    )
  )
  assert.equal(previous, null)
  for (const wrong of [-1, 169, 1.5]) {
    await assert.rejects(roll(wrong), { code: 'invalid_request', message: /^overlap must be .* 0 to 168/ })
  }
})

test('an overlap that has ended is not shown any more', async () => {
  const store = await aStore(db)
  const { id } = await createEndpoint(db, store.storeId, { url: PUBLIC }, testSettings)
  await store.inStore((ctx) => rollSecret(ctx, id, testSettings, 1))
  await store.inStore(({ tx, storeId }) =>
    tx.run(sql`update webhook_endpoints set previous_secret_until = clock_timestamp() where store_id = ${storeId}`)
  )
  assert.equal((await store.inStore((ctx) => findEndpoint(ctx, id)))!.previousSecretUntil, null)
})

test('disabled by hand it keeps the first reason, and its open deliveries are cancelled', async () => {
  const receiver = await aReceiver()
  const store = await aSendingStore(db)
  const { id } = await store.anEndpoint({ url: receiver.url })
  await store.record(aFact(1), aFact(1))
  await store.dispatch.runOnce(store.storeId)
  const set = (status: 'enabled' | 'disabled', reason?: string) =>
    store.inStore((ctx) => setEndpointStatus(ctx, id, status, reason))

  const disabled = await set('disabled', 'They move house')
  assert.deepEqual([disabled.status, disabled.disabledReason], ['disabled', 'They move house'])
  assert.equal((await set('disabled', 'Another')).disabledReason, 'They move house')
  const { deliveries } = await store.inStore((ctx) => listDeliveries(ctx, { status: 'failed' }))
  assert.deepEqual(
    deliveries.map((d) => [d.cancelled, d.nextTryAt]),
    [
      [true, null],
      [true, null]
    ]
  )
  assert.equal(await store.sender.nextDueAt(store.storeId), null)
  assert.deepEqual((await set('enabled')).disabledReason, null)
  assert.equal((await set('disabled')).disabledReason, 'Disabled by hand')
  for (const reason of ['', ' ', 'a\nb', 'x'.repeat(201)]) {
    await assert.rejects(set('disabled', reason), { code: 'invalid_request', message: /^reason must have/ })
  }
  // What someone does by hand needs no alert.
  assert.deepEqual((await store.inStore((ctx) => listAlerts(ctx))).alerts, [])
})

test('a deleted endpoint is gone from lists and answers, and its history stays', async () => {
  const receiver = await aReceiver()
  const store = await aSendingStore(db)
  const { id } = await store.anEndpoint({ url: receiver.url })
  await store.record(aFact(1))
  await store.settle()
  await store.record(aFact(2))
  await store.dispatch.runOnce(store.storeId)
  await store.inStore((ctx) => deleteEndpoint(ctx, id))
  await store.record(aFact(3))
  await store.settle()

  assert.equal(receiver.received.length, 1)
  assert.deepEqual(await store.inStore(listEndpoints), [])
  assert.equal(await store.inStore((ctx) => findEndpoint(ctx, id)), null)
  const { deliveries } = await store.inStore((ctx) => listDeliveries(ctx, { endpoint: id }))
  assert.deepEqual(
    deliveries.map((d) => [d.endpoint, d.object, d.status, d.cancelled]),
    [
      [id, 'sub_2', 'failed', true],
      [id, 'sub_1', 'delivered', false]
    ]
  )
  assert.equal((await store.inStore((ctx) => findDelivery(ctx, deliveries[1]!.webhookId)))!.history.length, 1)
})

test('of what is not there, or is another store’s, or deleted, nothing can be changed', async () => {
  const [mine, other] = [await aStore(db), await aStore(db)]
  const make = (storeId: number) => createEndpoint(db, storeId, { url: PUBLIC }, testSettings)
  const [theirs, deleted] = [await make(other.storeId), await make(mine.storeId)]
  await mine.inStore((ctx) => deleteEndpoint(ctx, deleted.id))
  for (const id of [theirs.id, deleted.id, 'we_999999', 'we_x', 'sub_1']) {
    const refused = { code: 'not_found', message: `There is no webhook endpoint ${id}` }
    await assert.rejects(updateEndpoint(db, mine.storeId, id, { description: 'x' }, testSettings), refused)
    await assert.rejects(updateEndpoint(db, mine.storeId, id, { url: PUBLIC }, testSettings), refused)
    await assert.rejects(
      mine.inStore((ctx) => rollSecret(ctx, id, testSettings)),
      refused
    )
    await assert.rejects(
      mine.inStore((ctx) => endRoll(ctx, id)),
      refused
    )
    await assert.rejects(
      mine.inStore((ctx) => deleteEndpoint(ctx, id)),
      refused
    )
    await assert.rejects(
      mine.inStore((ctx) => setEndpointStatus(ctx, id, 'enabled')),
      refused
    )
    await assert.rejects(
      mine.inStore((ctx) => setEndpointStatus(ctx, id, 'disabled')),
      refused
    )
  }
  const { secret: _, ...untouched } = theirs
  assert.deepEqual(await other.inStore((ctx) => findEndpoint(ctx, theirs.id)), untouched)
})

test('a store has at most 1000 endpoints, two at once included; a deleted one makes room', async () => {
  const store = await aStore(db)
  await store.inStore(({ tx, storeId, now }) =>
    tx.run(sql`
      insert into webhook_endpoints (store_id, url, secret, created_at, updated_at)
      select ${storeId}, 'https://example.com/' || n, '\\x00', ${now}, ${now} from generate_series(1, 999) n`)
  )
  const make = () => createEndpoint(db, store.storeId, { url: PUBLIC }, testSettings)
  const created = await Promise.allSettled([make(), make(), make()])
  const refused = created.filter((m) => m.status === 'rejected')
  assert.deepEqual(
    refused.map((m) => [m.reason.code, m.reason.message]),
    Array(2).fill(['conflict', 'The store has 1000 webhook endpoints, and more are not possible: delete one first'])
  )
  const [newest] = await store.inStore(listEndpoints)
  await store.inStore((ctx) => deleteEndpoint(ctx, newest!.id))
  assert.ok(await make())
})

test('when the sender disables an endpoint, a notice says why, since when and what to do', async () => {
  const gone = await aReceiver((_, r) => r.writeHead(410).end())
  const unhealthy = await aReceiver((_, r) => r.writeHead(500).end())
  const store = await aSendingStore(db, {
    clock: '2026-01-01T12:00:00Z',
    schedule: { maxTries: 2, delaysSeconds: [60] }
  })
  const [first, second] = [await store.anEndpoint({ url: gone.url }), await store.anEndpoint({ url: unhealthy.url })]
  await store.record(...Array.from({ length: 5 }, (_, n) => aFact(n)))
  await store.settle()
  await store.setClock(Temporal.Instant.from('2026-01-06T12:00:00Z'))
  await store.settle()

  const { alerts, more } = await store.inStore((ctx) => listAlerts(ctx))
  assert.equal(more, false)
  assert.deepEqual(
    alerts.map((n) => [n.kind, n.subject, n.createdAt.toString()]),
    [
      ['webhook_endpoint_disabled', `Webhook endpoint ${second.id} has been disabled`, '2026-01-06T12:00:00Z'],
      ['webhook_endpoint_disabled', `Webhook endpoint ${first.id} has been disabled`, '2026-01-01T12:00:00Z']
    ]
  )
  // New York: 12:00 UTC is 07:00.
  assert.match(alerts[1]!.message, /127\.0\.0\.1.*was disabled on 1 January 2026 at 07:00 \(America\/New_York\)/)
  assert.match(alerts[1]!.message, /The receiver answered 410 Gone\./)
  assert.match(
    alerts[0]!.message,
    /No delivery has succeeded for 5 days, and 5 have used up all their tries\. .* since 1 January 2026 at 07:00/
  )
  assert.match(
    alerts[0]!.message,
    new RegExp(`resend-failed --store store_${store.storeId} --endpoint ${second.id} --since \\S+Z --missed\n`)
  )
  const page = await store.inStore((ctx) => listAlerts(ctx, { limit: 1 }))
  assert.deepEqual([page.alerts.map((n) => n.id), page.more], [[alerts[0]!.id], true])
  const rest = await store.inStore((ctx) => listAlerts(ctx, { before: `alert_${alerts[0]!.id}` }))
  assert.deepEqual([rest.alerts.map((n) => n.id), rest.more], [[alerts[1]!.id], false])
  await assert.rejects(
    store.inStore((ctx) => listAlerts(ctx, { before: 'x' })),
    { code: 'not_found' }
  )
  const other = await aStore(db)
  assert.deepEqual((await other.inStore((ctx) => listAlerts(ctx))).alerts, [])
})
