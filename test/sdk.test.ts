// The typed client against the real service: every call, every error, and real webhooks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  AuthenticationError,
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
  RateLimitedError,
  type WebhookEvent,
  WebhookVerificationError,
  webhooks
} from '../sdk/src/index.ts'
import { testDatabase } from './database.ts'
import { aReceiver } from './receiver.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

async function aStoreWithClient(given: Record<string, unknown> = {}) {
  const store = await service.aStore(given)
  return { store, client: service.client(store.key) }
}

test('members: found by filter, read, updated, and listed over several pages', async () => {
  const { store, client } = await aStoreWithClient()
  for (const name of ['ada', 'bob', 'eve']) await store.member(`${name}@example.com`)

  const walked: string[] = []
  for await (const { customer } of client.members.list({ status: 'active', limit: 2 })) walked.push(customer.email!)
  assert.deepEqual(walked.toSorted(), ['ada@example.com', 'bob@example.com', 'eve@example.com'])
  const { data, meta } = await client.members.list({ email: 'ADA@example.com' })
  assert.deepEqual([data.length, meta.total, meta.has_more], [1, 1, false])

  const member = await client.members.update(data[0]!.id, { loyalty_points: 120, first_name: 'Ada' })
  assert.deepEqual([member.loyalty_points, member.customer.first_name], [120, 'Ada'])
  assert.deepEqual(await client.members.get(member.id), member)
})

test('subscriptions: paused, resumed, changed, cancelled and reactivated', async () => {
  const { store, client } = await aStoreWithClient()
  await store.grace(24)
  const { customer } = await store.member('ada@example.com')
  const [{ id } = { id: '' }] = await client.subscriptions.list({ customer_id: customer.id }).toArray({ atMost: 10 })

  const paused = await client.subscriptions.pause(id, { duration: 30 })
  assert.deepEqual([paused.status, paused.resumes_at], ['paused', '2026-03-02T15:00:00.000Z'])
  await assert.rejects(client.subscriptions.pause(id), (err) => {
    assert.ok(err instanceof InvalidRequestError)
    assert.match(err.message, /is already paused/)
    return true
  })
  const resumed = await client.subscriptions.resume(id, { next_billing_date: '2026-02-10' })
  assert.equal(resumed.next_billing_date, '2026-02-10T05:00:00.000Z')
  assert.equal((await client.subscriptions.skip(id)).next_billing_date, '2026-03-10T04:00:00.000Z')
  assert.equal((await client.subscriptions.update(id, { price: 31 })).pending_change?.price, 31)
  await client.subscriptions.cancel(id)
  assert.equal((await client.subscriptions.reactivate(id)).status, 'active')
  const kinds = (await client.subscriptions.activity(id).toArray({ atMost: 10 })).map(({ kind }) => kind)
  assert.deepEqual(kinds, ['reactivated', 'cancelled', 'skipped', 'resumed', 'paused', 'activated', 'created'])
  const cancelled = await client.subscriptions.cancel(id, { reason: 'too_expensive', comment: 'Moving' })
  assert.deepEqual([cancelled.status, cancelled.cancel_reason], ['cancelled', 'too_expensive'])
  assert.deepEqual(await client.subscriptions.get(id), cancelled)
})

test('billing attempts: found, and a failed one retried', async () => {
  const { store, client } = await aStoreWithClient()
  const { customer } = await store.member('ada@example.com')
  await store.card(customer.id, 'insufficient_funds, success')
  await store.advance({ to: '2026-03-01T00:00:00Z' })

  const { data } = await client.billingAttempts.list({ status: 'failed', date_from: '2026-02-01' })
  assert.equal(data[0]!.error?.decline_code, 'insufficient_funds')
  const retried = await client.billingAttempts.retry(data[0]!.id)
  assert.deepEqual([retried.status, retried.attempt_number], ['pending', 2])
  assert.deepEqual(await client.billingAttempts.get(retried.id), retried)
  await service.deps.settle(store.storeId)
  const [settled] = await client.billingAttempts
    .list({ subscription_id: retried.subscription_id })
    .toArray({ atMost: 1 })
  assert.deepEqual([settled!.id, settled!.status], [retried.id, 'success'])
})

