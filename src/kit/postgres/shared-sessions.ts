import { Connection } from './connection.ts'

/** How long the probe waits for each answer. */
const ANSWER_MS = 10_000
/** What the driver says when no answer came in time. */
const NO_ANSWER = 'Query read timeout'

const SHARED =
  'DATABASE_URL leads to a pooler in transaction mode, which gives several connections one session of PostgreSQL. Perennial needs ' +
  'sessions of its own, for the role of each connection, prepared statements, advisory locks and LISTEN: connect to PostgreSQL ' +
  'directly, or set pool_mode = session for this database'

/** In which order the connections begin transactions again, after they ended in the order in which they were opened. */
const AGAIN = [1, 3, 0, 2]

/**
 * Throws if connections share sessions, as behind PgBouncer in transaction mode: there the role that a connection has set would
 * be that of other connections, and locks would belong to nobody. Four connections begin a transaction each, end them one after
 * the other, and begin again in another order. With a session each, all keep their server process. A pooler hands out the one
 * that came back first or last, or one that another client has used since: then at least one connection gets another process, or
 * waits for one.
 */
export async function refuseSharedSessions(url: string, answerMs = ANSWER_MS): Promise<void> {
  const connections = AGAIN.map(() => new Connection({ connectionString: url, query_timeout: answerMs }))
  const begin = async (connection: Connection) => {
    await connection.query('begin')
    const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid')
    return rows[0]!.pid
  }
  const processes: number[] = []
  try {
    for (const connection of connections) await connection.connect()
    for (const connection of connections) processes.push(await begin(connection))
    for (const connection of connections) await connection.query('rollback')
    for (const at of AGAIN) if ((await begin(connections[at]!)) !== processes[at]) throw new Error(SHARED)
  } catch (err) {
    // A pool that is used up has the next transaction wait; PostgreSQL itself answers or refuses.
    throw processes.length > 0 && (err as Error).message === NO_ANSWER ? new Error(SHARED, { cause: err }) : err
  } finally {
    await Promise.all(connections.map((connection) => connection.end().catch(() => {})))
  }
}
