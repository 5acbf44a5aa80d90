import type { DunningSettings, Ladder } from '#stores'
import type { CycleResult, DeclineCounter, Subscription } from '#subscriptions'
import { PAYMENT_FAILED } from '#subscriptions'
import type { Decline } from './decline-codes.ts'

export type DunningStep = { next: CycleNext; attemptsRemaining: number }

/** What a failure comes to for its cycle. */
export type CycleNext = CycleResult extends infer R
  ? R extends { outcome: 'declined' | 'given_up' }
    ? Omit<R, 'subscriptionId' | 'cycle'>
    : never
  : never

type Counts = Pick<Subscription, DeclineCounter>

/**
 * What follows a definite failure of a cycle that had failed as `counts` says before: the next rung of its ladder on the
 * shop's calendar, a hold for a new payment method, a hold for a person, or the end.
 */
export function nextDunningStep(
  counts: Counts,
  decline: Decline,
  dunning: DunningSettings,
  now: Temporal.Instant,
  timezone: string
): DunningStep {
  const inDays = (days: number) => now.toZonedDateTimeISO(timezone).add({ days }).toInstant()
  if (decline.kind === 'held') {
    const attemptsRemaining = attemptsRemainingAfter(counts.declines, dunning)
    return { next: { outcome: 'declined', retryAt: null, givesUpAt: null, counts: null }, attemptsRemaining }
  }
  const isInventory = decline.kind === 'inventory'
  const counter = isInventory ? 'inventoryFailures' : 'declines'
  const ladder = isInventory ? dunning.inventory : dunning
  const failures = counts[counter] + 1
  const attemptsRemaining = attemptsRemainingAfter(failures, ladder)
  const days = ladder.retryAfterDays[failures - 1]
  if (days === undefined) {
    const reason = isInventory ? 'insufficient_inventory' : PAYMENT_FAILED
    const next = { outcome: 'given_up', counts: counter, ending: ladder.onFailure, reason } as const
    return { next, attemptsRemaining: 0 }
  }
  const { hardDeclineWaitDays: wait } = dunning
  const held = decline.kind === 'hard'
  return {
    next: {
      outcome: 'declined',
      retryAt: held ? null : inDays(days),
      givesUpAt: held && wait !== null ? inDays(wait) : null,
      counts: counter
    },
    attemptsRemaining
  }
}

/** How many tries the ladder still has once the cycle has had so many definite declines. */
export function attemptsRemainingAfter(
  declines: number,
  { retryAfterDays }: Pick<Ladder<string>, 'retryAfterDays'>
): number {
  return Math.min(Math.max(retryAfterDays.length - declines + 1, 0), retryAfterDays.length)
}

/** How many tries the ladder has behind one that is under way: the ladder of what failed last. */
export function remainingWhileOpen({ declines, inventoryFailures }: Counts, dunning: DunningSettings): number {
  const isInventory = declines === 0 && inventoryFailures > 0
  const tries = isInventory
    ? dunning.inventory.retryAfterDays.length - inventoryFailures
    : dunning.retryAfterDays.length - declines
  return Math.max(tries, 0)
}
