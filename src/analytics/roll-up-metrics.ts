import { dueQuery, type Engine } from '#kit/engines'
import { type Ctx, type Database, directSql, int, row, sql } from '#kit/postgres'

/** Changes that may wait unfolded in a store: readers add them up, which costs them next to nothing. */
const MAY_WAIT = 200

const Count = row({ count: int })

const waiting = directSql<[storeId: number]>(
  'metrics_waiting',
  `select count(*) as count
     from (select from metric_changes where store_id = $1 and id > rolled_up_to($1, 'metrics') limit ${MAY_WAIT + 1}) as changes`
)

const dueRollUps = dueQuery(
  'metrics_due',
  `select c.store_id, to_timestamp(0) as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join metric_changes c on c.store_id = s.store_id
    group by c.store_id having count(*) > ${MAY_WAIT}`
)

/**
 * Folds what the writers appended into the figures of days, whenever enough has gathered. Nothing waits for it: readers
 * see every commit at once, folded or not.
 */
export function createMetricsRollupEngine({ db }: { db: Database }): Engine {
  return {
    name: 'metrics',
    due: dueRollUps,
    async nextDueAt(storeId) {
      const { count } = await db.direct.one(Count, waiting(storeId))
      return count > MAY_WAIT ? LONG_AGO : null
    },
    runOnce: (storeId) => db.inStore(storeId, rollUpMetrics)
  }
}

/** Due whatever the store's clock says: figures have no date of their own. */
const LONG_AGO = Temporal.Instant.fromEpochMilliseconds(0)

/** Folds one batch of changes and tells how many they were; 0 also while another process is at it. */
export async function rollUpMetrics({ tx, storeId }: Ctx): Promise<number> {
  const { count } = await tx.one(Count, sql`select roll_up_metrics(${storeId}) as count`)
  return count
}

/** Counts the figures of all days anew from the raw rows: their days are others where the shop lives in another zone now. */
export async function rebuildMetrics({ tx, storeId }: Ctx): Promise<void> {
  await tx.run(sql`select rebuild_metrics(${storeId})`)
}
