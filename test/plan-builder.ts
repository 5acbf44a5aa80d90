import { row, sql, text } from '#kit/postgres'
import type { BuiltStore } from './store-builder.ts'

/** A monthly plan as `createPlan` leaves it, of the tier that is its name. A line sold under `sellingPlanId` is of it. */
export async function aPlan(
  { inStore }: BuiltStore,
  { name, trialDays = 0 }: { name: string; trialDays?: number }
): Promise<{ sellingPlanId: string }> {
  return inStore(({ tx, storeId, now }) =>
    tx.one(
      row({ sellingPlanId: text }),
      sql`
      insert into plans (store_id, name, type, tier_name, price_minor, currency, interval, interval_count, trial_days,
        platform_product_id, platform_variant_id, platform_selling_plan_group_id, platform_selling_plan_id,
        created_at, updated_at)
      select ${storeId}, ${name}, 'vip', ${name}, 2900, 'USD', 'month', 1, ${trialDays}::int, n, n, n, n, ${now}, ${now}
        from (select (count(*) + 101)::text as n from plans where store_id = ${storeId}) as numbered
      returning platform_selling_plan_id as selling_plan_id`
    )
  )
}
