import { acrossStores, type Ctx, type Database, instant, int, nullable, row, sql } from '../postgres/index.ts'

/**
 * How long facts are kept: a quarter, so that a difference that shows when a quarter is closed can be traced to its fact. It is
 * longer than the webhook history, from which receivers get what they missed.
 */
const KEPT_DAYS = 90
const BATCH = 1_000
/** The rest is left to the next run, so that a stop need not wait for it. */
const MAX_BATCHES = 50

const storesWithOldFacts = acrossStores<[stores: string, before: Temporal.Instant]>(
  'facts_to_prune',
  `select s.store_id
     from unnest($1::bigint[]) as s(store_id)
    where (select f.occurred_at from facts f
            where f.store_id = s.store_id and f.position is not null order by f.position limit 1) < $2::timestamptz`
)

/**
 * Removes old facts of these stores that every consumer has passed and none has parked; returns how many. It may be interrupted
 * at any time, and run twice at once. Positions go on from where they were.
 */
export async function pruneFacts(
  db: Database,
  storeIds: number[],
  { keptDays = KEPT_DAYS, batch = BATCH, maxBatches = MAX_BATCHES } = {}
): Promise<number> {
  const before = Temporal.Now.instant().subtract({ hours: keptDays * 24 })
  const stores = await db.acrossStores.many(row({ storeId: int }), storesWithOldFacts(`{${storeIds.join()}}`, before))
  let pruned = 0
  let batches = 0
  for (const { storeId } of stores) {
    for (let last = batch; last === batch && batches < maxBatches; batches++) {
      last = await db.inStore(storeId, (ctx) => pruneBatch(ctx, before, batch))
      pruned += last
    }
  }
  return pruned
}

/** Facts are nearly in order of time, so only the oldest are read: a batch costs the same however many facts there are. */
async function pruneBatch({ tx, storeId }: Ctx, before: Temporal.Instant, batch: number): Promise<number> {
  const { count, newest, last } = await tx.one(
    row({ count: int, newest: nullable(instant), last: nullable(int) }),
    sql`
    with pruned as (
      delete from facts
       where store_id = ${storeId} and id = any(array(
             select f.id
               from (select id, occurred_at from facts
                      where store_id = ${storeId}
                        and position <= (select min(position) from fact_consumers where store_id = ${storeId})
                        and not exists (select from fact_retries r where r.store_id = ${storeId} and r.fact_id = facts.id)
                      order by position limit ${batch}) f
              where f.occurred_at < ${before}))
      returning occurred_at, position)
    select count(*) as count, max(occurred_at) as newest, max(position) as last from pruned`
  )
  if (newest && last) await noteIncomplete({ tx, storeId }, { newest, last })
  return count
}

/**
 * Notes since when all facts of the store are kept, for those who compare facts with what they are about, and after which position,
 * for those who read them. A day is added to the time: rows that came from the platform have its clock's.
 */
async function noteIncomplete(
  { tx, storeId }: Pick<Ctx, 'tx' | 'storeId'>,
  { newest, last }: { newest: Temporal.Instant; last: number }
): Promise<void> {
  await tx.run(sql`
    insert into fact_history (store_id, complete_since, pruned_through)
    values (${storeId}, ${newest.add({ hours: 24 })}, ${last})
    on conflict (store_id) do update
      set complete_since = greatest(fact_history.complete_since, excluded.complete_since),
          pruned_through = greatest(fact_history.pruned_through, excluded.pruned_through)`)
}
