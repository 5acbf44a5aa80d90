import type { Ctx } from '#kit/postgres'
import { isSoldUnder, listPlans, type Plan } from '#plans'
import type { ContractEdit, PlatformContract } from '#platform'
import { type Change, endChanges, listChanges } from './changes.ts'
import { lockSubscriptions } from './queries.ts'
import { recordActivities } from './record-activity.ts'
import type { Subscription } from './subscription.ts'
import { isInBilling, isOver } from './transitions.ts'

/** A change that can be brought to the platform now, with what it is about. */
export type ReadyChange = { change: Change; subscription: Subscription; plan: Plan | null; plans: Plan[] }

/**
 * The changes of these subscriptions that can be made now. While a cycle is being charged or was declined they wait: the
 * cycle is paid at its own price; `unsettled` are those whose first charge is under way. One of a subscription that is over
 * is dropped.
 */
export async function listReadyChanges(
  ctx: Ctx,
  subscriptionIds: number[]
): Promise<{ ready: ReadyChange[]; unsettled: number[] }> {
  const changes = new Map((await listChanges(ctx, subscriptionIds)).map((change) => [change.subscriptionId, change]))
  if (changes.size === 0) return { ready: [], unsettled: [] }
  const subscriptions = await lockSubscriptions(ctx, [...changes.keys()])
  const plans = await listPlans(ctx)
  // A failed one can still be given another payment method, and a cancellation be taken back.
  const isDropped = (s: Subscription) => isOver(s.status) && s.status !== 'failed' && s.graceEndsAt === null
  await endChanges(
    ctx,
    subscriptions.filter(isDropped).map(({ id }) => changes.get(id)!)
  )
  const live = subscriptions.filter((s) => !isDropped(s))
  return {
    ready: live
      .filter((s) => !isInBilling(s) && s.graceEndsAt === null)
      .map((subscription) => {
        const change = changes.get(subscription.id)!
        return { change, subscription, plan: plans.find(({ id }) => id === change.planId) ?? null, plans }
      }),
    unsettled: live.filter((s) => isInBilling(s) && s.declines === 0).map(({ id }) => id)
  }
}

/** What is to be edited in the contract as it is; a text when it cannot be, which says why. */
export function editOf(
  { change, subscription, plan, plans }: ReadyChange,
  contract: PlatformContract
): ContractEdit | string {
  const present = plans.find(({ id }) => id === subscription.planId)
  const line =
    contract.lines.find(({ sellingPlanId: sold }) => present && sold !== null && isSoldUnder(present, sold)) ??
    contract.lines[0]
  if (!line) return 'The contract has no line'
  const others = contract.lines.filter((one) => one !== line)
  const rest = others.reduce((sum, one) => sum + one.priceMinor * one.quantity, contract.deliveryPriceMinor)
  const ofTotal = change.priceMinor === null ? null : (change.priceMinor - rest) / line.quantity
  const priceMinor = change.linePriceMinor ?? ofTotal
  if (priceMinor !== null && (priceMinor < 0 || !Number.isInteger(priceMinor))) {
    return 'The price cannot be reached by the price of one line of the contract'
  }
  const sold = plan &&
    plan.platformVariantId !== null && {
      variantId: plan.platformVariantId,
      sellingPlanId: plan.platformSellingPlanId,
      sellingPlanName: plan.name
    }
  const { interval, intervalCount } = change
  return {
    contractId: contract.id,
    currency: contract.currency,
    line: priceMinor !== null || sold ? { id: line.id, priceMinor, sold: sold || null } : null,
    policy:
      interval && intervalCount
        ? { interval, intervalCount, minCycles: contract.minCycles, maxCycles: contract.maxCycles }
        : null,
    paymentMethodGid: change.platformPaymentMethodId
  }
}

/** Ends a change that the platform will not take, and says so in the history. */
export async function refuseChange(ctx: Ctx, change: Change, reason: string): Promise<void> {
  await endChanges(ctx, [change])
  const { subscriptionId, actor, actorId, planId, priceMinor, interval, intervalCount } = change
  await recordActivities(ctx, [
    {
      subscriptionId,
      kind: 'reconciled',
      actor: 'platform',
      text: `A change that was asked for was not taken: ${reason}`.slice(0, 500),
      refs: {
        asked_by: { actor, actor_id: actorId },
        plan_id: planId,
        price_minor: priceMinor,
        interval,
        interval_count: intervalCount
      }
    }
  ])
}
