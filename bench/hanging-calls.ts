// A billing run on a platform of which 1 % of the calls hang for 30 s, relative to the same run undisturbed before and after:
// renewals per second, charges and the pushes of their next dates each.
// Usage: node bench/hanging-calls.ts [seconds undisturbed, twice] [seconds disturbed] [per cent that hang]

import { setTimeout as sleep } from 'node:timers/promises'
import { createMetricsRollupEngine } from '#analytics'
import { startNode } from '#kit/engines'
import { Database, int, row, sql } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { createConnectors } from '#platform'
import { startChargingPlatform } from '../test/charging-platform.ts'
import { aDueStore } from '../test/due-store.ts'
import { benchDatabase } from './database.ts'
import { createRenewalRunner } from './renewal-runner.ts'

const CALM_S = Number(process.argv[2] ?? 20)
const DISTURBED_S = Number(process.argv[3] ?? 90)
const SHARE = Number(process.argv[4] ?? 1) / 100
const LATENCY_MS = 100
const WANTED = 0.5
/** More than are renewed in the whole time. */
const HOW_MANY = Number(process.env.BENCH_SUBSCRIPTIONS ?? 60_000)
/** The first seconds of each part are not counted. */
const WARM_UP_S = 5

const random = randomFrom(13)
const platform = await startChargingPlatform({ latencyMs: LATENCY_MS })
const database = await benchDatabase()
const db = new Database({ url: database.url })
try {
  const { storeId, inStore } = await aDueStore(db, {
    subscriptions: HOW_MANY,
    dueAt: Temporal.Instant.from('2026-02-28T15:00:00Z')
  })
  const connector = createConnectors().to({ storeId, profile: 'platform', url: platform.url, accessToken: 'bench' })
  const connectorOf = async () => connector
  const node = await startNode(db)
  const runner = createRenewalRunner({
    db,
    node,
    connectorOf,
    more: [createMetricsRollupEngine({ db })],
    onError: (err) => {
      throw err
    }
  })
  const paid = async () =>
    (
      await inStore(({ tx }) =>
        tx.one(
          row({ n: int }),
          sql`select count(*) as n from billing_attempts where store_id = ${storeId} and status = 'success'`
        )
      )
    ).n
  const counts = async () => ({ paid: await paid(), pushed: platform.answered('ContractSetNextBillingDate') })

  const measure = async (seconds: number, share: number) => {
    platform.control.hangs = () => random() < share
    await sleep(WARM_UP_S * 1000)
    const [before, from] = [await counts(), performance.now()]
    await sleep(seconds * 1000)
    const [after, passedS] = [await counts(), (performance.now() - from) / 1000]
    return { paid: (after.paid - before.paid) / passedS, pushed: (after.pushed - before.pushed) / passedS }
  }

  runner.start()
  const first = await measure(CALM_S, 0)
  const disturbed = await measure(DISTURBED_S, SHARE)
  const hanging = platform.hanging()
  platform.control.hangs = () => false
  // What hangs ends before the next part begins.
  await sleep(30_000)
  const second = await measure(CALM_S, 0)
  const isLeft = (await paid()) < HOW_MANY * 0.95
  await runner.stop()

  const ratioOf = (what: 'paid' | 'pushed') => Number((disturbed[what] / ((first[what] + second[what]) / 2)).toFixed(2))
  const report = {
    bench: 'hanging-calls',
    latency_ms: LATENCY_MS,
    hanging_share: SHARE,
    renewals_per_s: [first, disturbed, second].map(({ paid }) => Math.round(paid)),
    pushes_per_s: [first, disturbed, second].map(({ pushed }) => Math.round(pushed)),
    hanging_at_the_end: hanging,
    charged_twice: [...platform.charges.values()].filter((times) => times > 1).length,
    ratio: ratioOf('paid'),
    ratio_of_pushes: ratioOf('pushed'),
    wanted: WANTED
  }
  console.log(JSON.stringify(report))
  if (!isLeft) throw new Error('There were too few subscriptions: BENCH_SUBSCRIPTIONS sets another number')
  process.exitCode = report.ratio >= WANTED && report.ratio_of_pushes >= WANTED && report.charged_twice === 0 ? 0 : 1
  await node.stop()
} finally {
  platform.close()
  await db.close()
  await database.close()
}
