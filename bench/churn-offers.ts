// The reasons with their offers, as GET /offers of the Churn API reads them, in one statement outside a transaction; and with a contract, whose situation, another
// such statement beside it, decides which offers it may accept. A bare client reads the rows of the offers alone. All in turns; CPU of this process and of the database's server for each.
// Usage: node bench/churn-offers.ts [times]
import pg from 'pg'
import {
  createOffer,
  findSituationOfContract,
  listMatchedOffers,
  obstacleTo,
  offerJson,
  previewOffer,
  REASON_ALIASES
} from '#churn'
import { upsertFromContracts } from '#contracts'
import { Database } from '#kit/postgres'
import { aContract, anOrder } from '../test/contract-builder.ts'
import { aStore } from '../test/store-builder.ts'
import { cpuMeter } from './cpu-meter.ts'
import { benchDatabase } from './database.ts'
import { countStatements } from './loyalty-shop.ts'
import { readsInTurns } from './reads-in-turns.ts'

const TIMES = Number(process.argv[2] ?? 5_000)
const OFFERS = 12
const MAX_CPU_MS = 1
const NOW = Temporal.Instant.from('2026-06-30T15:00:00Z')

const database = await benchDatabase()
const db = new Database({ url: database.url })
const client = new pg.Client({ connectionString: database.url })
await client.connect()
try {
  const measured = await cpuMeter(database.url)
  const store = await aStore(db, { clockAt: NOW })
  const contract = aContract(NOW)
  await store.inStore(async (ctx) => {
    await upsertFromContracts(ctx, [contract], [anOrder(NOW, { id: contract.originOrder!.id })])
    // Two to three for each reason.
    for (let i = 0; i < OFFERS; i++) {
      const rules = { discount_type: 'percentage', discount_value: 10 + i, recurring_cycle_limit: 3 }
      const reasons = [REASON_ALIASES[i % 9]!, REASON_ALIASES[(i + 1) % 9]!]
      await createOffer(ctx, {
        ...{ name: `Offer ${i}`, description: 'Stay.', type: 'discount_price', rules, reasons, target: null },
        ...{ isOfEachItem: false, minMemberDays: 0, minDaysSinceOffer: 0, isForTrials: true, isOn: true }
      })
    }
  })
  await client.query('vacuum analyze')

  const ours = async () => {
    const matched = await listMatchedOffers(db.direct, store.storeId)
    return JSON.stringify(matched.map(({ reason, offers }) => ({ ...reason, offers: offers.map(offerJson) })))
  }
  const withContract = async () => {
    const [found, matched] = await Promise.all([
      findSituationOfContract(db.direct, store.storeId, contract.id),
      listMatchedOffers(db.direct, store.storeId)
    ])
    const { situation, now } = found!
    return JSON.stringify(
      matched.map(({ reason, offers }) => ({
        ...reason,
        offers: offers
          .filter((offer) => obstacleTo(offer, situation, { now, isShopper: true }) === null)
          .map((offer) => ({ ...offerJson(offer), preview: previewOffer(offer, situation) }))
      }))
    )
  }
  const bare = () =>
    client.query({
      name: 'bare offers',
      text: `select r.alias, o.* from churn_offer_reasons r join churn_offers o on o.store_id = $1 and o.id = r.offer_id
              where r.store_id = $1 order by r.alias, o.id`,
      values: [store.storeId]
    })
  for (const read of [ours, withContract]) {
    const shown = (JSON.parse(await read()) as { offers: unknown[] }[]).flatMap(({ offers }) => offers)
    if (shown.length !== 2 * OFFERS) throw new Error(`${shown.length} offers were read, not ${2 * OFFERS}`)
  }
  const statements = { ours: await countStatements(ours), with_contract: await countStatements(withContract) }
  const one = await readsInTurns({ bare, ours, with_contract: withContract }, TIMES, measured)
  console.log(JSON.stringify({ bench: 'churn-offers', offers: OFFERS, statements, ...one, wanted_cpu_ms: MAX_CPU_MS }))
  const isFast = ({ service_cpu_ms, database_cpu_ms }: typeof one.ours) => service_cpu_ms + database_cpu_ms < MAX_CPU_MS
  process.exitCode = isFast(one.ours) && isFast(one.with_contract) ? 0 : 1
} finally {
  await client.end()
  await db.close()
  await database.close()
}
