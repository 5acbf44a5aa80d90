// Kept pages of the Data API: whatever changes a row, a page that was kept is what the database would return, with the sandbox over its socket.
import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import {
  createExportWorkers,
  createPageCache,
  type Encoding,
  type EndpointName,
  type ExportWorkers,
  endpoints,
  type PlannedPage,
  planPage,
  pushRewardBalances,
  readPageRequest,
  setRewardIntegration,
  type WantedPage
} from '#exports'
import { Database } from '#kit/postgres'
import { parseCustomerId, upsertCustomers } from '#members'
import { recordReports } from '#orders'
import { setClock } from '#stores'
import { recordChannels } from '../src/orders/channels.ts'
import { anOrder, orderDetails } from './contract-builder.ts'
import { beforeDrop, testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db } = service
const { controls } = service.sandbox
const workers = createExportWorkers({ url, threads: 1, limits: { firstBytesMs: 60_000 } })
beforeDrop(() => workers.close())

const ROWS = 2
const signal = new AbortController().signal
type From = 'cache' | 'database'

/** Pages of two rows, so that a change seldom alters all of them. */
function aCache(storeId: number, options: { maxBytes?: number; exports?: ExportWorkers } = {}) {
  let from: From[] = []
  const cache = createPageCache({ db, exports: workers, onPage: (source) => from.push(source), ...options })
  beforeDrop(async () => cache.close())
  const pages = async function* (filters: Record<string, string> = {}): AsyncGenerator<[WantedPage, PlannedPage]> {
    for (const declared of endpoints) {
      const endpoint = { ...declared, pageSize: ROWS }
      for (let page = 1, since = 0, isEnd = false; !isEnd; page++) {
        const request = readPageRequest(endpoint, { ...filters, page: String(page), since_id: String(since) })
        const planned = await planPage(db, storeId, endpoint, request)
        const { last_id, has_more } = JSON.parse(planned.head + planned.tail).meta
        since = last_id
        isEnd = endpoint.paging === 'cursor' ? !has_more : planned.page === null
        if (planned.page) yield [{ storeId, endpoint, request }, planned]
      }
    }
  }
  const open = async (wanted: WantedPage, encoding: Encoding = 'identity') =>
    await buffer((await cache.open(wanted, { encoding, signal })).bytes)
  const fresh = async ({ endpoint: _, page: __, now: ___, staysWhile: ____, ...plan }: PlannedPage) =>
    (await buffer(await workers.stream(plan))).toString()
  /** Reads all pages, each compared with the database; returns which endpoints had pages that were made anew, and how many were kept. */
  const readAll = async (filters: Record<string, string> = {}) => {
    const anew = new Set<EndpointName>()
    let kept = 0
    for await (const [wanted, planned] of pages(filters)) {
      from = []
      const { name } = wanted.endpoint
      const bytes = (await open(wanted)).toString()
      assert.equal(bytes, await fresh(planned), `a page of ${name} is not what the database returns`)
      if (from[0] === 'cache') kept++
      else anew.add(name)
    }
    return { anew: [...anew].sort(), kept }
  }
  return { cache, open, fresh, pages, readAll, from: () => from }
}

async function aShop() {
  const store = await service.aStore({ timezone: 'Europe/Berlin' })
  const { storeId } = store
  const settle = () => service.deps.settle(storeId)
  const join = async (email: string) => {
    const { customer, contract_id } = await store.member(email)
    await settle()
    return { id: customer.id, contract: contract_id }
  }
  const members = []
  for (let n = 0; n < 5; n++) members.push(await join(`person-${n}@example.com`))
  const place = async (customerId: string, more: object = {}) => {
    const { id } = await controls.order({ storeId, customerId, total: '40.00', ...more })
    await settle()
    return id
  }
  for (const { id } of members) await service.post(`/store-credits/${id}/add`, store.key, { amount: 30, reason: 'x' })
  await settle()
  return { ...aCache(storeId), store, storeId, settle, join, place, members }
}

