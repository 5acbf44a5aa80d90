// Pause, resume, cancel and manual retry over the direct API, with the sandbox platform.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { row, sql, text } from '#kit/postgres'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

type Store = Awaited<ReturnType<typeof service.aStore>>

async function aMember(store: Store, email = 'ada@example.com') {
  const { customer, contract_id } = await store.member(email)
  const { body } = await service.get(`/subscriptions?customer_id=${customer.id}`, store.key)
  const id = body.data[0].id as string
  return {
    id,
    customer: customer.id,
    post: (move: string, body?: unknown, headers?: Record<string, string>) =>
      service.post(`/subscriptions/${id}/${move}`, store.key, body, headers),
    read: async () => (await service.get(`/subscriptions/${id}`, store.key)).body.data,
    attempts: async () =>
      (await service.get(`/billing-attempts?subscription_id=${id}`, store.key)).body.data.reverse() as any[],
    contract: async () => {
      const connector = await service.deps.connectorOf(store.storeId)
      const found = await connector.contracts.find(contract_id)
      assert.ok(found.ok && found.value)
      return { status: found.value.status, next: found.value.nextBillingDate?.toString() ?? null }
    }
  }
}
async function events(store: Store, like = '%') {
  const recorded = await service.db.inStore(store.storeId, ({ tx }) =>
    tx.many(
      row({ type: text, data: text }),
      sql`select name as type, data from facts where store_id = ${store.storeId} and name like ${like} order by id`
    )
  )
  return recorded.map(({ type, data }) => ({ type, data: JSON.parse(data) }))
}
const settle = (store: Store) => service.deps.settle(store.storeId)

test('a pause stops billing at once, also on the platform, and ends after its days', async () => {
  const store = await service.aStore()
  const member = await aMember(store)
  const { status, body, headers } = await member.post('pause', { duration: 40 })
  assert.equal(status, 200)
  assert.deepEqual(body.meta, { total: 1, limit: 1, offset: 0, has_more: false })
  assert.deepEqual(
    [body.data.status, body.data.paused_at, body.data.resumes_at, body.data.next_billing_date],
    // Daylight saving time starts in between: 40 days of the shop's calendar are an hour shorter.
    ['paused', '2026-01-31T15:00:00.000Z', '2026-03-12T14:00:00.000Z', null]
  )
  assert.deepEqual(body.data, await member.read())
  assert.equal(headers.get('x-ratelimit-limit'), '300')
  await settle(store)
  assert.equal((await member.contract()).status, 'paused')
  assert.deepEqual(
    (await events(store, 'subscription.paused')).map(({ data }) => [data.subscription_id, data.resumes_at]),
    [[member.id, '2026-03-12T14:00:00.000Z']]
  )

  await store.advance({ to: '2026-03-12T13:59:00Z' })
  assert.deepEqual(await member.attempts(), [])
  await store.advance({ by: 'PT2M' })
  const resumed = await member.read()
  assert.deepEqual(
    [resumed.status, resumed.paused_at, resumed.resumes_at, resumed.next_billing_date],
    ['active', null, null, '2026-03-31T14:00:00.000Z']
  )
  assert.equal((await member.contract()).status, 'active')
  await store.advance({ to: '2026-04-01T00:00:00Z' })
  assert.deepEqual(
    (await member.attempts()).map((a) => [a.status, a.cycle_index]),
    [['success', 3]]
  )
  await store.soundBooks()
})

test('a pause without a duration lasts until it is resumed; resuming charges nothing at once', async () => {
  const store = await service.aStore()
  const member = await aMember(store)
  assert.equal((await member.post('pause')).body.data.resumes_at, null)
  await store.advance({ by: 'P1Y' })
  assert.equal((await member.read()).status, 'paused')

  const { status, body } = await member.post('resume')
  assert.deepEqual([status, body.data.status, body.data.next_billing_date], [200, 'active', '2027-02-28T15:00:00.000Z'])
  await settle(store)
  assert.deepEqual(await member.attempts(), [])
  assert.deepEqual(await member.contract(), { status: 'active', next: '2027-02-28T15:00:00Z' })
  assert.equal((await events(store, 'subscription.resumed')).length, 1)
})

