import { setTimeout as sleep } from 'node:timers/promises'
import type { Bound } from './database.ts'
import { row, text } from './row.ts'
import { sql } from './sql.ts'

const FIRST_PAUSE_MS = 2
const LONGEST_PAUSE_MS = 50

/**
 * The guard of cursors that go by ids. Waits until every transaction has ended that is writing to this table now, in any store; those
 * that begin later are not waited for. Whoever has seen a committed row with an id before the call, and reads again after it, sees every
 * row with a smaller id that will ever be there: an insert holds its lock on the table before it takes an id, and until its
 * commit can be seen. The ids must come from one sequence, and `ctx` must be a transaction that sees what others commit meanwhile.
 *
 * False: one of them still writes after `waitMs`, and nothing is known. A sharded database needs another function here.
 */
export async function waitForWriters(ctx: Bound, table: string, waitMs: number): Promise<boolean> {
  const endsAt = performance.now() + waitMs
  let open = await writersOf(ctx, table)
  for (let pause = FIRST_PAUSE_MS; open.size > 0; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const left = endsAt - performance.now()
    if (left <= 0) return false
    await sleep(Math.min(pause, left))
    open = open.intersection(await writersOf(ctx, table))
  }
  return true
}

/** The transactions that hold a lock that an insert takes, by the number that each has while it lasts. */
async function writersOf(ctx: Bound, table: string): Promise<Set<string>> {
  const writers = await ctx.tx.many(
    row({ writer: text }),
    sql`
    select virtualtransaction as writer from pg_locks
     where locktype = 'relation' and granted and pid is distinct from pg_backend_pid()
       and database = (select oid from pg_database where datname = current_database())
       and relation = ${table}::regclass
       and mode in ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')`
  )
  return new Set(writers.map(({ writer }) => writer))
}
