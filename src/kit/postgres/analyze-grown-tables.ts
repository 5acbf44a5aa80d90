import type { Database } from './database.ts'
import { nullable, row, text } from './row.ts'
import { sql } from './sql.ts'

const Grown = row({ grown: nullable(text) })

/**
 * Gathers the planner's statistics of every table of which half or more, and at least a thousand rows, changed since they were
 * gathered last. Autovacuum does that once a minute. In the first minute of a large run, plans made for a few rows would read all
 * rows of the store again and again. Returns the names of those tables. Safe to repeat; one that something else analyzes is left
 * to it.
 */
export async function analyzeGrownTables(db: Database): Promise<string[]> {
  const seen: string[] = []
  for (;;) {
    // A transaction for each table, so that no lock is held longer than one takes.
    const { grown } = await db.inInstallation((tx) =>
      tx.one(Grown, sql`select analyze_grown_table(${seen}::text[]) as grown`)
    )
    if (grown === null) return seen
    seen.push(grown)
  }
}
