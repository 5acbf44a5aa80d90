// The platform's file of all customers is read a part at a time, and from the place that was reached.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { int, row, sql, text } from '#kit/postgres'
import { createMetafieldWalkEngine } from '../src/mirror/metafields/metafield-walk-engine.ts'
import { withCalls } from './connectors.ts'
import { beforeDrop, testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { until } from './until.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db } = service

/** Customers that are applied by one transaction, and a few more than twice as many. */
const AT_ONCE = 500
const CUSTOMERS = 1_100

test('a file that takes longer than its time goes on where it was, also in another process, and each customer counts once', async () => {
  const store = await service.aStore()
  const { storeId } = store
  const inStore = <T>(work: Parameters<typeof db.inStore<T>>[1]) => db.inStore(storeId, work)
  const walk = () =>
    inStore(({ tx }) =>
      tx.one(
        row({ phase: text, afterId: int, compared: int }),
        sql`select phase, after_id, compared from metafield_stores where store_id = ${storeId}`
      )
    )
  const people: string[] = []
  for (const name of ['first', 'middle', 'last']) people.push((await store.customer(`${name}@example.com`)).id)
  await until('the first walk', async () => {
    await service.deps.settle(storeId)
    const { isOver } = await inStore(({ tx }) =>
      tx.one(
        row({ isOver: int }),
        sql`select count(finished_at) as is_over from metafield_stores where store_id = ${storeId}`
      )
    )
    return isOver === 1 && (await walk()).phase === 'start'
  })

  // Two of them in the parts after the first, each with a metafield that somebody has written.
  const places = new Map([
    [0, people[0]!],
    [AT_ONCE + 1, people[1]!],
    [CUSTOMERS - 1, people[2]!]
  ])
  const lines = Array.from({ length: CUSTOMERS }, (_, i) => {
    const id = `gid://shopify/Customer/${places.get(i) ?? 900_000_000 + i}`
    const of = { key: 'svc_st', type: 'number_decimal', value: '77.0', compareDigest: `d${i}`, __parentId: id }
    return [JSON.stringify({ id }), JSON.stringify(of)]
  }).flat()
  const server = createServer((_req, res) => res.end(`${lines.join('\n')}\n`))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  beforeDrop(async () => void server.close())
  const file = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, isOnPlatform: true }
  const connector = await service.deps.connectorOf(storeId)
  const connectorOf = async () =>
    withCalls(connector, {
      bulk: {
        find: async (id) => {
          const found = await connector.bulk.find(id)
          return found.ok ? { ok: true, value: { ...found.value!, status: 'completed', errorCode: null, file } } : found
        }
      }
    })
  // Each time another process, which has no time but for one part.
  const step = async () => {
    await inStore(({ tx }) =>
      tx.run(sql`update metafield_stores set next_at = statement_timestamp() where store_id = ${storeId}`)
    )
    await createMetafieldWalkEngine({ db, leaseOwner: 1, connectorOf, budgetMs: 0 }).runOnce(storeId)
    return walk()
  }
  assert.equal((await step()).phase, 'wait')
  assert.deepEqual(await step(), { phase: 'read', afterId: 0, compared: 0 })
  assert.deepEqual(await step(), { phase: 'read', afterId: 2 * AT_ONCE, compared: AT_ONCE })
  assert.deepEqual(await step(), { phase: 'read', afterId: 4 * AT_ONCE, compared: 2 * AT_ONCE })
  assert.deepEqual(await step(), { phase: 'members', afterId: 0, compared: CUSTOMERS })
  const known = await inStore(({ tx }) =>
    tx.many(
      row({ customer: text, digest: text }),
      sql`select m.platform_customer_id as customer, k.digest from known_metafields k
            join members m on m.store_id = ${storeId} and m.id = k.owner_id
           where k.store_id = ${storeId} and k.kind = 'customer' and k.key = 'svc_st' order by m.id`
    )
  )
  assert.deepEqual(
    known.map(({ customer, digest }) => [customer, digest]),
    [...places].map(([i, customer]) => [customer, `d${i}`])
  )
})
