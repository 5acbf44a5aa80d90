import { type Ctx, Database, type Queries, type Statement } from '#kit/postgres'

/** The same queries; each statement is noted before it is run. */
export function recorder(tx: Queries, note: (statement: Statement) => void): Queries {
  const noted = (statement: Statement) => {
    note(statement)
    return statement
  }
  return {
    many: (row, statement) => tx.many(row, noted(statement)),
    one: (row, statement) => tx.one(row, noted(statement)),
    maybeOne: (row, statement) => tx.maybeOne(row, noted(statement)),
    run: (statement) => tx.run(noted(statement))
  }
}

/** A database that keeps the statements of each transaction of a store, in the order in which they began. */
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
