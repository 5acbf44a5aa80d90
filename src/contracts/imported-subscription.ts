import type { Plan } from '#plans'
import type { PlatformContract } from '#platform'
import type { StoreContext } from '#stores'
import {
  type ActivityMessage,
  activityMessages,
  billingDate,
  type Cadence,
  firstCycleAfter,
  type Subscription,
  termsOf,
  withInterval
} from '#subscriptions'
import { isOver, type NewSubscription } from '#subscriptions/transitions'
import { nameOf, type Origin, ofContract } from './new-subscription.ts'
import { isBought, ourStatus, unitPriceOf, versionOf } from './read-contract-terms.ts'

/** How a contract begins here that no checkout has made. Null: what the platform's contract says. */
export type StartTerms = {
  isPaused: boolean
  pausedUntil: Temporal.Instant | null
  nextBillingAt: Temporal.Instant | null
  cyclesPaid: number | null
  startedAt: Temporal.Instant | null
  /** The plan of the contract where its lines were not sold under a plan of ours. */
  plan: Plan | null
}

/** The same for a contract that others have billed until now. */
export type ImportTerms = StartTerms & { importId: number }

/** For a contract that was created through our API: it says everything itself, and nothing is paid yet. */
export const CREATED_HERE: StartTerms = {
  isPaused: false,
  pausedUntil: null,
  nextBillingAt: null,
  cyclesPaid: 0,
  startedAt: null,
  plan: null
}

/**
 * The subscription that such a contract becomes. Nothing is charged for the past: where the date has passed, the next date of
 * its series counts. It has no trial, and the cycles that it has paid to others count as paid.
 */
export function importedSubscription(
  contract: PlatformContract,
  terms: StartTerms,
  { memberId, receiverId, plan, originOrderId }: Origin,
  now: Temporal.Instant,
  store: StoreContext
): NewSubscription {
  const cycleIndex = terms.cyclesPaid ?? (isBought(contract) ? 1 : 0)
  const nextCycle = cycleIndex + 1
  const policy = { interval: contract.interval, intervalCount: contract.intervalCount }
  const date = terms.nextBillingAt ?? contract.nextBillingDate ?? contract.createdAt
  const cadence = ahead({ anchorAt: date, anchorCycle: nextCycle, ...policy }, nextCycle, now, store.timezone)
  // It may have ended there before it was read.
  const there = ourStatus(contract.status)
  const status = terms.isPaused && !isOver(there) ? 'paused' : there
  return {
    ...cadence,
    ...ofContract(contract, now),
    memberId,
    planId: plan?.id ?? terms.plan?.id ?? null,
    planVersion: plan ? versionOf(contract, plan, contract.createdAt) : (terms.plan?.currentVersion ?? null),
    // A plan that the import names stays as long as the contract has the line that it was named for.
    name: plan?.name ?? nameOf(contract),
    unitPriceMinor: unitPriceOf(contract, plan ?? terms.plan),
    status,
    cycleIndex,
    nextCycle,
    nextBillingAt: status === 'active' ? billingDate(cadence, nextCycle, store.timezone) : null,
    trialEndsAt: null,
    pausedAt: status === 'paused' ? now : null,
    resumesAt: status === 'paused' && terms.isPaused ? terms.pausedUntil : null,
    originOrderId,
    receiverMemberId: receiverId,
    giftedAt: receiverId === null ? null : now,
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
    refs: {
      ...{ import_id: importId, status: s.status, cycles_paid: s.cycleIndex },
      ...termsOf(s),
      next_billing_date: s.nextBillingAt?.toString() ?? null,
      resumes_at: s.resumesAt?.toString() ?? null
    }
  }
}
