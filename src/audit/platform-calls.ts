import { setTimeout as sleep } from 'node:timers/promises'
import { type Connector, type PlatformResult, succeeded } from '#platform'
import type { Finding } from './run-rules.ts'

/** How much of a platform is read at most for one check of a store. */
export type CallLimits = { days: number; calls: number; ms: number }

/** What is left of the limits of one store: calls, and the time until `endAt` (`performance.now()`). */
export type Allowance = CallLimits & { endAt: number }

export const allow = (limits: CallLimits): Allowance => ({ ...limits, endAt: performance.now() + limits.ms })

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

/** What an audit that compares a store with its platform came to; `notChecked`: what it has left out, in words. */
export type Audited = { checked: number; findings: Finding[]; notChecked: string[] }

/** Calls of a store's platform, each counted, as far as the allowance goes: then it is as if the platform had not responded. */
export function callsWithin(
  allowance: Allowance,
  connectorOf: () => Promise<Connector>
): <T>(ask: (connector: Connector) => Promise<PlatformResult<T>>) => Promise<PlatformResult<T>> {
  const used = { calls: 0 }
  return async (ask) => {
    const asked = await callWithin(allowance, used, async () => ask(await connectorOf()))
    return 'value' in asked ? succeeded(asked.value) : unavailable(asked.why)
  }
}

/** Whatever keeps a page from being compared is said in its place: the other checks of a store go on. */
export const orWhyNot = <T>(page: Promise<PlatformResult<T>>): Promise<PlatformResult<T>> =>
  page.catch((err: Error) => unavailable(err.message))

const unavailable = (message: string): PlatformResult<never> => ({
  ok: false,
  failure: { kind: 'unavailable', message }
})

const LATE = Symbol('late')

async function within<T>(work: Promise<T>, ms: number): Promise<T | typeof LATE> {
  const timer = new AbortController()
  try {
    return await Promise.race([work, sleep(ms, LATE as typeof LATE, { signal: timer.signal })])
  } finally {
    timer.abort()
  }
}
