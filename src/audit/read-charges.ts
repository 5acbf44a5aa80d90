import { setTimeout as sleep } from 'node:timers/promises'
import type { Connector, PlatformCharge, PlatformCharges, PlatformResult } from '#platform'

/** How much of a platform is read at most. */
export type ChargeLimits = { days: number; calls: number; ms: number }

export const CHARGE_LIMITS: ChargeLimits = { days: 60, calls: 40, ms: 20_000 }

/** Of our successes that are not among the charges, so many are read by their ids. */
export const MAX_READ_AGAIN = 100

/** What was read: all charges since `readFrom`. `notRead` says what was not, and why; null where that is nothing. */
export type ReadCharges = { charges: PlatformCharge[]; readFrom: Temporal.Instant; notRead: string | null }

/** Reads the newest charges of a platform page by page, one call at a time, within the limits. */
export async function readCharges(
  connector: Connector,
  now: Temporal.Instant,
  limits: ChargeLimits = CHARGE_LIMITS
): Promise<ReadCharges> {
  const since = now.subtract({ hours: 24 * limits.days })
  const startedAt = performance.now()
  const charges: PlatformCharge[] = []
  let readFrom = now
  let after: string | null = null
  const stopped = (why: string): ReadCharges => ({
    charges,
    readFrom,
    notRead: `charges on the platform from ${since} to ${readFrom} were not looked at: ${why}`
  })
  for (let calls = 0; ; calls++) {
    const leftMs = limits.ms - (performance.now() - startedAt)
    if (leftMs <= 0) return stopped(`reading took ${limits.ms / 1000} s`)
    if (calls === limits.calls) return stopped(`they take more than ${limits.calls} calls`)
    const page: PlatformResult<PlatformCharges> | typeof LATE = await within(
      connector.billing.listChargesSince(since, after),
      leftMs
    )
    if (page === LATE) return stopped(`the platform did not respond within ${limits.ms / 1000} s`)
    if (!page.ok) return stopped(page.failure.message)
    charges.push(...page.value.items)
    // What was created in the same second as the last one may be on the next page.
    if (page.value.oldestAt) readFrom = page.value.oldestAt.add({ seconds: 1 })
    after = page.value.after
    if (after === null) return { charges, readFrom: since, notRead: null }
  }
}

const LATE = Symbol('late')

async function within<T>(work: Promise<T>, ms: number): Promise<T | typeof LATE> {
  const timer = new AbortController()
  try {
    return await Promise.race([work, sleep(ms, LATE as typeof LATE, { signal: timer.signal })])
  } finally {
    timer.abort()
  }
}