test('resuming with a date makes that date the new anchor', async () => {
  const store = await service.aStore()
  const member = await aMember(store)
  await member.post('pause', {})
  for (const [given, says] of [
    ['2026-01-31', /next_billing_date must be a date after now/],
    ['2031-02-02', /next_billing_date must be a date after now and at most 5 years ahead/],
    ['soon', /next_billing_date must be an ISO date/],
    [20260301, /next_billing_date must be an ISO date/]
  ] as const) {
    const { status, body } = await member.post('resume', { next_billing_date: given })
    assert.equal(status, 400)
    assert.match(body.error.message, says)
  }
  const { body } = await member.post('resume', { next_billing_date: '2026-02-10' })
  assert.equal(body.data.next_billing_date, '2026-02-10T05:00:00.000Z', 'midnight in the shop')
  await store.advance({ to: '2026-03-11T00:00:00Z' })
  assert.deepEqual(
    (await member.attempts()).map((a) => a.date),
    ['2026-02-10T05:00:00.000Z', '2026-03-10T04:00:00.000Z']
  )
  await store.soundBooks()
})

test('a cancellation applies at once, cancels scheduled attempts, and stores reason and comment', async () => {
  const store = await service.aStore()
  const member = await aMember(store)
  await store.card(member.customer, 'insufficient_funds')
  await store.advance({ to: '2026-03-01T00:00:00Z' })
  assert.equal((await member.attempts())[0].retry_scheduled, true)

  const { status, body } = await member.post('cancel', { reason: 'too_expensive', comment: 'Moving away' })
  assert.deepEqual(
    [status, body.data.status, body.data.cancel_reason, body.data.cancelled_at, body.data.next_billing_date],
    [200, 'cancelled', 'too_expensive', '2026-03-01T00:00:00.000Z', null]
  )
  await store.advance({ by: 'P1Y' })
  assert.deepEqual(
    (await member.attempts()).map((a) => [a.status, a.retry_scheduled]),
    [['failed', false]]
  )
  assert.equal((await member.contract()).status, 'cancelled')
  const [event] = await events(store, 'subscription.cancelled')
  assert.deepEqual([event!.data.cancel_reason, event!.data.customer.email], ['too_expensive', 'ada@example.com'])

  const other = await aMember(store, 'bob@example.com')
  assert.equal((await other.post('cancel')).body.data.cancel_reason, 'other')
  await store.soundBooks()
})

test('a payment that waits for 3-D Secure when the subscription is stopped is not charged', async () => {
  for (const move of ['cancel', 'pause']) {
    const store = await service.aStore()
    const member = await aMember(store)
    await store.card(member.customer, '3ds')
    await store.advance({ to: '2026-03-01T00:00:00Z' })
    assert.equal((await member.attempts())[0].status, 'pending')
    await member.post(move)
    await store.advance({ by: 'P40D' })
    assert.deepEqual(
      (await member.attempts()).map((a) => [a.status, a.error.decline_code, a.retry_scheduled]),
      [['failed', 'cancelled_payment', false]]
    )
    await store.soundBooks()
  }
})

test('an action that the status does not allow is refused with the status and changes nothing', async () => {
  const store = await service.aStore()
  const member = await aMember(store)
  const refused = async (move: string, says: string) => {
    const before = await events(store)
    const { status, body } = await member.post(move)
    assert.deepEqual([status, body.error.code, body.error.message], [400, 'invalid_request', says])
    assert.deepEqual(await events(store), before)
  }
  await refused('resume', `Subscription ${member.id} is already active.`)
  await member.post('pause')
  await refused('pause', `Subscription ${member.id} is already paused.`)
  await member.post('cancel')
  await refused('pause', `Subscription ${member.id} is cancelled: only an active subscription can be paused.`)
  await refused('resume', `Subscription ${member.id} is cancelled: only a paused subscription can be resumed.`)
  await refused('cancel', `Subscription ${member.id} is already cancelled.`)
})

