import { realNow } from '#kit/clock'
import { type Database, sql } from '#kit/postgres'

/** How long the log keeps a change, with the address from which it was asked for. */
const CHANGE_KEPT_DAYS = 400
/** So many of the oldest are looked at in one statement; the next run goes on. */
const CHANGES_AT_ONCE = 10_000

/** Deletes sessions, half done sign-ins and links that are over, and old changes. */
export async function pruneTeam(db: Database): Promise<void> {
  const now = realNow()
  await db.inInstallation(async (tx) => {
    await tx.run(sql`delete from team_sessions where expires_at < ${now}`)
    await tx.run(sql`delete from team_verifications where expires_at < ${now}`)
    await tx.run(sql`delete from team_invitations where expires_at < ${now}`)
    await tx.run(sql`
      delete from team_changes
       where id in (select id from team_changes order by id limit ${CHANGES_AT_ONCE})
         and changed_at < ${now.subtract({ hours: 24 * CHANGE_KEPT_DAYS })}`)
  })
}
