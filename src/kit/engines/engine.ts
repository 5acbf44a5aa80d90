import type { Statement } from '../postgres/index.ts'

/** The stores that a due query looks at, and until when their work counts, each by its own clock; one place, one store. */
export type DueStores = { ids: number[]; until: Temporal.Instant[] }

/**
 * A part of the service that does what has become due in one store. The runner calls engines in the background; a test
 * clock calls the same ones while it moves. What is due is decided by the store's clock; leases on work in progress are
 * real time.
 */
export type Engine = {
  name: string
  /**
   * It works with the store's platform, so it rests while the store is disconnected from that; `known`: also until what
   * happened there meanwhile is known.
   */
  needsPlatform?: true | 'known'
  /** Its schedule is in real time, whatever the store's clock says; `due` then compares and returns real time. */
  realTime?: true
  /**
   * One plain read over many stores, made by `acrossStores`: a row (store_id, due_at) for each store that has work up to its
   * `until`, with the earliest instant of it. It leaves out what a running process has leased. Several rows per store
   * are fine, order is not needed.
   */
  due(stores: DueStores): Statement
  /** The store time of the earliest thing still to be done, past or future, leased or not; null when there is none. */
  nextDueAt(storeId: number): Promise<Temporal.Instant | null>
  /** Does one batch of what is due by the store's clock and returns how many things it did; 0 when nothing is due. */
  runOnce(storeId: number): Promise<number>
}
