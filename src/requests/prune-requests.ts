import { realNow } from '#kit/clock'
import { type Database, sql } from '#kit/postgres'

const KEPT_DAYS = 7

/** Deletes requests of more than a week ago. */
export function pruneApiRequests(db: Database): Promise<number> {
  const since = realNow().subtract({ hours: 24 * KEPT_DAYS })
  return db.inInstallation((tx) => tx.run(sql`delete from api_requests where requested_at < ${since}`))
}
