import { realNow } from '#kit/clock'
import type { Engine } from '#kit/engines'
import type { FailureLog } from '#kit/failure-log'
import type { Database } from '#kit/postgres'
import { findStatus, type Status } from './find-problems.ts'
import type { Problem } from './problem.ts'
import { createProblemWatch } from './watch-problems.ts'

/** Under this key the failure log has that the database does not answer. */
export const DATABASE_FAILURE = 'database'

/** Under this key it has that an engine fails in a store. */
export const engineFailure = (engine: string, storeId: number) => `engine ${engine} ${storeId}`

export type StatusOptions = {
  db: Database
  engines: readonly Engine[]
  failures: FailureLog
  /** `ok`, or what is wrong with the database. */
  databaseState: () => Promise<string>
  log: Parameters<typeof createProblemWatch>[1]
}

export type ServiceStatus = {
  /** What does not work in one store, or in all. Without a database that is all that is known. */
  status(storeId: number | null): Promise<Status>
  /**
   * Asks whether the database answers, and what engines of this process have under way for so long that it hangs; has the log say when
   * that changes. For every process.
   */
  checkProcess(): Promise<void>
  /** Has the log say which problems have begun and ended. For one process. */
  look(): Promise<void>
}

/** What this process knows of what does not work. */
export function createStatus({ db, engines, failures, databaseState, log }: StatusOptions): ServiceStatus {
  const errorOf = (engine: string, storeId: number) =>
    failures.failing().find(({ key }) => key === engineFailure(engine, storeId))?.message ?? null
  const deps = { db, engines, errorOf }
  const find = (storeId: number | null) => findStatus(deps, storeId)
  // All of them, or one that begins to fail would not be among the hundred that have failed longest.
  const watch = createProblemWatch(async () => (await findStatus(deps, null, { allReceivers: true })).problems, log)

  const unreachable = (reason: string): Problem => ({
    kind: 'database_unreachable',
    store: null,
    subject: 'database',
    since: failures.failing().find(({ key }) => key === DATABASE_FAILURE)?.since ?? realNow(),
    message: `The database does not answer: ${reason}`,
    next:
      'The embedded database is started again by itself, and DATA_DIR/postgres.log says why it ended. With DATABASE_URL: start ' +
      'PostgreSQL, or check the address and the network. The service goes on by itself; nothing is lost.'
  })

  return {
    async status(storeId) {
      try {
        return await find(storeId)
      } catch (err) {
        const state = await databaseState()
        if (state === 'ok') throw err
        return { stores: 0, problems: [unreachable(state)], notes: [] }
      }
    },
    async checkProcess() {
      reportHanging(engines, failures)
      const state = await databaseState()
      if (state === 'ok') failures.worked(DATABASE_FAILURE)
      else failures.failed(DATABASE_FAILURE, new Error(state), 'The database')
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
