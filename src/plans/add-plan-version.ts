import { Type } from 'typebox'
import { declareJob, enqueue, waitingKeys } from '#kit/jobs'
import type { Ctx, Database } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import type { Connector, Interval } from '#platform'
import { changePlan, publishPlan } from './change-plan.ts'
import type { Plan, PlanVersion, VersionTarget } from './plan.ts'
import { amountFrom, wholeFrom } from './plan-input.ts'
import { findPlan, markVersion } from './queries.ts'
import { planBusy, planNotFound, sameTerms, versionUnderWay } from './refusals.ts'

/** Omitted fields are those of the previous version. */
export type VersionTerms = {
  /** Decimal, in the plan's currency. */
  price?: string | number
  interval?: Interval
  intervalCount?: number
  credit?: string | number
}

export type VersionInput = VersionTerms & { appliesTo: VersionTarget }

/**
 * Moves running subscriptions of a plan to one of its versions, in order of id after `afterId`. It has another name than the job of
 * earlier versions, whose code would replace prices that this one keeps.
 */
export const followPlanVersionJob = declareJob(
  'follow-plan-version',
  Type.Object({
    planId: Type.Integer(),
    version: Type.Integer(),
    target: Type.Union([Type.Literal('list_price'), Type.Literal('all')]),
    afterId: Type.Integer()
  }),
  { priority: 'low', dedupe: ({ planId }) => planId }
)

/** What nodes of an earlier version enqueue in place of `followPlanVersionJob`. */
export const applyPlanVersionJob = declareJob(
  'apply-plan-version',
  Type.Object({ planId: Type.Integer(), version: Type.Integer() }),
  { priority: 'low', dedupe: ({ planId }) => planId }
)

/**
 * Adds a version: new subscriptions get its terms from now on. Where it is for running subscriptions too, a job moves them to it (a
 * job, since subscriptions are a later module). Refuses a version that changes nothing, unless it is for running subscriptions, and
 * one for running subscriptions while an earlier one is still being brought to them: some would be left between the two.
 */
export async function addPlanVersion(
  db: Database,
  storeId: number,
  connector: Connector,
  planId: number,
  input: VersionInput
): Promise<Plan> {
  const { appliesTo: target } = input
  return changePlan(db, storeId, planId, async (before, leaseToken) => {
    const after = { ...before, ...termsAfter(before, input) }
    if (target === 'new' && !differ(before, after)) throw sameTerms(planId)
    if (target !== 'new') await db.inStore(storeId, (ctx) => assertNoneUnderWay(ctx, planId))
    const sellingPlanId = await publishPlan(connector, after)
    return db.inStore(storeId, async (ctx) => {
      const { priceMinor, interval, intervalCount, creditMinor } = after
      const next = { id: planId, priceMinor, interval, intervalCount, creditMinor, sellingPlanId }
      if (!(await markVersion(ctx, { ...next, appliesTo: target }, leaseToken))) throw planBusy(planId)
      const plan = (await findPlan(ctx, planId))!
      if (target !== 'new') {
        await enqueue(ctx, followPlanVersionJob, [{ planId, version: plan.currentVersion, target, afterId: 0 }])
      }
      return plan
    })
  })
}

/** The version that `addPlanVersion` would add, without adding it. */
export async function nextPlanVersion(
  ctx: Ctx,
  planId: number,
  input: VersionTerms
): Promise<{ plan: Plan; version: VersionOffer }> {
  const plan = await findPlan(ctx, planId)
  if (!plan) throw planNotFound(planId)
  return { plan, version: { ...termsAfter(plan, input), version: plan.currentVersion + 1 } }
}

/** A version as far as it decides what a subscription costs, and when. */
export type VersionOffer = Pick<PlanVersion, 'version' | 'priceMinor' | 'interval' | 'intervalCount' | 'creditMinor'>

async function assertNoneUnderWay(ctx: Ctx, planId: number): Promise<void> {
  for (const job of [followPlanVersionJob, applyPlanVersionJob]) {
    if ((await waitingKeys(ctx, job, [String(planId)])).size > 0) throw versionUnderWay(planId)
  }
}

function termsAfter(before: Plan, input: VersionTerms): Numbers {
  const after = numbersFrom(input, before)
  if (before.trialPriceMinor > after.priceMinor) {
    throw invalidField('price', "must be an amount that is not below the plan's trial_price")
  }
  return after
}

type Numbers = Pick<Plan, 'priceMinor' | 'interval' | 'intervalCount' | 'creditMinor'>

function numbersFrom({ price, interval, intervalCount, credit }: VersionTerms, before: Plan): Numbers {
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
