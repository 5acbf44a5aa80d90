/** What passes through a lane: it goes to one endpoint of one store, whose last try may have failed. */
export type Parcel = { storeId: number; endpointId: number; failing: boolean }

/** How a parcel left its lane. `answered` tells lanes whether the receiver is alive; null when nobody asked it. */
export type Passed<P, R> = { parcel: P; result: R; answered: boolean | null }

type Lane<P> = {
  queue: P[]
  active: number
  limit: number
  /** Its receiver did not answer the last time. */
  ill: boolean
  /** Since the last look. */
  finished: number
  listed: boolean
}
type StoreLanes<P, R> = {
  lanes: Map<number, Lane<P>>
  underWay: number
  finished: Passed<P, R>[]
  /** Someone waits for so many to finish. */
  awaited: { count: number; resolve(): void } | null
}

// A new or recovered receiver gets two at a time, twice as many after each answer up to the limit; one that does not
// answer gets one at a time. So receivers that hang hold few of the places that all endpoints share, and however many
// they are, never more than this part of them.
const FIRST_LIMIT = 2
const PART_FOR_ILL = 0.5
// What memory holds counts as begun if this process dies: so no more than what is under way and what will be before the
// next look, which is about as much as passed since the last one.
const AHEAD = 2
const MAX_HELD = 256
const GATHER_MS = 20

type Turn<P, R> = { store: StoreLanes<P, R>; lane: Lane<P> }

/**
 * Flow control in this process's memory: a lane per endpoint, each with its own limit, and one limit over all of them;
 * lanes take turns. `pass` does the work and never throws.
 */
export function createLanes<P extends Parcel, R>(options: {
  perLane: number
  overall: number
  pass: (parcel: P) => Promise<{ result: R; answered: boolean | null }>
}) {
  const { perLane, overall, pass } = options
  const stores = new Map<number, StoreLanes<P, R>>()
  const turns: Turn<P, R>[] = []
  const turnsOfIll: Turn<P, R>[] = []
  let active = 0
  let activeIll = 0
  let isTurnOfIll = false

  const laneOf = ({ storeId, endpointId, failing }: Parcel) => {
    let store = stores.get(storeId)
    if (!store) stores.set(storeId, (store = { lanes: new Map(), underWay: 0, finished: [], awaited: null }))
    let lane = store.lanes.get(endpointId)
    if (!lane) {
      const limit = failing ? 1 : Math.min(FIRST_LIMIT, perLane)
      store.lanes.set(endpointId, (lane = { queue: [], active: 0, limit, ill: failing, finished: 0, listed: false }))
    }
    return { store, lane }
  }

  const list = (store: StoreLanes<P, R>, lane: Lane<P>) => {
    if (lane.listed || lane.queue.length === 0 || lane.active >= lane.limit) return
    lane.listed = true
    ;(lane.ill ? turnsOfIll : turns).push({ store, lane })
  }

  /** The ill and the others alternate as long as both have turns. */
  const nextTurn = () => {
    isTurnOfIll = !isTurnOfIll
    const mayIll = activeIll < overall * PART_FOR_ILL
    return (isTurnOfIll && mayIll && turnsOfIll.shift()) || turns.shift() || (mayIll && turnsOfIll.shift())
  }

  const takeTurns = () => {
    while (active < overall) {
      const turn = nextTurn()
      if (!turn) return
      const { store, lane } = turn
      lane.listed = false
      const parcel = lane.queue.shift()
      if (parcel) void run(store, lane, parcel)
      list(store, lane)
    }
  }

  const run = async (store: StoreLanes<P, R>, lane: Lane<P>, parcel: P) => {
    const ofIll = lane.ill ? 1 : 0
    active++
    activeIll += ofIll
    lane.active++
    const passed = await pass(parcel)
    active--
    activeIll -= ofIll
    lane.active--
    if (passed.answered !== null) {
      lane.ill = !passed.answered
      lane.limit = lane.ill ? 1 : Math.min(lane.limit * 2, perLane)
      lane.finished++
    }
    store.finished.push({ parcel, ...passed })
    tell(store)
    list(store, lane)
    takeTurns()
  }

  const tell = ({ awaited, finished, underWay }: StoreLanes<P, R>) => {
    if (awaited && (finished.length >= awaited.count || underWay === 0)) awaited.resolve()
  }

  const untilFinished = async (store: StoreLanes<P, R>, count: number, waitMs: number) => {
    if (store.finished.length >= count || store.underWay === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    store.awaited = { count, resolve }
    const timer = setTimeout(resolve, waitMs)
    await promise
    clearTimeout(timer)
    store.awaited = null
  }

  return {
    /** How much more each of the store's lanes may hold, by what passed it since the last look. Others hold nothing. */
    room(storeId: number): Map<number, number> {
      const room = new Map<number, number>()
      for (const [endpointId, lane] of stores.get(storeId)?.lanes ?? []) {
        const held = lane.ill ? lane.limit : Math.min(lane.limit + AHEAD * lane.finished, MAX_HELD)
        room.set(endpointId, Math.max(held - lane.queue.length - lane.active, 0))
        lane.finished = 0
      }
      return room
    },
    roomElsewhere: Math.min(FIRST_LIMIT, perLane),

    add(parcels: P[]): void {
      for (const parcel of parcels) {
        const { store, lane } = laneOf(parcel)
        store.underWay++
        lane.queue.push(parcel)
        list(store, lane)
      }
      takeTurns()
    },

    /**
     * What has finished in this store, waiting a while for the first, and a moment for half of what is under way: so that
     * a busy store is written down in large portions. Each must be told to `done` afterwards.
     */
    async take(storeId: number, waitMs: number): Promise<Passed<P, R>[]> {
      const store = stores.get(storeId)
      if (!store) return []
      await untilFinished(store, 1, waitMs)
      await untilFinished(store, store.underWay / 2, GATHER_MS)
      return store.finished.splice(0)
    },

    /** These are written down and gone; or, as they could not be written, to be taken again. */
    done(storeId: number, passed: Passed<P, R>[], written: boolean): void {
      const store = stores.get(storeId)
      if (!store || passed.length === 0) return
      if (!written) store.finished.push(...passed)
      else store.underWay -= passed.length
      tell(store)
    },

    /** How many of the store's are anywhere between `add` and `done`. A store without any is forgotten. */
    underWay(storeId: number): number {
      const count = stores.get(storeId)?.underWay ?? 0
      if (count === 0) stores.delete(storeId)
      return count
    },

    busyStores: () => [...stores.keys()].filter((storeId) => stores.get(storeId)!.underWay > 0)
  }
}
