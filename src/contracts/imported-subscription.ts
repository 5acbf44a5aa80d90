import type { Plan } from '#plans'
import type { PlatformContract } from '#platform'
import type { StoreContext } from '#stores'
import {
  type ActivityMessage,
  activityMessages,
  billingDate,
  type Cadence,
  firstCycleAfter,
  type NewSubscription,
  type Subscription,
  withInterval
} from '#subscriptions'
import { isOver } from '#subscriptions/transitions'
import { ourStatus, versionOf } from './platform-terms.ts'

/** How a contract that no checkout has made begins with us. Null is what the platform's contract says. */
export type StartTerms = {
  isPaused: boolean
  pausedUntil: Temporal.Instant | null
  nextBillingAt: Temporal.Instant | null
  cyclesPaid: number | null
  startedAt: Temporal.Instant | null
  /** What the contract counts as where its lines were not sold under a plan of ours. */
  plan: Plan | null
}

/** The same of one that others have billed so far. */
export type ImportTerms = StartTerms & { importId: number }

/** Of one that was made here: everything stands in the contract, and nothing is paid yet. */
export const CREATED_HERE: StartTerms = {
  isPaused: false,
  pausedUntil: null,
  nextBillingAt: null,
  cyclesPaid: 0,
  startedAt: null,
  plan: null
}

/**
 * The subscription that such a contract becomes. Nothing is charged for what lies behind: of a date that has passed
 * the next of its series after now counts. It is in no trial, and what it has paid to others are cycles paid.
 */
export function importedSubscription(
  contract: PlatformContract,
  terms: StartTerms,
  who: { memberId: number; receiverId: number | null; plan: Plan | null; originOrderId: number | null },
  now: Temporal.Instant,
  store: StoreContext
): NewSubscription {
  const cycleIndex = terms.cyclesPaid ?? (contract.originOrder ? 1 : 0)
  const nextCycle = cycleIndex + 1
  const policy = { interval: contract.interval, intervalCount: contract.intervalCount }
  const date = terms.nextBillingAt ?? contract.nextBillingDate ?? contract.createdAt
  const cadence = ahead({ anchorAt: date, anchorCycle: nextCycle, ...policy }, nextCycle, now, store.timezone)
  // It may have ended there before anybody looked.
  const there = ourStatus(contract.status)
  const status = terms.isPaused && !isOver(there) ? 'paused' : there
  const line = contract.lines[0]?.title ?? 'Subscription'
  return {
    ...cadence,
    memberId: who.memberId,
    planId: who.plan?.id ?? terms.plan?.id ?? null,
    planVersion: who.plan ? versionOf(contract, who.plan, contract.createdAt) : (terms.plan?.currentVersion ?? null),
    platformContractId: contract.id,
    platformRevision: contract.revision,
    // A plan that the import gives it stays its own as long as the line is there that it was given for.
    name: who.plan?.name ?? line,
    status,
    priceMinor: contract.priceMinor + contract.deliveryPriceMinor,
    currency: contract.currency,
    cycleIndex,
    nextCycle,
    nextBillingAt: status === 'active' ? billingDate(cadence, nextCycle, store.timezone) : null,
    platformNextBillingAt: contract.nextBillingDate,
    maxCycles: contract.maxCycles,
    trialEndsAt: null,
    pausedAt: status === 'paused' ? now : null,
    resumesAt: status === 'paused' && terms.isPaused ? terms.pausedUntil : null,
    cancelledAt: isOver(status) ? now : null,
    cancelReason: isOver(status) ? 'platform' : null,
    originOrderId: who.originOrderId,
    paymentMethod: contract.paymentMethod,
    platformPaymentMethodId: contract.paymentMethodId,
    receiverMemberId: who.receiverId,
    giftedAt: who.receiverId === null ? null : now,
    createdAt: terms.startedAt ?? contract.createdAt
  }
}

/** The series with its next cycle on the first of its dates after `now`; its day of the month stays. */
function ahead(cadence: Cadence, nextCycle: number, now: Temporal.Instant, timezone: string): Cadence {
  const passed = firstCycleAfter(cadence, nextCycle, now, timezone) - nextCycle
  if (passed === 0) return cadence
  const moved = withInterval(cadence, nextCycle + passed, cadence, timezone)
  return { ...moved, anchorCycle: moved.anchorCycle - passed }
}

export function importMessage(s: Subscription, importId: number, timezone: string): ActivityMessage {
  const dayOf = (at: Temporal.Instant) => at.toZonedDateTimeISO(timezone).toPlainDate().toString()
  const next = s.nextBillingAt
    ? `; next charge on ${dayOf(s.nextBillingAt)}`
    : s.resumesAt
      ? `; paused until ${dayOf(s.resumesAt)}`
      : '; paused'
  return {
    kind: 'imported',
    text: `${activityMessages.created(s).text!.replace('Created', 'Taken over')}${next}`,
    refs: { import_id: importId, status: s.status, cycles_paid: s.cycleIndex }
  }
}
