// The long fault runs: `npm run trials [trial|all] [seed] [runs]`. Prints one line of results per run; a failing run throws. Without a
// number of runs each trial runs once.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Database } from '#kit/postgres'
import { benchDatabase } from '../bench/database.ts'
import { calendarTrial } from './calendar.ts'
import { contendForRetries } from './contention.ts'
import { crashAtEveryStatement } from './crash-points.ts'
import { killDuringRenewals } from './kill-renewals.ts'
import { killSender } from './kill-sender.ts'
import { loseMessages } from './lost-messages.ts'
import { killOneOfTwoNodes } from './two-nodes.ts'
import { outcomeUnknown } from './unknown-outcome.ts'

const only = process.argv[2] ?? 'all'
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000)
const runs = Number(process.argv[4] ?? 1)

type Place = { databaseUrl: string; db: Database; dataDir: string; seed: number }

const TRIALS: Record<string, (place: Place) => Promise<object>> = {
  'kill-renewals': (place) => killDuringRenewals({ ...place, subscriptions: 5_000, kills: 40 }),
  'crash-points': (place) => crashAtEveryStatement({ ...place, stride: 1 }),
  'unknown-outcome': (place) => outcomeUnknown({ ...place, subscriptions: 1_000 }),
  contention,
  'kill-sender': (place) => killSender({ ...place, events: 5_000, kills: 20 }),
  'two-nodes': (place) => killOneOfTwoNodes({ ...place, subscriptions: 200, moves: 20, kills: 10 }),
  'lost-messages': (place) => loseMessages({ ...place, runs: 1_000, subscriptions: 6 }),
  calendar: (place) => calendarTrial({ ...place, zones: Intl.supportedValuesOf('timeZone'), fromYear: 2026, years: 3 })
}

/** In rounds, because of the rate limit of a store. */
async function contention(place: Place): Promise<object> {
  const sum = { subscriptions: 0, charged: 0, retriesTaken: 0, retriesRefused: 0 }
  for (let round = 0; round < 10; round++) {
    const report = await contendForRetries({ ...place, subscriptions: 50, seed: place.seed * 100 + round })
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += report[name]
  }
  return sum
}

if (only !== 'all' && !TRIALS[only]) throw new Error(`There is no trial ${only}: ${Object.keys(TRIALS).join(', ')}`)
for (const [name, trial] of Object.entries(TRIALS)) {
  if (only !== 'all' && only !== name) continue
  for (let run = 0; run < runs; run++) {
    const database = await benchDatabase()
    const db = new Database({ url: database.url })
    const dataDir = await mkdtemp(join(tmpdir(), 'perennial-trial-'))
    const began = performance.now()
    try {
      const report = await trial({ databaseUrl: database.url, db, dataDir, seed: seed + run })
      const seconds = Math.round((performance.now() - began) / 1000)
      console.log(JSON.stringify({ trial: name, seed: seed + run, ...report, seconds }))
    } finally {
      await rm(dataDir, { recursive: true, force: true })
      await db.close()
      await database.close()
    }
  }
}
