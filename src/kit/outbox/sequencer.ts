import { dueQuery, type Engine, nextDueBy } from '../engines/index.ts'
import { type Database, directSql } from '../postgres/index.ts'
import type { Consumer } from './consumer.ts'
import { sequenceFacts, startConsumers } from './sequence-facts.ts'

/** The engine that gives recorded facts their positions, after which the engines of the consumers, `next`, have work. */
export function createSequencer({
  db,
  consumers,
  next
}: {
  db: Database
  consumers: readonly Consumer[]
  next: readonly Engine[]
}): Engine {
  /** Stores in which this process has started its consumers; a start is never taken back. */
  const started = new Set<number>()
  return {
    name: 'facts',
    stage: 'facts',
    next,
    due: (stores) => unsequencedDue(stores),
    ...nextDueBy(db, firstUnsequenced),
    async runOnce(storeId) {
      if (!started.has(storeId)) {
        await db.inStore(storeId, (ctx) => startConsumers(ctx, consumers))
        started.add(storeId)
      }
      return sequenceFacts(db, storeId)
    }
  }
}

const unsequencedDue = dueQuery(
  'facts_due',
  `select f.store_id, min(f.occurred_at) as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join facts f on f.store_id = s.store_id and f.position is null and f.occurred_at <= s.until
    group by f.store_id`
)

const firstUnsequenced = directSql<[storeId: number]>(
  'facts_unsequenced',
  'select occurred_at from facts where store_id = $1 and position is null order by id limit 1'
)
