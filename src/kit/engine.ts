/**
 * A part of the service that works off what has fallen due in one store. Due is told by the store's clock; leases on
 * work in progress are real time. The runner calls engines in the background; the test clock calls the same ones.
 */
export type Engine = {
  name: string
  /**
   * It works with the store's platform, so it rests while the store is disconnected from that; `known`: also until what happened
   * there meanwhile is known.
   */
  needsPlatform?: true | 'known'
  /** The store time of the earliest thing still to be done, past or future; null when there is nothing ahead. */
  nextDueAt(storeId: number): Promise<Temporal.Instant | null>
  /** Does one batch of what is due by the store's clock and returns how many things it did; 0 when nothing is due. */
  runOnce(storeId: number): Promise<number>
}
