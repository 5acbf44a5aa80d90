import type { Database } from '#kit/postgres'
import type { Connector, PlanTerms } from '#platform'
import { notify, refuseOnHold } from '#stores'
import type { Plan } from './plan.ts'
import { findPlan, leasePlan, releasePlan } from './queries.ts'
import { planBusy, planNotFound, publishFailed } from './refusals.ts'

/**
 * Changes a plan on the platform and then here, one change at a time. The platform is called outside a transaction, so a lease
 * protects the plan. If a change fails in between, the platform is ahead, and repeating the change completes it.
 */
export async function changePlan<T>(
  db: Database,
  storeId: number,
  planId: number,
  change: (plan: Plan, leaseToken: number) => Promise<T>
): Promise<T> {
  const { plan, leaseToken } = await db.inStore(storeId, async (ctx) => {
    refuseOnHold(ctx)
    const found = await findPlan(ctx, planId)
    if (!found) throw planNotFound(planId)
    const token = await leasePlan(ctx, planId)
    if (token === null) throw planBusy(planId)
    // Read again, since another change may have written before its lease ended.
    return { plan: (await findPlan(ctx, planId))!, leaseToken: token }
  })
  try {
    return await change(plan, leaseToken)
  } finally {
    await db.inStore(storeId, (ctx) => releasePlan(ctx, planId, leaseToken))
  }
}

/** Publishes the plan's terms to the platform, and returns the id of its selling plan. */
export async function publishPlan(connector: Connector, plan: Plan): Promise<string> {
  const published = await connector.products.publishPlan(
    {
      sellingPlanGroupId: plan.platformSellingPlanGroupId,
      productId: plan.platformProductId,
      variantId: plan.platformVariantId,
      productIds: plan.status === 'enabled' ? plan.productIds : []
    },
    platformTerms(plan)
  )
  if (!published.ok) throw publishFailed(published.failure)
  return published.value
}

/**
 * Puts the product of a membership into the shop's sales channels, where people can buy it. Where the app may not do that, the plan
 * stands all the same, and an alert says what is left to be done by hand.
 */
export async function publishToChannels(
  db: Database,
  storeId: number,
  connector: Connector,
  { name, platformProductId }: Pick<Plan, 'name' | 'platformProductId'>
): Promise<void> {
  if (platformProductId === null) return
  const published = await connector.products.publishProduct(platformProductId)
  if (published.ok) return
  if (published.failure.kind !== 'unauthorized') throw publishFailed(published.failure)
  await db.inStore(storeId, (ctx) =>
    notify(ctx, {
      kind: 'plan_not_in_channels',
      subject: `${name} is in no sales channel`,
      message: `The app may not publish the product of the plan ${name} to the sales channels: ${published.failure.message}. Publish it by hand, or grant the scopes read_publications and write_publications and enable the plan again.`
    })
  )
}

type Terms = Pick<
  Plan,
  'name' | 'priceMinor' | 'currency' | 'interval' | 'intervalCount' | 'maxCycles' | 'trialType' | 'trialPriceMinor'
>

/** The terms of a plan that a checkout uses. */
export function platformTerms(plan: Terms): PlanTerms {
  return {
    name: plan.name,
    priceMinor: plan.priceMinor,
    currency: plan.currency,
    interval: plan.interval,
    intervalCount: plan.intervalCount,
    maxCycles: plan.maxCycles,
    firstPriceMinor: plan.trialType === null ? null : plan.trialPriceMinor
  }
}
