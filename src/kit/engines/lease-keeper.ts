/** Extends the leases on things that this process works on, however long that takes. Times are of `performance.now()`. */
export type LeaseKeeper<T> = {
  /** Keeps the leases on things of a store until they are let go; they were leased at `from` or later. */
  keep(storeId: number, things: T[], from: number): void
  /** Extends them no more: the work is over. */
  letGo(storeId: number, things: T[]): void
  /**
   * Whether the lease lasts still. It may not when this process or the database stood still. That of a node which has lost its session
   * may be freed before (`lease-owner.ts`): the token of the claim tells whether it is ours.
   */
  isHeld(storeId: number, thing: T): boolean
}

/** `until` of what is kept: so long its lease surely lasts. */
type Kept<T> = { until: Map<T, number>; timer: NodeJS.Timeout; isAsking: boolean }

/**
 * Leases last `leaseMs` and are extended after every third of that. `extend` does it, only for those that are still ours, and
 * returns these. When it fails it is tried again; until then leases may run out, and nothing is to begin under them.
 */
export function createLeaseKeeper<T>(options: {
  leaseMs: number
  extend: (storeId: number, things: T[]) => Promise<T[]>
}): LeaseKeeper<T> {
  const { leaseMs, extend } = options
  const stores = new Map<number, Kept<T>>()

  const extendAll = async (storeId: number, store: Kept<T>): Promise<void> => {
    if (store.isAsking) return
    store.isAsking = true
    try {
      const from = performance.now()
      const asked = [...store.until.keys()]
      const extended = new Set(await extend(storeId, asked))
      // Some were let go meanwhile.
      for (const thing of asked)
        if (store.until.has(thing)) store.until.set(thing, extended.has(thing) ? from + leaseMs : 0)
    } finally {
      store.isAsking = false
    }
  }

  const begin = (storeId: number): Kept<T> => {
    const extendNow = () => void extendAll(storeId, store).catch(() => {})
    const timer = setInterval(extendNow, leaseMs / 3).unref()
    const store: Kept<T> = { until: new Map(), timer, isAsking: false }
    stores.set(storeId, store)
    return store
  }

  return {
    keep(storeId, things, from) {
      if (things.length === 0) return
      const store = stores.get(storeId) ?? begin(storeId)
      for (const thing of things) store.until.set(thing, from + leaseMs)
    },
    letGo(storeId, things) {
      const store = stores.get(storeId)
      if (!store) return
      for (const thing of things) store.until.delete(thing)
      if (store.until.size > 0) return
      clearInterval(store.timer)
      stores.delete(storeId)
    },
    isHeld: (storeId, thing) => performance.now() < (stores.get(storeId)?.until.get(thing) ?? 0)
  }
}
