import type { Statement } from '../postgres/index.ts'
import type { DueStores } from './due-query.ts'
import type { LeaseRelease } from './lease-owner.ts'
import type { KeptLong } from './leased-flights.ts'
import type { Stage } from './stages.ts'

/**
 * A part of the service that does what has become due in one store. The runner calls engines in the background; a test
 * clock calls the same ones while it moves. What is due is decided by the store's clock; leases on work in progress are
 * real time.
 */
export type Engine = {
  name: string
  /** Where it comes in the rounds of a store that settles. */
  stage: Stage
  /**
   * It works with the store's platform, so it rests while the store is disconnected from that; `known`: also until what
   * happened there meanwhile is known.
   */
  needsPlatform?: true | 'known'
  /**
   * It acts on others from what is stored here, so it rests in a store that was restored from a backup until it is known what the
   * platform did since then.
   */
  restsAfterRestore?: true
  /** Its schedule is in real time, whatever the store's clock says; `due` then compares and returns real time. */
  realTime?: true
  /** Releases the leases of dead nodes on the rows that it claims; one that claims rows has it. */
  releaseLeases?: LeaseRelease
  /** In how many stores a process lets it work at once in the background, batch by batch in turn; in all when left out. */
  storesAtOnce?: number
  /** Engines whose work it makes; in the background they begin as soon as it has done some. */
  next?: readonly Engine[]
  /** What it has due over many stores; made by `dueQuery`. */
  due(stores: DueStores): Statement
  /** The store time of the earliest thing still to be done, past or future, leased or not; null when there is none. */
  nextDueAt(storeId: number): Promise<Temporal.Instant | null>
  /** The same as a statement (`nextDueBy`), so that a store that settles asks all its engines at once. */
  nextDue?: ((storeId: number) => Statement) | undefined
  /**
   * Gives back what this process holds of the store in memory, so that another node can have the store to itself; of an engine
   * that holds something between its runs. Nobody else runs it in the store meanwhile.
   */
  letGo?(storeId: number): Promise<void>
  /** Does one batch of what is due by the store's clock and returns how many things it did; 0 when nothing is due. */
  runOnce(storeId: number): Promise<number>
  /**
   * Ends and records what earlier runs have left under way in the store, and begins nothing; an engine whose runs leave something
   * has it. Ends all, also when something cannot be recorded (`LeasedFlights`). The runner calls it before it leaves a store to
   * somebody else, when a settling ends, when the engine may not work in the store any more, and before it stops, and lets the
   * engine do nothing else in the store meanwhile. After an error it calls it again until it succeeds: in a process that runs no
   * engines in the background for an hour, and at a stop once.
   */
  endUnderWay?(storeId: number): Promise<void>
  /** What it has had under way for so long that it hangs, in stores of this process; of an engine that has something under way. */
  keptLong?(): KeptLong[]
}
