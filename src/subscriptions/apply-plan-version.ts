import { defineJob, type JobOutcome } from '#kit/jobs'
import { type Ctx, type Database, int, nullable, oneOf, type RowOf, row, sql } from '#kit/postgres'
import { applyPlanVersionJob, listPlanVersions, type PlanVersion } from '#plans'
import { type Change, listChanges, type NewChange, writeChanges } from './requested-changes.ts'

const BATCH = 2000

/** Runs the job that a new plan version leaves: a batch per run, each in a transaction of its own. */
export const applyPlanVersion = defineJob(applyPlanVersionJob, async ({ db }: { db: Database }, storeId, jobs) => {
  const outcomes: JobOutcome[] = []
  for (const { input, renewLease } of jobs) {
    const hasMore = await db.inStore(storeId, async (ctx) => {
      await renewLease(ctx)
      return followVersion(ctx, input.planId, input.version)
    })
    outcomes.push(hasMore ? { done: false, continues: true, input } : { done: true })
  }
  return outcomes
})

/**
 * Moves the next batch of a plan's running subscriptions to a version, from their next cycle on: the platform's contracts are
 * edited after the commit, and price and cadence here follow them. A subscription at a later version stays there. Returns whether
 * there may be more.
 */
async function followVersion(ctx: Ctx, planId: number, version: number): Promise<boolean> {
  const versions = new Map((await listPlanVersions(ctx, planId)).map((one) => [one.version, one]))
  const wanted = versions.get(version)
  if (!wanted) return false
  const moved = await moveToVersion(ctx, planId, version)
  const ids = moved.map(({ id }) => id)
  const waiting = new Map((await listChanges(ctx, ids)).map((change) => [change.subscriptionId, change]))
  const changes = moved.flatMap((s) => {
    // A subscription without a known version had the one before.
    const before = versions.get(s.versionBefore ?? version - 1) ?? null
    return changeTo(wanted, before, s, waiting.get(s.id) ?? null) ?? []
  })
  await writeChanges(ctx, changes)
  return moved.length === BATCH
}

const Moved = row({
  id: int,
  versionBefore: nullable(int),
  priceMinor: int,
  interval: oneOf('day', 'week', 'month', 'year'),
  intervalCount: int
})
type Moved = RowOf<typeof Moved>

/** Sets the version of up to a batch of subscriptions with an earlier one: live ones, and those whose end can be taken back. */
function moveToVersion(ctx: Ctx, planId: number, version: number): Promise<Moved[]> {
  return ctx.tx.many(
    Moved,
    sql`
    with behind as (
      select id, plan_version from subscriptions
       where store_id = ${ctx.storeId} and plan_id = ${planId}
         and (status in ('active', 'paused') or grace_ends_at is not null)
         and (plan_version is null or plan_version < ${version})
       order by id limit ${BATCH} for no key update)
    update subscriptions s set plan_version = ${version}
      from behind
     where s.store_id = ${ctx.storeId} and s.id = behind.id
    returning s.id, behind.plan_version as version_before, s.price_minor, s.interval, s.interval_count`
  )
}

/**
 * The edit of the contract; null when there is none. What the version does not change stays as it was agreed with a customer,
 * also what is only requested so far. A price is for the plan's cadence: a customer with another cadence keeps it, and gets the
 * new price only if they have paid the plan's price so far. A requested change to another plan stays as it is.
 */
function changeTo(wanted: PlanVersion, before: PlanVersion | null, s: Moved, waiting: Change | null): NewChange | null {
  if (waiting && waiting.planId !== null) return null
  const agreed: Cadence = waiting?.interval && waiting.intervalCount ? (waiting as Cadence) : s
  const isNewCadence = before === null || isOtherCadenceThan(before, wanted)
  const hasOwnCadence = before !== null && isOtherCadenceThan(agreed, before)
  // The total is known beforehand where the contract is for nothing else. It is stored to be shown.
  const isPlain = before !== null && before.priceMinor === s.priceMinor
  const isOwnPrice = hasOwnCadence && !isNewCadence && !isPlain
  const isOtherPrice = wanted.priceMinor !== (before?.priceMinor ?? s.priceMinor) && !isOwnPrice
  const cadence = isNewCadence ? wanted : agreed
  const isOtherCadence = isOtherCadenceThan(s, cadence)
  if (!isOtherPrice && (!isNewCadence || !isOtherCadence)) return null
  return {
    subscriptionId: s.id,
    planId: null,
    priceMinor: isOtherPrice ? (isPlain ? wanted.priceMinor : null) : (waiting?.priceMinor ?? null),
    linePriceMinor: isOtherPrice ? wanted.priceMinor : (waiting?.linePriceMinor ?? null),
    interval: isOtherCadence ? cadence.interval : null,
    intervalCount: isOtherCadence ? cadence.intervalCount : null,
    platformPaymentMethodId: waiting?.platformPaymentMethodId ?? null,
    actor: 'operator',
    actorId: null
  }
}

const isOtherCadenceThan = (a: Cadence, b: Cadence) => a.interval !== b.interval || a.intervalCount !== b.intervalCount
type Cadence = Pick<PlanVersion, 'interval' | 'intervalCount'>
