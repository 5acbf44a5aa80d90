import { setTimeout as sleep } from 'node:timers/promises'
import type { Connector, PlatformCharge, PlatformCharges, PlatformResult, WithheldCharge } from '#platform'

/** How much of a platform is read at most. */
export type ChargeLimits = { days: number; calls: number; ms: number }

export const CHARGE_LIMITS: ChargeLimits = { days: 60, calls: 40, ms: 20_000 }

/** What was read: all charges since `readFrom`. `notRead` says what was not, and why; null where that is nothing. */
export type ReadCharges = {
  charges: PlatformCharge[]
  withheld: WithheldCharge[]
  readFrom: Temporal.Instant
  notRead: string | null
}

/** What is left of the limits of one store: calls, and the time until `endAt` (`performance.now()`). */
export type Allowance = Pick<ChargeLimits, 'days' | 'calls' | 'ms'> & { endAt: number }

export const allow = (limits: ChargeLimits): Allowance => ({ ...limits, endAt: performance.now() + limits.ms })

/**
 * One call, counted in `used`, if the limits have room for it: what it returned, or in words why there is none. One that takes
 * longer than what is left of the time is not waited for.
 */
export async function callWithin<T>(
  { calls, ms, endAt }: Allowance,
  used: { calls: number },
  call: () => Promise<PlatformResult<T>>
): Promise<{ value: T } | { why: string }> {
  const leftMs = endAt - performance.now()
  if (leftMs <= 0) return { why: `reading took ${ms / 1000} s` }
  if (used.calls >= calls) return { why: `they take more than ${calls} calls` }
  used.calls++
  const result = await within(call(), leftMs)
  if (result === LATE) return { why: `the platform did not respond within ${ms / 1000} s` }
  return result.ok ? { value: result.value } : { why: result.failure.message }
}

/** Reads the newest charges of a platform page by page, one call at a time, within the limits. */
export async function readCharges(
  connector: Connector,
  now: Temporal.Instant,
  allowance: Allowance,
  used: { calls: number }
): Promise<ReadCharges> {
  const since = now.subtract({ hours: 24 * allowance.days })
  const charges: PlatformCharge[] = []
  const withheld: WithheldCharge[] = []
  let readFrom = now
  let after: string | null = null
  for (;;) {
    const page: { value: PlatformCharges } | { why: string } = await callWithin(allowance, used, () =>
      connector.billing.listChargesSince(since, after)
    )
    if ('why' in page) {
      const notRead = `charges on the platform from ${since} to ${readFrom} were not looked at: ${page.why}`
      return { charges, withheld, readFrom, notRead }
    }
    charges.push(...page.value.items)
    withheld.push(...page.value.withheld)
    // What was created in the same second as the last one may be on the next page.
    if (page.value.oldestAt) readFrom = page.value.oldestAt.add({ seconds: 1 })
    after = page.value.after
    if (after === null) return { charges, withheld, readFrom: since, notRead: null }
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