test('pages are kept while nothing changes, and are made anew where a row of theirs changed, only there', async () => {
  const { store, storeId, settle, place, members, readAll } = await aShop()
  const [ann, bea, cy] = members as [(typeof members)[0], (typeof members)[0], (typeof members)[0]]
  const order = await place(ann.id)
  await place(bea.id)
  await readAll()
  assert.deepEqual((await readAll()).anew, [])

  const after = async (act: () => Promise<unknown>) => {
    await act()
    await settle()
    const { anew, kept } = await readAll()
    assert.ok(kept > 0, 'nothing was kept')
    assert.deepEqual((await readAll()).anew, [])
    return anew
  }
  const [latest] = (await service.get('/subscriptions?limit=1', store.key)).body.data
  const refunded = await after(() => controls.refund({ storeId, orderId: order, amount: '1.00' }))
  assert.ok(refunded.includes('orders'))
  assert.ok(
    (await after(() => controls.dispute({ storeId, orderId: order, type: 'inquiry' } as never))).includes('orders')
  )
  const spent = await after(() => place(ann.id, { credit: '10.00' }))
  for (const name of ['orders', 'customers', 'members'] as const) assert.ok(spent.includes(name), name)
  assert.ok(spent.includes('credits-history'))
  const added = await after(() => service.post(`/store-credits/${cy.id}/add`, store.key, { amount: 1, reason: 'y' }))
  assert.ok(added.includes('members'))
  assert.ok(!added.includes('cancellation-reasons'))
  const renamed = await after(() =>
    db.inStore(storeId, (ctx) =>
      upsertCustomers(ctx, [{ id: bea.id, email: 'new@example.com', firstName: 'Bea', lastName: 'New' }])
    )
  )
  for (const name of ['orders', 'customers', 'members', 'subscriptions'] as const)
    assert.ok(renamed.includes(name), name)
  const { id } = latest
  assert.ok((await after(() => service.post(`/subscriptions/${id}/pause`, store.key, {}))).includes('subscriptions'))
  assert.ok((await after(() => service.post(`/subscriptions/${id}/resume`, store.key, {}))).includes('customers'))
  assert.ok((await after(() => service.post(`/subscriptions/${id}/cancel`, store.key, {}))).includes('customers'))
})

test('a renewal, a declined charge, credit that expires and a new zone: kept pages are never old', async () => {
  const { store, settle, place, members, readAll } = await aShop()
  const [ann, bea] = members as [(typeof members)[0], (typeof members)[0]]
  await place(ann.id)
  await readAll()
  const right = async (act: () => Promise<unknown>) => {
    await act()
    await settle()
    await readAll()
    await readAll()
  }
  await right(() =>
    service.post(`/store-credits/${bea.id}/add`, store.key, {
      amount: 5,
      reason: 'z',
      expires_at: '2026-02-05T00:00:00Z'
    })
  )
  await right(() => service.post(`/store-credits/${bea.id}/reservations`, store.key, { amount: 5, duration: 60 }))
  const expires = Temporal.Instant.from('2026-02-05T00:00:00Z')
  for (const { at } of [{ at: expires.subtract({ seconds: 1 }) }, { at: expires }]) {
    // Nobody works in the store meanwhile: only the clock moves.
    await db.inStore(store.storeId, (ctx) => setClock(ctx, at))
    await readAll()
    assert.deepEqual((await readAll()).anew, [])
  }
  await right(() => store.advance({ to: '2026-02-06T12:00:00Z' }))
  await right(() => store.card(ann.id, 'insufficient_funds'))
  await right(() => store.advance({ to: '2026-03-02T12:00:00Z' }))
  await right(() => store.card(ann.id, 'success'))
  await right(() => service.admin('POST', `${store.at}/sandbox/shop`, { timezone: 'Asia/Tokyo' }))
})

test('gifts, merges, orders of nobody and the names of apps: kept pages are never old', async () => {
  const store = await service.aStore({ timezone: 'Europe/Berlin' })
  const { storeId } = store
  const settle = () => service.deps.settle(storeId)
  const { readAll } = aCache(storeId)
  const [payer, receiver, third] = [
    await store.member('payer@example.com'),
    await store.member('receiver@example.com'),
    await store.customer('third@example.com')
  ]
  await settle()
  await readAll()
  const right = async (act: () => Promise<unknown>) => {
    await act()
    await settle()
    await readAll()
  }
  const all = (await service.get('/subscriptions?limit=100', store.key)).body.data
  const own = all.find(({ customer }: { customer: { email: string } }) => customer.email === 'payer@example.com')
  const gift = `${store.at}/subscriptions/${own.id}/gift`
  await right(() => service.admin('POST', gift, { receiver: third.id }))
  await right(() => service.post(`/subscriptions/${own.id}/pause`, store.key, {}))
  await right(() => service.post(`/subscriptions/${own.id}/resume`, store.key, {}))
  await right(() => store.card(payer.customer.id, 'insufficient_funds'))
  await right(() => store.advance({ to: '2026-03-02T12:00:00Z' }))
  await right(() => service.admin('DELETE', gift))
  await right(() =>
    service.admin('POST', `${store.at}/sandbox/merges`, { customer: third.id, into: receiver.customer.id })
  )
  await right(() =>
    service.admin('POST', `${store.at}/sandbox/merges`, { customer: receiver.customer.id, into: payer.customer.id })
  )
  const at = Temporal.Instant.from('2026-03-02T10:00:00Z')
  const order = anOrder(at, { customerId: null })
  const report = (changes: object) =>
    db.inStore(storeId, (ctx) =>
      recordReports(
        ctx,
        { orders: [{ ...order, ...changes }], refunds: [], transactions: [], disputes: [] },
        'platform'
      )
    )
  await right(() => report({}))
  await right(() => report({ updatedAt: at.add({ minutes: 1 }), countryCode: 'AT' }))
  const other = anOrder(at, { customerId: payer.customer.id, details: orderDetails({ appId: '4711' }) })
  await right(() =>
    db.inStore(storeId, (ctx) =>
      recordReports(ctx, { orders: [other], refunds: [], transactions: [], disputes: [] }, 'platform')
    )
  )
  await right(() => db.inStore(storeId, (ctx) => recordChannels(ctx, new Map([['4711', 'Till']]))))
})

