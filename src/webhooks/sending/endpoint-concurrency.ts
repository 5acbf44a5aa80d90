import type { Room } from '../delivery/delivery-queries.ts'

/** A delivery on its way to one endpoint of one store, whose last try may have failed. */
export type QueuedDelivery = { storeId: number; endpointId: number; failing: boolean; isRetry: boolean }

/** What became of a call: how long the receiver took to respond, that it did not, or that it was not called. */
export type Reply = { ms: number } | 'none' | 'not called'

/** The end of a delivery. */
export type FinishedDelivery<P, R> = { delivery: P; result: R; reply: Reply }

type EndpointWindow<P> = {
  queue: P[]
  active: number
  /** How many of these are retries. */
  retries: number
  limit: number
  /** How long its receiver takes to respond, on average; null: it has not responded yet. */
  meanMs: number | null
  /** Its receiver did not respond the last time. */
  isSilent: boolean
  /** Since the last turn. */
  finished: number
  listed: boolean
}
type StoreWindows<P, R> = {
  windows: Map<number, EndpointWindow<P>>
  underWay: number
  /** How many of the places of quick receivers it has. */
  quick: number
  finished: FinishedDelivery<P, R>[]
  /** A caller waits for so many to finish. */
  awaited: { count: number; resolve(): void } | null
}

// A new or recovered receiver gets two at a time, and twice as many after each response, up to its limit. The limit of a slow
// one grows with the time that it takes, so that every receiver that responds gets the same number per second. One that does
// not respond gets half as many after each call, in the end one at a time.
const FIRST_LIMIT = 2
// The weight of a response in the average.
const MEAN_WEIGHT = 0.25
// Receivers of each pace share places of their own, so that neither slow nor silent ones take those of the others: as many
// as `overall` times this. A call that waits costs a connection and its body, and little else.
const PLACES = { quick: 1, slow: 2, silent: 0.5 } as const
type Pace = keyof typeof PLACES
// It is not known of a new receiver whether it is slow. So that no store fills all places of quick ones with such, the last quarter is for
// stores that have fewer than so many of them.
const RESERVED = 1 / 4
const FEW = 4
// If this process dies, each delivery that it holds in memory counts as a try. So it holds what is being sent and what it will send
// before it leases again, which is about as much as it sent since the last time.
const AHEAD = 2
const MAX_HELD = 256
const BATCH_WAIT_MS = 20

type Turn<P, R> = { store: StoreWindows<P, R>; window: EndpointWindow<P> }
type Places<P, R> = { most: number; taken: number; turns: Turn<P, R>[] }

/**
 * Flow control in this process's memory: a window per endpoint, each with its own limit, and one limit over all windows of a
 * pace (quick, slow, silent); windows take turns. `perEndpoint` holds for receivers that respond within `slowMs`; one that takes
 * n times as long gets n times as many. `deliver` does the work and never throws.
 */
