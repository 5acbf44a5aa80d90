import type { Database, Queries } from '#kit/postgres'

/** What the sandbox needs of a database. */
export type SandboxDatabase = Pick<Database, 'direct' | 'inInstallation' | 'session'>

/** The stores for which a transaction has queued messages. */
const queuedIn = new WeakMap<Queries, Set<number>>()

/** Notes that a transaction has queued messages for a store. */
export function noteQueued(q: Queries, storeId: number): void {
  queuedIn.get(q)?.add(storeId)
}

/** A database that calls `report` after a commit, once for each store for which the transaction has queued messages. */
export function reportingQueued(db: Database, report: (storeId: number) => void): SandboxDatabase {
  return {
    direct: db.direct,
    session: () => db.session(),
    async inInstallation(work) {
      const stores = new Set<number>()
      const result = await db.inInstallation((q) => {
        queuedIn.set(q, stores)
        return work(q)
      })
      for (const storeId of stores) report(storeId)
      return result
    }
  }
}
