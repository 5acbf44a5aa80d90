import { type EndpointQuota, type LeaseQuotas, PACES, type Pace } from '../delivery/claim-deliveries.ts'
import {
  AHEAD,
  adapt,
  type EndpointWindow,
  firstLimit,
  newWindow,
  paceOf,
  quotaOf,
  type Reply,
  type WindowLimits
} from './endpoint-window.ts'
import { createFairPlaces, type FairPlaces } from './fair-places.ts'

/** A delivery on its way to one endpoint of one store, whose last try may have failed. */
export type QueuedDelivery = { storeId: number; endpointId: number; failing: boolean; isRetry: boolean }

/** The end of a delivery. */
export type FinishedDelivery<P, R> = { delivery: P; result: R; reply: Reply }

type StoreWindows<P, R> = {
  storeId: number
  windows: Map<number, EndpointWindow<P>>
  underWay: number
  finished: FinishedDelivery<P, R>[]
  /** The endpoint of each pace that was leased last: the next lease begins after it. */
  lastLeased: Map<Pace, number>
  /** A caller waits for so many to finish. */
  awaited: { count: number; resolve(): void } | null
}

// Receivers of each pace share places of their own, so that neither slow nor silent ones take those of the others: as many
// as `overall` times this. A call that waits costs a connection and its body, and little else. Of a receiver that has not responded
// yet, or that has just become slower, the pace is unknown: it uses the places of quick ones.
// A call that turns out to be slow leaves those for places of its own (late), so that it takes none of the other paces either.
const PLACES = { quick: 1, late: 2.5, slow: 2.5, silent: 0.75 } as const
const BATCH_WAIT_MS = 20

/** Of two endpoints, in the order that begins after `after` and goes on with the first. */
const isBehind = (id: number, other: number, after: number) =>
  id <= after === other <= after ? id > other : id <= after

/**
 * Flow control in this process's memory: a window per endpoint, each with its own limit, and one limit over all windows of a
 * pace, whose places stores share equally. `perEndpoint` holds for receivers that respond within `slowMs`; one that takes
 * n times as long gets n times as many. `deliver` does the work and never throws.
 */
