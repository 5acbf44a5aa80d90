import type pg from 'pg'
import type { Statement } from './sql.ts'
import { encode } from './types.ts'

/** How often the names of a connection's statements were replaced. Only connections where that happened are here. */
const rounds = new WeakMap<pg.ClientBase, number>()

/** The present round of names of a connection, from 0. */
export function roundOf(client: pg.ClientBase): number {
  return rounds.get(client) ?? 0
}

/** Runs a statement under its name, so that the connection prepares it once. In a later round it has another name. */
export function runNamed(client: pg.ClientBase, { name, text, values }: Statement): Promise<pg.QueryResult> {
  const round = roundOf(client)
  return client.query({ name: round === 0 ? name : `${name}_${round}`, text, values: values.map(encode) })
}

/**
 * Whether a prepared statement can no longer be run on its connection: a table or view that it reads has other columns
 * now, or somebody deallocated it. Nothing of the statement was executed. The routine is checked because 0A000 is the code
 * of every unsupported feature, and the message is translated by the server's locale.
 */
export function isStale(err: unknown): boolean {
  const { code, routine } = err as { code?: string; routine?: string }
  return code === '26000' || (code === '0A000' && routine === 'RevalidateCachedQuery')
}

/**
 * Begins a new round of names, in which every statement is prepared again, since a change of a table seldom makes only one
 * statement stale. The driver keeps the old names, so they cannot be used again. Statements of the earlier rounds
 * are deallocated; the connection must not be in a failed transaction. Does nothing when the round is not `round` any more.
 */
export async function renewNames(client: pg.ClientBase, round: number): Promise<void> {
  if (roundOf(client) !== round) return
  rounds.set(client, round + 1)
  await client.query('deallocate all')
}
