import { dueQuery, type Engine, nextDueBy } from '#kit/engines'
import { type Ctx, type Database, directSql } from '#kit/postgres'
import { areTiersOn, followTierSettings, nextOfWalk } from '../tiers/tier-stores.ts'
import { listDueReviews } from './customer-tier-queries.ts'
import { placeCustomers } from './place-customers.ts'

const BATCH = 500

/** Reviews tiers when their time has come, by the store's clock, and puts everybody anew where a change of the tiers says. */
export function createLoyaltyTierEngine({ db }: { db: Database }): Engine {
  return {
    name: 'loyalty-tiers',
    stage: 'others',
    due: dueTiers,
    ...nextDueBy(db, nextTiers),
    runOnce: (storeId) => db.inStore(storeId, reviewOrWalk)
  }
}

/** One batch. Returns how many customers it was, or 1 where a walk is over. */
async function reviewOrWalk(ctx: Ctx): Promise<number> {
  if (!(await areTiersOn(ctx))) {
    // The settings were changed by something else than their route: what is due rests until they say otherwise.
    await followTierSettings(ctx)
    return 0
  }
  const due = await listDueReviews(ctx, BATCH)
  await placeCustomers(ctx, due)
  if (due.length > 0) return due.length
  const walk = await nextOfWalk(ctx, BATCH)
  if (!walk) return 0
  await placeCustomers(ctx, walk.memberIds, { isAnew: true })
  return Math.max(1, walk.memberIds.length)
}

const dueTiers = dueQuery(
  'loyalty_tiers_due',
  `with s as (select store_id, until from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until))
   select d.store_id, min(d.due_at) as due_at
     from (select t.store_id, t.walk_due_at as due_at
             from s join loyalty_tier_stores t on t.store_id = s.store_id and t.walk_due_at <= s.until and not t.is_frozen
           union all
           select c.store_id, min(c.review_at)
             from s join loyalty_customer_tiers c on c.store_id = s.store_id and c.review_at <= s.until
             join loyalty_tier_stores t on t.store_id = s.store_id and not t.is_frozen
            group by c.store_id) d
    group by d.store_id`
)

const nextTiers = directSql<[storeId: number]>(
  'loyalty_tiers_next',
  `select least(t.walk_due_at,
                (select min(review_at) from loyalty_customer_tiers where store_id = $1 and review_at is not null)) as at
     from loyalty_tier_stores t where t.store_id = $1 and not t.is_frozen`
)
