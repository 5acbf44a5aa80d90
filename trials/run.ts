// The long fault runs: `npm run trials`. Prints one line of figures per trial; a trial that does not hold throws.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { benchDatabase } from '../bench/database.ts'
import { killDuringRenewals } from './kill-renewals.ts'

const seed = Number(process.argv[2] ?? Date.now() % 1_000_000)
const database = await benchDatabase()
const dataDir = await mkdtemp(join(tmpdir(), 'perennial-trial-'))
try {
  const trial = { databaseUrl: database.url, dataDir, subscriptions: 500, kills: 20, seed }
  const report = await killDuringRenewals(trial, (line) => console.error(line))
  console.log(JSON.stringify({ trial: 'kill-renewals', seed, subscriptions: trial.subscriptions, ...report }))
} finally {
  await database.close()
  await rm(dataDir, { recursive: true, force: true })
}
