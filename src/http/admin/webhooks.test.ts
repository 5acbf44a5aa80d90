import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EVENT_TYPES } from '#webhooks'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { aFact, aReceiver, aSendingStore } from '../../webhooks/receiver.test-helper.ts'
import { testServer } from '../server.test-helper.ts'

const { db } = await testDatabase()
const { admin, calls } = testServer(db)
type Method = Parameters<typeof admin>[0]

/** The admin API of a store: the status and body of each answer. */
const adminOf = (store: { storeId: number }) => async (method: Method, path: string, body?: object) => {
  const response = await admin(method, `/stores/store_${store.storeId}${path}`, body)
  return { status: response.statusCode, body: response.json() }
}

test('an endpoint is made with its secret once, listed, shown, changed and deleted', async () => {
  const call = adminOf(await aStore(db))
  const created = await call('POST', '/webhooks', { url: 'http://127.0.0.1:4000/hook', events: ['billing.success'] })
  const { id, secret, created_at, updated_at, ...rest } = created.body

  assert.equal(created.status, 201)
  assert.match(id, /^we_\d+$/)
  assert.match(secret, /^whsec_/)
  assert.deepEqual(rest, {
    kind: 'url',
    url: 'http://127.0.0.1:4000/hook',
    events: ['billing.success'],
    all_events: false,
    description: '',
    status: 'enabled',
    disabled_reason: null,
    disabled_at: null,
    failing_since: null,
    failed_deliveries: 0,
    previous_secret_until: null
  })
  const shown = { id, created_at, updated_at, ...rest }
  assert.deepEqual((await call('GET', '/webhooks')).body, { data: [shown] })
  assert.deepEqual(await call('GET', `/webhooks/${id}`), { status: 200, body: shown })

  const changed = await call('PATCH', `/webhooks/${id}`, { events: null, description: 'CRM' })
  assert.equal(changed.status, 200)
  assert.deepEqual(
    [changed.body.events, changed.body.all_events, changed.body.description],
    [[...EVENT_TYPES], true, 'CRM']
  )
  assert.deepEqual(await call('DELETE', `/webhooks/${id}`), { status: 200, body: { id, deleted: true } })
  assert.deepEqual((await call('GET', '/webhooks')).body, { data: [] })
  assert.equal((await call('GET', `/webhooks/${id}`)).status, 404)
})

test('disabling keeps its reason; a rolled secret is shown once, with the end of its overlap', async () => {
  const call = adminOf(await aStore(db))
  const { id, secret } = (await call('POST', '/webhooks', { url: 'https://93.184.216.34/' })).body
  const disabled = (await call('POST', `/webhooks/${id}/disable`, { reason: 'They move house' })).body
  assert.deepEqual([disabled.status, disabled.disabled_reason], ['disabled', 'They move house'])
  assert.ok(disabled.disabled_at)
  assert.equal((await call('POST', `/webhooks/${id}/enable`)).body.status, 'enabled')
  assert.equal((await call('POST', `/webhooks/${id}/disable`)).body.disabled_reason, 'Disabled by hand')

  const rolled = (await call('POST', `/webhooks/${id}/roll`)).body
  assert.match(rolled.secret, /^whsec_/)
  assert.notEqual(rolled.secret, secret)
  assert.ok(rolled.previous_secret_until)
  const shown = (await call('GET', `/webhooks/${id}`)).body
  assert.equal(shown.previous_secret_until, rolled.previous_secret_until)
  assert.equal('secret' in shown, false)
  assert.equal((await call('POST', `/webhooks/${id}/end-roll`)).body.previous_secret_until, null)
  assert.equal((await call('POST', `/webhooks/${id}/roll`, { overlap: 0 })).body.previous_secret_until, null)
})

