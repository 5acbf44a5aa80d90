// A warehouse copies the Data API while writers insert, change and undo rows: in the end it has exactly the rows of the database.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { audit } from '#audit'
import { changeCredits } from '#credits'
import { type Ctx, row, type Statement, sql, text } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { upsertCustomers } from '#members'
import { recordReports } from '#orders'
import type { PlatformOrder } from '#platform'
import { anOrder } from '../test/contract-builder.ts'
import { startServiceHere } from '../test/service-here.ts'

export type ExportSyncTrial = { databaseUrl: string; changes: number; seed: number }
export type ExportSyncReport = {
  changes: number
  undone: number
  pages: number
  /** Rows of the copies in the end, and rows that were copied anew because they had changed. */
  rows: Record<string, number>
  renewed: number
}

const WRITERS = 8
/** How long most transactions stay open after they have taken their ids, and how long some do. */
const OPEN_MS = 30
const LATE_MS = 500
/** Pages of 10,000 rows would have everything at once: there is time for commits between them all the same. */
const PAUSE_MS = 20

type Row = Record<string, string | number | boolean>
type Page = { data: Row[]; meta: { last_id: number; has_more: boolean } }
const SYNCED = {
  orders: 'order_id',
  customers: 'shopify_customer_gid',
  'store-credits': 'message'
} as const
type Synced = keyof typeof SYNCED
const names = Object.keys(SYNCED) as Synced[]

/**
 * Eight writers add customers, orders and store credit, change orders, and undo a part of it, in transactions that stay open for a random
 * while, so that rows with smaller numbers commit later; meanwhile three readers copy `/data/orders`, `/customers` and `/store-credits` through
 * the app proxy by `since_id`. In the end each copy must have every row once, in the order of its internal id. Then what changed since the
 * copy began is read by `since_updated`, and the copy of orders must equal the database's rows, field by field. Throws otherwise.
 */
