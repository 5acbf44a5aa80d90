import { type Database, sql } from '#kit/postgres'

/**
 * The database as an engine sees it while `isAway`: the server ends the connection of each transaction in a store, which
 * is an outage for the code under test.
 */
export function awayWhile(db: Database, isAway: () => boolean): Database {
  return Object.create(db, {
    inStore: {
      value(...[storeId, work]: Parameters<Database['inStore']>) {
        if (!isAway()) return db.inStore(storeId, work)
        return db.inInstallation(async (tx) => {
          await tx.run(sql`reset role`)
          return tx.run(sql`select pg_terminate_backend(pg_backend_pid())`)
        })
      }
    }
  })
}
