// The long fault runs: `npm run trials -- [trial|all] [seed] [runs] [--size N] [--kills N] [--results FILE]`. Prints one line of
// results per run; a failing run throws, and so does one that takes longer than an hour. Without a number of runs each trial runs
// once. `--size` and `--kills`: the subscriptions and kills of kill-renewals and restart-database. `--slow`: the share of the
// calls of kill-renewals that arrive late. `--rounds`: how many rounds a run makes of a trial that consists of many; the number
// that reliability promises without it. `--faults` and `--hold`: only these of database-faults, separated by commas, and for how
// many seconds each. `--patient`: the clients of concurrent-deducts repeat what failed. `--results`: each line is also appended
// to this file, and a run whose line is there already is left out, so that an interrupted series goes on where it was. `--prove`:
// instead, each trial (or the one that is named) is run with its saboteurs, and exits with 1 if one ends otherwise than said.
import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Database, migrate } from '#kit/postgres'
import { benchDatabase, runOn } from '../bench/database.ts'
import { MIGRATIONS } from '../src/app/migrations.ts'
import { sendToBadReceivers } from './bad-receivers.ts'
import { floodWithBodies } from './body-flood.ts'
import { calendarTrial } from './calendar.ts'
import { searchForSecrets } from './canary-secrets.ts'
import { activateAtOnce } from './churn-activations.ts'
import { deductConcurrently } from './concurrent-deducts.ts'
import { contendForRetries } from './contention.ts'
import { crashAtEveryStatement } from './crash-points.ts'
import { spendByCodes } from './credit-codes.ts'
import { readWhileWriting } from './cursor-reads.ts'
import { FAULTS } from './database-fault-causes.ts'
import { failDatabase } from './database-faults.ts'
import { syncWhileWriting } from './export-sync.ts'
import { failOverToStandby } from './failover.ts'
import { injectIntoFilters } from './filter-injection.ts'
import { askForForeignIds } from './foreign-ids.ts'
import { fuzz } from './fuzz.ts'
import { hangCalls } from './hanging-calls.ts'
import { hangMessages } from './hanging-messages.ts'
import { leadAstray } from './hostile-addresses.ts'
import { killDuringRenewals } from './kill-renewals.ts'
import { killSender } from './kill-sender.ts'
import { compareLedgers } from './ledger-model.ts'
import { loseMessages } from './lost-messages.ts'
import { compareLoyalty } from './loyalty-model.ts'
import { olderCode } from './older-commit.ts'
import { repeatOneKey } from './one-key.ts'
import { mirrorCredit } from './platform-credit.ts'
import { mirrorMetafields } from './platform-metafields.ts'
import { comparePoints } from './points-model.ts'
import { prove } from './prove.ts'
import { forgeProxyRequests } from './proxy-requests.ts'
import { restartDatabase } from './restart-database.ts'
import { restoreOlderBackup } from './restored-backup.ts'
import { currentCommit, readResults } from './results.ts'
import { upgradeUnderLoad } from './rolling-upgrade.ts'
import { shareLimits } from './shared-limits.ts'
import { simulateStore } from './simulated-store.ts'
import { searchSlowly } from './slow-searches.ts'
import { killOneOfTwoNodes } from './two-nodes.ts'
import { outcomeUnknown } from './unknown-outcome.ts'
import { sumInWarehouse } from './warehouse-sums.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    size: { type: 'string', default: '5000' },
    kills: { type: 'string', default: '40' },
    slow: { type: 'string' },
    faults: { type: 'string', default: FAULTS.join() },
    hold: { type: 'string', default: '12' },
    rounds: { type: 'string' },
    patient: { type: 'boolean', default: false },
    results: { type: 'string' },
    prove: { type: 'boolean', default: false }
  }
})
if (values.prove) process.exit((await prove(positionals[0] ?? '', values.results)) ? 0 : 1)
const only = positionals[0] ?? 'all'
const seed = Number(positionals[1] ?? Date.now() % 1_000_000)
const runs = Number(positionals[2] ?? 1)
const subscriptions = Number(values.size)
const kills = Number(values.kills)
const slow = values.slow === undefined ? {} : { slow: Number(values.slow) }
const chosenFaults = FAULTS.filter((fault) => values.faults.split(',').includes(fault))
const isPatient = values.patient
/** The number of rounds of a trial that consists of many: `promised`, unless fewer are asked for. */
const rounds = (promised: number) => Number(values.rounds ?? promised)
const MAX_RUN_MS = 3_600_000

/** Those that last for five minutes each. */
const LONG_FAULTS = ['half-open', 'disk-full', 'postmaster-killed'] as const

type Place = { databaseUrl: string; db: Database; dataDir: string; seed: number }