test('a delivery is found by filters, shown whole, and sent again', async () => {
  let isFailing = true
  const receiver = await aReceiver((_, r) => r.writeHead(isFailing ? 500 : 200).end('hello'))
  const store = await aSendingStore(db, {
    clock: '2026-01-31T04:59:59Z',
    schedule: { maxTries: 1, delaysSeconds: [60] }
  })
  const call = adminOf(store)
  const { id } = (await call('POST', '/webhooks', { url: receiver.url })).body
  await store.record(aFact(1))
  await store.settle()
  // New York: 31 January begins at 05:00 UTC.
  await store.setClock(Temporal.Instant.from('2026-01-31T05:00:00Z'))
  await store.record({ ...aFact(2), name: 'subscription.resumed' })
  await store.settle()

  const { data: events } = (await call('GET', '/events')).body
  const found = async (query: string) => {
    const { status, body } = await call('GET', `/webhook-deliveries?${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.data.map((d: { object: string }) => d.object)
  }
  for (const [query, expected] of [
    ['', ['sub_2', 'sub_1']],
    ['from=2026-01-31', ['sub_2']],
    ['to=2026-01-31', ['sub_1']],
    ['from=2026-01-31T04:59:59Z&to=2026-01-31T05:00:00Z', ['sub_1']],
    ['event=subscription.resumed', ['sub_2']],
    ['status=failed', ['sub_2', 'sub_1']],
    ['status=delivered', []],
    ['object=sub_1', ['sub_1']],
    [`endpoint=${id}&limit=1`, ['sub_2']],
    [`event_id=${events[0].id}`, ['sub_1']],
    [`event_id=${events[0].id}&status=delivered`, []],
    ['event_id=evt_999999', []]
  ] as const) {
    assert.deepEqual(await found(query), expected, query)
  }
  const page = (await call('GET', '/webhook-deliveries?limit=1')).body
  assert.equal(page.next, page.data[0].webhook_id)
  assert.deepEqual(await found(`before=${page.next}`), ['sub_1'])

  const { response_time_ms, ...row } = page.data[0]
  assert.deepEqual(row, {
    webhook_id: page.next,
    endpoint: id,
    endpoint_kind: 'url',
    event: 'subscription.resumed',
    object: 'sub_2',
    event_id: events[1].id,
    sequence: events[1].sequence,
    test: false,
    status: 'failed',
    cancelled: false,
    tries: 1,
    response_code: 500,
    failure: 'status',
    next_try_at: null,
    created_at: '2026-01-31T05:00:00.000Z',
    finished_at: '2026-01-31T05:00:00.000Z'
  })
  const whole = (await call('GET', `/webhook-deliveries/${page.next}`)).body
  assert.equal(whole.body, receiver.received[1]!.body)
  assert.deepEqual(whole.payload, JSON.parse(whole.body))
  assert.deepEqual(whole.history, [
    {
      number: 1,
      started_at: '2026-01-31T05:00:00.000Z',
      status: 'failed',
      response_code: 500,
      response_time_ms,
      failure: 'status',
      response_body: 'hello'
    }
  ])

  assert.deepEqual((await call('GET', '/webhook-deliveries/resend-failed?since=2026-01-30')).body, {
    resent: 2,
    skipped: 0,
    missed: null
  })
  assert.deepEqual((await call('GET', `/webhook-deliveries/resend-failed?since=2026-01-31&endpoint=${id}`)).body, {
    resent: 1,
    skipped: 0,
    missed: 0
  })

  isFailing = false
  const resent = await call('POST', `/webhook-deliveries/${page.next}/resend`)
  assert.deepEqual([resent.status, resent.body.status, resent.body.tries], [202, 'retrying', 1])
  assert.deepEqual(calls.at(-1), ['wake', store.storeId])
  assert.deepEqual(await call('POST', '/webhook-deliveries/resend-failed', { since: '2026-01-30' }), {
    status: 202,
    body: { resent: 1, skipped: 0, missed: 0 }
  })
  const sample = await call('POST', `/webhooks/${id}/test`, { event: 'billing.success' })
  assert.deepEqual([sample.status, sample.body.test, sample.body.payload.event], [202, true, 'billing.success'])
  assert.deepEqual(calls.at(-1), ['wake', store.storeId])
  await store.settle()
  assert.equal((await found('status=delivered')).length, 3)
})

test('when the sender disables an endpoint, the store has a notice', async () => {
  const receiver = await aReceiver((_, r) => r.writeHead(410).end())
  const store = await aSendingStore(db)
  const call = adminOf(store)
  const ids = [await store.anEndpoint({ url: receiver.url }), await store.anEndpoint({ url: receiver.url })]
  await store.record(aFact(1))
  await store.settle()
  const first = (await call('GET', '/alerts?limit=1')).body
  assert.match(first.next, /^alert_\d+$/)
  const { data, next } = (await call('GET', `/alerts?before=${first.next}`)).body
  assert.equal(next, null)
  assert.deepEqual(
    new Set([...first.data, ...data].map((n) => n.subject)),
    new Set(ids.map(({ id }) => `Webhook endpoint ${id} has been disabled`))
  )
  assert.deepEqual(Object.keys(data[0]), ['id', 'kind', 'subject', 'message', 'created_at'])
  assert.equal((await call('GET', '/alerts?before=x')).status, 404)
})

test('what cannot be used is refused by name, with what it takes', async () => {
  const call = adminOf(await aStore(db))
  const { id } = (await call('POST', '/webhooks', { url: 'https://93.184.216.34/' })).body
  const types = EVENT_TYPES.join(', ')
  for (const [method, path, body, message] of [
    [
      'POST',
      '/webhooks',
      {},
      'url is required and must be the https address of the receiver, of at most 2,048 characters'
    ],
    ['POST', '/webhooks', { url: 'http://10.0.0.1/' }, /^url must be an https:\/\/ URL/],
    ['PATCH', `/webhooks/${id}`, {}, 'The body must hold url, events or description'],
    ['PATCH', `/webhooks/${id}`, { events: [] }, 'events must name an event type, or be null to receive every type'],
    [
      'PATCH',
      `/webhooks/${id}`,
      { url: null },
      'url must be the https address of the receiver, of at most 2,048 characters'
    ],
    [
      'PATCH',
      `/webhooks/${id}`,
      { events: 'x' },
      `events must be a list of ${types}; or null for all, those to come included`
    ],
    ['PATCH', `/webhooks/${id}`, { events: ['x'] }, `events must be event types: "x" is not one of ${types}`],
    [
      'PATCH',
      `/webhooks/${id}`,
      { secret: 'x' },
      /^secret is not a field here; this body accepts url, events, description/
    ],
    ['POST', `/webhooks/${id}/disable`, { reason: '' }, 'reason must be a text of 1 to 200 characters'],
    ['POST', `/webhooks/${id}/roll`, { overlap: 169 }, /^overlap must be a whole number of hours from 0 to 168/],
    ['POST', `/webhooks/${id}/test`, {}, `event is required and must be one of ${types}`],
    ['POST', `/webhooks/${id}/test`, { event: 'x' }, `event must be an event type: "x" is not one of ${types}`],
    ['GET', '/webhook-deliveries?status=waiting', undefined, 'status must be delivered, retrying or failed'],
    ['GET', '/webhook-deliveries?from=yesterday', undefined, /^from must be an ISO date/],
    ['GET', '/webhook-deliveries?limit=101', undefined, 'limit must be an integer from 1 to 100'],
    ['GET', '/webhook-deliveries?object=ord_1', undefined, /^object must be the id of a subscription or a member/],
    [
      'GET',
      '/webhook-deliveries?state=x',
      undefined,
      /^state is not a parameter here; this route accepts event, status/
    ],
    ['POST', '/webhook-deliveries/resend-failed', {}, /^since is required and must be an ISO date/]
  ] as [Method, string, object | undefined, string | RegExp][]) {
    const result = await call(method, path, body)
    assert.equal(result.status, 400, `${method} ${path} ${JSON.stringify(result.body)}`)
    assert.equal(result.body.error.code, 'invalid_request')
    if (typeof message === 'string') assert.equal(result.body.error.message, message)
    else assert.match(result.body.error.message, message)
  }
})

test('another store’s endpoints and deliveries are as unknown as none', async () => {
  const [mine, other] = [adminOf(await aStore(db)), await aSendingStore(db)]
  const { id } = await other.anEndpoint({ url: 'https://93.184.216.34/' })
  await other.record(aFact(1))
  await other.dispatch.runOnce(other.storeId)
  const [{ webhook_id }] = (await adminOf(other)('GET', '/webhook-deliveries')).body.data
  for (const endpoint of [id, 'we_999999', 'nonsense']) {
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { description: 'x' }],
      ['DELETE', '', undefined],
      ['POST', '/enable', {}],
      ['POST', '/disable', {}],
      ['POST', '/roll', {}],
      ['POST', '/end-roll', {}],
      ['POST', '/test', { event: 'member.created' }]
    ] as [Method, string, object | undefined][]) {
      const result = await mine(method, `/webhooks/${endpoint}${path}`, body)
      assert.deepEqual(result, {
        status: 404,
        body: { error: { code: 'not_found', message: `There is no webhook endpoint ${endpoint}` } }
      })
    }
    assert.equal((await mine('GET', `/webhook-deliveries?endpoint=${endpoint}`)).status, 404)
    const all = { since: '2026-01-31', endpoint }
    assert.equal((await mine('POST', '/webhook-deliveries/resend-failed', all)).status, 404)
  }
  for (const delivery of [webhook_id, `wh_${'0'.repeat(32)}`, 'nonsense', '%00']) {
    assert.equal((await mine('GET', `/webhook-deliveries/${delivery}`)).status, 404)
    assert.equal((await mine('POST', `/webhook-deliveries/${delivery}/resend`)).status, 404)
  }
  assert.equal((await adminOf(other)('GET', `/webhooks/${id}`)).body.status, 'enabled')
})
