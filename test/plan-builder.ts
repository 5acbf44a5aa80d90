import { row, sql, text } from '#kit/postgres'
import type { BuiltStore } from './store-builder.ts'

/** A monthly plan as `createPlan` returns it; its tier is its name, and a plan of products sells product 1. */
export async function aPlan(
  { inStore }: Pick<BuiltStore, 'inStore'>,
  {
    name,
    type = 'vip',
    trialDays = 0,
    trialType = trialDays > 0 ? 'days' : null,
    creditMinor = 0,
    creditType = 'storecredit'
  }: {
    name: string
    type?: 'vip' | 'elite' | 'product'
    trialDays?: number
    trialType?: 'days' | 'next_billing_date' | null
    creditMinor?: number
    creditType?: string
  }
): Promise<{ sellingPlanId: string }> {
  return inStore(({ tx, storeId, now }) =>
    tx.one(
      row({ sellingPlanId: text }),
      sql`
      with made as (
        insert into plans (store_id, name, type, tier_name, price_minor, currency, interval, interval_count, trial_type,
          trial_days, credit_minor, credit_type, product_ids, platform_product_id, platform_variant_id,
          platform_selling_plan_group_id, platform_selling_plan_id, created_at, updated_at)
        select ${storeId}, ${name}, ${type}, ${type === 'product' ? null : name}, 2900, 'USD', 'month', 1, ${trialType},
               ${trialDays}, ${creditMinor}, ${creditType}, ${type === 'product' ? ['1'] : []},
               case when ${type !== 'product'} then n end, case when ${type !== 'product'} then n end, n, n, ${now}, ${now}
          from (select (count(*) + 101)::text as n from plans where store_id = ${storeId}) as numbered
        returning *)
      insert into plan_versions (store_id, plan_id, version, price_minor, interval, interval_count, credit_minor,
                                 platform_selling_plan_id, applies_to, created_at)
      select store_id, id, 1, price_minor, interval, interval_count, credit_minor, platform_selling_plan_id, 'new', created_at from made
      returning platform_selling_plan_id as selling_plan_id`
    )
  )
}
