/** A delivery on its way to one endpoint of one store, whose last try may have failed. */
export type QueuedDelivery = { storeId: number; endpointId: number; failing: boolean }

/** The end of a delivery. `responded`: whether the receiver is alive; null when it was not called. */
export type FinishedDelivery<P, R> = { delivery: P; result: R; responded: boolean | null }

type EndpointWindow<P> = {
  queue: P[]
  active: number
  limit: number
  /** Its receiver did not respond the last time. */
  unhealthy: boolean
  /** Since the last turn. */
  finished: number
  listed: boolean
}
type StoreWindows<P, R> = {
  windows: Map<number, EndpointWindow<P>>
  underWay: number
  finished: FinishedDelivery<P, R>[]
  /** A caller waits for so many to finish. */
  awaited: { count: number; resolve(): void } | null
}

// A new or recovered receiver gets two at a time, twice as many after each answer up to the limit; one that does not
// answer gets one at a time. So receivers that hang hold few of the places that all endpoints share, and however many
// they are, never more than this part of them.
const FIRST_LIMIT = 2
const UNHEALTHY_SHARE = 0.5
// If this process dies, each delivery that it holds in memory counts as a try. So it holds what is being sent and what it will send
// before it leases again, which is about as much as it sent since the last time.
const AHEAD = 2
const MAX_HELD = 256
const BATCH_WAIT_MS = 20

type Turn<P, R> = { store: StoreWindows<P, R>; window: EndpointWindow<P> }

/**
 * Flow control in this process's memory: a window per endpoint, each with its own limit, and one limit over all of them;
 * windows take turns. `deliver` does the work and never throws.
 */
export function createEndpointConcurrency<P extends QueuedDelivery, R>(options: {
  perEndpoint: number
  overall: number
  deliver: (delivery: P) => Promise<{ result: R; responded: boolean | null }>
}) {
  const { perEndpoint, overall, deliver } = options
  const stores = new Map<number, StoreWindows<P, R>>()
  const turns: Turn<P, R>[] = []
  const unhealthyTurns: Turn<P, R>[] = []
  let active = 0
  let activeUnhealthy = 0
  let isUnhealthyTurn = false

  const windowOf = ({ storeId, endpointId, failing }: QueuedDelivery) => {
    let store = stores.get(storeId)
    if (!store) stores.set(storeId, (store = { windows: new Map(), underWay: 0, finished: [], awaited: null }))
    let window = store.windows.get(endpointId)
    if (!window) {
      const limit = failing ? 1 : Math.min(FIRST_LIMIT, perEndpoint)
      store.windows.set(
        endpointId,
        (window = { queue: [], active: 0, limit, unhealthy: failing, finished: 0, listed: false })
      )
    }
    return { store, window }
  }

  const list = (store: StoreWindows<P, R>, window: EndpointWindow<P>) => {
    if (window.listed || window.queue.length === 0 || window.active >= window.limit) return
    window.listed = true
    ;(window.unhealthy ? unhealthyTurns : turns).push({ store, window })
  }

  /** Unhealthy endpoints and the others alternate as long as both have turns. */
  const nextTurn = () => {
    isUnhealthyTurn = !isUnhealthyTurn
    const mayTakeUnhealthy = activeUnhealthy < overall * UNHEALTHY_SHARE
    return (
      (isUnhealthyTurn && mayTakeUnhealthy && unhealthyTurns.shift()) ||
      turns.shift() ||
      (mayTakeUnhealthy && unhealthyTurns.shift())
    )
  }

  const takeTurns = () => {
    while (active < overall) {
      const turn = nextTurn()
      if (!turn) return
      const { store, window } = turn
      window.listed = false
      const delivery = window.queue.shift()
      if (delivery) void run(store, window, delivery)
      list(store, window)
    }
  }

  const run = async (store: StoreWindows<P, R>, window: EndpointWindow<P>, delivery: P) => {
    const unhealthyCount = window.unhealthy ? 1 : 0
    active++
    activeUnhealthy += unhealthyCount
    window.active++
    const passed = await deliver(delivery)
    active--
    activeUnhealthy -= unhealthyCount
    window.active--
    if (passed.responded !== null) {
      window.unhealthy = !passed.responded
      window.limit = window.unhealthy ? 1 : Math.min(window.limit * 2, perEndpoint)
      window.finished++
    }
    store.finished.push({ delivery, ...passed })
    notifyWaiter(store)
    list(store, window)
    takeTurns()
  }

  const notifyWaiter = ({ awaited, finished, underWay }: StoreWindows<P, R>) => {
    if (awaited && (finished.length >= awaited.count || underWay === 0)) awaited.resolve()
  }

  const untilFinished = async (store: StoreWindows<P, R>, count: number, waitMs: number) => {
    if (store.finished.length >= count || store.underWay === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    store.awaited = { count, resolve }
    const timer = setTimeout(resolve, waitMs)
    await promise
    clearTimeout(timer)
    store.awaited = null
  }

  return {
    /** How much more each window of the store may hold, by what it finished since the last turn. Others hold nothing. */
    capacity(storeId: number): Map<number, number> {
      const capacity = new Map<number, number>()
      for (const [endpointId, window] of stores.get(storeId)?.windows ?? []) {
        const held = window.unhealthy ? window.limit : Math.min(window.limit + AHEAD * window.finished, MAX_HELD)
        capacity.set(endpointId, Math.max(held - window.queue.length - window.active, 0))
        window.finished = 0
      }
      return capacity
    },
    capacityElsewhere: Math.min(FIRST_LIMIT, perEndpoint),

    add(deliveries: P[]): void {
      for (const delivery of deliveries) {
        const { store, window } = windowOf(delivery)
        store.underWay++
        window.queue.push(delivery)
        list(store, window)
      }
      takeTurns()
    },

    /**
     * What has finished in this store, waiting a while for the first, and a moment for half of what is under way: so that
     * a busy store is recorded in large portions. Each must be passed to `done` afterwards.
     */
    async take(storeId: number, waitMs: number): Promise<FinishedDelivery<P, R>[]> {
      const store = stores.get(storeId)
      if (!store) return []
      await untilFinished(store, 1, waitMs)
      await untilFinished(store, store.underWay / 2, BATCH_WAIT_MS)
      return store.finished.splice(0)
    },

    /** These are recorded and removed; or, as they could not be recorded, to be leased again. */
    done(storeId: number, passed: FinishedDelivery<P, R>[], written: boolean): void {
      const store = stores.get(storeId)
      if (!store || passed.length === 0) return
      if (!written) store.finished.push(...passed)
      else store.underWay -= passed.length
      notifyWaiter(store)
    },

    /** How many deliveries of the store are between `add` and `done`. A store without any is removed. */
    underWay(storeId: number): number {
      const count = stores.get(storeId)?.underWay ?? 0
      if (count === 0) stores.delete(storeId)
      return count
    },

    busyStores: () => [...stores.keys()].filter((storeId) => stores.get(storeId)!.underWay > 0)
  }
}
