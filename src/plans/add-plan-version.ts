import { Type } from 'typebox'
import { declareJob, enqueue, waitingKeys } from '#kit/jobs'
import { record } from '#kit/outbox'
import type { Ctx, Database } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import type { Connector, Interval } from '#platform'
import { changePlan, publishPlan } from './change-plan.ts'
import { planChanged } from './events/plan-changed.ts'
import { assertStaysMain, mainCadence } from './main-plans.ts'
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

/**
 * `assertPreviewed` refuses a version for running subscriptions that would do anything else than what was previewed, in a
 * transaction. It returns what has agreed the prices that the preview showed, as far as a later price may bear the same time.
 */
export type VersionInput = VersionTerms & {
  /** Who adds it, as histories name people; null for a program of the operator. */
  actorId: string | null
} & (
    | { appliesTo: 'new' }
    | {
        appliesTo: Exclude<VersionTarget, 'new'>
        assertPreviewed: AssertPreviewed
      }
  )

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
    afterId: Type.Integer(),
    /** When what it does was previewed: a price that was agreed later stays. Jobs of earlier versions have none. */
    since: Type.Optional(Type.String()),
    /** What was agreed shortly before that, and was in the preview. */
    seen: Type.Optional(Type.Array(Type.String())),
    /** Who added the version, as histories name people. */
    actorId: Type.Optional(Type.String())
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
 * one for running subscriptions while an earlier one is still being brought to them: some would be left between the two. What a
 * version for running subscriptions does must have been previewed; this is asked before the platform's plan is changed.
 */
export async function addPlanVersion(
  db: Database,
  storeId: number,
  connector: Connector,
  planId: number,
  input: VersionInput
): Promise<Plan> {
  return changePlan(db, storeId, planId, async (before, leaseToken) => {
    const after = { ...before, ...termsAfter(before, input) }
    if (input.appliesTo === 'new' && !differ(before, after)) throw sameTerms(planId)
    if (mainCadence(after) === null) await db.inStore(storeId, (ctx) => assertStaysMain(ctx, after))
    const previewed =
      input.appliesTo === 'new' ? null : await assertMayFollow(db, storeId, after, input.assertPreviewed)
    const sellingPlanId = await publishPlan(connector, after)
    return db.inStore(storeId, async (ctx) => {
      const { priceMinor, interval, intervalCount, creditMinor } = after
      const next = { id: planId, priceMinor, interval, intervalCount, creditMinor, sellingPlanId }
      if (!(await markVersion(ctx, { ...next, appliesTo: input.appliesTo }, leaseToken))) throw planBusy(planId)
      await record(ctx, planChanged(planId))
      const plan = (await findPlan(ctx, planId))!
      if (input.appliesTo !== 'new' && previewed) {
        const job = {
          planId,
          version: plan.currentVersion,
          target: input.appliesTo,
          afterId: 0,
          ...previewed,
          ...(input.actorId === null ? {} : { actorId: input.actorId })
        }
        await enqueue(ctx, followPlanVersionJob, [job])
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
  const after = { ...plan, ...termsAfter(plan, input) }
  await assertStaysMain(ctx, after)
  return { plan, version: offerOf(after) }
}

/** The next version of a plan with these terms. */
const offerOf = ({ currentVersion, priceMinor, interval, intervalCount, creditMinor }: Plan): VersionOffer => ({
  version: currentVersion + 1,
  priceMinor,
  interval,
  intervalCount,
  creditMinor
})

type AssertPreviewed = (ctx: Ctx, version: VersionOffer) => Promise<string[] | null>
type Previewed = { since: string; seen?: string[] }

/**
 * Refuses a version for running subscriptions that was not previewed, or while another is brought to them. Returns when that was
 * asked.
 */
function assertMayFollow(
  db: Database,
  storeId: number,
  after: Plan,
  assertPreviewed: AssertPreviewed
): Promise<Previewed> {
  return db.inStore(storeId, async (ctx) => {
    await assertNoneUnderWay(ctx, after.id)
    const seen = await assertPreviewed(ctx, offerOf(after))
    return { since: ctx.now.toString(), ...(seen ? { seen } : {}) }
  })
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
