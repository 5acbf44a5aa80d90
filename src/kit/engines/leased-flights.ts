import { isTemporary } from '../postgres/index.ts'
import { createFlights, type Patience } from './flights.ts'
import { createLeaseKeeper } from './lease-keeper.ts'
import { throwFirst } from './throw-first.ts'

/** Every wait of a piece of work has an end, and all of them together are shorter: what is kept for longer hangs. */
const LONG_MS = 1_800_000

/** Work that waits for somebody outside, for the things that were claimed for it. */
export type Piece<Thing, Result> = { things: Thing[]; work: () => Promise<Result> }
export type EndedPiece<Thing, Result> = { things: Thing[]; end: PromiseSettledResult<Result> }

/** Things of a store whose work lasts for longer than it should. `sinceMs`: of `performance.now()`, the earliest of them. */
export type KeptLong = { storeId: number; things: number; sinceMs: number }

/**
 * Work of an engine that waits for somebody outside (`Flights`), under leases on the things that it is for. They are kept
 * (`LeaseKeeper`) from the claim until what the work came to is recorded. The caller does not claim in a store while it ends the
 * work there.
 */
export type LeasedFlights<Thing, Result> = {
  /**
   * Claims things and begins work for them; nothing while the work of the store is being ended. `claim` leases things, none of
   * those `except`, and says what is to be done for them. Returns how many were claimed.
   */
  claim(storeId: number, claim: (except: Thing[]) => Promise<Piece<Thing, Result>[]>): Promise<number>
  /** Begins more work for things of pieces that are being recorded: their leases go on. */
  goOn(storeId: number, pieces: Piece<Thing, Result>[]): void
  /**
   * Records what has ended, and what could not be recorded before; waits for that as `Flights.take` does. Returns how many pieces
   * had ended. Then it throws the first error of a piece or of a record.
   */
  record(storeId: number): Promise<number>
  /** How many pieces are under way or not recorded yet; of those under way, how many are slow. */
  load(storeId: number): { underWay: number; slow: number }
  /** As of `Flights`; what could not be recorded takes a place. */
  free(storeId: number, max: number): number
  /** Whether the work of the store is being ended: no piece is to begin anything that can be left. */
  isEnding(storeId: number): boolean
  /** As of `LeaseKeeper`. */
  isHeld(storeId: number, thing: Thing): boolean
  /** These are done before their piece ends: their leases are extended no more. */
  letGoOf(storeId: number, things: Thing[]): void
  /** As of `Engine`: ends and records all. What cannot be recorded at present (`isTemporary`) stays, and its error is thrown. */
  endUnderWay(storeId: number): Promise<void>
  /** As of `Engine`: somebody else may have what could not be recorded. It is still recorded when that is possible. */
  letGo(storeId: number): Promise<void>
  /** As of `Engine`. */
  keptLong(): KeptLong[]
}

/** A piece that was begun; `isOver` when its work has ended. */
type Begun<Thing> = { things: Thing[]; sinceMs: number; isOver: boolean }
type Entry<Thing, Result> = EndedPiece<Thing, Result> & { begun: Begun<Thing> }

/**
 * `extend` extends leases as `LeaseKeeper` wants it. `record` writes what pieces came to, also where they were rejected, and
 * returns how that ended, one for each. A piece that cannot be recorded at present (`isTemporary`: the database is away, or a
 * lock is held) is recorded by the next try, and its things are kept until then; after any other error they are let go, so that
 * their leases end and they are claimed again.
 */
