import { type Ctx, int, row, sql } from '#kit/postgres'
import { Plan, PlanVersion, type VersionTarget } from './plan.ts'

/** All plans of the store, disabled ones too, oldest first. */
export function listPlans(ctx: Ctx): Promise<Plan[]> {
  return ctx.tx.many(Plan, sql`select * from sold_plans where store_id = ${ctx.storeId} order by id`)
}

export function findPlan(ctx: Ctx, id: number): Promise<Plan | null> {
  return ctx.tx.maybeOne(Plan, sql`select * from sold_plans where store_id = ${ctx.storeId} and id = ${id}`)
}

export function findPlanByName(ctx: Ctx, name: string): Promise<Plan | null> {
  return ctx.tx.maybeOne(Plan, sql`select * from sold_plans where store_id = ${ctx.storeId} and name = ${name}`)
}

/** Newest first. */
export function listPlanVersions(ctx: Ctx, planId: number): Promise<PlanVersion[]> {
  return ctx.tx.many(
    PlanVersion,
    sql`
    select version, price_minor, interval, interval_count, credit_minor, coalesce(running_prices, applies_to) as applies_to,
           created_at
      from plan_versions where store_id = ${ctx.storeId} and plan_id = ${planId} order by version desc`
  )
}

/** A new plan with the ids that the platform gave it. */
export type NewPlan = Omit<
  Plan,
  'id' | 'currentVersion' | 'versions' | 'createdAt' | 'updatedAt' | 'platformSellingPlanGroupId'
> & { platformSellingPlanGroupId: string }

/** Inserts a plan with its first version and returns its id; null if its name or selling plan already exists. */
export async function insertPlan(ctx: Ctx, plan: NewPlan): Promise<number | null> {
  const inserted = await ctx.tx.maybeOne(
    row({ id: int }),
    sql`
    with made as (
      insert into plans (store_id, name, type, status, tier_name, price_minor, currency, interval, interval_count, max_cycles,
        trial_type, trial_days, trial_price_minor, credit_minor, credit_type, allowed_countries, perks, product_ids,
        platform_product_id, platform_variant_id, platform_selling_plan_group_id, platform_selling_plan_id, created_at,
        updated_at)
      values (${ctx.storeId}, ${plan.name}, ${plan.type}, ${plan.status}, ${plan.tierName}, ${plan.priceMinor},
        ${plan.currency}, ${plan.interval}, ${plan.intervalCount}, ${plan.maxCycles}, ${plan.trialType}, ${plan.trialDays},
        ${plan.trialPriceMinor}, ${plan.creditMinor}, ${plan.creditType}, ${plan.allowedCountries},
        ${JSON.stringify(plan.perks)}::jsonb, ${plan.productIds}, ${plan.platformProductId}, ${plan.platformVariantId},
        ${plan.platformSellingPlanGroupId}, ${plan.platformSellingPlanId}, ${ctx.now}, ${ctx.now})
      on conflict do nothing returning *)
    insert into plan_versions (store_id, plan_id, version, price_minor, interval, interval_count, credit_minor,
                               platform_selling_plan_id, applies_to, created_at)
    select ${ctx.storeId}, id, current_version, price_minor, interval, interval_count, credit_minor,
           platform_selling_plan_id, 'new', created_at
      from made
    returning plan_id as id`
  )
  return inserted?.id ?? null
}

/** The fields of a plan that can change without a new version. */
export type PlanSettings = Pick<
  Plan,
  | 'status'
  | 'maxCycles'
  | 'trialType'
  | 'trialDays'
  | 'trialPriceMinor'
  | 'creditType'
  | 'allowedCountries'
  | 'perks'
  | 'productIds'
>

/** Updates a plan under its lease; false if the lease is no longer held. */
export async function markPlan(ctx: Ctx, plan: PlanSettings & { id: number }, leaseToken: number): Promise<boolean> {
  const touched = await ctx.tx.run(sql`
    update plans
       set status = ${plan.status}, max_cycles = ${plan.maxCycles}, trial_type = ${plan.trialType},
           trial_days = ${plan.trialDays}, trial_price_minor = ${plan.trialPriceMinor}, credit_type = ${plan.creditType},
           allowed_countries = ${plan.allowedCountries}, perks = ${JSON.stringify(plan.perks)}::jsonb,
           product_ids = case when type = 'product' then ${plan.productIds}::text[] else '{}' end, updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = ${plan.id} and lease_token = ${leaseToken}`)
  return touched > 0
}

/** The terms of a plan's next version. */
export type NextVersion = Pick<Plan, 'priceMinor' | 'interval' | 'intervalCount' | 'creditMinor'> & {
  id: number
  sellingPlanId: string
  appliesTo: VersionTarget
}

/** Inserts the next version and makes it current, under the lease; false if the lease is no longer held. */
export async function markVersion(ctx: Ctx, next: NextVersion, leaseToken: number): Promise<boolean> {
  const touched = await ctx.tx.run(sql`
    with moved as (
      update plans
         set price_minor = ${next.priceMinor}, interval = ${next.interval}, interval_count = ${next.intervalCount},
             credit_minor = ${next.creditMinor}, platform_selling_plan_id = ${next.sellingPlanId},
             current_version = current_version + 1, updated_at = ${ctx.now}
       where store_id = ${ctx.storeId} and id = ${next.id} and lease_token = ${leaseToken}
      returning *)
    insert into plan_versions (store_id, plan_id, version, price_minor, interval, interval_count, credit_minor,
                               platform_selling_plan_id, applies_to, running_prices, created_at)
    select ${ctx.storeId}, id, current_version, price_minor, interval, interval_count, credit_minor,
           platform_selling_plan_id, ${next.appliesTo === 'new' ? 'new' : 'running'},
           ${next.appliesTo === 'new' ? null : next.appliesTo}, ${ctx.now}
      from moved
    returning version`)
  return touched > 0
}

/** Leases a plan for five minutes, enough for the calls to the platform; returns the token, or null if it is leased. */
export async function leasePlan(ctx: Ctx, id: number): Promise<number | null> {
  const leased = await ctx.tx.maybeOne(
    row({ leaseToken: int }),
    sql`
    update plans set lease_token = lease_token + 1, leased_until = statement_timestamp() + interval '5 minutes'
     where store_id = ${ctx.storeId} and id = ${id} and (leased_until is null or leased_until < statement_timestamp())
    returning lease_token`
  )
  return leased?.leaseToken ?? null
}

export async function releasePlan(ctx: Ctx, id: number, leaseToken: number): Promise<void> {
  await ctx.tx.run(sql`
    update plans set leased_until = null
     where store_id = ${ctx.storeId} and id = ${id} and lease_token = ${leaseToken}`)
}
