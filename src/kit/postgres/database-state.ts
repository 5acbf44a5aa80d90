import type { Connection } from './connection.ts'
import type { Database } from './database.ts'
import { isBusy, NoAnswer } from './outage.ts'
import { bool, row, text } from './row.ts'
import { sql } from './sql.ts'

const ANSWER_MS = 3_000
/** So long what was found out is given to whoever asks. */
const FRESH_MS = 1_000
/** How long the server may take to end a write that is late, before the connection is cut. */
const CANCEL_MS = 2_000

const DISK_FULL = '53100'
const READ_ONLY = '25006'
const CANCELED = '57014'
/** What the administrator set, such as temp_file_limit: the disk is not full. */
const LIMIT_SET = '53400'

/** Why the database cannot be worked with. */
export type DatabaseTrouble = {
  kind: 'unreachable' | 'reads_only' | 'full' | 'does_not_commit' | 'does_not_write'
  message: string
}

export type DatabaseState = {
  /**
   * What is wrong with the database, after three seconds at most; null when a write was just committed. Those who ask at the same
   * time, or within a second, share one answer.
   */
  trouble(): Promise<DatabaseTrouble | null>
  stop(): Promise<void>
}

const Settings = row({ readsOnly: bool, standbys: text })

/**
 * Finds out whether the database can be worked with, by a read and by a write that commits. The write replaces the row of node
 * `nodeId` on a connection of its own, since one that does not commit holds up what shares its connection.
 */
export function createDatabaseState(db: Database, nodeId: number): DatabaseState {
  let session: { client: Connection; pid: number } | null = null
  let last: { at: number; trouble: DatabaseTrouble | null } | null = null
  let asking: Promise<DatabaseTrouble | null> | null = null
  /** A write that is late is not begun a second time: each would keep a server process. */
  let writing: Promise<void> | null = null
  let isStopped = false

  const open = async () => {
    const client = await db.session()
    client.once('end', () => {
      if (session?.client === client) session = null
    })
    try {
      const { rows } = await client.within(ANSWER_MS, () => client.query(SET_UP).then(lastOf))
      session = { client, pid: rows[0]!.pid }
    } finally {
      if (isStopped || !session) await client.end()
    }
    return session
  }

  const writeOnce = async (): Promise<void> => {
    const { client } = session ?? (await open())
    await client.within(ANSWER_MS + CANCEL_MS, () => client.query(writeOf(nodeId)))
    await client
      .within(ANSWER_MS, () => client.query(FILL))
      .catch((err: { code?: string }) => {
        if (err.code !== LIMIT_SET) throw err
      })
  }

  const write = async (): Promise<void> => {
    const began = performance.now()
    await writeAgain()
    // The server was made to end it, and says that it is done.
    if (performance.now() - began >= ANSWER_MS) throw new NoAnswer(ANSWER_MS)
  }

  const writeAgain = async (): Promise<void> => {
    const wasOpen = session
    try {
      await writeOnce()
    } catch (err) {
      if (!hasEnded(err)) throw err
      const broken = session
      session = null
      void broken?.client.end().catch(() => {})
      // A connection that was idle may have been ended, which says nothing of the database.
      if (!wasOpen || err instanceof NoAnswer) throw err
      await writeOnce()
    }
  }

  const look = async (): Promise<DatabaseTrouble | null> => {
    let isLate = false
    let settings: { readsOnly: boolean; standbys: string } | null = null
    const read = db.direct.one(Settings, readSettings).then((found) => {
      settings = found
    })
    writing ??= write().finally(() => {
      writing = null
    })
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      isLate = true
      late.reject(new NoAnswer(ANSWER_MS))
    }, ANSWER_MS)
    try {
      await Promise.race([Promise.all([read, writing]), late.promise])
      return null
    } catch (err) {
      const known = settings as { readsOnly: boolean; standbys: string } | null
      if (known?.readsOnly) return READS_ONLY
      if (!(err instanceof NoAnswer)) return troubleOf(err as Error, known?.standbys ?? '')
      if (known && session) {
        if (isLate) void cancel(db, session.pid).catch(() => {})
        return notCommitting(known.standbys)
      }
      // Nothing is to be expected of the connection for writes either.
      session?.client.cut(err)
      return { kind: 'unreachable', message: `No answer within ${ANSWER_MS / 1_000} s` }
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    async trouble() {
      if (last && performance.now() - last.at < FRESH_MS) return last.trouble
      asking ??= look().finally(() => {
        asking = null
      })
      const trouble = await asking
      last = { at: performance.now(), trouble }
      return trouble
    },
    async stop() {
      isStopped = true
      await session?.client.end()
    }
  }
}

const readSettings = sql`
  select current_setting('transaction_read_only')::boolean as reads_only,
         current_setting('synchronous_standby_names') as standbys`

/** So little memory that a few rows are written to the disk; there, and not where an administrator has more room. */
const SET_UP = `set lock_timeout = '2s'; set work_mem = '64kB'; set temp_tablespaces = ''; select pg_backend_pid() as pid`

/** Both in one transaction, which commits at the end of the message: nobody sees the row missing. */
const writeOf = (nodeId: number) => `
  delete from nodes where id = ${nodeId};
  insert into nodes (id) values (${nodeId})`

/** Takes some 300 kB of the disk for a moment: the row above finds room on its page when no file can grow any more. */
const FILL = 'select count(*) from generate_series(1, 15000)'

const lastOf = (results: unknown) => (results as { rows: { pid: number }[] }[]).at(-1)!

/** Has the server end the write, or each one that does not commit would keep a server process for as long as that lasts. */
async function cancel(db: Database, pid: number): Promise<void> {
  const other = await db.session()
  try {
    // The user of the database may end its own statements, and the role of the service may not.
    await other.within(CANCEL_MS, () => other.query(`reset role; select pg_cancel_backend(${pid})`))
  } finally {
    await other.end()
  }
}

const READS_ONLY: DatabaseTrouble = {
  kind: 'reads_only',
  message: 'It only reads: it is a standby, or was set to read only'
}

const notCommitting = (standbys: string): DatabaseTrouble => ({
  kind: 'does_not_commit',
  message:
    `It answers, and commits nothing: a small write was not done within ${ANSWER_MS / 1_000} s` +
    (standbys === '' ? '' : `; commits wait for a synchronous standby (synchronous_standby_names is '${standbys}')`)
})

/** Whether the connection is of no use any more. */
const hasEnded = (err: unknown) => (err as { severity?: string }).severity !== 'ERROR'

function troubleOf(err: Error & { code?: unknown; severity?: string }, standbys: string): DatabaseTrouble {
  const message = err.message || String(err.code)
  if (err.code === READ_ONLY) return READS_ONLY
  if (err.code === DISK_FULL) return { kind: 'full', message: `Its disk is full: ${message}` }
  if (err.code === CANCELED || isBusy(err)) return notCommitting(standbys)
  if (err.severity === 'ERROR') return { kind: 'does_not_write', message: `It answers, and writes nothing: ${message}` }
  return { kind: 'unreachable', message }
}