export function createEndpointConcurrency<P extends QueuedDelivery, R>(
  options: WindowLimits & { overall: number; deliver: (delivery: P) => Promise<{ result: R; reply: Reply }> }
) {
  const { overall, slowMs, deliver } = options
  const stores = new Map<number, StoreWindows<P, R>>()
  const max = (pace: keyof typeof PLACES) => Math.max(1, Math.floor(overall * PLACES[pace]))
  const late = createFairPlaces<EndpointWindow<P>>(max('late'))
  const quick = createFairPlaces<EndpointWindow<P>>(max('quick'), { late })
  const slow = createFairPlaces<EndpointWindow<P>>(max('slow'))
  const silent = createFairPlaces<EndpointWindow<P>>(max('silent'))
  const placesOf = (pace: Pace) => ({ unknown: quick, quick, slow, silent })[pace]

  const windowOf = ({ storeId, endpointId, failing }: QueuedDelivery) => {
    let store = stores.get(storeId)
    if (!store) {
      store = { storeId, windows: new Map(), underWay: 0, finished: [], lastLeased: new Map(), awaited: null }
      stores.set(storeId, store)
    }
    let window = store.windows.get(endpointId)
    if (!window) store.windows.set(endpointId, (window = newWindow({ storeId, failing }, options)))
    return { store, window }
  }

  /** After each change of a window: it waits for places of its pace, for as many calls as its limit allows. */
  const refresh = (store: StoreWindows<P, R>, window: EndpointWindow<P>) => {
    const { storeId } = store
    const { wants, listedAs, limit, active, queue } = window
    const pace = paceOf(window, options)
    const count = Math.max(Math.min(queue.length, limit - active), 0)
    placesOf(wants.pace).wait(storeId, -wants.count)
    placesOf(pace).wait(storeId, count)
    window.wants = { pace, count }
    if (listedAs && (listedAs !== pace || count === 0)) {
      placesOf(listedAs).unlist(storeId, listedAs, window)
      window.listedAs = null
    }
    if (window.listedAs || count === 0) return
    window.listedAs = pace
    placesOf(pace).list(storeId, pace, window)
  }

  const takeTurns = () => {
    for (const places of [quick, slow, silent]) {
      for (let window = places.next(); window; window = places.next()) {
        const store = stores.get(window.storeId)!
        window.listedAs = null
        const delivery = window.queue.shift()
        if (delivery) void run(store, window, delivery, places)
        refresh(store, window)
      }
    }
  }

  const run = async (
    store: StoreWindows<P, R>,
    window: EndpointWindow<P>,
    delivery: P,
    begunIn: FairPlaces<EndpointWindow<P>>
  ) => {
    const { storeId } = store
    let places = begunIn
    places.take(storeId, 1)
    window.active++
    // It turns out to be slow, or silent: from now on it does not take a place of the quick ones, even if there is none for it.
    const moveOver = () => {
      places.take(storeId, -1)
      places = late
      places.take(storeId, 1)
      window.late++
      refresh(store, window)
      takeTurns()
    }
    const timer = begunIn === quick ? setTimeout(moveOver, slowMs) : undefined
    const ended = await deliver(delivery)
    clearTimeout(timer)
    places.take(storeId, -1)
    window.active--
    if (delivery.isRetry) window.retries--
    if (places !== begunIn) window.late--
    adapt(window, ended.reply, options)
    refresh(store, window)
    store.finished.push({ delivery, ...ended })
    notifyWaiter(store)
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

  /** For all endpoints of one pace: as much as the store's share of the places can begin with soon. */
  const allowanceOf = (storeId: number, pace: Pace, finished: number): number => {
    if (pace === 'slow' || pace === 'silent') return placesOf(pace).slowAllowance(storeId)
    const allowance = quick.quickAllowance(storeId) + AHEAD * finished
    if (pace === 'quick') return allowance
    // All that the store holds here may turn out to be slow. Some are begun as long as there is a place for such.
    const lateFree = late.free(storeId) - quick.held(storeId)
    return quick.mayStart(storeId, pace) ? Math.min(allowance, Math.max(lateFree, 1)) : 0
  }

  return {
    /** How many more deliveries of the store may be leased, by what it finished since the last turn. */
    quotas(storeId: number): LeaseQuotas {
      const store = stores.get(storeId)
      const endpoints = new Map<number, EndpointQuota>()
      const finished = { unknown: 0, quick: 0, slow: 0, silent: 0 }
      for (const [endpointId, window] of store?.windows ?? []) {
        endpoints.set(endpointId, quotaOf(window, options))
        finished[paceOf(window, options)] += window.finished
        window.finished = 0
      }
      const paces = PACES.map((pace) => {
        const deliveries = allowanceOf(storeId, pace, finished[pace])
        const retries = pace === 'slow' ? Math.ceil(deliveries / 2) : 0
        return { pace, deliveries, retries, after: store?.lastLeased.get(pace) ?? 0 }
      })
      return { endpoints, elsewhere: firstLimit(options), paces }
    },

    /** What was leased in this store. */
    add(storeId: number, deliveries: P[]): void {
      const lastOf = new Map<Pace, number>()
      for (const delivery of deliveries) {
        const { store, window } = windowOf(delivery)
        const pace = paceOf(window, options)
        store.underWay++
        if (delivery.isRetry) window.retries++
        window.queue.push(delivery)
        refresh(store, window)
        const last = lastOf.get(pace)
        const after = store.lastLeased.get(pace) ?? 0
        if (last === undefined || isBehind(delivery.endpointId, last, after)) lastOf.set(pace, delivery.endpointId)
      }
      for (const [pace, endpointId] of lastOf) stores.get(storeId)?.lastLeased.set(pace, endpointId)
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

    /** Ends what has not begun in this store as `unsent` says: it finishes at once, and is not sent. */
    drop(storeId: number, unsent: (delivery: P) => R): void {
      const store = stores.get(storeId)
      for (const window of store?.windows.values() ?? []) {
        for (const delivery of window.queue.splice(0)) {
          if (delivery.isRetry) window.retries--
          store!.finished.push({ delivery, result: unsent(delivery), reply: 'not called' })
        }
        refresh(store!, window)
      }
      if (store) notifyWaiter(store)
    },

    /** How many deliveries of the store are between `add` and `done`. A store without any is removed. */
    underWay(storeId: number): number {
      const count = stores.get(storeId)?.underWay ?? 0
      if (count === 0 && stores.delete(storeId)) {
        for (const places of [quick, late, slow, silent]) places.forget(storeId)
      }
      return count
    },

    busyStores: () => [...stores.keys()].filter((storeId) => stores.get(storeId)!.underWay > 0)
  }
}
