import { type Fact, record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { type RecordedOrder, recordOrders } from '#orders'
import type { PlatformOrder } from '#platform'
import { notify, settingsOf, storeContext } from '#stores'
import {
  enqueueContractSync,
  lockSubscriptions,
  type NewActivity,
  recordActivities,
  type Subscription
} from '#subscriptions'
import { settleCycles } from '#subscriptions/for-billing'
import { recoveryMessage, settlementMessages } from '../activities.ts'
import { alertsOfSettlements } from '../alerts.ts'
import { type Attempt, listSubscriptionsOfKeys, lockAttemptsByKey, lockLateSuccesses } from '../attempts/attempt.ts'
import { type AttemptResult, paymentsOf } from '../attempts/attempt-result.ts'
import {
  type ChargedOrder,
  checkNow,
  clearRemaining,
  declinedSettlement,
  markSettled,
  paidSettlement,
  type SettledAttempt
} from '../attempts/settlement.ts'
import { declineOf, refusalOf } from '../dunning/decline-codes.ts'
import { type DunningRules, dunningStepAfter } from '../dunning/next-dunning-step.ts'
import { type RequiredAction, recordActionRequired } from '../dunning/record-action-required.ts'
import { billingFailed } from '../events/billing-failed.ts'
import { billingRetryScheduled } from '../events/billing-retry-scheduled.ts'
import { billingSuccess } from '../events/billing-success.ts'
import { dunningSettings } from '../settings.ts'
import { applyLateSuccesses, type LateSuccess, lateSuccessOfRow } from './apply-late-success.ts'
import { cycleCreditOf, issueCycleCredits } from './cycle-credits.ts'
import { recordSecondPayments } from './other-payments.ts'
import { recordReversals } from './record-reversals.ts'

/**
 * Settles attempts: order, attempt, next date, dunning step, credit, facts and history in one transaction. A result that is
 * reported twice, or under a key that is not ours, changes nothing. A success also holds against an earlier failure of the same
 * attempt; a failure after a success, or with an order, is recorded and changes nothing.
 *
 * A key can have several attempts on the platform, where it was forgotten and sent again. A failure of one of them does not end an
 * attempt that stands for another; each success is a charge, and those after the first are booked beside it, with an alert.
 *
 * Where the platform calls the cycle paid, the attempt is checked on the platform first. `requiredActions`: payments that wait for
 * their customer. Returns how many attempts ended.
 */
export async function settleAttempts(
  ctx: Ctx,
  results: AttemptResult[],
  requiredActions: RequiredAction[] = []
): Promise<number> {
  const { before, attempts } = await lockReported(ctx, results, requiredActions)
  const ended = attempts.length > 0 ? await settleLocked(ctx, attempts, before) : 0
  const left = notAmong(attempts, results)
  if (left.length > 0) await recordSecondPayments(ctx, left, before)
  const settled = attempts.flatMap(({ result }) => (result.state === 'success' && result.isReversed ? result : []))
  if (left.length + settled.length > 0) await recordReversals(ctx, [...left, ...settled])
  if (requiredActions.length > 0) await recordActionRequired(ctx, requiredActions)
  return ended
}

async function settleLocked(ctx: Ctx, attempts: Reported[], before: Map<number, Subscription>): Promise<number> {
  const pending = attempts.filter(({ attempt }) => attempt.status === 'pending')
  const late = attempts.filter(({ attempt }) => attempt.status === 'failed')
  const [unclear, ending] = [pending.filter(isUnclear), pending.filter((one) => !isUnclear(one))]
  const orders = await recordOrders(
    ctx,
    attempts.flatMap(({ result }) => (result.state === 'success' ? (result.order ?? []) : []))
  )
  await checkNow(
    ctx,
    unclear.map(({ attempt }) => attempt)
  )
  const waiting = await lockLateSuccessesOfCycles(
    ctx,
    ending.map(({ attempt }) => attempt)
  )
  if (ending.length > 0) await settlePending(ctx, ending, before, orders, new Set(waiting.map(cycleOf)))

  const lateSuccesses = [
    ...late.flatMap(({ attempt, result }): LateSuccess[] =>
      result.state === 'success' ? [{ attempt, reported: result, order: orderOf(result.order, orders) }] : []
    ),
    ...waiting.map(lateSuccessOfRow)
  ]
  if (lateSuccesses.length > 0) await applyLateSuccesses(ctx, lateSuccesses)
  return ending.length + late.length
}

type Reported = { attempt: Attempt; result: AttemptResult }

/** The result that an attempt ends with: of several in a batch a success is the truth, and rather that of its own platform attempt. */
function resultFor(attempt: Attempt, results: AttemptResult[]): AttemptResult | undefined {
  const { platformAttemptId } = attempt
  const paid = results.filter(({ state }) => state === 'success')
  if (paid.length > 0) return paid.find((one) => one.platformAttemptId === platformAttemptId) ?? paid[0]
  const isOfAnother = (one: AttemptResult) =>
    platformAttemptId !== null && one.platformAttemptId !== null && one.platformAttemptId !== platformAttemptId
  return results.find((one) => !isOfAnother(one))
}

/** The results that did not end an attempt now; a failure that was reported together with the end of its attempt counts for nothing. */
function notAmong(attempts: Reported[], results: AttemptResult[]): AttemptResult[] {
  const settled = new Set(attempts.map(({ result }) => result))
  const keys = new Set(attempts.map(({ result }) => result.idempotencyKey))
  return results.filter((one) => !settled.has(one) && (one.state === 'success' || !keys.has(one.idempotencyKey)))
}

/** Locks what the report is about: subscriptions before attempts and all of them at once, as everyone locks them. */
async function lockReported(
  ctx: Ctx,
  results: AttemptResult[],
  requiredActions: RequiredAction[]
): Promise<{ before: Map<number, Subscription>; attempts: Reported[] }> {
  const reported = Map.groupBy(results, ({ idempotencyKey }) => idempotencyKey)
  const keys = [...reported.keys()]
  const paid = keys.filter((key) => reported.get(key)!.some(({ state }) => state === 'success'))
  const all = [...keys, ...requiredActions.map(({ idempotencyKey }) => idempotencyKey)]
  const concerned = await listSubscriptionsOfKeys(ctx, all, paid, paymentsOf(results))
  const subscriptions = await lockSubscriptions(ctx, concerned)
  const before = new Map(subscriptions.map((s) => [s.id, s]))
  const locked = await lockAttemptsByKey(ctx, keys, paid)
  return {
    before,
    attempts: locked.flatMap((attempt) => {
      const result = resultFor(attempt, reported.get(attempt.idempotencyKey)!)
      return before.has(attempt.subscriptionId) && result ? { attempt, result } : []
    })
  }
}

/** The platform has to be asked before the attempt ends: about the payment of its cycle, or because the result may be of another. */
const isUnclear = ({ attempt, result }: Reported): boolean =>
  result.state === 'failed' &&
  !result.isPaymentSearched &&
  !result.isRefusal &&
  (declineOf(result.errorCode).code === 'already_paid' ||
    (result.platformAttemptId === null && attempt.platformAttemptId !== null))

const cycleOf = ({ subscriptionId, cycleIndex }: Attempt) => `${subscriptionId}:${cycleIndex}`

/**
 * Successes of the same cycles that were reported late, and had to wait for the end of these attempts: of earlier attempts, and of
 * others that were noted on these.
 */
async function lockLateSuccessesOfCycles(ctx: Ctx, ending: Attempt[]): Promise<Attempt[]> {
  const repeated = ending.filter((attempt) => attempt.attemptNumber > 1 || attempt.otherPaymentId !== null)
  return repeated.length === 0 ? [] : lockLateSuccesses(ctx, repeated)
}

function orderOf(reported: PlatformOrder | null, orders: Map<string, RecordedOrder>): ChargedOrder | null {
  const ours = reported && orders.get(reported.id)
  return ours ? { ours, reported } : null
}

async function settlePending(
  ctx: Ctx,
  attempts: Reported[],
  before: Map<number, Subscription>,
  orders: Map<string, RecordedOrder>,
  paidOtherwise: Set<string>
): Promise<void> {
  const store = await storeContext(ctx)
  const rules = { dunning: await settingsOf(ctx, dunningSettings), timezone: store.timezone }
  const settled = attempts.map(({ attempt, result }) => {
    const subscription = before.get(attempt.subscriptionId)!
    if (result.state === 'success') return paidSettlement(attempt, result, orderOf(result.order, orders), subscription)
    return settlementOfFailure(attempt, result, subscription, !paidOtherwise.has(cycleOf(attempt)), ctx.now, rules)
  })
  const { after, pendingEvents, activities } = await settleCycles(
    ctx,
    settled.flatMap(({ cycle }) => cycle ?? []),
    [...before.values()]
  )
  const written = await markSettled(
    ctx,
    settled.map(({ settlement }) => settlement)
  )
  // Where no try is to come, the earlier attempts of the cycle say so too.
  const isLast = ({ attempt, settlement }: SettledAttempt) =>
    attempt.attemptNumber > 1 && settlement.attemptsRemaining === 0
  await clearRemaining(
    ctx,
    settled.filter(isLast).map(({ attempt }) => attempt)
  )
  const events: Fact[] = []
  const history: NewActivity[] = []
  for (const { attempt, settlement, order } of settled) {
    const subscription = after.get(attempt.subscriptionId) ?? before.get(attempt.subscriptionId)!
    const of = { attempt: { ...attempt, amountMinor: settlement.chargedMinor ?? attempt.amountMinor }, subscription }
    if (settlement.status === 'success') events.push(billingSuccess(of, order, settlement, store.profile))
    else {
      events.push(billingFailed(of, settlement))
      if (settlement.retryAt) events.push(billingRetryScheduled(of, settlement))
    }
    history.push(...settlementMessages(of, settlement, order, store.timezone))
    if (written.get(attempt.id)?.recovered) history.push(recoveryMessage(of.attempt))
  }
  await record(ctx, ...events, ...pendingEvents)
  await recordActivities(ctx, [...history, ...activities])
  const credits = settled.flatMap(({ attempt, settlement }) =>
    cycleCreditOf(attempt, before.get(attempt.subscriptionId)!, settlement, written.get(attempt.id))
  )
  if (credits.length > 0) await issueCycleCredits(ctx, credits)
  await enqueueContractSync(
    ctx,
    settled.flatMap((one, i) =>
      mayChangePrice(one, attempts[i]!.result) ? before.get(one.attempt.subscriptionId)!.platformContractId : []
    )
  )
  for (const alert of alertsOfSettlements(settled)) await notify(ctx, alert)
}

/** `isOpen`: nothing else has paid the cycle meanwhile. */
function settlementOfFailure(
  attempt: Attempt,
  result: Extract<AttemptResult, { state: 'failed' }>,
  subscription: Subscription,
  isOpen: boolean,
  now: Temporal.Instant,
  rules: DunningRules
): SettledAttempt {
  const decline = result.isRefusal ? refusalOf(result.errorCode ?? undefined) : declineOf(result.errorCode)
  const { next, attemptsRemaining } = dunningStepAfter(attempt, decline, subscription, rules, now)
  // Neither a subscription that was stopped meanwhile is retried, nor a cycle that was missed.
  const continues = isOpen && subscription.status === 'active' && attempt.cycleIndex === subscription.nextCycle
  const ref = { subscriptionId: attempt.subscriptionId, cycle: attempt.cycleIndex }
  const counts = attempt.manual ? null : next.counts
  const ended = { ...ref, outcome: 'declined' as const, retryAt: null, paymentMethodDeadline: null, counts }
  return {
    attempt,
    order: null,
    settlement: declinedSettlement(attempt, result, decline, {
      retryAt: continues && next.outcome === 'declined' ? next.retryAt : null,
      attemptsRemaining: continues ? attemptsRemaining : 0
    }),
    cycle: !isOpen ? null : continues ? { ...ref, ...next } : ended
  }
}

/** The contract costs something else than we know, or a discount was used, perhaps for the last time. */
function mayChangePrice({ attempt, settlement }: SettledAttempt, result: AttemptResult): boolean {
  if (result.state !== 'success' || !result.order) return false
  return (settlement.chargedMinor ?? attempt.amountMinor) !== attempt.amountMinor || result.order.discountMinor > 0
}