const TRIALS: Record<string, (place: Place) => Promise<object>> = {
  'kill-renewals': (place) => killDuringRenewals({ ...place, subscriptions, kills, ...slow }),
  'crash-points': (place) => crashAtEveryStatement({ ...place, stride: 1 }),
  'unknown-outcome': (place) => outcomeUnknown({ ...place, subscriptions: 1_000 }),
  contention,
  'one-key': (place) => repeatOneKey({ ...place, rounds: rounds(500) }),
  'concurrent-deducts': (place) => deductConcurrently({ ...place, rounds: rounds(200), isPatient }),
  'churn-activations': (place) => activateAtOnce({ ...place, contracts: rounds(50), lost: 0 }),
  'churn-activations-lossy': (place) => activateAtOnce({ ...place, contracts: rounds(50), lost: 0.05 }),
  'credit-codes': (place) =>
    spendByCodes({ ...place, customers: rounds(60), kills: Math.min(kills, 20), lost: 0.03, unheard: 0.02 }),
  'credit-codes-lossy': (place) =>
    spendByCodes({ ...place, customers: rounds(60), kills: Math.min(kills, 20), lost: 0.12, unheard: 0.08 }),
  'platform-credit': (place) =>
    mirrorCredit({ ...place, customers: rounds(100), kills: Math.min(kills, 20), lost: 0.03, unheard: 0.02 }),
  'platform-credit-cards': (place) =>
    mirrorCredit({
      ...place,
      customers: rounds(100),
      kills: Math.min(kills, 20),
      lost: 0.03,
      unheard: 0.02,
      onCards: true
    }),
  // Of 10,000 members; the bench of the first sync says how long the throttle alone takes.
  'platform-metafields': (place) =>
    mirrorMetafields({ ...place, members: rounds(10_000), rounds: 4, kills: Math.min(kills, 3) }),
  'kill-sender': (place) => killSender({ ...place, events: 5_000, kills: 20 }),
  'shared-limits': (place) => shareLimits({ ...place, rounds: rounds(100), kills: rounds(100) }),
  'simulated-store': (place) => simulateStore({ ...place, members: rounds(2_500), months: 12, isShuffled: false }),
  // Small, with messages that overtake each other by seconds.
  'simulated-store-shuffled': (place) => simulateStore({ ...place, members: rounds(30), months: 3, isShuffled: true }),
  'warehouse-sums': (place) => sumInWarehouse({ ...place, members: rounds(300), months: 12 }),
  'two-nodes': (place) => killOneOfTwoNodes({ ...place, subscriptions: 200, moves: 20, kills: 10 }),
  'database-faults': (place) => failDatabase({ ...place, faults: chosenFaults, holdMs: Number(values.hold) * 1_000 }),
  'database-away': (place) => failDatabase({ ...place, faults: LONG_FAULTS, holdMs: 300_000 }),
  'restart-database': databaseRestarts,
  'restored-backup': restoredBackup,
  'rolling-upgrade': rollingUpgrade,
  failover,
  'ledger-model': (place) => compareLedgers({ ...place, sequences: rounds(10_000) }),
  'points-model': (place) => comparePoints({ ...place, sequences: rounds(10_000) }),
  'loyalty-model': (place) => compareLoyalty({ ...place, sequences: rounds(1_000) }),
  'lost-messages': (place) => loseMessages({ ...place, runs: rounds(1_000), subscriptions: 6 }),
  'bad-receivers': (place) => sendToBadReceivers({ ...place, each: rounds(100), timesOthers: true }),
  'hostile-addresses': (place) => leadAstray({ ...place, stride: 1 }),
  'proxy-requests': (place) => forgeProxyRequests({ ...place, requests: rounds(10_000) }),
  'foreign-ids': askForForeignIds,
  fuzz: (place) => fuzz({ ...place, requests: rounds(100_000) }),
  'canary-secrets': searchForSecrets,
  'cursor-reads': (place) => readWhileWriting({ ...place, changes: rounds(2_000) }),
  'export-sync': (place) => syncWhileWriting({ ...place, changes: rounds(2_000) }),
  'filter-injection': (place) => injectIntoFilters({ ...place, requests: rounds(20_000) }),
  'body-flood': (place) =>
    floodWithBodies({ ...place, connections: 500, bodyBytes: 8 * 1024 * 1024, rounds: rounds(3) }),
  'hanging-calls': (place) => hangCalls({ ...place, subscriptions: 40_000, calmS: 20, disturbedS: 60, share: 0.01 }),
  'hanging-messages': (place) => hangMessages({ ...place, messages: rounds(6_000), leaseMs: 3_000, hangMs: 10_000 }),
  'slow-searches': (place) =>
    searchSlowly({ ...place, subscriptions: rounds(1_000), maxCallMs: 2_000, searchMs: 8_000 }),
  calendar: (place) => calendarTrial({ ...place, zones: zonesOf(place.seed), fromYear: 2026, years: 3 })
}

