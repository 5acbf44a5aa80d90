import { realNowMs } from '../clock.ts'
import { type Database, int, row, sql } from '../postgres/index.ts'
import { runPeriodically } from '../run-periodically.ts'

const MEASURE_EVERY_MS = 60_000
/** From this difference on there is a warning, and from this one on nothing is signed and the node is not ready. */
const WARN_FROM_MS = 2_000
const OFF_FROM_MS = 30_000

/** This machine's clock beside that of the database, which leases and signatures go by. */
export type NodeClock = {
  /** How far this machine's clock is ahead of the database's in milliseconds; as much as is certain, so it may be 0. */
  offsetMs(): number
  /** The database's time, by this machine's clock and the last measurement. */
  now(): Temporal.Instant
  /** Whether the two agree within 30 seconds. Otherwise one of them is wrong, and nobody knows which. */
  isRight(): boolean
  /** What is wrong, with the figure; null below two seconds. */
  problem(): string | null
  measure(): Promise<void>
  stop(): Promise<void>
}

const Clock = row({ nowMs: int })
const readClock = sql`select (extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms`

/**
 * Compares the clocks now and every minute, and passes each problem to `warn`. A database that does not answer leaves the last
 * result. `nodeNowMs` is what this machine's clock says, in epoch milliseconds.
 */
export async function startNodeClock(
  db: Database,
  { warn, nodeNowMs = realNowMs }: { warn: (message: string) => void; nodeNowMs?: () => number }
): Promise<NodeClock> {
  let offsetMs = 0
  const measure = async () => {
    const began = performance.now()
    const { nowMs } = await db.direct.one(Clock, readClock)
    // The answer is as old as half the round trip, more or less the other half.
    const halfMs = (performance.now() - began) / 2
    const measured = nodeNowMs() - halfMs - nowMs
    offsetMs = Math.sign(measured) * Math.max(0, Math.abs(measured) - halfMs)
    const problem = clock.problem()
    if (problem) warn(problem)
  }
  const clock: NodeClock = {
    offsetMs: () => offsetMs,
    now: () => Temporal.Instant.fromEpochMilliseconds(Math.round(nodeNowMs() - offsetMs)),
    isRight: () => Math.abs(offsetMs) < OFF_FROM_MS,
    problem() {
      if (Math.abs(offsetMs) < WARN_FROM_MS) return null
      const seconds = (Math.abs(offsetMs) / 1_000).toFixed(1)
      const where = `This machine's clock is ${seconds} s ${offsetMs > 0 ? 'ahead of' : 'behind'} the database's`
      const effect = clock.isRight() ? '' : ': until they agree, no webhook is signed and this node is not ready'
      return `${where}${effect}. Let both machines take their time from the network (NTP)`
    },
    measure,
    async stop() {
      await measuring.stop()
    }
  }
  await measure()
  const measuring = runPeriodically(MEASURE_EVERY_MS, () => measure().catch(() => {}))
  return clock
}
