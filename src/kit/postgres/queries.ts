import type pg from 'pg'
import type { Row } from './row.ts'
import type { Statement } from './sql.ts'

export interface Queries {
  /** All rows, validated. */
  many<T>(row: Row<T>, statement: Statement): Promise<T[]>
  /** The one row; throws if there is none or more than one. */
  one<T>(row: Row<T>, statement: Statement): Promise<T>
  /** The row, or null; throws if there is more than one. */
  maybeOne<T>(row: Row<T>, statement: Statement): Promise<T | null>
  /** Runs a statement and returns the number of rows that it affected. */
  run(statement: Statement): Promise<number>
}

/** The statements of a transaction, which are carried out in the order in which they are asked for. */
export type Tx = Queries & {
  /**
   * Sends a statement of which nobody awaits anything: the end of the transaction waits for it, and where it fails the transaction
   * fails with its error. It spares the wait for its answer.
   */
  send(statement: Statement): void
}

/** Runs a statement. */
export type Runner = (statement: Statement) => Promise<pg.QueryResult>

/** Queries whose statements `run` runs. */
export function queriesOver(run: Runner): Queries {
  const many = async <T>(row: Row<T>, statement: Statement) => (await run(statement)).rows.map((raw) => row(raw))
  const maybeOne = async <T>(row: Row<T>, statement: Statement) => {
    const rows = await many(row, statement)
    if (rows.length > 1) throw new Error(`Expected one row, got ${rows.length}: ${statement.text.slice(0, 80)}`)
    return rows[0] ?? null
  }
  const one = async <T>(row: Row<T>, statement: Statement) => {
    const found = await maybeOne(row, statement)
    if (found === null) throw new Error(`Expected one row, got none: ${statement.text.slice(0, 80)}`)
    return found
  }
  return { many, maybeOne, one, run: async (statement) => (await run(statement)).rowCount ?? 0 }
}