export function createEndpointConcurrency<P extends QueuedDelivery, R>(options: {
  perEndpoint: number
  overall: number
  slowMs: number
  deliver: (delivery: P) => Promise<{ result: R; reply: Reply }>
}) {
  const { perEndpoint, overall, slowMs, deliver } = options
  const stores = new Map<number, StoreWindows<P, R>>()
  const placesOf = (pace: Pace): Places<P, R> => ({
    most: Math.max(1, Math.floor(overall * PLACES[pace])),
    taken: 0,
    turns: []
  })
  const places = { quick: placesOf('quick'), slow: placesOf('slow'), silent: placesOf('silent') }

  const windowOf = ({ storeId, endpointId, failing }: QueuedDelivery) => {
    let store = stores.get(storeId)
    if (!store)
      stores.set(storeId, (store = { windows: new Map(), underWay: 0, quick: 0, finished: [], awaited: null }))
    let window = store.windows.get(endpointId)
    if (!window) {
      const limit = failing ? 1 : Math.min(FIRST_LIMIT, perEndpoint)
      const state = { meanMs: null, isSilent: failing, limit }
      store.windows.set(
        endpointId,
        (window = { ...state, queue: [], active: 0, retries: 0, finished: 0, listed: false })
      )
    }
    return { store, window }
  }

  const paceOf = ({ isSilent, meanMs }: EndpointWindow<P>): Pace =>
    isSilent ? 'silent' : meanMs !== null && meanMs >= slowMs ? 'slow' : 'quick'

  const adapt = (window: EndpointWindow<P>, reply: Reply) => {
    if (reply === 'not called') return
    window.finished++
    window.isSilent = reply === 'none'
    if (reply === 'none') {
      window.limit = Math.max(1, Math.floor(window.limit / 2))
      return
    }
    window.meanMs = window.meanMs === null ? reply.ms : window.meanMs + (reply.ms - window.meanMs) * MEAN_WEIGHT
    const most = Math.floor(perEndpoint * Math.max(1, window.meanMs / slowMs))
    window.limit = Math.min(window.limit * 2, most)
  }

  const list = (store: StoreWindows<P, R>, window: EndpointWindow<P>) => {
    if (window.listed || window.queue.length === 0 || window.active >= window.limit) return
    window.listed = true
    places[paceOf(window)].turns.push({ store, window })
  }

  const reserved = Math.floor(places.quick.most * RESERVED)
  const mayTake = (mine: Places<P, R>, store: StoreWindows<P, R>) =>
    mine !== places.quick || mine.taken < mine.most - reserved || store.quick < FEW

  const takeTurns = () => {
    for (const mine of [places.quick, places.slow, places.silent]) {
      const later: Turn<P, R>[] = []
      while (mine.taken < mine.most) {
        const turn = mine.turns.shift()
        if (!turn) break
        const { store, window } = turn
        if (!mayTake(mine, store)) {
          later.push(turn)
          continue
        }
        window.listed = false
        const delivery = window.queue.shift()
        if (delivery) void run(store, window, delivery, mine)
        list(store, window)
      }
      if (later.length > 0) mine.turns = [...later, ...mine.turns]
    }
  }

  const run = async (store: StoreWindows<P, R>, window: EndpointWindow<P>, delivery: P, mine: Places<P, R>) => {
    let taken = mine
    const take = (change: 1 | -1) => {
      taken.taken += change
      if (taken === places.quick) store.quick += change
    }
    take(1)
    window.active++
    // It turns out to be slow, or silent: from now on it leaves its place to the quick ones, if there is another for it.
    const moveOver = () => {
      if (places.slow.taken >= places.slow.most) return
      take(-1)
      taken = places.slow
      take(1)
      takeTurns()
    }
    const timer = mine === places.quick ? setTimeout(moveOver, slowMs) : undefined
    const ended = await deliver(delivery)
    clearTimeout(timer)
    take(-1)
    window.active--
    if (delivery.isRetry) window.retries--
    adapt(window, ended.reply)
    store.finished.push({ delivery, ...ended })
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

  const roomOf = (window: EndpointWindow<P>): Room => {
    const isSlow = paceOf(window) === 'slow'
    const isQuick = !isSlow && !window.isSilent
    const held = isQuick ? Math.min(window.limit + AHEAD * window.finished, MAX_HELD) : window.limit
    const room = Math.max(held - window.queue.length - window.active, 0)
    // However many first tries wait for a slow receiver, retries come at their time: up to half of what it gets.
    const retryRoom = isSlow ? Math.max(Math.min(room, Math.ceil(held / 2) - window.retries), 0) : 0
    return { room, retryRoom }
  }

  return {
    /** How much more each window of the store may hold, by what it finished since the last turn. Others hold nothing. */
    rooms(storeId: number): Map<number, Room> {
      const rooms = new Map<number, Room>()
      for (const [endpointId, window] of stores.get(storeId)?.windows ?? []) {
        rooms.set(endpointId, roomOf(window))
        window.finished = 0
      }
      return rooms
    },
    roomElsewhere: Math.min(FIRST_LIMIT, perEndpoint),

    add(deliveries: P[]): void {
      for (const delivery of deliveries) {
        const { store, window } = windowOf(delivery)
        store.underWay++
        if (delivery.isRetry) window.retries++
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

    /** Ends what has not begun in this store as `unsent` says: it finishes at once, and is not sent. */
    drop(storeId: number, unsent: (delivery: P) => R): void {
      const store = stores.get(storeId)
      for (const window of store?.windows.values() ?? []) {
        for (const delivery of window.queue.splice(0)) {
          if (delivery.isRetry) window.retries--
          store!.finished.push({ delivery, result: unsent(delivery), reply: 'not called' })
        }
      }
      if (store) notifyWaiter(store)
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
