// The progress of one customer with 200 rules: the rules, what was counted of the customer by each, and what they come to, as the Loyalty API reads them.
// A bare client reads the rows of the progress alone. Both in turns; CPU of this process and of the database's server for each.
// Usage: node bench/loyalty-progress.ts [times]
import pg from 'pg'
import { Database } from '#kit/postgres'
import { listRulesWithProgress, RuleCache } from '#loyalty'
import { cpuMeter } from './cpu-meter.ts'
import { benchDatabase } from './database.ts'
import { addOrders, addRules, aShop, countStatements } from './loyalty-shop.ts'
import { readsInTurns } from './reads-in-turns.ts'

const TIMES = Number(process.argv[2] ?? 2_000)
const RULES = 200
const CUSTOMERS = 1_000
const MAX_CPU_MS = 5

const database = await benchDatabase()
const db = new Database({ url: database.url })
const client = new pg.Client({ connectionString: database.url })
await client.connect()
try {
  const measured = await cpuMeter(database.url)
  const shop = await aShop(db)
  await addRules(shop, RULES)
  await addOrders(client, shop, CUSTOMERS, 1)
  await client.query(
    `insert into loyalty_progress (store_id, member_id, rule_id, counted, rewarded)
     select $1, m.id, r.id, m.id % 7, 0 from members m join loyalty_rules r on r.store_id = $1 where m.store_id = $1`,
    [shop.storeId]
  )
  await client.query('vacuum analyze')
  const cache = new RuleCache()
  const ours = (i: number) => shop.inStore((ctx) => listRulesWithProgress(ctx, cache, 1 + (i % CUSTOMERS)))
  const bare = (i: number) =>
    client.query({
      name: 'bare progress',
      text: 'select rule_id, counted, rewarded from loyalty_progress where store_id = $1 and member_id = $2 order by rule_id',
      values: [shop.storeId, 1 + (i % CUSTOMERS)]
    })
  const found = await ours(0)
  if (
    found.length !== RULES ||
    found.some(({ completion }) => completion?.current === 0 && completion.required === 0)
  ) {
    throw new Error('Not the progress of every rule')
  }
  const statements = await countStatements(() => ours(1))
  const one = await readsInTurns({ bare, ours }, TIMES, measured)
  const cpuMs = one.ours.service_cpu_ms + one.ours.database_cpu_ms
  console.log(
    JSON.stringify({ bench: 'loyalty-progress', rules: RULES, statements, ...one, wanted_cpu_ms: MAX_CPU_MS })
  )
  process.exitCode = cpuMs < MAX_CPU_MS ? 0 : 1
} finally {
  await client.end()
  await db.close()
  await database.close()
}
