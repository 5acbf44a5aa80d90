import { dueQuery, type Engine, nextDueBy } from '#kit/engines'
import { type Database, directSql } from '#kit/postgres'
import { beginAndEndRules } from './rules/begin-and-end-rules.ts'
import { beginAndEndTemplates } from './templates/begin-and-end-templates.ts'

/** Begins and ends rules and coupon templates of loyalty by the store's clock. The metafields of the shop follow from the facts. */
export function createLoyaltyDateEngine({ db }: { db: Database }): Engine {
  return {
    name: 'loyalty-dates',
    stage: 'others',
    due: dueDates,
    ...nextDueBy(db, nextDate),
    runOnce: (storeId) =>
      db.inStore(storeId, async (ctx) => (await beginAndEndRules(ctx)) + (await beginAndEndTemplates(ctx)))
  }
}

const dueDates = dueQuery(
  'loyalty_dates_due',
  `with s as (select store_id, until from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until))
   select r.store_id, min(r.due_at) as due_at
     from s join loyalty_rules r on r.store_id = s.store_id and r.due_at <= s.until group by r.store_id
    union all
   select t.store_id, min(t.due_at)
     from s join loyalty_templates t on t.store_id = s.store_id and t.due_at <= s.until group by t.store_id`
)

const nextDate = directSql<[storeId: number]>(
  'loyalty_dates_next',
  `select least((select min(due_at) from loyalty_rules where store_id = $1 and due_at is not null),
                (select min(due_at) from loyalty_templates where store_id = $1 and due_at is not null)) as at`
)
