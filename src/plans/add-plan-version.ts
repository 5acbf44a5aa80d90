import { Type } from 'typebox'
import { declareJob, enqueue } from '#kit/jobs'
import type { Database } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import type { Connector, Interval } from '#platform'
import { changePlan, publishPlan } from './change-plan.ts'
import type { Plan, PlanVersion } from './plan.ts'
import { amountFrom, wholeFrom } from './plan-input.ts'
import { findPlan, markVersion } from './queries.ts'
import { planBusy, sameTerms } from './refusals.ts'

/** Omitted fields are those of the previous version. */
export type VersionInput = {
  /** Decimal, in the plan's currency. */
  price?: string | number
  interval?: Interval
  intervalCount?: number
  credit?: string | number
  appliesTo: PlanVersion['appliesTo']
}

/** Moves running subscriptions of a plan to one of its versions. */
export const applyPlanVersionJob = declareJob(
  'apply-plan-version',
  Type.Object({ planId: Type.Integer(), version: Type.Integer() }),
  { priority: 'low', dedupe: ({ planId }) => planId }
)

/**
 * Adds a version: new subscriptions get its terms from now on. With `appliesTo` `running`, a job moves running subscriptions to
 * it as well (a job, since subscriptions are a later module). Refuses a version that changes nothing, unless it applies to
 * running subscriptions.
 */
export async function addPlanVersion(
  db: Database,
  storeId: number,
  connector: Connector,
  planId: number,
  input: VersionInput
): Promise<Plan> {
  return changePlan(db, storeId, planId, async (before, leaseToken) => {
    const after = { ...before, ...numbersFrom(input, before) }
    if (input.appliesTo === 'new' && !differ(before, after)) throw sameTerms(planId)
    if (after.trialPriceMinor > after.priceMinor) {
      throw invalidField('price', "must be an amount that is not below the plan's trial_price")
    }
    const sellingPlanId = await publishPlan(connector, after)
    return db.inStore(storeId, async (ctx) => {
      const { priceMinor, interval, intervalCount, creditMinor } = after
      const next = { id: planId, priceMinor, interval, intervalCount, creditMinor, sellingPlanId }
      if (!(await markVersion(ctx, { ...next, appliesTo: input.appliesTo }, leaseToken))) throw planBusy(planId)
      const plan = (await findPlan(ctx, planId))!
      if (input.appliesTo === 'running') {
        await enqueue(ctx, applyPlanVersionJob, [{ planId, version: plan.currentVersion }])
      }
      return plan
    })
  })
}

type Numbers = Pick<Plan, 'priceMinor' | 'interval' | 'intervalCount' | 'creditMinor'>

function numbersFrom({ price, interval, intervalCount, credit }: VersionInput, before: Plan): Numbers {
  return {
    priceMinor: price === undefined ? before.priceMinor : amountFrom('price', price, before.currency),
    interval: interval ?? before.interval,
    intervalCount:
      intervalCount === undefined ? before.intervalCount : wholeFrom('interval_count', intervalCount, 1, 28),
    creditMinor: credit === undefined ? before.creditMinor : amountFrom('credit', credit, before.currency)
  }
}

function differ(a: Numbers, b: Numbers): boolean {
  return (['priceMinor', 'interval', 'intervalCount', 'creditMinor'] as const).some((key) => a[key] !== b[key])
}
