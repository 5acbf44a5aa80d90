import type pg from 'pg'
import { noteDriverError } from './outage.ts'
import type { Statement } from './sql.ts'
import { encode } from './types.ts'

/** How often a connection's statement names were replaced. A connection without an entry is in round 0. */
const rounds = new WeakMap<pg.ClientBase, number>()

/** The connection's current round of names, from 0. */
export function roundOf(client: pg.ClientBase): number {
  return rounds.get(client) ?? 0
}

/** Runs a statement under its name, so that the connection prepares it once. Each round has different names. */
export function runNamed(client: pg.ClientBase, { name, text, values }: Statement): Promise<pg.QueryResult> {
  const round = roundOf(client)
  const named = { name: round === 0 ? name : `${name}_${round}`, text, values: values.map(encode) }
  return client.query(named).catch(noteDriverError)
}

/**
 * Whether a prepared statement can no longer run on its connection: the columns of a table or view that it reads have changed,
 * or it was deallocated. The statement has had no effect. The routine is checked because 0A000 is the code of every unsupported
 * feature, and the message depends on the server's locale.
 */
export function isStale(err: unknown): boolean {
  const { code, routine } = err as { code?: string; routine?: string }
  return code === '26000' || (code === '0A000' && routine === 'RevalidateCachedQuery')
}

/**
 * Starts a new round of names, in which every statement is prepared again, since a changed table usually makes several statements
 * stale. The driver remembers the old names, so they cannot be reused. Deallocates the statements of earlier rounds; the
 * connection must not be in a failed transaction. Does nothing if the connection has left `round` already.
 */
export async function renewNames(client: pg.ClientBase, round: number): Promise<void> {
  if (roundOf(client) !== round) return
  rounds.set(client, round + 1)
  await client.query('deallocate all')
}