export async function syncWhileWriting({ databaseUrl, changes, seed }: ExportSyncTrial): Promise<ExportSyncReport> {
  const random = randomFrom(seed)
  const service = await startServiceHere(databaseUrl, { background: true, pollMs: 200 })
  try {
    const store = await service.aStore()
    const { storeId } = store
    const { key } = await service.admin('POST', `${store.at}/keys`, { name: 'Warehouse', scopes: ['read:data'] })
    const inStore = <T>(work: (ctx: Ctx) => Promise<T>) => service.db.inStore(storeId, work)

    let made = 0
    let writing = WRITERS
    let undone = 0
    const write = async () => {
      const orders: PlatformOrder[] = []
      while (made < changes) {
        const n = made++
        const isUndone = random() < 0.15
        const openMs = random() < 0.05 ? LATE_MS : random() * OPEN_MS
        const changed = random() < 0.4 ? orders[Math.floor(random() * orders.length)] : undefined
        const order = changed ? laterRevision(changed, n) : newOrder(n)
        const work = inStore(async (ctx) => {
          const customer = { id: `${7_000_000 + n}`, email: `c${n}@example.com`, firstName: null, lastName: `N${n}` }
          const { id: memberId } = (await upsertCustomers(ctx, [customer])).get(customer.id)!
          const add = { memberId, type: 'manual_add' as const, amountMinor: 1 + n, reason: `credit ${n}` }
          await changeCredits(ctx, [{ ...add, operationId: `trial:${n}` }])
          const reports = { orders: [order], refunds: [], transactions: [], disputes: [] }
          await recordReports(ctx, reports, 'platform')
          // The rows have their ids; others commit larger ones before them.
          await sleep(openMs)
          if (isUndone) throw new Undone()
        })
        await work.then(
          () => {
            if (changed) orders.splice(orders.indexOf(changed), 1)
            orders.push(order)
          },
          (err) => {
            if (!(err instanceof Undone)) throw err
            undone++
          }
        )
        service.deps.wake(storeId)
      }
      writing--
    }

    let pages = 0
    const read = async (name: Synced, query: Record<string, string>): Promise<{ page: Page; shopTime: string }> => {
      for (;;) {
        const parameters = new URLSearchParams({ key, ...query })
        const response = await fetch(
          `${service.urls.sandbox}/${store.domain}/apps/svc-api/v1/data/${name}?${parameters}`
        )
        // A writer that stays for longer than the guard waits: the warehouse asks again, as it is told.
        if (response.status === 503) {
          await response.arrayBuffer()
          await sleep(200)
          continue
        }
        assert.equal(response.status, 200, `${name} is answered ${response.status}`)
        pages++
        return { page: (await response.json()) as Page, shopTime: response.headers.get('shop-time')! }
      }
    }
    const readAll = async (name: Synced, query: Record<string, string> = {}, isOver = () => true) => {
      const rows: Row[] = []
      let began = ''
      for (let since = 0; ; await sleep(PAUSE_MS)) {
        const wasOver = isOver()
        const { page, shopTime } = await read(name, { ...query, since_id: String(since) })
        began ||= shopTime
        rows.push(...page.data)
        if (page.data.length === 0 && wasOver) return { rows, began }
        assert.ok(page.data.length > 0 || !page.meta.has_more, 'a page without rows that says there are more')
        since = page.meta.last_id
      }
    }

    const copying = names.map((name) => readAll(name, {}, () => writing === 0))
    await Promise.all([...copying, ...Array.from({ length: WRITERS }, write)])
    await service.deps.settle(storeId)
    const copies = Object.fromEntries(
      await Promise.all(names.map(async (name, i) => [name, await copying[i]!] as const))
    ) as Record<Synced, Awaited<ReturnType<typeof readAll>>>

    for (const name of names) {
      const copied = copies[name].rows.map((one) => String(one[SYNCED[name]]))
      assert.deepEqual(
        copied,
        await inStore((ctx) => listKeys(ctx, name)),
        `rows of ${name}: missed, repeated or moved`
      )
    }
    // The day of the shop; of a store in UTC that is the day of the time that it gives.
    const since_updated = copies.orders.began.slice(0, 10)
    const { rows: renewed } = await readAll('orders', { since_updated })
    const orders = new Map([...copies.orders.rows, ...renewed].map((one) => [one.order_id, one]))
    assert.deepEqual(
      [...orders.values()].sort(byOrder),
      (await readAll('orders')).rows.sort(byOrder),
      'orders as they are'
    )
    assert.deepEqual((await inStore(audit)).findings, [])
    const rows = Object.fromEntries(names.map((name) => [name, copies[name].rows.length]))
    return { changes, undone, pages, rows, renewed: renewed.length }
  } finally {
    await service.stop()
  }
}

const byOrder = (a: Row, b: Row) => (String(a.order_id) < String(b.order_id) ? -1 : 1)

const PLACED = Temporal.Instant.from('2026-01-31T10:00:00Z')
const newOrder = (n: number): PlatformOrder =>
  anOrder(PLACED.add({ seconds: n }), { email: `buyer-${n}@example.com`, totalMinor: 1_000 + n })
const laterRevision = (order: PlatformOrder, n: number): PlatformOrder => ({
  ...order,
  updatedAt: order.updatedAt.add({ hours: 1 }),
  refundedMinor: 100,
  financialStatus: 'partially_refunded',
  province: `changed by ${n}`
})

/** What names the rows of an endpoint, in the order of their internal ids, from the tables. */
async function listKeys({ tx, storeId }: Ctx, name: Synced): Promise<string[]> {
  const statements: Record<Synced, Statement> = {
    orders: sql`select platform_order_id as key from orders where store_id = ${storeId} order by id`,
    customers: sql`select platform_customer_id as key from members where store_id = ${storeId} order by id`,
    'store-credits': sql`select reason as key from credit_entries where store_id = ${storeId} order by id`
  }
  const prefix = name === 'orders' ? 'gid://platform/Order/' : ''
  return (await tx.many(row({ key: text }), statements[name])).map(({ key }) => `${prefix}${key}`)
}

/** A transaction that ends without a commit. */
class Undone extends Error {}
