/** After so long a piece of work counts as slow: it takes no place of the others any more. */
const SLOW_MS = 2_000
/** A run waits no longer for the first piece that ends: what becomes due meanwhile is not to wait for one that hangs. */
const COME_BACK_MS = 2_000
/** Of the pieces that were begun together, so many are waited for; the others get as long again as these took, within limits. */
const ENDED_SHARE = 0.75
const MIN_AGAIN_MS = 20
const MAX_AGAIN_MS = 500

type Flight = { startedAt: number }
type StoreFlights<T> = {
  flights: Set<Flight>
  ended: PromiseSettledResult<T>[]
  /** Those that were started last. */
  round: Flight[]
  notify: () => void
}

/**
 * Work of an engine that waits for somebody outside, such as calls of the platform, kept in memory over several of its runs: a run
 * records what has ended and begins more, and no piece that hangs holds up another.
 */
export type Flights<T> = {
  /** Begins pieces of work in a store. Each should leave writing to the run that takes its result. */
  start(storeId: number, work: (() => Promise<T>)[]): void
  /**
   * What has ended and was not taken yet. Waits a while for most of those that were started last, and then for the rest of these as
   * long again.
   */
  take(storeId: number): Promise<PromiseSettledResult<T>[]>
  /** How many are under way or not taken yet; of those under way, how many are slow. */
  load(storeId: number): { underWay: number; slow: number }
  /** How many more may begin of `max` at once: slow ones do not count, unless they are more than twice as many. */
  free(storeId: number, max: number): number
}

/** How patient an engine is with work that waits for others; for tests, which do not wait for what hangs as long. */
export type Patience = {
  /** After how long a piece of work counts as slow; two seconds when left out. */
  slowMs?: number
  /** How long a run waits while only slow work is under way, before it looks for what became due; two seconds when left out. */
  comeBackMs?: number
}

export function createFlights<T>({ slowMs = SLOW_MS, comeBackMs = COME_BACK_MS }: Patience = {}): Flights<T> {
  const stores = new Map<number, StoreFlights<T>>()

  const until = async (store: StoreFlights<T>, holds: () => boolean, waitMs: number) => {
    if (holds()) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, waitMs)
    store.notify = () => {
      if (holds()) resolve()
    }
    await promise
    clearTimeout(timer)
    store.notify = () => {}
  }

  const load = (storeId: number) => {
    const { flights, ended } = stores.get(storeId) ?? { flights: [], ended: [] }
    const since = performance.now() - slowMs
    const slow = [...flights].filter(({ startedAt }) => startedAt < since).length
    return { underWay: [...flights].length + ended.length, slow }
  }

  return {
    start(storeId, work) {
      if (work.length === 0) return
      const store = stores.get(storeId) ?? { flights: new Set(), ended: [], round: [], notify: () => {} }
      stores.set(storeId, store)
      const startedAt = performance.now()
      store.round = work.map((one) => {
        const flight = { startedAt }
        store.flights.add(flight)
        const end = (result: PromiseSettledResult<T>) => {
          store.flights.delete(flight)
          store.ended.push(result)
          store.notify()
        }
        one().then(
          (value) => end({ status: 'fulfilled', value }),
          (reason) => end({ status: 'rejected', reason })
        )
        return flight
      })
    },

    async take(storeId) {
      const store = stores.get(storeId)
      if (!store) return []
      const { flights, round, ended } = store
      const leftOfRound = () => round.filter((flight) => flights.has(flight)).length
      const areMostEnded = () => ended.length > 0 && leftOfRound() <= round.length * (1 - ENDED_SHARE)
      await until(store, () => flights.size === 0 || areMostEnded(), comeBackMs)
      if (areMostEnded() && leftOfRound() > 0) {
        const tookMs = performance.now() - round[0]!.startedAt
        await until(store, () => leftOfRound() === 0, Math.min(Math.max(tookMs, MIN_AGAIN_MS), MAX_AGAIN_MS))
      }
      // Another may have taken the last one meanwhile, and more have begun.
      if (flights.size === 0 && stores.get(storeId) === store) stores.delete(storeId)
      return ended.splice(0)
    },

    load,
    free(storeId, max) {
      const { underWay, slow } = load(storeId)
      return Math.max(0, Math.min(max - (underWay - slow), max * 3 - underWay))
    }
  }
}