test('invalid bodies and ids are refused with the name of the field', async () => {
  const store = await service.aStore()
  const foreign = await service.aStore()
  const member = await aMember(store)
  for (const [move, body, says] of [
    ['pause', { duration: 0 }, /^duration must be an integer from 1 to 365/],
    ['pause', { duration: 366 }, /^duration must be/],
    ['pause', { duration: 1.5 }, /^duration must be/],
    ['pause', { duration: '3' }, /^duration must be/],
    ['pause', { days: 3 }, /^days is not a field here; this body accepts duration/],
    ['pause', [], /^The body must be a JSON object/],
    ['cancel', { reason: '' }, /^reason must be a text/],
    ['cancel', { reason: '  ' }, /^reason must be a text/],
    ['cancel', { comment: 'x'.repeat(1025) }, /^comment must be a text of at most 1024/],
    ['resume', { next_billing_date: '' }, /^next_billing_date must be/]
  ] as const) {
    const response = await member.post(move, body)
    assert.equal(response.status, 400, JSON.stringify(body))
    assert.match(response.body.error.message, says)
  }
  for (const id of [member.id, 'sub_999999', 'sub_0', 'nonsense']) {
    const key = id === member.id ? foreign.key : store.key
    for (const move of ['pause', 'resume', 'cancel']) {
      const { status, body } = await service.post(`/subscriptions/${id}/${move}`, key, {})
      const details = [{ field: 'subscription_id', code: 'not_found', message: 'names nothing in the store' }]
      const message = `There is no subscription ${id}`
      assert.deepEqual([status, body.error], [404, { code: 'not_found', message, details }])
    }
  }
  assert.equal((await member.read()).status, 'active')
})

test('a manual retry charges the cycle again, in place of the scheduled retry', async () => {
  const store = await service.aStore()
  const member = await aMember(store)
  await store.card(member.customer, 'insufficient_funds, success')
  await store.advance({ to: '2026-03-01T00:00:00Z' })
  const [failed] = await member.attempts()

  const { status, body } = await service.post(`/billing-attempts/${failed.id}/retry`, store.key)
  assert.equal(status, 200)
  assert.deepEqual(
    [body.data.status, body.data.cycle_index, body.data.attempt_number, body.data.attempts_remaining],
    ['pending', 2, 2, failed.attempts_remaining]
  )
  assert.notEqual(body.data.id, failed.id)
  await settle(store)
  const [first, second] = await member.attempts()
  assert.deepEqual([second.id, second.status], [body.data.id, 'success'])
  assert.deepEqual([first.retry_scheduled, first.retry_date], [false, null])
  const { next_billing_date, cycle_index } = await member.read()
  assert.deepEqual([next_billing_date, cycle_index], ['2026-03-31T14:00:00.000Z', 2])
  await store.advance({ to: '2026-04-01T00:00:00Z' })
  assert.deepEqual(
    (await member.attempts()).map((a) => a.cycle_index),
    [2, 2, 3]
  )
  await store.soundBooks()
})

test('a declined manual retry does not use up a scheduled retry', async () => {
  const store = await service.aStore()
  const member = await aMember(store)
  await store.card(member.customer, 'insufficient_funds')
  await store.advance({ to: '2026-03-01T00:00:00Z' })
  for (let time = 0; time < 2; time++) {
    const latest = (await member.attempts()).at(-1)
    assert.equal((await service.post(`/billing-attempts/${latest.id}/retry`, store.key, {})).status, 200)
    await settle(store)
    const retried = (await member.attempts()).at(-1)
    assert.deepEqual(
      [retried.status, retried.retry_scheduled, retried.retry_date, retried.attempts_remaining],
      ['failed', true, latest.retry_date, latest.attempts_remaining]
    )
  }
  await store.advance({ by: 'P2M' })
  const attempts = await member.attempts()
  assert.equal(attempts.length, 2 + 5, 'the first charge and four scheduled retries, besides the two manual ones')
  assert.deepEqual(
    attempts.map((a) => a.attempts_remaining),
    Array(7).fill(0)
  )
  assert.equal((await member.read()).cancel_reason, 'payment_failed')
  await store.soundBooks()
})

test('only a failed attempt of an active subscription with an open cycle is retried', async () => {
  const store = await service.aStore()
  const member = await aMember(store)
  const retry = async (id: string, key = store.key) => {
    const { status, body } = await service.post(`/billing-attempts/${id}/retry`, key)
    return [status, body.error?.message]
  }
  await store.card(member.customer, 'insufficient_funds')
  await store.advance({ to: '2026-03-01T00:00:00Z' })
  const [failed] = await member.attempts()
  const foreign = await service.aStore()
  assert.deepEqual(await retry(failed.id, foreign.key), [404, `There is no billing attempt ${failed.id}`])
  assert.deepEqual(await retry('ba_x'), [404, 'There is no billing attempt ba_x'])

  const both = await Promise.all([retry(failed.id), retry(failed.id)])
  assert.deepEqual(both.map(([status]) => status).sort(), [200, 400])
  assert.match(String(both.find(([status]) => status === 400)![1]), /Cycle 2 of .* has an attempt that is pending/)
  const pending = (await member.attempts()).at(-1)
  assert.deepEqual(await retry(pending.id), [
    400,
    `Billing attempt ${pending.id} is pending: only a failed attempt can be retried`
  ])
  await store.card(member.customer, 'success')
  await store.advance({ to: '2026-04-01T00:00:00Z' })
  const paid = (await member.attempts()).find((a) => a.status === 'success')
  assert.deepEqual(await retry(paid.id), [
    400,
    `Billing attempt ${paid.id} has succeeded: only a failed attempt can be retried`
  ])
  assert.match(String((await retry(failed.id))[1]), /^Cycle 2 of subscription .* is paid/)
  await member.post('pause')
  assert.match(String((await retry(failed.id))[1]), /is paused: only an attempt of an active subscription/)
  await store.soundBooks()
})

