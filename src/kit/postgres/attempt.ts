import pg from 'pg'
import { queriesOver, type Runner, type Tx } from './queries.ts'
import type { Statement } from './sql.ts'
import { encode } from './types.ts'

/** What the server says to a statement after one that failed. */
const ABORTED = '25P02'

/** A statement of the transaction failed and its error was ignored: the server made a rollback of the commit. */
export class RolledBack extends Error {}

const { prepareValue } = (pg as unknown as { utils: { prepareValue: (value: unknown) => string | Buffer | null } })
  .utils

/** One attempt of a transaction: its statements, and why it failed. */
export class Attempt {
  readonly tx: Tx
  #hasBegun = false
  #failure: unknown = null
  #lastSent: Promise<unknown> = Promise.resolve()
  #isOver = false

  /** `ask` is for statements whose answer somebody awaits. */
  constructor(ask: Runner, sendOnly: Runner) {
    const send = (statement: Statement) => {
      this.#refuseWhenOver()
      // What cannot be encoded fails here: the driver would leave it out, and the commit would go on without it.
      const values = statement.values.map((value) => prepareValue(encode(value)))
      // The server answers in order: the last answer comes after all the others.
      this.#lastSent = sendOnly({ ...statement, values }).catch((err: unknown) => {
        this.#failure ??= err
      })
    }
    const queries = queriesOver((statement) => {
      this.#refuseWhenOver()
      return ask(statement)
    })
    this.tx = { ...queries, send }
  }

  /** The transaction has begun: until then, what is asked for with the beginning fails because that failed. */
  begun(): void {
    this.#hasBegun = true
  }

  /** From now on nothing is carried out: on this connection it would be in no transaction, or in another. */
  end(): void {
    this.#isOver = true
  }

  /** Why it failed, once everything is answered, if this was thrown: the first error, not what came of it. */
  async causeOf(thrown: unknown): Promise<unknown> {
    await this.#lastSent
    const failure = this.#failure as { code?: string } | null
    return failure === null || failure.code === ABORTED || !this.#hasBegun ? thrown : failure
  }

  #refuseWhenOver(): void {
    if (this.#isOver) throw new Error('The transaction of this statement is over')
  }
}
