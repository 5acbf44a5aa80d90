import { dueQuery, type Engine, nextDueBy } from '#kit/engines'
import { type Database, directSql } from '#kit/postgres'
import { rollUpMetrics } from './roll-up-metrics.ts'

/** Changes of a store that may wait: readers add them up, which costs almost nothing. */
const MAX_WAITING = 200

/** Due at any time of the store's clock: a change of a metric is not due at a date. */
const nextRollUp = directSql<[storeId: number]>(
  'metrics_next',
  `select case when count(*) > ${MAX_WAITING} then to_timestamp(0) end
     from (select from metric_changes where store_id = $1 and id > rolled_up_to($1, 'metrics') limit ${MAX_WAITING + 1}) as changes`
)

const dueRollUps = dueQuery(
  'metrics_due',
  `select c.store_id, to_timestamp(0) as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join metric_changes c on c.store_id = s.store_id
    group by c.store_id having count(*) > ${MAX_WAITING}`
)

/**
 * Rolls up the changes that writers appended into metrics per day, whenever enough wait. Nothing depends on it: readers see every
 * commit immediately, rolled up or not.
 */
export function createMetricsRollupEngine({ db }: { db: Database }): Engine {
  return {
    name: 'metrics',
    stage: 'others',
    due: dueRollUps,
    ...nextDueBy(db, nextRollUp),
    runOnce: (storeId) => db.inStore(storeId, rollUpMetrics)
  }
}