test('balances of reward points and whether they are shown alter all pages of members', async () => {
  const { storeId, members, readAll } = await aShop()
  const inStore = <T>(work: Parameters<typeof db.inStore<T>>[1]) => db.inStore(storeId, work)
  await inStore((ctx) => setRewardIntegration(ctx, { key: 'stars' }, service.deps))
  const push = (points: number) =>
    inStore((ctx) =>
      pushRewardBalances(ctx, 'stars', [
        { given: members[0]!.id, customer: parseCustomerId(members[0]!.id, 'platform')!, points }
      ])
    )
  await push(7)
  await readAll()
  await push(8)
  assert.ok((await readAll()).anew.includes('members'))
  await inStore((ctx) => setRewardIntegration(ctx, { key: 'stars', isShown: false }, service.deps))
  assert.ok((await readAll()).anew.includes('members'))
})

test('a member who goes moves the pages of members after: kept ones are never those of the numbers before', async () => {
  const { store, settle, members, readAll } = await aShop()
  const [first, last] = [members[0]!, members.at(-1)!]
  // The platform merges nobody who has store credit.
  for (const { id } of [first, last])
    await service.post(`/store-credits/${id}/deduct`, store.key, { amount: 30, reason: 'x' })
  await settle()
  await readAll()
  assert.deepEqual((await readAll()).anew, [])
  await service.admin('POST', `${store.at}/sandbox/merges`, { customer: first.id, into: last.id })
  await settle()
  assert.ok((await readAll()).anew.includes('members'))
  assert.deepEqual((await readAll()).anew, [])
})

test('a page that is read while a row of it changes is not kept', async () => {
  const { store, storeId, settle, members, pages } = await aShop()
  const found: [WantedPage, PlannedPage][] = []
  for await (const page of pages()) if (page[0].endpoint.name === 'members') found.push(page)
  const [[wanted, planned], [next]] = found as [(typeof found)[0], (typeof found)[0]]
  const gate = Promise.withResolvers<void>()
  // The bytes of pages come only when the gate is open.
  const exports: ExportWorkers = {
    ...workers,
    async stream(plan, options) {
      const source = await workers.stream(plan, options)
      return source.compose(async function* (chunks) {
        await gate.promise
        yield* chunks
      })
    }
  }
  const { cache, open, fresh, from } = aCache(storeId, { exports })
  const before = await cache.open(wanted, { encoding: 'identity', signal })
  await service.post(`/store-credits/${members[0]!.id}/add`, store.key, { amount: 3, reason: 'w' })
  await settle()
  // Another page is asked for meanwhile, which notices the change.
  const other = await cache.open(next, { encoding: 'identity', signal })
  gate.resolve()
  await buffer(before.bytes)
  await buffer(other.bytes)
  assert.equal((await open(wanted)).toString(), await fresh(planned))
  assert.equal(from().at(-1), 'database')
  await open(wanted)
  assert.equal(from().at(-1), 'cache')
  await open(next)
  assert.equal(from().at(-1), 'cache')
})

