import { decimalOf } from '#kit/money'
import type { Ctx } from '#kit/postgres'
import { isSoldUnder, listPlans, type Plan } from '#plans'
import type { ContractEdit, PlatformContract, PlatformContractLine } from '#platform'
import { type Change, listChanges, lockSubscriptions, type Subscription } from '#subscriptions'
import { endChanges, endMethodChanges, isFinal, isInBilling, mayReplacePrice } from '#subscriptions/transitions'
import { unitPriceOf } from './read-contract-terms.ts'

/** A requested change that can be made on the platform now, with its subscription and plan. */
export type ReadyChange = {
  change: Change
  subscription: Subscription
  plan: Plan | null
  plans: Plan[]
  /** Whether `change` is of the payment method only, and the terms that were requested with it go on waiting. */
  hasWaitingTerms: boolean
}

/**
 * The requested changes of these subscriptions that can be made now. While a cycle is being charged or was declined they wait, so
 * that the cycle is paid at its own price; `unsettled` are those whose first charge is under way. Another payment method never
 * waits: the charge may wait for it. A change of a subscription that has ended is removed.
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

const NO_TERMS = {
  planId: null,
  priceMinor: null,
  linePriceMinor: null,
  interval: null,
  intervalCount: null,
  replaces: null
}

const hasTerms = (change: Change): boolean =>
  (Object.keys(NO_TERMS) as (keyof typeof NO_TERMS)[]).some((name) => change[name] !== null)

/**
 * The parts of a change that the platform may accept without each other: the terms and the payment method. The terms belong
 * together, because a plan brings its price and interval.
 */
export function partsOf(one: ReadyChange): ReadyChange[] {
  const { change } = one
  if (change.platformPaymentMethodId === null || !hasTerms(change)) return [one]
  return [
    { ...one, change: { ...change, platformPaymentMethodId: null } },
    { ...one, change: { ...change, ...NO_TERMS }, plan: null }
  ]
}

/** Ends changes that were made or refused. */
export async function endReady(ctx: Ctx, ended: ReadyChange[]): Promise<void> {
  const changesOf = (hasWaitingTerms: boolean) =>
    ended.filter((one) => one.hasWaitingTerms === hasWaitingTerms).map(({ change }) => change)
  await endChanges(ctx, changesOf(false))
  await endMethodChanges(ctx, changesOf(true))
}

/**
 * The edit of the contract as it is now; a text that says why, when it cannot be made. Another plan replaces the line of the
 * membership, and the other lines stay. The price of a version is that of every line of the plan. A requested price is what a cycle
 * costs in all: the line of the plan gets what is left of it. A price that was agreed on the platform after the request is later
 * than the request, and stays.
 */
export function editOf(
  { change, subscription, plan, plans }: ReadyChange,
  contract: PlatformContract
): ContractEdit | string {
  const present = plans.find(({ id }) => id === subscription.planId)
  const ofPlan = contract.lines.filter(
    ({ sellingPlanId: sold }) => present && sold !== null && isSoldUnder(present, sold)
  )
  const agreed = priceAgreedSince(change, contract, present ?? null, plan)
  if (agreed !== null) {
    return `The price on the platform was changed after the request: it is ${agreed} now, and stays`
  }
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
    return `The contract has ${contract.lines.length} lines, ${which} of them of its plan: it is not clear which one to change`
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

/** The contract's price, such as `20.00 EUR`, where it is neither one that the request may replace nor the requested one. */
function priceAgreedSince(
  change: Change,
  contract: PlatformContract,
  present: Plan | null,
  requested: Plan | null
): string | null {
  const priceMinor = contract.priceMinor + contract.deliveryPriceMinor
  const unitPriceMinor = unitPriceOf(contract, present)
  const isMoved = requested !== null && unitPriceOf(contract, requested) === change.linePriceMinor
  if (isMoved || mayReplacePrice(change, { unitPriceMinor, priceMinor })) return null
  return `${decimalOf(unitPriceMinor ?? priceMinor, contract.currency)} ${contract.currency}`
}

/** A price of the line that is near to the one that makes the total: as if today's discount were a fixed amount. */
function totalOf(contract: PlatformContract, line: PlatformContractLine, minor: number): ContractEdit['total'] {
  const sum = (lines: PlatformContractLine[]) => lines.reduce((of, one) => of + one.priceMinor * one.quantity, 0)
  const takenOff = Math.max(0, sum(contract.lines) - contract.priceMinor)
  const rest = sum(contract.lines.filter((one) => one !== line)) + contract.deliveryPriceMinor - takenOff
  return { lineId: line.id, minor, nearMinor: Math.max(0, Math.round((minor - rest) / line.quantity)) }
}
