// A warehouse that reads what changed since its last sync, day by day, has in the end what a full sync returns. Sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointOf, planPage, readPageRequest } from '#exports'
import { randomFrom } from '#kit/random'
import { storeNow } from '#stores'
import { type ExportedRow, readPlan } from '../src/exports/read-plan.test-helper.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { controls } = service.sandbox
const DAYS = 30
const KEYS = { orders: 'order_id', subscriptions: 'shopify_contract_id' } as const
type Kind = keyof typeof KEYS
const KINDS = Object.keys(KEYS) as Kind[]

test('over thirty days incremental syncs of orders and subscriptions come to what a full sync returns, row for row', async () => {
  const random = randomFrom(11)
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const store = await service.aStore({ timezone: 'America/New_York' })
  const { storeId } = store
  const read = async (kind: Kind, query: Record<string, string> = {}): Promise<ExportedRow[]> => {
    const endpoint = { ...endpointOf(kind), pageSize: 25 }
    const rows: ExportedRow[] = []
    for (let since = 0, hasMore = true; hasMore; ) {
      const request = readPageRequest(endpoint, { ...query, since_id: String(since) })
      const { data, meta } = await readPlan(url, await planPage(service.db, storeId, endpoint, request))
      rows.push(...data)
      since = Number(meta.last_id)
      hasMore = meta.has_more === true
    }
    return rows
  }
  const copies = { orders: new Map<string, string>(), subscriptions: new Map<string, string>() }
  let since: string | null = null
  let renewed = 0
  /** As docs/warehouses.md says: the day of the shop at which the sync before began. */
  const sync = async () => {
    const began = (await storeNow(service.db, storeId)).toZonedDateTimeISO('America/New_York').toPlainDate().toString()
    for (const kind of KINDS) {
      const rows = await read(kind, since === null ? {} : { since_updated: since })
      if (since !== null) renewed += rows.length
      for (const row of rows) copies[kind].set(String(row[KEYS[kind]]), JSON.stringify(row))
    }
    since = began
  }

  const people: string[] = []
  const orders: string[] = []
  const join = async (day: number) => {
    const { customer } = await store.member(`person-${day}-${people.length}@example.com`)
    people.push(customer.id)
  }
  const subscriptionIds = async (status: string) =>
    (await service.get(`/subscriptions?status=${status}&limit=100`, store.key)).body.data.map(
      ({ id }: { id: string }) => id
    ) as string[]
  const change = async (status: string, word: string) => {
    const ids = await subscriptionIds(status)
    if (ids.length > 0) await service.post(`/subscriptions/${one(ids)}/${word}`, store.key, {})
  }
  const place = async (total: string) => {
    const customerId = one(people)
    await store.card(customerId, 'success')
    const { id } = await controls.order({ storeId, customerId, total })
    orders.push(id)
    return id
  }
  const acts = [
    () => place('40.00'),
    async () => {
      const id = await place('25.00')
      await controls.refund({ storeId, orderId: id, amount: '5.00' })
    },
    async () => {
      if (orders.length === 0) return
      const [orderId] = orders.splice(Math.floor(random() * orders.length), 1)
      await controls.dispute({ storeId, orderId, type: 'chargeback' } as never)
    },
    async () => {
      if (orders.length === 0) return
      const [orderId] = orders.splice(Math.floor(random() * orders.length), 1)
      await controls.cancelOrder({ storeId, orderId: orderId!, refund: 'all' })
    },
    () => change('active', 'pause'),
    () => change('paused', 'resume'),
    () => change('active', 'cancel'),
    async () => {
      await store.card(one(people), random() < 0.5 ? 'insufficient_funds' : 'success')
    },
    async () => {
      const { data } = (await service.get('/members?limit=100', store.key)).body
      await service.patch(`/members/${one(data as { id: string }[]).id}`, store.key, { last_name: `N${random()}` })
    },
    () => service.post(`/store-credits/${one(people)}/add`, store.key, { amount: 3, reason: 'x' })
  ]

  for (let day = 0; day < DAYS; day++) {
    if (day % 3 === 0) await join(day)
    for (let n = 0; n < 3; n++) await one(acts)()
    await service.deps.settle(storeId)
    // Some days are left out, and some have two syncs.
    const syncs = one([0, 1, 1, 2])
    for (let n = 0; n < syncs; n++) await sync()
    await store.advance({ by: 'P1D' })
  }
  await service.deps.settle(storeId)
  await sync()
  assert.ok(renewed > DAYS, `only ${renewed} rows were read again`)
  for (const kind of KINDS) {
    const full = (await read(kind)).map((row): [string, string] => [String(row[KEYS[kind]]), JSON.stringify(row)])
    assert.ok(full.length > 8, `only ${full.length} ${kind}`)
    assert.deepEqual(new Map([...copies[kind]].sort()), new Map(full.sort()), kind)
  }
})
