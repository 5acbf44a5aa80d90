import { Busy } from '#kit/refusal'
import { TooManyExports } from './refusals.ts'

export type PlaceLimits = {
  /** Exports of one store that are under way or wait. */
  maxPerStore: number
  /** Exports of all stores that run at once. */
  maxRunning: number
  /** How long an export may wait to run. */
  waitMs: number
}

/**
 * Decides which exports run. Those that wait are not served by age: next is one of the store that has the fewest running, so that
 * one store's exports do not hold up another's.
 */
export function createPlaces({ maxPerStore, maxRunning, waitMs }: PlaceLimits) {
  const held = new Map<number, number>()
  const runningOf = new Map<number, number>()
  const waiting: { storeId: number; begin: () => void }[] = []
  let running = 0

  const add = (counts: Map<number, number>, storeId: number, change: 1 | -1) => {
    const count = (counts.get(storeId) ?? 0) + change
    if (count === 0) counts.delete(storeId)
    else counts.set(storeId, count)
  }
  const beginNext = () => {
    if (running >= maxRunning) return
    const load = ({ storeId }: { storeId: number }) => runningOf.get(storeId) ?? 0
    const next = waiting.reduce<(typeof waiting)[number] | null>(
      (best, one) => (best && load(best) <= load(one) ? best : one),
      null
    )
    if (!next) return
    waiting.splice(waiting.indexOf(next), 1)
    next.begin()
  }

  return {
    /** Returns when the export may run; the returned function gives the place back. Throws TooManyExports, or Busy after `waitMs`. */
    async take(storeId: number, signal?: AbortSignal): Promise<() => void> {
      signal?.throwIfAborted()
      if ((held.get(storeId) ?? 0) >= maxPerStore) throw new TooManyExports(maxPerStore)
      add(held, storeId, 1)
      const begun = Promise.withResolvers<void>()
      const entry = { storeId, begin: begun.resolve }
      const leave = (reason: Error) => {
        const place = waiting.indexOf(entry)
        if (place < 0) return
        waiting.splice(place, 1)
        begun.reject(reason)
      }
      const onAbort = () => leave(signal!.reason)
      const timer = setTimeout(() => leave(allBusy()), waitMs)
      signal?.addEventListener('abort', onAbort, { once: true })
      const take = () => {
        running++
        add(runningOf, storeId, 1)
      }
      entry.begin = () => {
        take()
        begun.resolve()
      }
      waiting.push(entry)
      beginNext()
      try {
        await begun.promise
      } catch (err) {
        add(held, storeId, -1)
        throw err
      } finally {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
      }
      let isGivenBack = false
      return () => {
        if (isGivenBack) return
        isGivenBack = true
        running--
        add(runningOf, storeId, -1)
        add(held, storeId, -1)
        beginNext()
      }
    }
  }
}

const allBusy = () =>
  new Busy('Too many exports of other stores are under way; repeat the request after the seconds in Retry-After')