/** Those for which `--size` and `--kills` are. */
const SIZED = ['kill-renewals', 'restart-database']

/** What tells the runs of a file of results apart. `asked`: the rounds, if a number was asked for. */
const runOf = (done: { trial: string; seed: number; size?: number; asked?: number }) =>
  `${done.trial} ${done.seed} ${done.size} ${done.asked}`

/** All zones; with `--rounds N` only N of them, those that follow the ones of the seed before: seeds 0, 1, … together have all. */
function zonesOf(seed: number): string[] {
  const all = Intl.supportedValuesOf('timeZone')
  const count = rounds(all.length)
  const from = (seed * count) % all.length
  return count < all.length ? all.slice(from, from + count) : all
}

/** The report of a run; throws if it hangs. */
async function inTime(report: Promise<object>): Promise<object> {
  const ended = new AbortController()
  const limit = sleep(MAX_RUN_MS, undefined, { signal: ended.signal }).then(() => {
    throw new Error(`The run takes longer than ${MAX_RUN_MS / 60_000} minutes`)
  })
  // Its end is awaited by the race only.
  limit.catch(() => {})
  return Promise.race([report, limit]).finally(() => ended.abort())
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

async function restoredBackup(place: Place): Promise<object> {
  return withDatabases(place, ['platform', 'empty'], ([platformUrl, emptyUrl]) =>
    restoreOlderBackup({ ...place, platformUrl: platformUrl!, emptyUrl: emptyUrl!, subscriptions: 500 })
  )
}

/** Both orders, each from an empty database, which the first node migrates. */
async function rollingUpgrade(place: Place): Promise<object> {
  const older = await olderCode()
  if ('skipped' in older) return older
  try {
    const runs: object[] = []
    for (const order of ['upgrade', 'rollback'] as const) {
      const run = withDatabases(place, ['platform', 'empty'], ([platformUrl, databaseUrl]) =>
        upgradeUnderLoad({
          ...place,
          platformUrl: platformUrl!,
          databaseUrl: databaseUrl!,
          older,
          order,
          subscriptions: 100,
          months: 3
        })
      )
      runs.push(await run)
    }
    return { runs }
  } finally {
    await older.remove()
  }
}

async function databaseRestarts(place: Place): Promise<object> {
  return withDatabases(place, ['platform'], ([platformUrl]) =>
    restartDatabase({ ...place, platformUrl: platformUrl!, subscriptions, restarts: kills })
  )
}

async function failover(place: Place): Promise<object> {
  return withDatabases(place, ['platform'], ([platformUrl]) =>
    failOverToStandby({ ...place, platformUrl: platformUrl!, subscriptions: 200 })
  )
}

/** Gives `work` more databases on the same server: the platform's is migrated, any other one is empty. */
async function withDatabases<T>(
  { databaseUrl, seed }: Place,
  names: string[],
  work: (urls: string[]) => Promise<T>
): Promise<T> {
  const made = names.map((name) => `trial_${name}_${process.pid}_${seed}`)
  const urls = made.map((name) => Object.assign(new URL(databaseUrl), { pathname: `/${name}` }).href)
  for (const name of made) await runOn(databaseUrl, `create database ${name}`)
  try {
    for (const [i, name] of names.entries()) if (name === 'platform') await migrate(urls[i]!, MIGRATIONS)
    return await work(urls)
  } finally {
    for (const name of made) await runOn(databaseUrl, `drop database ${name} with (force)`)
  }
}

if (only !== 'all' && !TRIALS[only]) throw new Error(`There is no trial ${only}: ${Object.keys(TRIALS).join(', ')}`)
const before = values.results ? await readResults<{ trial: string; seed: number }>(values.results) : []
const done = new Set(before.map(runOf))
for (const [name, trial] of Object.entries(TRIALS)) {
  if (only !== 'all' && only !== name) continue
  const size: { size?: number; asked?: number } = {
    ...(SIZED.includes(name) && { size: subscriptions }),
    ...(values.rounds !== undefined && { asked: Number(values.rounds) })
  }
  for (let run = 0; run < runs; run++) {
    if (done.has(runOf({ trial: name, seed: seed + run, ...size }))) continue
    const database = await benchDatabase()
    const db = new Database({ url: database.url })
    const dataDir = await mkdtemp(join(tmpdir(), 'perennial-trial-'))
    const began = performance.now()
    const commit = await currentCommit()
    try {
      const report = await inTime(trial({ databaseUrl: database.url, db, dataDir, seed: seed + run }))
      const seconds = Math.round((performance.now() - began) / 1000)
      const line = JSON.stringify({ trial: name, seed: seed + run, ...size, ...report, seconds, commit })
      console.log(line)
      if (values.results) await appendFile(values.results, `${line}\n`)
    } finally {
      await rm(dataDir, { recursive: true, force: true })
      await db.close()
      await database.close()
    }
  }
}
