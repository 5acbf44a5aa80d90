import type { Database } from './database.ts'
import { bool, int, nullable, row, text } from './row.ts'
import { sql } from './sql.ts'

const LOOK_EVERY_MS = 600_000

const Standbys = row({
  standbys: int,
  synchronous: int,
  areHidden: nullable(bool),
  names: text,
  commit: text,
  loginRole: text
})

/**
 * Why writes that were acknowledged may be lost when a standby takes over; null where they are not, or there is no standby. The
 * user of the database may have to be granted to see that: without it, only the number of standbys is known, and what the server
 * waits for.
 */
export async function findStandbyRisk(db: Database): Promise<string | null> {
  const { standbys, synchronous, areHidden, names, commit, loginRole } = await db.inInstallation(async (tx) => {
    // The user may be granted what the role of the service is not.
    await tx.run(sql`set local role none`)
    return tx.one(
      Standbys,
      sql`
      select count(*) as standbys, count(*) filter (where sync_state in ('sync', 'quorum')) as synchronous,
             bool_or(state is null) as are_hidden, current_setting('synchronous_standby_names') as names,
             current_setting('synchronous_commit') as commit, quote_ident(session_user) as login_role
        from pg_stat_replication
       where (state is null or state in ('startup', 'catchup', 'streaming'))
         and (application_name is null or application_name not in ('pg_basebackup', 'pg_receivewal'))`
    )
  })
  if (standbys === 0) return null
  const mayBeWaitedFor = names !== '' && commit !== 'off' && commit !== 'local'
  if (mayBeWaitedFor && synchronous > 0) return null
  if (mayBeWaitedFor && areHidden === true) {
    return (
      `The database has ${standbys === 1 ? 'a standby' : `${standbys} standbys`}, and its user ${loginRole} may not see whether one of them ` +
      `is synchronous: if none is, writes of the last moments that were acknowledged may be lost when one takes over, charges among them. ` +
      `An administrator can allow it: grant pg_monitor to ${loginRole}`
    )
  }
  const why =
    names === ''
      ? 'synchronous_standby_names is empty'
      : commit === 'off' || commit === 'local'
        ? `synchronous_commit is ${commit}`
        : 'none of them is in synchronous_standby_names'
  return (
    `The database has ${standbys === 1 ? 'a standby that is' : `${standbys} standbys that are`} asynchronous (${why}): when one takes over, ` +
    'writes of the last moments that were acknowledged may be lost, charges among them'
  )
}

/** Says so in the log when the service starts, and whenever it changes. */
export function watchStandbys({ db, warn }: { db: Database; warn: (message: string) => void }): {
  stop(): Promise<void>
} {
  let said: string | null = null
  const look = async () => {
    // An outage is reported by whoever needs the database.
    const risk = await findStandbyRisk(db).catch(() => said)
    if (risk !== null && risk !== said) warn(risk)
    said = risk
  }
  let running = look()
  const timer = setInterval(() => {
    running = running.then(look)
  }, LOOK_EVERY_MS)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await running
    }
  }
}