test("store credit: added, spent, refused, and its history listed, by the member's or the platform's id", async () => {
  const { store, client } = await aStoreWithClient()
  const { customer } = await store.member('ada@example.com')
  const gid = `gid://platform/Customer/${customer.id}`
  await client.storeCredits.add(customer.id, { amount: 10, reason: 'Sorry' })
  const { balance, customer_id } = await client.storeCredits.deduct(gid, { amount: 2.5, reason: 'Spent' })
  assert.equal(balance, 7.5)
  await assert.rejects(client.storeCredits.deduct(gid, { amount: 8, reason: 'Spent' }).then(), InvalidRequestError)
  assert.equal((await client.storeCredits.get(customer_id)).available, 7.5)
  const amounts: number[] = []
  for await (const { amount } of client.storeCredits.history(customer_id, { limit: 1 })) amounts.push(amount)
  assert.deepEqual(amounts, [-2.5, 10])
})

test('events: read page by page up to the last one, and on from there', async () => {
  const { store, client } = await aStoreWithClient()
  await store.member('ada@example.com')
  await service.deps.settle(store.storeId)
  const read: string[] = []
  let last = 0
  for await (const { data, meta } of client.events.list({ limit: 1 }).pages()) {
    for (const event of data) read.push(event.event)
    last = meta.next_since
  }
  assert.deepEqual(read, ['member.created', 'subscription.created', 'subscription.activated'])
  assert.deepEqual((await client.events.list({ since: last })).data, [])

  const [member] = await client.members.list().toArray({ atMost: 1 })
  await client.storeCredits.add(member!.customer.id, { amount: 5, reason: 'Gift' })
  await service.deps.settle(store.storeId)
  const events = []
  for await (const event of client.events.list({ since: last })) events.push(event)
  const [added] = events
  assert.ok(events.length === 1 && added?.event === 'store_credit.added')
  assert.deepEqual([added.data.amount, added.data.customer.id], [5, member!.customer.id])
})

test('webhook endpoints: made, changed, tried and deleted by their receiver', async () => {
  const { store, client } = await aStoreWithClient()
  const receiver = await aReceiver()
  const { id, secret } = await client.webhookEndpoints.create({ url: receiver.url, events: ['billing.failed'] })
  assert.match(secret, /^whsec_/)
  assert.equal((await client.webhookEndpoints.update(id, { events: null })).all_events, true)
  const sent = await client.webhookEndpoints.test(id, { event: 'billing.success' })
  await service.deps.settle(store.storeId)
  assert.equal((await client.webhookDeliveries.get(sent.id)).status, 'delivered')
  assert.deepEqual(
    (await client.webhookEndpoints.deliveries(id).toArray({ atMost: 5 })).map((delivery) => delivery.id),
    [sent.id]
  )
  assert.deepEqual(await client.webhookEndpoints.delete(id), { id, deleted: true })
  await assert.rejects(client.webhookEndpoints.get(id).then(), NotFoundError)
})

