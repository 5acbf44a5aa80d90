import type { Plan } from '#plans'
import type { PlatformContract } from '#platform'
import type { StoreContext } from '#stores'
import { billingDate, firstCycleAfter, withInterval } from '#subscriptions'
import { isOver, type NewSubscription } from '#subscriptions/transitions'
import {
  chargedLinesOf,
  isBought,
  isSameDate,
  ourStatus,
  trialEndOf,
  unitPriceOf,
  versionOf
} from './read-contract-terms.ts'

/** What is known of a new contract besides what it says itself. */
export type Origin = {
  memberId: number
  receiverId: number | null
  plan: Plan | null
  originOrderId: number | null
}

/**
 * The subscription that a contract of a checkout becomes. A contract with an order behind it has paid its first cycle; a trial
 * has its first charge ahead.
 */
export function newSubscription(
  contract: PlatformContract,
  { memberId, receiverId, plan, originOrderId }: Origin,
  now: Temporal.Instant,
  store: StoreContext
): NewSubscription {
  const trialEndsAt = plan && trialEndOf(plan, contract, now, store.timezone)
  const isPaid = trialEndsAt === null && isBought(contract)
  const startsAt = trialEndsAt ?? (isPaid ? contract.createdAt : (contract.nextBillingDate ?? contract.createdAt))
  const cycleIndex = isPaid ? 1 : 0
  const firstCycle = cycleIndex + 1
  const policy = { interval: contract.interval, intervalCount: contract.intervalCount }
  const fromCreation = withInterval(
    { anchorAt: contract.createdAt, anchorCycle: 0, ...policy },
    1,
    policy,
    store.timezone
  )
  // A trial of one interval began on a day of the series, and keeps that day where the first charge is in a shorter month.
  const isOfSeries = trialEndsAt !== null && isSameDate(billingDate(fromCreation, 1, store.timezone), trialEndsAt)
  const isOneInterval = plan?.trialType === 'next_billing_date' && isOfSeries
  const started = isOneInterval ? fromCreation : { anchorAt: startsAt, anchorCycle: 1, ...policy }
  // Others have billed a contract that was under way long before we knew it: it is not charged at once, but on its own date.
  const isLate = Temporal.Instant.compare(billingDate(started, firstCycle, store.timezone), now) <= 0
  const isAhead = contract.nextBillingDate && Temporal.Instant.compare(contract.nextBillingDate, now) > 0
  // In a restored store it may be one of ours that began after the backup: its charges carry the numbers of their dates.
  const isOwn = isLate && isAhead && store.restoredAt !== null
  const nextCycle = isOwn ? firstCycleAfter(started, firstCycle, now, store.timezone) : firstCycle
  const cadence =
    isLate && isAhead ? { anchorAt: contract.nextBillingDate!, anchorCycle: nextCycle, ...policy } : started
  const status = ourStatus(contract.status)
  return {
    ...cadence,
    ...ofContract(contract, now),
    memberId,
    planId: plan?.id ?? null,
    planVersion: plan && versionOf(contract, plan, contract.createdAt),
    name: plan?.name ?? nameOf(contract),
    unitPriceMinor: unitPriceOf(contract, plan),
    status,
    cycleIndex,
    nextCycle,
    nextBillingAt: status === 'active' ? billingDate(cadence, nextCycle, store.timezone) : null,
    trialEndsAt,
    pausedAt: status === 'paused' ? now : null,
    resumesAt: null,
    originOrderId,
    receiverMemberId: receiverId,
    // It was bought as a gift, however late we know it.
    giftedAt: receiverId === null ? null : contract.createdAt,
    createdAt: contract.createdAt
  }
}

export const nameOf = ({ lines }: PlatformContract): string => lines[0]?.title ?? 'Subscription'

/** What every new subscription takes from its contract. */
export function ofContract(contract: PlatformContract, now: Temporal.Instant) {
  const status = ourStatus(contract.status)
  return {
    platformContractId: contract.id,
    deliveryMinor: contract.deliveryPriceMinor,
    ...chargedLinesOf(contract),
    platformRevision: contract.revision,
    priceMinor: contract.priceMinor + contract.deliveryPriceMinor,
    currency: contract.currency,
    platformNextBillingAt: contract.nextBillingDate,
    maxCycles: contract.maxCycles,
    paymentMethod: contract.paymentMethod ?? null,
    platformPaymentMethodId: contract.paymentMethodId ?? null,
    cancelledAt: isOver(status) ? now : null,
    cancelReason: isOver(status) ? 'platform' : null
  }
}
