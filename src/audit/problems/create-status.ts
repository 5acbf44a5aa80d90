import { realNow } from '#kit/clock'
import type { Engine } from '#kit/engines'
import type { FailureLog } from '#kit/failure-log'
import type { Database, DatabaseTrouble } from '#kit/postgres'
import { findStatus, type Status } from './find-problems.ts'
import { clockProblem, databaseProblem } from './installation-problems.ts'
import type { Problem } from './problem.ts'
import { createProblemWatch } from './watch-problems.ts'

/** Under this key the failure log has that the database cannot be worked with. */
export const DATABASE_FAILURE = 'database'
/** Under this key it has that this node's clock is wrong, or the database's. */
const CLOCK_FAILURE = 'clock'

/** Under this key it has that an engine fails in a store. */
export const engineFailure = (engine: string, storeId: number) => `engine ${engine} ${storeId}`

export type StatusOptions = {
  db: Database
  engines: readonly Engine[]
  failures: FailureLog
  /** What is wrong with the database, or null. */
  databaseTrouble: () => Promise<DatabaseTrouble | null>
  /** Why this node signs nothing, or null. */
  clockProblem: () => string | null
  log: Parameters<typeof createProblemWatch>[1]
}

export type ServiceStatus = {
  /**
   * What does not work in one store, or in all; first what keeps the whole service from working. Without a database that is all
   * that is known.
   */
  status(storeId: number | null): Promise<Status>
  /**
   * Asks whether the database can be worked with, whether the clock is right, and what engines of this process have under way for so
   * long that it hangs; has the log say when that changes. For every process.
   */
  checkProcess(): Promise<void>
  /** Has the log say which problems have begun and ended. For one process. */
  look(): Promise<void>
}

/** What this process knows of what does not work. */
export function createStatus({ db, engines, failures, log, ...asked }: StatusOptions): ServiceStatus {
  const errorOf = (engine: string, storeId: number) =>
    failures.failing().find(({ key }) => key === engineFailure(engine, storeId))?.message ?? null
  const sinceOf = (failure: string) => failures.failing().find(({ key }) => key === failure)?.since ?? realNow()

  const wholeService = async (): Promise<Problem[]> => {
    const [trouble, clock] = [await asked.databaseTrouble(), asked.clockProblem()]
    return [
      ...(trouble ? [databaseProblem(trouble, sinceOf(DATABASE_FAILURE))] : []),
      ...(clock === null ? [] : [clockProblem(clock, sinceOf(CLOCK_FAILURE))])
    ]
  }
  // All of them, or one that begins to fail would not be among the hundred that have failed longest.
  const watch = createProblemWatch(async () => {
    const causes = await wholeService()
    return (await findStatus({ db, engines, errorOf, causes }, null, { allReceivers: true })).problems
  }, log)

  return {
    async status(storeId) {
      const causes = await wholeService()
      // To read what cannot be read takes as long as a request may.
      if (causes[0]?.kind === 'database_unreachable') return { stores: 0, problems: causes, notes: [] }
      try {
        const found = await findStatus({ db, engines, errorOf, causes }, storeId)
        return { ...found, problems: [...causes, ...found.problems] }
      } catch (err) {
        const known = await wholeService()
        if (known.length === 0) throw err
        return { stores: 0, problems: known, notes: [] }
      }
    },
    async checkProcess() {
      reportHanging(engines, failures)
      const trouble = await asked.databaseTrouble()
      if (trouble) failures.failed(DATABASE_FAILURE, new Error(trouble.message), 'The database')
      else failures.worked(DATABASE_FAILURE)
      const clock = asked.clockProblem()
      if (clock === null) failures.worked(CLOCK_FAILURE)
      else failures.failed(CLOCK_FAILURE, new Error(clock), 'The clock')
      failures.expire()
    },
    look: watch.look
  }
}

/** Nothing else shows it: its leases are extended, so it looks like work that goes on. */
function reportHanging(engines: readonly Engine[], failures: FailureLog): void {
  for (const { name, keptLong } of engines) {
    for (const { storeId, things, sinceMs } of keptLong?.() ?? []) {
      const minutes = Math.floor((performance.now() - sinceMs) / 60_000)
      const err = new Error(`${things} of its things have been under way for ${minutes} minutes: restart this process`)
      const what = `Work of engine ${name} in store ${storeId}`
      failures.failed(`kept ${name} ${storeId}`, err, what, { engine: name, store: { id: storeId } })
    }
  }
}
