import type { Pace } from '../delivery/claim-deliveries.ts'

type StoreUse = { taken: number; waiting: number }
type Group<T> = { storeId: number; pace: Pace; turns: T[] }

// The last quarter is for stores that have fewer than so many places; the fewer are left, the fewer a store may have. So it takes
// dozens of stores to leave none for the next one.
const RESERVED = 1 / 4
const FEW = 4
// A quick call is over, or leaves its place, within two seconds; a delivery may wait for twenty.
const TURNOVER = 5

export type FairPlaces<T> = ReturnType<typeof createFairPlaces<T>>

/**
 * Places for calls, shared by stores: a free one goes to the store that has the fewest, of those that wait for one. `T` is one
 * that waits for its turn; those of a store and a pace come in the order in which they were listed. Calls that turn out to be
 * slow move to `late`: while all of that is taken and a store has its share of it, none of its calls begins whose pace is
 * unknown.
 */
export function createFairPlaces<T>(
  max: number,
  { late }: { late?: { isFullFor: (storeId: number) => boolean } } = {}
) {
  const reserved = Math.floor(max * RESERVED)
  const uses = new Map<number, StoreUse>()
  const groups = new Map<string, Group<T>>()
  let taken = 0
  let waiting = 0

  const useOf = (storeId: number) => uses.get(storeId) ?? { taken: 0, waiting: 0 }
  const change = (storeId: number, by: Partial<StoreUse>) => {
    const { taken: takenBefore, waiting: waitingBefore } = useOf(storeId)
    const use = { taken: takenBefore + (by.taken ?? 0), waiting: waitingBefore + (by.waiting ?? 0) }
    taken += by.taken ?? 0
    waiting += by.waiting ?? 0
    uses.set(storeId, use)
  }
  const mayTake = (storeId: number) => {
    const free = max - taken
    return free > reserved || useOf(storeId).taken < (FEW * free) / reserved
  }
  const mayStart = (storeId: number, pace: Pace) => pace !== 'unknown' || !late?.isFullFor(storeId)
  const share = (storeId: number) => Math.ceil((max - reserved) / (uses.size + (uses.has(storeId) ? 0 : 1)))
  const keyOf = (storeId: number, pace: Pace) => `${storeId} ${pace}`

  return {
    /** A call of the store begins (1) or ends (-1) here. There may be more than places: calls move here from elsewhere. */
    take: (storeId: number, by: 1 | -1) => change(storeId, { taken: by }),

    /** So many more calls of the store wait for a place here. */
    wait: (storeId: number, by: number) => change(storeId, { waiting: by }),

    list(storeId: number, pace: Pace, turn: T): void {
      const key = keyOf(storeId, pace)
      const group = groups.get(key) ?? { storeId, pace, turns: [] }
      group.turns.push(turn)
      groups.set(key, group)
    },

    unlist(storeId: number, pace: Pace, turn: T): void {
      const key = keyOf(storeId, pace)
      const turns = (groups.get(key)?.turns ?? []).filter((other) => other !== turn)
      if (turns.length === 0) groups.delete(key)
      else groups.set(key, { storeId, pace, turns })
    },

    /** Whose turn it is, if there is a place for anyone who waits. */
    next(): T | null {
      let first: Group<T> | null = null
      for (const group of groups.values()) {
        const { storeId, pace } = group
        if (first && useOf(storeId).taken >= useOf(first.storeId).taken) continue
        if (mayTake(storeId) && mayStart(storeId, pace)) first = group
      }
      const turn = first?.turns.shift()
      if (!first || turn === undefined) return null
      const key = keyOf(first.storeId, first.pace)
      groups.delete(key)
      if (first.turns.length > 0) groups.set(key, first)
      return turn
    },

    mayStart,

    /** Whether all places are taken that are not reserved, and the store has its share of them. */
    isFullFor: (storeId: number) => taken >= max - reserved && useOf(storeId).taken >= share(storeId),

    /** How many calls of the store are under way or wait. */
    held: (storeId: number) => useOf(storeId).taken + useOf(storeId).waiting,

    /** How many more calls of the store may begin: what is free, or what it lacks of its share. */
    free(storeId: number): number {
      const mine = useOf(storeId)
      return Math.max(max - reserved - taken - waiting, share(storeId) - mine.taken - mine.waiting)
    },

    /**
     * How many more deliveries of the store may be leased where calls last for long, so that none waits: half of the free places,
     * since other stores may be about to take theirs, and beyond its share only a few of them. While none is free, a few if it
     * has less than its share.
     */
    slowAllowance(storeId: number): number {
      const mine = useOf(storeId)
      const lacks = share(storeId) - mine.taken - mine.waiting
      const free = max - reserved - taken - waiting
      return Math.max(Math.min(Math.ceil(free / 2), Math.max(lacks, FEW)), Math.min(FEW, lacks), 0)
    },

    /** The same where calls end soon: what the share of the store can begin with while a delivery may wait. */
    quickAllowance: (storeId: number) => Math.max(TURNOVER * share(storeId) - useOf(storeId).waiting, 0),

    /** The store sends nothing any more: it needs no share. */
    forget: (storeId: number) => uses.delete(storeId)
  }
}
