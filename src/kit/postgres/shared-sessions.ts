import type pg from 'pg'
import { Connection } from './connection.ts'

/** How long the probe waits for each answer. */
const ANSWER_MS = 10_000

const SHARED =
  'DATABASE_URL leads to a pooler in transaction mode, which gives several connections one session of PostgreSQL. Perennial needs ' +
  'sessions of its own, for the role of each connection, prepared statements, advisory locks and LISTEN: connect to PostgreSQL ' +
  'directly, or set pool_mode = session for this database'

/**
 * Throws if connections share sessions, as behind PgBouncer in transaction mode: there the role that a connection has set would
 * be that of other connections, and locks would belong to nobody. Two connections are asked for their server process while one is in a
 * transaction: with a session each, both keep their own.
 */
export async function refuseSharedSessions(url: string): Promise<void> {
  const [first, second] = [0, 1].map(() => new Connection({ connectionString: url, query_timeout: ANSWER_MS })) as [
    Connection,
    Connection
  ]
  const processOf = async (client: pg.Client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    return rows[0]!.pid
  }
  try {
    await first.connect()
    const before = await processOf(first)
    await second.connect()
    await second.query('begin')
    const other = await processOf(second)
    // The second one keeps its process until its transaction ends. A pooler has given it the first one's, or gives the first another.
    const after = await processOf(first)
    if (other === before || after !== before) throw new Error(SHARED)
  } finally {
    await Promise.all([first, second].map((client) => client.end().catch(() => {})))
  }
}
