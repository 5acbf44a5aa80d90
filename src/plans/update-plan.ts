import { record } from '#kit/outbox'
import type { Database } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import type { Connector } from '#platform'
import { changePlan, publishPlan, publishToChannels } from './change-plan.ts'
import { planChanged } from './events/plan-changed.ts'
import { otherMainPlan } from './main-plans.ts'
import { changedPerks, type PerksChange, perksFrom } from './perks.ts'
import type { Plan } from './plan.ts'
import { countriesFrom, productsFrom, type TrialInput, trialFrom, wholeFrom } from './plan-input.ts'
import { assertReadable } from './published/assert-readable.ts'
import { findPlan, markPlan } from './queries.ts'
import { planBusy } from './refusals.ts'

/** Omitted fields stay. Price, interval and credit are changed by `addPlanVersion`. */
export type PlanChange = TrialInput & {
  status?: Plan['status']
  /** Null: no limit. */
  maxCycles?: number | null
  allowedCountries?: string[]
  /** As `perksFrom` reads them: a perk that is present is set, or removed by null. */
  perks?: unknown
  productIds?: string[]
}

/** Fields that are published to the platform even if unchanged here: the platform's copy may differ. */
const PUBLISHED_FIELDS = ['status', 'maxCycles', 'trialType', 'trialDays', 'trialPrice', 'productIds'] as const

/**
 * Changes the perks of a plan and who can buy it; running subscriptions keep their terms. Disabling withdraws the plan from
 * sale on the platform, enabling puts it back.
 */
export async function updatePlan(
  db: Database,
  storeId: number,
  connector: Connector,
  planId: number,
  change: PlanChange
): Promise<Plan> {
  return changePlan(db, storeId, planId, async (before, leaseToken) => {
    const after = changed(before, change)
    if (change.perks !== undefined || change.allowedCountries !== undefined) {
      await db.inStore(storeId, async (ctx) => assertReadable(after, await otherMainPlan(ctx, after.type)))
    }
    if (PUBLISHED_FIELDS.some((key) => change[key] !== undefined)) await publishPlan(connector, after)
    if (change.status === 'enabled') await publishToChannels(db, storeId, connector, after)
    return db.inStore(storeId, async (ctx) => {
      if (!(await markPlan(ctx, after, leaseToken))) throw planBusy(planId)
      await record(ctx, planChanged(planId))
      return (await findPlan(ctx, planId))!
    })
  })
}

function changed(plan: Plan, change: PlanChange): Plan {
  const perks = change.perks === undefined ? {} : perksFrom(change.perks, plan.currency)
  return {
    ...plan,
    ...trialFrom(change, plan, plan.priceMinor, plan.currency),
    status: change.status ?? plan.status,
    maxCycles: change.maxCycles === undefined ? plan.maxCycles : cyclesFrom(change.maxCycles),
    creditType: creditTypeAfter(plan, perks),
    allowedCountries: change.allowedCountries ? countriesFrom(change.allowedCountries) : plan.allowedCountries,
    perks: perksOf(plan.type, changedPerks(plan.perks, perks)),
    productIds: change.productIds ? productsFrom(change.productIds, plan.type) : plan.productIds
  }
}

export const cyclesFrom = (given: number | null) => (given === null ? null : wholeFrom('max_cycles', given, 1, 1000))

/** Refuses perks of a product plan: discounts, welcome offers and free shipping need a membership. */
export function perksOf(type: Plan['type'], perks: Plan['perks']): Plan['perks'] {
  if (type !== 'product' || Object.keys(perks).length === 0) return perks
  throw invalidField('perks', 'must have only store_credit for a product plan: the others belong to a membership')
}

/** The credit type after a change. The amount belongs to a version of the plan and cannot change here. */
function creditTypeAfter(plan: Plan, { storeCredit }: PerksChange): Plan['creditType'] {
  if (storeCredit === undefined) return plan.creditType
  if (storeCredit && storeCredit.amountMinor === null && plan.creditMinor === 0) {
    throw invalidField(
      'perks.store_credit',
      'is accepted without an amount only where the plan issues some: a new version sets one'
    )
  }
  const amountMinor = storeCredit === null ? 0 : (storeCredit.amountMinor ?? plan.creditMinor)
  if (amountMinor !== plan.creditMinor) {
    throw invalidField('perks.store_credit.amount', 'is changed by a new version of the plan')
  }
  return storeCredit?.type ?? plan.creditType
}
