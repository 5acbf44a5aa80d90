/** The retries of one billing cycle: days from each failed charge to the next try, on the shop's calendar. */
export type RetrySchedule = { retryAfterDays: readonly number[] }

/** Days from each soft decline to the next retry, where a store's settings name no others. */
export const DEFAULT_RETRY_AFTER_DAYS = [2, 5, 7, 7]

/** The same for charges that fail because items are out of stock. */
export const DEFAULT_INVENTORY_RETRY_AFTER_DAYS = [1, 1, 2, 3, 7]

/** Days that a charge waits for a new payment method after a hard decline: as long as the default schedule of retries. */
export const DEFAULT_HARD_DECLINE_WAIT_DAYS = 21

/** Hours from one try of a cycle to the next while the platform does not bill its contract. No store changes these. */
export const CONTRACT_RETRY_HOURS = [1, 6, 24, 48, 96, 168] as const

/** Days from the failure of this number (from 1) to the next retry; undefined when it was the last. */
export const retryDaysAfter = ({ retryAfterDays }: RetrySchedule, failures: number): number | undefined =>
  retryAfterDays[failures - 1]

/** How many automatic tries follow an attempt that is open, should each fail softly: by the schedule of what failed last. */
export function remainingWhileOpen(
  { declines, inventoryFailures }: { declines: number; inventoryFailures: number },
  dunning: RetrySchedule & { inventory: RetrySchedule }
): number {
  const isInventory = declines === 0 && inventoryFailures > 0
  const tries = isInventory
    ? dunning.inventory.retryAfterDays.length - inventoryFailures
    : dunning.retryAfterDays.length - declines
  return Math.max(tries, 0)
}

/** The same while a retry waits: it, and what follows it. */
export const remainingWithRetry = (...cycle: Parameters<typeof remainingWhileOpen>) => 1 + remainingWhileOpen(...cycle)

/**
 * How many automatic tries follow a manual attempt that is open: `retryAt`, if a retry of the schedule waits for its result, and what
 * follows it; none where the charge waits for a new payment method.
 */
export function remainingBeside(
  retryAt: Temporal.Instant | null,
  ...[cycle, dunning]: Parameters<typeof remainingWhileOpen>
): number {
  if (retryAt !== null) return remainingWithRetry(cycle, dunning)
  return cycle.declines > 0 ? 0 : remainingWhileOpen(cycle, dunning)
}

/** Whether a cycle whose contract the platform does not bill has had all its tries. */
export const isLastContractRetry = (attemptNumber: number) => attemptNumber > CONTRACT_RETRY_HOURS.length
