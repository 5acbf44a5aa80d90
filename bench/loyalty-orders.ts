// What orders earn by the rules of loyalty. First a backlog: each order is counted by three rules and gives points, in batches, against a
// bare client that inserts the same rows; then the same orders again, which must write nothing. Then one order at a time in stores with 3
// and with 200 active rules: the number of statements must be the same. CPU of this process and of the database's server per order.
// Usage: node bench/loyalty-orders.ts [orders]
import pg from 'pg'
import { Database } from '#kit/postgres'
import { earnForOrders } from '#loyalty'
import { analyzeAsServed } from './analyze-as-served.ts'
import { bareInsert } from './bare-insert.ts'
import { cpuMeter, perOne } from './cpu-meter.ts'
import { benchDatabase } from './database.ts'
import { addOrders, addRules, aShop, countStatements, EARNED_TABLES, ORDER_RULES } from './loyalty-shop.ts'
import { rowVersions } from './row-versions.ts'

/** Of each customer. */
const EACH = 5
const CUSTOMERS = Math.max(1, Math.floor(Number(process.argv[2] ?? 20_000) / EACH))
const BATCH = 200
/** Orders that come one at a time, of a store with few rules and one with many. */
const SINGLE = 100
const MANY_RULES = 200

const database = await benchDatabase()
const db = new Database({ url: database.url })
const client = new pg.Client({ connectionString: database.url })
await client.connect()
const analyzing = analyzeAsServed(db)
try {
  const measured = await cpuMeter(database.url)
  const shop = await aShop(db)
  await addRules(shop, ORDER_RULES.length)
  const orderIds = await addOrders(client, shop, CUSTOMERS, EACH)
  const earn = (ids: number[], { inStore }: Pick<typeof shop, 'inStore'> = shop) =>
    inStore((ctx) =>
      earnForOrders(
        ctx,
        ids.map((orderId) => ({
          orderId,
          refundedMinor: 0,
          takenBack: { minor: 0, wholeMinor: 2900 },
          creditMinor: 0,
          renewedPlans: []
        }))
      )
    )
  const earnAll = async () => {
    for (let from = 0; from < orderIds.length; from += BATCH) await earn(orderIds.slice(from, from + BATCH))
  }

  const { copyNew } = await bareInsert(client, { tables: EARNED_TABLES, storeId: shop.storeId, batch: BATCH })
  // The facts of the rules themselves are no part of it.
  await copyNew()
  const first = perOne(await measured(earnAll), orderIds.length)
  const written = await rowVersions(client, EARNED_TABLES, shop.storeId)
  const again = perOne(await measured(earnAll), orderIds.length)
  const writtenAgain = await rowVersions(client, EARNED_TABLES, shop.storeId)
  if (writtenAgain !== written) throw new Error(`The same orders again wrote: ${written}, then ${writtenAgain}`)
  const { rows } = await client.query(
    'select count(*)::int as awards, sum(points)::int as points from loyalty_awards where store_id = $1',
    [shop.storeId]
  )
  // Two points for each of 29 dollars of each order, a card of three and a goal of 100 by five orders.
  const wanted = { awards: CUSTOMERS * (EACH + 2), points: CUSTOMERS * (EACH * 58 + 50 + 500) }
  if (JSON.stringify(rows[0]) !== JSON.stringify(wanted)) throw new Error(`Awards: ${JSON.stringify(rows[0])}`)
  const bare = perOne(await measured(await copyNew()), orderIds.length)

  const one = async (rules: number) => {
    const other = await aShop(db)
    await addRules(other, rules)
    const ids = await addOrders(client, other, SINGLE / EACH + 1, EACH)
    // The orders of the first customer warm up, and the first one of the second is counted.
    for (const id of ids.slice(0, EACH)) await earn([id], other)
    const statements = await countStatements(() => earn([ids[EACH]!], other))
    const rest = ids.slice(EACH + 1)
    const taken = await measured(async () => {
      for (const id of rest) await earn([id], other)
    })
    return { rules, statements, ...perOne(taken, rest.length) }
  }
  const [few, many] = [await one(ORDER_RULES.length), await one(MANY_RULES)]
  if (few.statements !== many.statements) throw new Error(`Statements: ${few.statements}, then ${many.statements}`)
  console.log(
    JSON.stringify({
      ...{ bench: 'loyalty-orders', orders: orderIds.length, first, again, bare },
      ratio: Number((first.per_s / bare.per_s).toFixed(3)),
      ...{ few, many }
    })
  )
} finally {
  await analyzing.stop()
  await client.end()
  await db.close()
  await database.close()
}
