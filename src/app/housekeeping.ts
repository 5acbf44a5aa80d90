// Background work: what one node does for all, again and again. See also engines.ts (what falls due) and jobs.ts.
import type { LeaseRelease, Node } from '#kit/engines'
import type { FailureLog } from '#kit/failure-log'
import { pruneResponses } from '#kit/idempotency'
import { pruneFacts, removeConsumers } from '#kit/outbox'
import { analyzeGrownTables, type Database } from '#kit/postgres'
import { runPeriodically } from '#kit/run-periodically'
import { pruneApiRequests } from '#requests'
import { storeStatuses } from '#stores'
import { pruneTeam } from '#team'
import { rollUpTotals } from '#views'
import { closeSilentListeners, deleteForgottenListeners, maintainHistory, rollUpEventCounts } from '#webhooks'
import { consumers, removedConsumers } from './consumers.ts'

export type HousekeepingOptions = {
  db: Database
  node: Pick<Node, 'leads' | 'releaseDeadLeases'>
  /** How what engines lease is released. */
  releases: readonly LeaseRelease[]
  limiter: { prune(): Promise<unknown> }
  /** Goes on with deletions of stores that an ended process has begun. */
  resumeDeletions: () => Promise<void>
  historyDays: number
  failures: Pick<FailureLog, 'failed' | 'worked'>
  /** Has the log say what does not work, and what works again. */
  lookForProblems: () => Promise<void>
}

/** What one node does for all, again and again. A task may run twice at once: it is a plain delete, or takes a lock of its own. */
export function createHousekeeping({
  db,
  node,
  releases,
  limiter,
  resumeDeletions,
  historyDays,
  failures,
  lookForProblems
}: HousekeepingOptions) {
  const tasks: [everyMs: number, failure: string, work: () => Promise<unknown>][] = [
    [1_000, 'Changes of lists not rolled up into their totals', () => rollUpTotals(db)],
    [5_000, 'Statistics of tables that have grown not gathered', () => analyzeGrownTables(db)],
    [10_000, 'Events not counted for the totals of their lists', () => rollUpEventCounts(db)],
    [15_000, 'Leases of dead nodes not freed', () => node.releaseDeadLeases(releases)],
    [15_000, 'Deletions of stores not continued', resumeDeletions],
    [15_000, 'Silent webhook listeners not closed', () => closeSilentListeners(db)],
    [30_000, 'Problems not looked for', lookForProblems],
    [600_000, 'Old rate windows not removed', () => limiter.prune()],
    [600_000, 'Old idempotent responses not removed', () => pruneResponses(db)],
    [600_000, 'Old API requests not removed', () => pruneApiRequests(db)],
    [600_000, 'Old sessions and changes of the team not removed', () => pruneTeam(db)],
    [600_000, 'Days of the webhook history not made or dropped', () => maintainHistory(db, historyDays)],
    [600_000, 'Old webhook listeners not removed', () => deleteForgottenListeners(db)],
    [600_000, 'Old facts not removed', async () => pruneFacts(db, await storesInRealTime(db))],
    [600_000, 'Rows of former consumers not removed', () => removeConsumers(db, removedConsumers, consumers)]
  ]
  const doOne = async (failure: string, work: () => Promise<unknown>) => {
    try {
      await work()
      failures.worked(failure)
    } catch (err) {
      failures.failed(failure, err, `Housekeeping (${failure})`)
    }
  }
  let running: { stop(): Promise<void> }[] = []
  return {
    /** What a node needs before it begins, whoever leads: leases of a crash freed, and tables for the history's days. */
    async prepare() {
      await node.releaseDeadLeases(releases)
      // Days are made a week ahead: a start need not wait for a backup that holds the tables.
      await doOne('Days of the webhook history not made or dropped', () => maintainHistory(db, historyDays))
    },
    start() {
      running = tasks.map(([everyMs, failure, work]) =>
        runPeriodically(everyMs, () =>
          doOne(failure, async () => {
            if (await node.leads()) await work()
          })
        )
      )
    },
    stop: () => Promise.all(running.map((task) => task.stop()))
  }
}

/** The time of a store under a test clock does not say how old its facts are, and its tests look back further. */
async function storesInRealTime(db: Database): Promise<number[]> {
  const statuses = await storeStatuses(db, null)
  return statuses.flatMap(({ storeId, clockAt }) => (clockAt === null ? storeId : []))
}
