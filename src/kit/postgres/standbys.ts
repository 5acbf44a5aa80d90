import type { Database } from './database.ts'
import { bool, int, nullable, row, text } from './row.ts'
import { sql } from './sql.ts'

const LOOK_EVERY_MS = 600_000

const Standbys = row({ standbys: int, synchronous: int, areHidden: nullable(bool), names: text, commit: text })

/**
 * Why writes that were acknowledged may be lost when a standby takes over; null where they are not, or there is no standby. A user who
 * may not see the state of standbys sees how many there are, and what the server waits for.
 */
export async function findStandbyRisk(db: Database): Promise<string | null> {
  const { standbys, synchronous, areHidden, names, commit } = await db.inInstallation((tx) =>
    tx.one(
      Standbys,
      sql`
      select count(*) as standbys, count(*) filter (where sync_state in ('sync', 'quorum')) as synchronous,
             bool_or(state is null) as are_hidden, current_setting('synchronous_standby_names') as names,
             current_setting('synchronous_commit') as commit
        from pg_stat_replication
       where (state is null or state in ('startup', 'catchup', 'streaming'))
         and (application_name is null or application_name not in ('pg_basebackup', 'pg_receivewal'))`
    )
  )
  if (standbys === 0) return null
  const isWaitedFor = names !== '' && commit !== 'off' && commit !== 'local' && (areHidden === true || synchronous > 0)
  if (isWaitedFor) return null
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
