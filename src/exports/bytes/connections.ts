import { type Connection, openConnection, STORE_ROLE } from '#kit/postgres'
import { PLANNER_SETTINGS } from '../endpoint.ts'
import type { ThreadOptions } from './messages.ts'
import { yieldBackend } from './priority.ts'

/** How long a statement may wait for a lock. */
const LOCK_MS = 4_000
/** A connection that nobody needed for so long is closed. */
const IDLE_MS = 30_000
/** How long the server may take to end a statement that is cancelled, or to end a transaction. */
export const CANCEL_MS = 3_000

/** So that a value has one text, whatever the server, the database and the user have set. */
const ONE_TEXT = `set client_encoding = 'UTF8'; set datestyle = 'ISO, YMD'; set intervalstyle = 'iso_8601';
  set bytea_output = 'hex'; set extra_float_digits = 1`

export type OwnConnection = {
  connection: Connection
  /** Of the server's process, by which its statement is cancelled. */
  pid: number
}

/** The connections of one thread: as many as exports run in it at once, and one that cancels. */
export function createConnections({ url, statementMs }: ThreadOptions) {
  const idle: { own: OwnConnection; timer: NodeJS.Timeout }[] = []
  const config = { connectionString: url, application_name: 'perennial exports', pipeline: true }
  const setUp = `set role ${STORE_ROLE}; ${ONE_TEXT}; ${PLANNER_SETTINGS};
    set lock_timeout = ${LOCK_MS}; set statement_timeout = ${statementMs};
    set idle_in_transaction_session_timeout = ${statementMs}`
  let canceller: Promise<Connection> | null = null
  /** The last of the cancellations, which follow one after the other on their connection. */
  let cancelled: Promise<unknown> = Promise.resolve()

  const forget = (own: OwnConnection) => {
    const at = idle.findIndex((other) => other.own === own)
    if (at >= 0) clearTimeout(idle.splice(at, 1)[0]!.timer)
  }
  const close = ({ connection }: OwnConnection) => void connection.end().catch(() => {})

  return {
    /** How long the server may take for a whole export, before its connection is cut: it has ended the statement by then. */
    answerMs: statementMs + CANCEL_MS,
    async take(): Promise<OwnConnection> {
      const waiting = idle.pop()
      if (waiting) {
        clearTimeout(waiting.timer)
        return waiting.own
      }
      const connection = await openConnection(config, setUp)
      const { rows } = await connection.within(CANCEL_MS, () =>
        connection.query<{ pid: number; isEmbedded: boolean }>(
          `select pg_backend_pid() as pid, current_setting('perennial.cluster', true) is not null as "isEmbedded"`
        )
      )
      const { pid, isEmbedded } = rows[0]!
      // Another database may be on another machine, where the number means another process.
      if (isEmbedded) yieldBackend(pid)
      const own = { connection, pid }
      // One that the server has closed meanwhile is of no use to the next export.
      connection.once('end', () => forget(own))
      return own
    },
    giveBack(own: OwnConnection): void {
      const timer = setTimeout(() => {
        forget(own)
        close(own)
      }, IDLE_MS)
      idle.push({ own, timer })
    },
    /** For one whose state is not known. */
    discard: ({ connection }: OwnConnection, reason: Error) => connection.cut(reason),
    /** Ends the statement that this connection runs. Returns when the server was told. */
    cancel({ pid }: OwnConnection): Promise<void> {
      const told = cancelled.then(async () => {
        canceller ??= openConnection(config)
        try {
          const connection = await canceller
          await connection.within(CANCEL_MS, () => connection.query('select pg_cancel_backend($1)', [pid]))
        } catch (err) {
          canceller = null
          throw err
        }
      })
      cancelled = told.catch(() => {})
      return told
    },
    async close(): Promise<void> {
      for (const { own, timer } of idle.splice(0)) {
        clearTimeout(timer)
        close(own)
      }
      await canceller?.then((connection) => connection.end()).catch(() => {})
    }
  }
}

export type ThreadConnections = ReturnType<typeof createConnections>
