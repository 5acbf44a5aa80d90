// The long fault runs: `npm run trials [seed] [trial]`. Prints one line of figures per trial; one that does not hold throws.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { benchDatabase } from '../bench/database.ts'
import { killDuringRenewals } from './kill-renewals.ts'
import { killSender } from './kill-sender.ts'

const seed = Number(process.argv[2] ?? Date.now() % 1_000_000)
const only = process.argv[3]

const TRIALS = {
  'kill-renewals': async (databaseUrl: string) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'perennial-trial-'))
    try {
      const trial = { databaseUrl, dataDir, subscriptions: 500, kills: 20, seed }
      return { subscriptions: 500, ...(await killDuringRenewals(trial)) }
    } finally {
      await rm(dataDir, { recursive: true, force: true })
    }
  },
  'kill-sender': (databaseUrl: string) => killSender({ databaseUrl, events: 5000, kills: 20, seed })
}

for (const [name, run] of Object.entries(TRIALS)) {
  if (only !== undefined && only !== name) continue
  const database = await benchDatabase()
  try {
    console.log(JSON.stringify({ trial: name, seed, ...(await run(database.url)) }))
  } finally {
    await database.close()
  }
}
