import type { Ctx } from '#kit/postgres'
import { isSoldUnder, listPlans, type Plan } from '#plans'
import type { ContractEdit, PlatformContract, PlatformContractLine } from '#platform'
import {
  type Change,
  endChanges,
  endMethodChanges,
  listChanges,
  lockSubscriptions,
  recordActivities,
  type Subscription
} from '#subscriptions'
import { isFinal, isInBilling } from '#subscriptions/transitions'

/** A change that can be brought to the platform now, with what it is about. */
export type ReadyChange = {
  change: Change
  subscription: Subscription
  plan: Plan | null
  plans: Plan[]
  /** Whether `change` is of the payment method alone, and terms that were asked for along with it wait on. */
  hasWaitingTerms: boolean
}

/**
 * The changes of these subscriptions that can be made now. While a cycle is being charged or was declined they wait: the
 * cycle is paid at its own price; `unsettled` are those whose first charge is under way. Another payment method never waits: it
 * may be what the charge waits for. One of a subscription that is over is dropped.
 */
export async function listReadyChanges(
  ctx: Ctx,
  subscriptionIds: number[]
): Promise<{ ready: ReadyChange[]; unsettled: number[] }> {
  const changes = new Map((await listChanges(ctx, subscriptionIds)).map((change) => [change.subscriptionId, change]))
  if (changes.size === 0) return { ready: [], unsettled: [] }
  const subscriptions = await lockSubscriptions(ctx, [...changes.keys()])
  const plans = await listPlans(ctx)
  await endChanges(
    ctx,
    subscriptions.filter(isFinal).map(({ id }) => changes.get(id)!)
  )
  const live = subscriptions.filter((s) => !isFinal(s))
  return {
    ready: live.flatMap((subscription): ReadyChange[] => {
      const wanted = changes.get(subscription.id)!
      const isForMethod = isInBilling(subscription)
      if (subscription.graceEndsAt !== null || (isForMethod && wanted.platformPaymentMethodId === null)) return []
      const change = isForMethod ? { ...wanted, ...NO_TERMS } : wanted
      const plan = plans.find(({ id }) => id === change.planId) ?? null
      return [{ change, subscription, plan, plans, hasWaitingTerms: isForMethod && hasTerms(wanted) }]
    }),
    unsettled: live.filter((s) => isInBilling(s) && s.declines === 0).map(({ id }) => id)
  }
}

const NO_TERMS = { planId: null, priceMinor: null, linePriceMinor: null, interval: null, intervalCount: null }

const hasTerms = (change: Change): boolean =>
  (Object.keys(NO_TERMS) as (keyof typeof NO_TERMS)[]).some((name) => change[name] !== null)

/** Ends changes that were made or refused. */
export async function endReady(ctx: Ctx, ended: ReadyChange[]): Promise<void> {
  const changesOf = (hasWaitingTerms: boolean) =>
    ended.filter((one) => one.hasWaitingTerms === hasWaitingTerms).map(({ change }) => change)
  await endChanges(ctx, changesOf(false))
  await endMethodChanges(ctx, changesOf(true))
}

/**
 * What is to be edited in the contract as it is; a text when it cannot be, which says why. Another plan takes the place of the
 * line of the membership, and the other lines stay. The price of a version is that of every line of the plan. A price that was
 * asked for is what a cycle costs in all, which the line of the plan makes up for.
 */
export function editOf(
  { change, subscription, plan, plans }: ReadyChange,
  contract: PlatformContract
): ContractEdit | string {
  const present = plans.find(({ id }) => id === subscription.planId)
  const ofPlan = contract.lines.filter(
    ({ sellingPlanId: sold }) => present && sold !== null && isSoldUnder(present, sold)
  )
  const [only] = contract.lines.length === 1 ? contract.lines : ofPlan.length === 1 ? ofPlan : []
  const { linePriceMinor, interval, intervalCount, priceMinor } = change
  const isOfLines = linePriceMinor !== null && !plan
  const needsOne = plan !== null || (priceMinor !== null && linePriceMinor === null)
  if (contract.lines.length === 0) return 'The contract has no line'
  if (plan && contract.lines.length > 1 && present?.type === 'product') {
    return `The contract has ${contract.lines.length} lines of products: they cannot become a membership`
  }
  if ((needsOne && !only) || (isOfLines && !only && ofPlan.length === 0)) {
    const which = ofPlan.length === 0 ? 'none' : ofPlan.length
    return `The contract has ${contract.lines.length} lines, ${which} of them of its plan: it is not clear which one is meant`
  }
  const sold = plan &&
    plan.platformVariantId !== null && {
      variantId: plan.platformVariantId,
      sellingPlanId: plan.platformSellingPlanId,
      sellingPlanName: plan.name
    }
  const lines = isOfLines
    ? (ofPlan.length > 0 ? ofPlan : [only!]).map(({ id }) => ({ id, priceMinor: linePriceMinor, sold: null }))
    : sold
      ? [{ id: only!.id, priceMinor: linePriceMinor, sold }]
      : []
  return {
    contractId: contract.id,
    currency: contract.currency,
    lines,
    total: priceMinor === null || linePriceMinor !== null ? null : totalOf(contract, only!, priceMinor),
    policy:
      interval && intervalCount
        ? { interval, intervalCount, minCycles: contract.minCycles, maxCycles: contract.maxCycles }
        : null,
    paymentMethodGid: change.platformPaymentMethodId
  }
}

/** As if what is taken off now were an amount that stays the same: near to the price that makes the total. */
function totalOf(contract: PlatformContract, line: PlatformContractLine, minor: number): ContractEdit['total'] {
  const sum = (lines: PlatformContractLine[]) => lines.reduce((of, one) => of + one.priceMinor * one.quantity, 0)
  const takenOff = Math.max(0, sum(contract.lines) - contract.priceMinor)
  const rest = sum(contract.lines.filter((one) => one !== line)) + contract.deliveryPriceMinor - takenOff
  return { lineId: line.id, minor, nearMinor: Math.max(0, Math.round((minor - rest) / line.quantity)) }
}

/** Ends a change that the platform will not take, and says so in the history. */
export async function refuseChange(ctx: Ctx, refused: ReadyChange, reason: string): Promise<void> {
  await endReady(ctx, [refused])
  const { subscriptionId, actor, actorId, planId, priceMinor, interval, intervalCount } = refused.change
  await recordActivities(ctx, [
    {
      subscriptionId,
      kind: 'reconciled',
      actor: 'platform',
      text: `A change that was asked for was not taken: ${reason}`.slice(0, 500),
      refs: {
        requested_by: { actor, actor_id: actorId },
        plan_id: planId,
        price_minor: priceMinor,
        interval,
        interval_count: intervalCount
      }
    }
  ])
}