test('each encoding is kept for itself; the bound drops what was used least; an aborted page is not kept', async () => {
  const { storeId, pages } = await aShop()
  const all: WantedPage[] = []
  for await (const [wanted] of pages()) all.push(wanted)
  const one = all[0]!
  const free = aCache(storeId)
  const plain = await free.open(one)
  const zipped = await free.open(one, 'gzip')
  assert.deepEqual(free.from(), ['database', 'database'])
  assert.deepEqual(gunzipSync(await free.open(one, 'gzip')), plain)
  assert.deepEqual(await free.open(one), plain)
  assert.ok(zipped.length > 0)
  assert.deepEqual(free.from().slice(2), ['cache', 'cache'])

  const sizes = new Map<WantedPage, number>()
  for (const wanted of all) sizes.set(wanted, (await free.open(wanted)).length)
  const largest = Math.max(...sizes.values())
  assert.ok([...sizes.values()].reduce((sum, size) => sum + size) > 4 * largest + sizes.get(one)!)
  const tight = aCache(storeId, { maxBytes: 4 * largest })
  for (const wanted of all) await tight.open(wanted)
  await tight.open(all.at(-1)!)
  assert.equal(tight.from().at(-1), 'cache')
  await tight.open(one)
  assert.equal(tight.from().at(-1), 'database')
  const off = aCache(storeId, { maxBytes: 0 })
  await off.open(one)
  await off.open(one)
  assert.deepEqual(off.from(), ['database', 'database'])

  const leaving = aCache(storeId)
  const { bytes: stream } = await leaving.cache.open(one, { encoding: 'identity', signal })
  stream.destroy()
  await new Promise((done) => stream.once('close', done))
  assert.deepEqual(await leaving.open(one), plain)
  assert.deepEqual(leaving.from(), ['database', 'database'])
})

/** The same database, which holds back what a transaction of a store found until this is over. */
class DelayedDatabase extends Database {
  afterTransaction: () => Promise<void> = async () => {}
  override async inStore<T>(...given: Parameters<typeof db.inStore<T>>): Promise<T> {
    const found = await super.inStore(...given)
    await this.afterTransaction()
    return found
  }
}

test('a page is not kept as known for its request when a change was noticed after its plan', async () => {
  const { store, settle, members, pages, fresh } = await aShop()
  const [first, last] = [members[0]!, members.at(-1)!]
  // The platform merges nobody who has store credit.
  for (const { id } of [first, last])
    await service.post(`/store-credits/${id}/deduct`, store.key, { amount: 30, reason: 'x' })
  await settle()
  const firstPageOf = async (name: EndpointName) => {
    for await (const found of pages()) if (found[0].endpoint.name === name) return found
    throw new Error(`There is no page of ${name}`)
  }
  const [[wanted, before], [other]] = [await firstPageOf('members'), await firstPageOf('orders')]

  const delayed = new DelayedDatabase({ url })
  beforeDrop(() => delayed.close())
  const from: From[] = []
  const cache = createPageCache({ db: delayed, exports: workers, onPage: (source) => from.push(source) })
  beforeDrop(async () => cache.close())
  const open = async (page: WantedPage) =>
    (await buffer((await cache.open(page, { encoding: 'identity', signal })).bytes)).toString()

  const [isPlanned, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let transactions = 0
  delayed.afterTransaction = async () => {
    // The first one is the look at the store, the second one the plan.
    if (++transactions !== 2) return
    isPlanned.resolve()
    await goesOn.promise
  }
  const opening = open(wanted)
  await isPlanned.promise
  // Another member is the second one of the page now.
  await service.admin('POST', `${store.at}/sandbox/merges`, { customer: first.id, into: last.id })
  await settle()
  await open(other)
  goesOn.resolve()
  await opening

  const [, now] = await firstPageOf('members')
  assert.notDeepEqual(now.page, before.page)
  assert.equal(await open(wanted), await fresh(now))
  assert.deepEqual(from, ['database', 'database', 'database'])
  assert.equal(await open(wanted), await fresh(now))
  assert.equal(from.at(-1), 'cache')
})

test('a declined charge of a gift is noticed on the page of its receiver, whom its facts do not name', async () => {
  const store = await service.aStore({ timezone: 'Europe/Berlin' })
  const settle = () => service.deps.settle(store.storeId)
  const { readAll } = aCache(store.storeId)
  const payer = await store.member('payer@example.com')
  await store.customer('beside-the-payer@example.com')
  const receiver = await store.customer('receiver@example.com')
  await settle()
  const [{ id }] = (await service.get('/subscriptions?limit=1', store.key)).body.data
  await service.admin('POST', `${store.at}/subscriptions/${id}/gift`, { receiver: receiver.id })
  await store.card(payer.customer.id, 'insufficient_funds')
  await store.advance({ to: '2026-02-27T12:00:00Z' })
  await settle()
  await readAll()
  assert.deepEqual((await readAll()).anew, [])
  // The charge is due the day after.
  await store.advance({ to: '2026-03-01T12:00:00Z' })
  await settle()
  assert.ok((await readAll()).anew.includes('customers'))
})
