import type { EndpointQuota, Pace } from '../delivery/claim-deliveries.ts'

/** What became of a call: how long the receiver took to respond, that it did not, or that it was not called. */
export type Reply = { ms: number } | 'none' | 'not called'

/** What one process holds of the deliveries to an endpoint. */
export type EndpointWindow<P> = {
  storeId: number
  queue: P[]
  active: number
  /** How many of these have left the places of quick ones, since they take longer. */
  late: number
  /** How many of those that it holds are retries. */
  retries: number
  limit: number
  /** How long its receiver takes to respond, on average; null: it has not responded yet. */
  meanMs: number | null
  /** Its receiver did not respond the last time. */
  isSilent: boolean
  /** Since the last turn. */
  finished: number
  /** For how many calls it waits, and among whom. */
  wants: { pace: Pace; count: number }
  listedAs: Pace | null
}

/** The limits of every endpoint: `perEndpoint` calls at a time to one that responds within `slowMs`. */
export type WindowLimits = { perEndpoint: number; slowMs: number }

// A new or recovered receiver gets two at a time, and twice as many after each response, up to its limit. The limit of a slow
// one grows with the time that it takes, so that every receiver that responds gets the same number per second. One that does
// not respond gets half as many after each call, in the end one at a time.
const FIRST_LIMIT = 2
// The weight of a response in the average.
const MEAN_WEIGHT = 0.25
// If this process dies, each delivery that it holds in memory counts as a try. So it holds what is being sent and what it will send
// before it leases again, which is about as much as it sent since the last time.
export const AHEAD = 2
const MAX_HELD = 256

/** How many to lease of an endpoint that this process does not know. */
export const firstLimit = ({ perEndpoint }: WindowLimits) => Math.min(FIRST_LIMIT, perEndpoint)

export function newWindow<P>(
  { storeId, failing }: { storeId: number; failing: boolean },
  limits: WindowLimits
): EndpointWindow<P> {
  const counts = { active: 0, late: 0, retries: 0, finished: 0 }
  const limit = failing ? 1 : firstLimit(limits)
  const wants = { pace: failing ? 'silent' : 'unknown', count: 0 } as const
  return { storeId, ...counts, queue: [], limit, meanMs: null, isSilent: failing, wants, listedAs: null }
}

/** That of a receiver which has just become slower is not known any more. */
export function paceOf({ isSilent, meanMs, late }: EndpointWindow<unknown>, { slowMs }: WindowLimits): Pace {
  if (isSilent) return 'silent'
  if (meanMs !== null && meanMs >= slowMs) return 'slow'
  return meanMs === null || late > 0 ? 'unknown' : 'quick'
}

/** Adapts limit and pace to what became of a call. */
export function adapt(window: EndpointWindow<unknown>, reply: Reply, { perEndpoint, slowMs }: WindowLimits): void {
  if (reply === 'not called') return
  window.finished++
  window.isSilent = reply === 'none'
  if (reply === 'none') {
    window.limit = Math.max(1, Math.floor(window.limit / 2))
    return
  }
  window.meanMs = window.meanMs === null ? reply.ms : window.meanMs + (reply.ms - window.meanMs) * MEAN_WEIGHT
  const max = Math.floor(perEndpoint * Math.max(1, window.meanMs / slowMs))
  window.limit = Math.min(window.limit * 2, max)
}

/** How many more of its deliveries may be leased. */
export function quotaOf(window: EndpointWindow<unknown>, limits: WindowLimits): EndpointQuota {
  const pace = paceOf(window, limits)
  const isAhead = pace === 'quick' || pace === 'unknown'
  const held = isAhead ? Math.min(window.limit + AHEAD * window.finished, MAX_HELD) : window.limit
  const deliveries = Math.max(held - window.queue.length - window.active, 0)
  // However many first tries wait for a slow receiver, retries come at their time: up to half of what it gets.
  const retries = pace === 'slow' ? Math.max(Math.min(deliveries, Math.ceil(held / 2) - window.retries), 0) : 0
  return { pace, deliveries, retries }
}