test('every operation of the API has a method, and every method calls an operation', async () => {
  const requested = new Set<string>()
  const client = service.client('k', {
    fetch: async (input, init) => {
      requested.add(`${init!.method} ${new URL(String(input)).pathname.slice('/v1'.length)}`)
      return Response.json({ data: {}, meta: { total: 1, limit: 1, offset: 0, has_more: false } })
    }
  })
  const { members, subscriptions, billingAttempts, storeCredits, analytics } = client
  const { events, loyalty, webhookEndpoints, webhookDeliveries } = client
  const credit = { amount: 1, reason: 'Gift' }
  await Promise.all([
    ...[members.list(), subscriptions.list(), billingAttempts.list(), storeCredits.history('{customer_id}')],
    members.get('{member_id}'),
    members.update('{member_id}', { first_name: 'Ada' }),
    subscriptions.get('{subscription_id}'),
    subscriptions.pause('{subscription_id}'),
    subscriptions.resume('{subscription_id}'),
    subscriptions.cancel('{subscription_id}'),
    subscriptions.reactivate('{subscription_id}'),
    subscriptions.gift('{subscription_id}', { receiver: 'cust_1' }),
    subscriptions.ungift('{subscription_id}'),
    subscriptions.skip('{subscription_id}'),
    subscriptions.update('{subscription_id}', { price: 1 }),
    subscriptions.activity('{subscription_id}'),
    billingAttempts.get('{attempt_id}'),
    billingAttempts.retry('{attempt_id}'),
    storeCredits.get('{customer_id}'),
    storeCredits.add('{customer_id}', credit),
    storeCredits.deduct('{customer_id}', credit),
    storeCredits.reserve('{customer_id}', { amount: 1 }),
    storeCredits.reservation('{customer_id}', '{reservation_id}'),
    storeCredits.capture('{customer_id}', '{reservation_id}'),
    storeCredits.release('{customer_id}', '{reservation_id}'),
    storeCredits.createCode('{customer_id}'),
    storeCredits.code('{customer_id}', '{code_id}'),
    storeCredits.codes('{customer_id}'),
    storeCredits.revokeCode('{customer_id}', '{code_id}'),
    storeCredits.giftCard('{customer_id}'),
    loyalty.reportEvent({ customer_id: 'cust_1', type: 'custom_action', action_key: 'quiz' }),
    analytics.overview(),
    ...[events.list(), webhookEndpoints.list(), webhookEndpoints.deliveries('{endpoint_id}')],
    webhookEndpoints.get('{endpoint_id}'),
    webhookEndpoints.create({ url: 'https://example.com' }),
    webhookEndpoints.update('{endpoint_id}', { description: 'CRM' }),
    webhookEndpoints.delete('{endpoint_id}'),
    webhookEndpoints.enable('{endpoint_id}'),
    webhookEndpoints.disable('{endpoint_id}'),
    webhookEndpoints.rollSecret('{endpoint_id}'),
    webhookEndpoints.endRoll('{endpoint_id}'),
    webhookEndpoints.test('{endpoint_id}', { event: 'billing.failed' }),
    webhookDeliveries.get('{delivery_id}'),
    webhookDeliveries.resend('{delivery_id}')
  ])
  const { paths } = (await (await fetch(`${service.urls.public}/openapi.json`)).json()) as {
    paths: Record<string, object>
  }
  const recorded = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)
  )
  assert.deepEqual([...requested].map(decodeURIComponent).toSorted(), recorded.toSorted())
})

test('analytics: the overview', async () => {
  const { client } = await aStoreWithClient()
  const overview = await client.analytics.overview({ period: '7d' })
  assert.deepEqual([overview.period, overview.currency, overview.members.active], ['7d', 'USD', 0])
})

test("a repeated write with the caller's key returns the first response and has one effect", async () => {
  const { store, client } = await aStoreWithClient()
  const { customer } = await store.member('ada@example.com')
  const add = () =>
    client.storeCredits.add(customer.id, { amount: 5, reason: 'Gift' }, { idempotencyKey: 'gift-2026' }).withResponse()
  const [first, second] = [await add(), await add()]
  assert.deepEqual([first.isReplayed, second.isReplayed, second.data], [false, true, first.data])
  assert.equal((await client.storeCredits.get(customer.id)).balance, 5)
})

test('a write whose response was lost is repeated and has one effect', async () => {
  const { store } = await aStoreWithClient()
  const { customer } = await store.member('ada@example.com')
  let sent = 0
  const losing: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (++sent > 1) return response
    await response.text()
    throw new TypeError('The connection is gone')
  }
  const client = service.client(store.key, {
    fetch: losing,
    timing: { now: Date.now, random: Math.random, sleep: async () => {}, after: () => () => {} }
  })
  const { data, isReplayed } = await client.storeCredits.add(customer.id, { amount: 5, reason: 'Gift' }).withResponse()
  assert.deepEqual([sent, isReplayed, data.balance], [2, true, 5])
})

