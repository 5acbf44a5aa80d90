// Who of very many customers has a birthday: the days of a month by the engine that counts them, with a rule that gives 10 points. CPU of this
// process and of the database's server per birthday, in a store of a tenth as many customers and in one of all: the same, where an
// index finds them. A bare client that inserts the same rows is the floor. Also what it takes to find the next day of a store without a birthday in a month.
// Usage: node bench/loyalty-birthdays.ts [customers]
import pg from 'pg'
import { createFactEngines } from '#kit/outbox'
import { Database } from '#kit/postgres'
import { createRule, loyaltyConsumer } from '#loyalty'
import { setClock } from '#stores'
import { createLoyaltyOccasionEngine } from '../src/loyalty/loyalty-engines.ts'
import { analyzeAsServed } from './analyze-as-served.ts'
import { bareInsert } from './bare-insert.ts'
import { cpuMeter, perOne } from './cpu-meter.ts'
import { benchDatabase } from './database.ts'
import { aShop, EARNED_TABLES, NOW } from './loyalty-shop.ts'

const CUSTOMERS = Number(process.argv[2] ?? 1_000_000)
const DAYS = 10
const BATCH = 500

const database = await benchDatabase()
const db = new Database({ url: database.url })
const client = new pg.Client({ connectionString: database.url })
await client.connect()
const analyzing = analyzeAsServed(db)
try {
  const measured = await cpuMeter(database.url)
  const few = await ofStore(CUSTOMERS / 10)
  const many = await ofStore(CUSTOMERS)
  console.log(
    JSON.stringify({
      ...{ bench: 'loyalty-birthdays', customers: CUSTOMERS, days: DAYS, few, many },
      ratio: Number((many.ours.per_s / many.bare.per_s).toFixed(3)),
      many_to_few_database_cpu: Number((many.ours.database_cpu_ms / few.ours.database_cpu_ms).toFixed(2))
    })
  )

  /** Counts the birthdays of some days in a new store with so many customers. */
  async function ofStore(customers: number) {
    const shop = await aShop(db)
    await client.query('set session_replication_role = replica')
    await client.query(
      `insert into members (store_id, id, platform_customer_id, email, birth_date, created_at, updated_at) overriding system value
       select $1, n, n, 'person-' || n || '@example.com', date '1980-01-01' + (n % 7305)::int, $3, $3 from generate_series(1, $2::bigint) n`,
      [shop.storeId, customers, NOW.toString()]
    )
    await client.query('set session_replication_role = origin')
    await client.query('vacuum analyze')
    await shop.inStore((ctx) =>
      createRule(ctx, 'birthday_reward', {
        ...{ name: 'Birthday', description: '', rules: {}, rewardRules: { reward_type: 'points', amount: 10 } },
        ...{ isEnabled: true, startsOn: null, endsOn: null }
      })
    )
    // The rule has the engine begin with the next day.
    for (const engine of createFactEngines({ db, consumers: [loyaltyConsumer] })) {
      while ((await engine.runOnce(shop.storeId)) > 0);
    }
    const { copyNew } = await bareInsert(client, { tables: EARNED_TABLES, storeId: shop.storeId, batch: BATCH })
    await copyNew()
    await shop.inStore((ctx) => setClock(ctx, ctx.now.add({ hours: 24 * DAYS })))
    const engine = createLoyaltyOccasionEngine({ db })
    const taken = await measured(async () => {
      while ((await engine.runOnce(shop.storeId)) > 0);
    })
    const { rows } = await client.query('select count(*)::int as n from loyalty_awards where store_id = $1', [
      shop.storeId
    ])
    const birthdays = rows[0].n as number
    const each = customers / 365.25
    if (Math.abs(birthdays - DAYS * each) > each) throw new Error(`${birthdays} birthdays of ${customers} customers`)
    const bare = perOne(await measured(await copyNew()), birthdays)
    for (const table of EARNED_TABLES) await client.query(`drop table bare_${table}`)
    return { birthdays, ours: perOne(taken, birthdays), bare }
  }
} finally {
  await analyzing.stop()
  await client.end()
  await db.close()
  await database.close()
}
