import { analyzeGrownTables, type Database } from '#kit/postgres'
import { runPeriodically } from '#kit/run-periodically'

const ANALYZE_EVERY_MS = 5_000

/** Gathers the statistics of grown tables as often as a node that serves does; whoever calls this stops it. */
export const analyzeAsServed = (db: Database) =>
  runPeriodically(ANALYZE_EVERY_MS, async () => void (await analyzeGrownTables(db)))
