import type { Connector, PlatformCharge, PlatformCharges, WithheldCharge } from '#platform'
import { type Allowance, type CallLimits, callWithin } from './platform-calls.ts'

/** How much of a platform's charges is read at most. */
export type ChargeLimits = CallLimits

export const CHARGE_LIMITS: ChargeLimits = { days: 60, calls: 40, ms: 20_000 }

/** What was read: all charges since `readFrom`. `notRead` says what was not, and why; null where that is nothing. */
export type ReadCharges = {
  charges: PlatformCharge[]
  withheld: WithheldCharge[]
  readFrom: Temporal.Instant
  notRead: string | null
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
