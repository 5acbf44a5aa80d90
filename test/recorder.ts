import { type Ctx, Database, type Statement, type Tx } from '#kit/postgres'

/** Wraps queries to record each statement before it runs. */
export function recorder(tx: Tx, note: (statement: Statement) => void): Tx {
  const noted = (statement: Statement) => {
    note(statement)
    return statement
  }
  return {
    many: (row, statement) => tx.many(row, noted(statement)),
    one: (row, statement) => tx.one(row, noted(statement)),
    maybeOne: (row, statement) => tx.maybeOne(row, noted(statement)),
    run: (statement) => tx.run(noted(statement)),
    send: (statement) => tx.send(noted(statement))
  }
}

/** A database that records the statements of each store transaction, in order of their start. */
export class RecordingDatabase extends Database {
  readonly transactions: Statement[][] = []

  override inStore<T>(storeId: number, work: (ctx: Ctx) => Promise<T>): Promise<T> {
    const statements: Statement[] = []
    this.transactions.push(statements)
    return super.inStore(storeId, (ctx) =>
      work({ ...ctx, tx: recorder(ctx.tx, (statement) => statements.push(statement)) })
    )
  }
}
