import { record } from '#kit/outbox'
import { type Ctx, int, row, sql, text } from '#kit/postgres'
import type { PlatformPaymentMethod } from '#platform'
import { notify, storeContext } from '#stores'
import { enqueueContractSync, lockSubscriptions, recordActivities, type Subscription } from '#subscriptions'
import { settleCycles } from '#subscriptions/for-billing'
import { correctionMessages } from '../activities.ts'
import { chargedAfterStop, chargedTwice, paidAfterPause } from '../alerts.ts'
import { type Attempt, lockRivals } from '../attempts/attempt.ts'
import {
  type ChargedOrder,
  type Corrected,
  chargedOf,
  clearRetriesOfCycle,
  failedSettlement,
  markCorrected,
  noteOtherPayment
} from '../attempts/settlement.ts'
import { billingSuccess } from '../events/billing-success.ts'
import { cycleCreditOf, issueCycleCredits, listCycleCredits } from './cycle-credits.ts'
import { voidAttempts } from './void-attempts.ts'

/** A success of an attempt that was reported as failed before. Attempt and subscription are locked. */
export type LateSuccess = {
  attempt: Attempt
  reported: { platformAttemptId: string | null; paymentMethod: PlatformPaymentMethod | null }
  order: ChargedOrder | null
}

/** A success that had to wait; its order is read when it is applied. */
export const lateSuccessOfRow = (attempt: Attempt): LateSuccess => ({
  attempt,
  reported: { platformAttemptId: attempt.platformAttemptId, paymentMethod: attempt.paymentMethod },
  order: null
})

/**
 * Turns failed attempts into the successes that the platform reports: the cycle counts as paid, announced retries are cancelled.
 * Another attempt of the cycle that was not sent yet is superseded. One that was sent is waited for: this success is applied when
 * it ends. If it was paid too, the customer was charged twice, and an alert asks for a refund. A subscription that dunning has
 * ended stays ended; the charge is recorded and flagged. One that dunning has paused is active again while the period of the cycle
 * runs.
 */
export async function applyLateSuccesses(ctx: Ctx, late: LateSuccess[]): Promise<void> {
  if (late.length === 0) return
  const rivals = await lockRivals(
    ctx,
    late.map(({ attempt }) => attempt)
  )
  await voidAttempts(
    ctx,
    rivals.filter((r) => r.status === 'pending' && r.submittedAt === null),
    'superseded'
  )
  const rivalsLeft = rivals.filter((r) => r.status === 'success' || r.submittedAt !== null)
  // One cycle is paid once: of two late successes of one cycle the later counts as a second charge.
  for (const one of late.toSorted((a, b) => a.attempt.id - b.attempt.id)) {
    const rival = rivalsLeft.find(
      ({ subscriptionId, cycleIndex }) =>
        subscriptionId === one.attempt.subscriptionId && cycleIndex === one.attempt.cycleIndex
    )
    if (rival) await block(ctx, one, rival)
    else {
      await correct(ctx, one)
      rivalsLeft.push({ ...one.attempt, status: 'success' })
    }
  }
}

async function correct(ctx: Ctx, late: LateSuccess): Promise<void> {
  const { attempt, reported, order } = late
  const [before] = await lockSubscriptions(ctx, [attempt.subscriptionId])
  const [credit] = await listCycleCredits(ctx, [attempt.subscriptionId])
  const corrected = correctedOf(late, before!, credit?.amountMinor ?? null)
  const written = await markCorrected(ctx, [corrected], false)
  await clearRetriesOfCycle(ctx, attempt, { isPaid: true })
  const {
    after,
    pendingEvents: following,
    activities
  } = await settleCycles(
    ctx,
    [
      {
        subscriptionId: attempt.subscriptionId,
        cycle: attempt.cycleIndex,
        outcome: 'paid',
        paymentMethod: reported.paymentMethod
      }
    ],
    [before!]
  )
  const { profile } = await storeContext(ctx)
  const amountMinor = corrected.chargedMinor ?? attempt.amountMinor
  const of = { attempt: { ...attempt, amountMinor }, subscription: after.get(attempt.subscriptionId)! }
  const shown = order ?? (await orderOfRow(ctx, attempt))
  const settled = { ...failedSettlement(attempt.id), ...corrected, status: 'success' as const }
  await record(ctx, billingSuccess(of, shown, settled, profile), ...following)
  await recordActivities(ctx, [...correctionMessages(of, shown, corrected.chargedAfterStop), ...activities])
  await issueCycleCredits(
    ctx,
    cycleCreditOf(attempt, before!, { orderId: shown?.ours.id ?? null }, written.get(attempt.id))
  )
  if (amountMinor !== attempt.amountMinor) await enqueueContractSync(ctx, [before!.platformContractId])
  if (corrected.chargedAfterStop) await notify(ctx, chargedAfterStop(of))
  const isRetriesExhausted = before!.pausedByDunning && before!.pastDueCycle === attempt.cycleIndex
  if (isRetriesExhausted) await notify(ctx, paidAfterPause(of, of.subscription.status === 'active'))
}

/** Marks the success on the failed row; the cycle has another attempt that is open or paid. */
async function block(ctx: Ctx, late: LateSuccess, rival: Attempt): Promise<void> {
  const { attempt } = late
  const [before] = await lockSubscriptions(ctx, [attempt.subscriptionId])
  // The same payment can have settled the other attempt, as that of somebody else.
  const isTwice = rival.status === 'success' && !isSamePayment(late, rival)
  await markCorrected(ctx, [correctedOf(late, before!, null)], true)
  // The end of the open one looks for it there.
  const platformId = late.reported.platformAttemptId ?? attempt.platformAttemptId
  if (rival.status === 'pending' && platformId !== null) await noteOtherPayment(ctx, rival, platformId)
  if (isTwice)
    await notify(ctx, chargedTwice({ attempt, subscription: before! }, late.reported.platformAttemptId, rival))
}

const isSamePayment = ({ reported }: LateSuccess, rival: Attempt) =>
  reported.platformAttemptId !== null && reported.platformAttemptId === rival.platformAttemptId

function correctedOf(
  { attempt, reported, order }: LateSuccess,
  subscription: Subscription,
  creditMinor: number | null
): Corrected {
  return {
    id: attempt.id,
    platformAttemptId: reported.platformAttemptId,
    orderId: order?.ours.id ?? null,
    paymentMethod: reported.paymentMethod,
    creditMinor,
    ...chargedOf(attempt, order?.reported ?? null, subscription)
  }
}

/** The order that was stored when the success was reported. */
async function orderOfRow(ctx: Ctx, { orderId }: Attempt): Promise<ChargedOrder | null> {
  if (orderId === null) return null
  const found = await ctx.tx.one(
    row({ id: int, platformOrderId: text, name: text, number: text, totalMinor: int, currency: text }),
    sql`
    select id, platform_order_id, name, number, total_minor, currency from orders
     where store_id = ${ctx.storeId} and id = ${orderId}`
  )
  return { ours: found, reported: found }
}
