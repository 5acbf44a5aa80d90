const BATCH = 500
const FACTOR = 4
/** Only facts that were handled faster than this are followed by more at a time. */
const QUICK_MS = 2_000
/** So many outages in a row, each with a database that answers again right after, are the consumer's own doing. */
const MAX_OUTAGES = 5

/** How many facts of one store a consumer is given at a time: fewer after a failure, until it is seen which one fails. */
export type Pace = {
  limit(): number
  /** After facts were handled together, in so many milliseconds. */
  succeeded(ms: number): void
  /** After so many failed together. */
  failed(count: number): void
  /** After an outage: whether the same is to be tried again. Otherwise it counts as a failure. */
  mayRepeat(): boolean
}

/** The paces of a consumer in the stores. Only those are remembered where something failed. */
export function createPaces(): (storeId: number) => Pace {
  const states = new Map<number, { limit: number; outages: number }>()
  const stateOf = (storeId: number) => states.get(storeId) ?? { limit: BATCH, outages: 0 }
  return (storeId) => ({
    limit: () => stateOf(storeId).limit,
    succeeded(ms) {
      const { limit } = stateOf(storeId)
      const next = ms < QUICK_MS ? Math.min(BATCH, limit * FACTOR) : limit
      if (next === BATCH) states.delete(storeId)
      else states.set(storeId, { limit: next, outages: 0 })
    },
    failed(count) {
      states.set(storeId, { ...stateOf(storeId), limit: Math.max(1, Math.floor(count / FACTOR)) })
    },
    mayRepeat() {
      const { limit, outages } = stateOf(storeId)
      states.set(storeId, { limit, outages: outages + 1 })
      return outages < MAX_OUTAGES
    }
  })
}