export function createLeasedFlights<Thing, Result>(options: {
  leaseMs: number
  extend: (storeId: number, things: Thing[]) => Promise<Thing[]>
  record: (storeId: number, ended: EndedPiece<Thing, Result>[]) => Promise<PromiseSettledResult<unknown>[]>
  patience?: Patience
  /** From when on things count as kept for long; half an hour when left out. */
  longMs?: number
}): LeasedFlights<Thing, Result> {
  const { record, longMs = LONG_MS } = options
  const flights = createFlights<Entry<Thing, Result>>(options.patience)
  const leases = createLeaseKeeper<Thing>(options)
  /** Pieces that were begun and are neither recorded nor let go. */
  const pieces = new Map<number, Set<Begun<Thing>>>()
  /** Pieces that have ended and could not be recorded. */
  const unrecorded = new Map<number, Entry<Thing, Result>[]>()
  /** By how many callers the work of stores is being ended. */
  const endings = new Map<number, number>()

  const isEnding = (storeId: number) => endings.has(storeId)
  const waiting = (storeId: number) => unrecorded.get(storeId) ?? []
  const thingsOf = (storeId: number) => new Set([...(pieces.get(storeId) ?? [])].flatMap(({ things }) => things))

  const load = (storeId: number) => {
    const { underWay, slow } = flights.load(storeId)
    return { underWay: underWay + waiting(storeId).length, slow }
  }

  const start = (storeId: number, toBegin: Piece<Thing, Result>[]) => {
    const sinceMs = performance.now()
    const ofStore = pieces.get(storeId) ?? new Set<Begun<Thing>>()
    if (toBegin.length > 0) pieces.set(storeId, ofStore)
    flights.start(
      storeId,
      toBegin.map(({ things, work }) => {
        const begun = { things, sinceMs, isOver: false }
        ofStore.add(begun)
        return async () => {
          const [end] = await Promise.allSettled([(async () => work())()])
          begun.isOver = true
          return { things, end, begun }
        }
      })
    )
  }

  const letGoAll = (storeId: number, over: Entry<Thing, Result>[]) => {
    const ofStore = pieces.get(storeId)
    for (const { begun } of over) ofStore?.delete(begun)
    if (ofStore?.size === 0) pieces.delete(storeId)
    // More work may have begun for them.
    const kept = thingsOf(storeId)
    leases.letGo(
      storeId,
      over.flatMap(({ things }) => things.filter((thing) => !kept.has(thing)))
    )
  }

  const recordEnded = async (storeId: number): Promise<number> => {
    const taken = (await flights.take(storeId)).flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    const ended = [...waiting(storeId), ...taken]
    unrecorded.delete(storeId)
    if (ended.length === 0) return 0
    const recorded = await record(storeId, ended).catch((reason): PromiseRejectedResult[] =>
      ended.map(() => ({ status: 'rejected', reason }))
    )
    const isKept = (_: unknown, i: number) => {
      const outcome = recorded[i]!
      return outcome.status === 'rejected' && isTemporary(outcome.reason)
    }
    const kept = ended.filter(isKept)
    if (kept.length > 0) unrecorded.set(storeId, [...waiting(storeId), ...kept])
    letGoAll(
      storeId,
      ended.filter((one) => !kept.includes(one))
    )
    // The errors of the others were thrown before.
    throwFirst([...recorded, ...taken.map(({ end }) => end)])
    return ended.length
  }

  return {
    async claim(storeId, claim) {
      if (isEnding(storeId)) return 0
      const from = performance.now()
      const begun = await claim([...thingsOf(storeId)])
      const claimed = begun.flatMap(({ things }) => things)
      leases.keep(storeId, claimed, from)
      start(storeId, begun)
      return claimed.length
    },
    goOn: start,
    record: recordEnded,
    load,
    free: (storeId, max) => Math.max(0, flights.free(storeId, max) - waiting(storeId).length),
    isEnding,
    isHeld: leases.isHeld,
    letGoOf: leases.letGo,
    async endUnderWay(storeId) {
      endings.set(storeId, (endings.get(storeId) ?? 0) + 1)
      const ends: PromiseSettledResult<unknown>[] = []
      try {
        do {
          const [end] = await Promise.allSettled([recordEnded(storeId)])
          if (end.status === 'rejected') ends.push(end)
        } while (flights.load(storeId).underWay > 0)
      } finally {
        const others = endings.get(storeId)! - 1
        if (others > 0) endings.set(storeId, others)
        else endings.delete(storeId)
      }
      throwFirst(ends)
    },
    async letGo(storeId) {
      leases.letGo(
        storeId,
        waiting(storeId).flatMap(({ things }) => things)
      )
    },
    keptLong() {
      const long = performance.now() - longMs
      return [...pieces].flatMap(([storeId, ofStore]) => {
        // What has ended and waits for the database does not hang, and a restart would lose it.
        const hanging = [...ofStore].filter(({ sinceMs, isOver }) => !isOver && sinceMs < long)
        if (hanging.length === 0) return []
        const things = hanging.reduce((sum, one) => sum + one.things.length, 0)
        return { storeId, things, sinceMs: Math.min(...hanging.map(({ sinceMs }) => sinceMs)) }
      })
    }
  }
}

/** Things in their order, in portions of at most `size`, each for a piece. */
export function portionsOf<T>(things: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(things.length / size) }, (_, i) => things.slice(i * size, (i + 1) * size))
}