test('two concurrent retries, the scheduler and a cancellation leave a valid state and at most one charge', async () => {
  const store = await service.aStore()
  const members = await Promise.all(Array.from({ length: 6 }, (_, i) => aMember(store, `member-${i}@example.com`)))
  for (const member of members) await store.card(member.customer, 'insufficient_funds')
  await store.advance({ to: '2026-03-01T00:00:00Z' })
  for (const member of members) await store.card(member.customer, 'success')
  await Promise.all(
    members.flatMap((member) => [
      member.attempts().then(([failed]) => service.post(`/billing-attempts/${failed.id}/retry`, store.key)),
      member.attempts().then(([failed]) => service.post(`/billing-attempts/${failed.id}/retry`, store.key)),
      settle(store),
      member.post('cancel')
    ])
  )
  await settle(store)
  for (const member of members) {
    const attempts = await member.attempts()
    assert.ok(attempts.filter((a) => a.status === 'success').length <= 1)
    assert.ok(attempts.every((a) => a.status !== 'pending'))
    assert.equal((await member.read()).status, 'cancelled')
  }
  await store.soundBooks()
})

test('repeating a request with its Idempotency-Key returns the first response and has one effect', async () => {
  const store = await service.aStore()
  const member = await aMember(store)
  const key = { 'idempotency-key': 'pause-1' }
  const responses = await Promise.all(Array.from({ length: 20 }, () => member.post('pause', { duration: 3 }, key)))
  assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]))
  assert.equal(new Set(responses.map(({ body }) => JSON.stringify(body))).size, 1)
  assert.equal(responses.filter(({ headers }) => headers.get('idempotent-replayed') === 'true').length, 19)
  assert.equal((await events(store, 'subscription.paused')).length, 1)

  for (const other of [{ duration: 4 }, {}, undefined]) {
    const { status, body } = await member.post('pause', other, key)
    assert.equal(status, 400)
    assert.match(body.error.message, /^Idempotency-Key was used with another request/)
  }
  assert.equal((await member.post('resume', undefined, key)).status, 400, 'another path is a different request')
  for (const wrong of ['x'.repeat(256), 'with space', '']) {
    const { status, body } = await member.post('resume', {}, { 'idempotency-key': wrong })
    assert.equal(status, 400)
    assert.match(body.error.message, /^Idempotency-Key must have 1 to 255 visible ASCII characters/)
  }
  assert.equal((await member.read()).status, 'paused')
})

test('a refused request does not use up its key', async () => {
  const store = await service.aStore()
  const member = await aMember(store)
  const key = { 'idempotency-key': 'resume-1' }
  assert.equal((await member.post('resume', {}, key)).status, 400)
  await member.post('pause')
  const { status, headers } = await member.post('resume', {}, key)
  assert.deepEqual([status, headers.get('idempotent-replayed')], [200, null])
})

test('keys are separate per store and expire after 24 hours', async () => {
  const [a, b] = [await service.aStore(), await service.aStore()]
  const key = { 'idempotency-key': 'the-same' }
  const [inA, inB] = [await aMember(a), await aMember(b)]
  assert.equal((await inA.post('pause', {}, key)).status, 200)
  const response = await inB.post('pause', {}, key)
  assert.deepEqual([response.status, response.headers.get('idempotent-replayed')], [200, null])

  await service.db.inStore(a.storeId, ({ tx }) =>
    tx.run(
      sql`update idempotent_responses set created_at = created_at - interval '25 hours' where store_id = ${a.storeId}`
    )
  )
  const { status, headers } = await inA.post('resume', {}, key)
  assert.deepEqual([status, headers.get('idempotent-replayed')], [200, null])
})
