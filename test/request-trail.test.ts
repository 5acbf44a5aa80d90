// From a request to its events: what was asked of the APIs of a store is kept, and what it caused names it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CreditChange, changeCredits } from '#credits'
import { internalId } from '#kit/ids'
import { sql } from '#kit/postgres'
import { createRequestLog, pruneApiRequests } from '#requests'
import { aChurnShop } from './churn-shop.ts'
import { testDatabase } from './database.ts'
import { OPERATOR_TOKEN, startService } from './service-builder.ts'
import { until } from './until.ts'

const { url, db } = await testDatabase()
const service = await startService(url)
const store = await service.aStore()
const { customer } = await store.member('ada@example.com')
const idOf = ({ headers }: { headers: Headers }) => headers.get('x-request-id')!
/** The events of a request, once every event has its place. */
async function eventsOf(request: string, more = ''): Promise<any[]> {
  await service.deps.settle(store.storeId)
  return (await service.admin('GET', `${store.at}/events?request=${request}${more}`)).data
}

/** The requests that are kept, once the last one is. */
async function requestsWith(last: string): Promise<any[]> {
  for (;;) {
    const { data } = await service.admin('GET', `${store.at}/requests`)
    if (data.some(({ request_id }: any) => request_id === last)) return data
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

test('requests that are carried out together are each named by their own events', async () => {
  const add = (amount: number) =>
    service.post(`/store-credits/${customer.id}/add`, store.key, { amount, reason: 'Trail' })
  const added = await Promise.all([3, 5, 7, 11].map(add))
  assert.equal(new Set(added.map(idOf)).size, 4)
  for (const [i, amount] of [3, 5, 7, 11].entries()) {
    const [event, ...others] = await eventsOf(idOf(added[i]!))
    assert.deepEqual([event.event, event.data.amount, others.length], ['store_credit.added', amount, 0])
    assert.equal(event.request_id, idOf(added[i]!))
  }
})

test('a change by the admin API is named by its events, and what nobody asked for by none', async () => {
  const [subscription] = (await service.admin('GET', `${store.at}/subscriptions`)).data
  const response = await fetch(`${service.urls.public}/admin/api${store.at}/subscriptions/${subscription.id}/pause`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    body: '{}'
  })
  assert.equal(response.status, 200)
  const names = (await eventsOf(idOf(response))).map(({ event }) => event)
  assert.ok(names.includes('subscription.paused'), `${names}`)
  assert.deepEqual(
    (await eventsOf(idOf(response), '&sort=newest')).map(({ event }) => event),
    names.toReversed()
  )
  const [{ id: member }] = (await service.admin('GET', `${store.at}/members`)).data
  const change = {
    memberId: internalId('mem', member)!,
    type: 'manual_add',
    amountMinor: 1,
    reason: 'Nobody',
    operationId: 'nobody'
  }
  await db.inStore(store.storeId, (ctx) => changeCredits(ctx, [change as CreditChange]))
  await service.deps.settle(store.storeId)
  const { data } = await service.admin('GET', `${store.at}/events?type=store_credit.added&sort=newest&limit=1`)
  assert.deepEqual([data[0].data.reason, data[0].request_id], ['Nobody', null])
  const { data: changed } = await service.admin('GET', `/changes?request=${idOf(response)}`)
  assert.deepEqual([changed.length, changed[0].operation], [1, 'pauseSubscription'])
})

test('what changed something or was refused is kept, without what is personal; reads that worked are not', async () => {
  const read = await service.get('/members', store.key)
  const refused = await service.get('/members/nobody@example.com', store.key)
  const wrong = await service.post(`/store-credits/${customer.id}/add`, store.key, { amount: -1 })
  const kept = await requestsWith(idOf(wrong))
  const found = (response: { headers: Headers }) => kept.find(({ request_id }) => request_id === idOf(response))
  assert.deepEqual([read.status, found(read)], [200, undefined])
  assert.deepEqual([found(refused).status, found(refused).path], [404, '/v1/members/[hidden]'])
  const { method, status, path, key, duration_ms } = found(wrong)
  assert.deepEqual([method, status, path], ['POST', 400, '/v1/store-credits/[hidden]/add'])
  assert.equal(key.name, 'Test')
  assert.ok(duration_ms >= 0)
  assert.deepEqual(
    kept.map(({ id }) => id),
    kept.map(({ id }) => id).toSorted((a, b) => b - a)
  )
  const one = await service.admin('GET', `${store.at}/requests?request=${idOf(wrong)}`)
  assert.deepEqual([one.data.length, one.next], [1, null])
  const page = await service.admin('GET', `${store.at}/requests?limit=1`)
  const older = await service.admin('GET', `${store.at}/requests?limit=1&before=${page.next}`)
  assert.ok(older.data[0].id < page.data[0].id)
})

test('a change is kept whose caller has hung up before the answer', async () => {
  const lock = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holding = db.inStore(store.storeId, async ({ tx, storeId }) => {
    await tx.run(sql`select from credit_accounts where store_id = ${storeId} for update`)
    locked.resolve()
    await lock.promise
  })
  await locked.promise
  const caller = new AbortController()
  const asked = fetch(`${service.urls.public}/v1/store-credits/${customer.id}/add`, {
    method: 'POST',
    signal: caller.signal,
    headers: { authorization: `Bearer ${store.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ amount: 13, reason: 'Gone' })
  })
  await until('the request waits for the account', () =>
    db.inInstallation(async (tx) => (await tx.run(sql`select from pg_locks where not granted`)) > 0)
  )
  caller.abort()
  await assert.rejects(asked)
  lock.resolve()
  await holding
  const event = await until('the change has its event', async () => {
    await service.deps.settle(store.storeId)
    const { data } = await service.admin('GET', `${store.at}/events?type=store_credit.added&sort=newest&limit=1`)
    return data[0].data.amount === 13 && data[0]
  })
  const [kept] = (await requestsWith(event.request_id)).filter(({ request_id }) => request_id === event.request_id)
  assert.deepEqual([kept.method, kept.status], ['POST', 200])
})

test('what a customer reads of offers is not kept, also where it is refused', async () => {
  const shop = await aChurnShop(service)
  const ada = await shop.person()
  const read = await shop.ask('GET', '/churn/999/offers', { as: ada })
  const refused = await shop.ask('GET', '/churn/999/offers', { key: shop.key })
  assert.deepEqual([read.status, refused.status], [404, 404])
  for (;;) {
    const { data } = await service.admin('GET', `/stores/store_${shop.storeId}/requests`)
    if (data.length === 0) continue
    assert.deepEqual(
      data.map(({ request_id }: any) => request_id),
      [idOf(refused)]
    )
    return
  }
})

test('a request is found in its own store, and an unknown one nowhere', async () => {
  const other = await service.aStore()
  const response = await service.post('/webhook-endpoints', other.key, { url: 'nowhere' })
  const { data } = await service.admin('GET', `${store.at}/requests?request=${idOf(response)}`)
  assert.deepEqual(data, [])
  assert.deepEqual(await eventsOf('none'), [])
  await assert.rejects(
    service.admin('GET', `${store.at}/events?request=none&customer=${customer.id}`),
    /request must be left out with customer/
  )
})

test('what cannot be written is tried again; what finds no room is counted; a week is kept', async () => {
  const log = createRequestLog(db, { maxKept: 2 })
  const at = Temporal.Now.instant()
  const answered = { at, requestId: 'r', method: 'POST', path: '/v1/x', status: 200, durationMs: 1, keyId: null }
  const weekAgo = at.subtract({ hours: 24 * 7 + 1 })
  log.note({ ...answered, storeId: store.storeId, requestId: 'broken', status: 99_999 })
  await assert.rejects(log.write())
  await assert.rejects(log.write())

  const other = await service.aStore()
  const whole = createRequestLog(db, { maxKept: 2 })
  whole.note({ ...answered, storeId: store.storeId, requestId: 'old', at: weekAgo })
  whole.note({ ...answered, storeId: store.storeId, requestId: 'new' })
  whole.note({ ...answered, storeId: store.storeId, requestId: 'lost' })
  assert.deepEqual(await whole.write(), { lost: 1 })
  assert.deepEqual(await whole.write(), { lost: 0 })
  await whole.write()
  const crowded = createRequestLog(db, { maxOfStore: 1 })
  for (const requestId of ['one', 'two']) crowded.note({ ...answered, storeId: store.storeId, requestId })
  crowded.note({ ...answered, storeId: other.storeId })
  const writing = crowded.write()
  crowded.note({ ...answered, storeId: store.storeId, requestId: 'meanwhile' })
  assert.deepEqual(await writing, { lost: 2 })
  crowded.note({ ...answered, storeId: store.storeId, requestId: 'later' })
  assert.deepEqual(await crowded.write(), { lost: 0 })
  const gone = createRequestLog(db)
  gone.note({ ...answered, storeId: 999_999 })
  await gone.write()
  await pruneApiRequests(db)
  const kept = await db.inStore(store.storeId, ({ tx, storeId }) =>
    tx.run(
      sql`select from api_requests where store_id = ${storeId} and request_id in ('old', 'new', 'lost', 'one', 'two', 'later')`
    )
  )
  assert.equal(kept, 3)
})