test('each error is thrown as its class, with the request id and the rate limit', async () => {
  const { store, client } = await aStoreWithClient({ plan: 'growth' })
  const { key } = await service.admin('POST', `${store.at}/keys`, { name: 'Reader', scopes: ['read:members'] })
  await assert.rejects(client.members.get('mem_999').then(), (err) => {
    assert.ok(err instanceof NotFoundError)
    assert.match(err.requestId!, /^[0-9a-f-]{36}$/)
    assert.equal(err.rateLimit?.limit, 120)
    assert.ok(err.rateLimit.remaining < 120 && err.rateLimit.resetsAt instanceof Date)
    return true
  })
  await assert.rejects(service.client(key).subscriptions.list().then(), ForbiddenError)
  await assert.rejects(service.client('svc_test_1_wrong').members.list().then(), AuthenticationError)
  await assert.rejects(client.members.list({ limit: 1000, offset: -1 }).then(), (err) => {
    assert.ok(err instanceof InvalidRequestError)
    assert.deepEqual(
      err.details.map(({ field }) => field),
      ['limit', 'offset']
    )
    return true
  })
})

test('after a rate limit the client waits as long as the response says, or throws if that is too long', async () => {
  const { store } = await aStoreWithClient({ plan: 'starter' })
  const waits: number[] = []
  const client = service.client(store.key, {
    maxRetries: 1,
    timing: {
      now: Date.now,
      random: () => 0,
      after: () => () => {},
      sleep: async (ms) => void waits.push(ms)
    }
  })
  // More than two minutes admit, in case a minute ends in between.
  const calls = await Promise.allSettled(Array.from({ length: 200 }, () => client.members.list().then()))
  const refused = calls.filter((call) => call.status === 'rejected').map(({ reason }) => reason)
  assert.ok(refused.length >= 80 && waits.length >= refused.length)
  for (const err of refused) {
    assert.ok(err instanceof RateLimitedError)
    assert.ok(err.retryAfterSeconds! >= 0 && err.retryAfterSeconds! <= 60)
  }
  assert.ok(waits.every((ms) => ms >= 0 && ms <= 60_000))
})

test('deliveries of the service are verified, and each matches its event type', async () => {
  const { store, client } = await aStoreWithClient()
  const receiver = await aReceiver()
  const { secret } = await service.admin('POST', `${store.at}/webhooks`, { url: receiver.url })
  const { customer } = await store.member('zoë@example.com')
  await client.storeCredits.add(customer.id, { amount: 5, reason: 'Für dich 🎁' })
  const [member] = await client.members.list().toArray({ atMost: 1 })
  await client.members.update(member!.id, { loyalty_points: 7 })
  await store.card(customer.id, 'insufficient_funds')
  await store.advance({ by: 'P1M' })

  const recorded = await Promise.all(
    receiver.received.map(async ({ raw, event, webhookId }) => {
      const verified = await webhooks.verify(raw.body, raw.headers, secret, { requireTimestamp: true })
      assert.deepEqual([verified.event, verified.webhook_id], [event, webhookId])
      const tampered = Buffer.from(raw.body)
      tampered[tampered.length - 3]! ^= 1
      await assert.rejects(webhooks.verify(tampered, raw.headers, secret), WebhookVerificationError)
      await assert.rejects(webhooks.verify(raw.body, raw.headers, `${secret}x`), { reason: 'signature_wrong' })
      // The SDK's test helper creates the same request as the service.
      const sentAt = new Date(Number(raw.headers['webhook-timestamp']) * 1000)
      for (const [name, value] of Object.entries(await webhooks.testHeaders(raw.body, secret, { sentAt }))) {
        assert.equal(raw.headers[name], value, name)
      }
      return summaryOf(verified)
    })
  )
  for (const expected of [
    'member.created',
    'points +7',
    'credit 5',
    'declined: insufficient_funds',
    'billing.pending'
  ]) {
    assert.ok(recorded.includes(expected), expected)
  }
})

/** Compiles only if each type of event has its own data. */
function summaryOf(event: WebhookEvent): string {
  switch (event.event) {
    case 'billing.failed':
      return `declined: ${event.data.error.decline_code}`
    case 'member.points_changed':
      return `points +${event.data.points.change}`
    case 'store_credit.added':
      return `credit ${event.data.amount}`
    default:
      return event.event
  }
}
