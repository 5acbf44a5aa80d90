/** The cost bucket as an answer shows it: points, and points per second. */
export type ThrottleStatus = { maximumAvailable: number; currentlyAvailable: number; restoreRate: number }

/**
 * The cost budget of one store, kept from what its answers tell, so that many calls at once queue for points instead of
 * all running into THROTTLED. Other processes spend from the same bucket; each answer sets the figure right.
 */
export class CostBudget {
  #bucket: { maximum: number; restorePerMs: number; available: number; at: number } | null = null
  /** Points of the calls that are under way or waiting, which the next answer's figure may not yet show. */
  #promised = 0

  /**
   * Takes points for a call and tells how long it must wait for them. Null when that is longer than `patienceMs`: then
   * nothing was taken, and `waitFor` tells the wait.
   */
  take(cost: number, patienceMs: number): number | null {
    const waitMs = this.waitFor(cost)
    if (waitMs > patienceMs) return null
    this.#promised += cost
    // Below zero when others wait too: the next one then waits for all of them.
    if (this.#bucket) this.#bucket.available -= cost
    return waitMs
  }

  waitFor(cost: number): number {
    const bucket = this.#refill()
    if (!bucket || bucket.available >= cost) return 0
    return Math.ceil((Math.min(cost, bucket.maximum) - bucket.available) / bucket.restorePerMs)
  }

  /** Gives back the promise of a call that has its answer; `status` is what the answer told of the bucket. */
  settle(cost: number, status: ThrottleStatus | null): void {
    this.#promised -= cost
    if (!status || !(status.restoreRate > 0)) return
    this.#bucket = {
      maximum: status.maximumAvailable,
      restorePerMs: status.restoreRate / 1000,
      available: status.currentlyAvailable - this.#promised,
      at: performance.now()
    }
  }

  #refill() {
    const bucket = this.#bucket
    if (bucket) {
      const now = performance.now()
      bucket.available = Math.min(bucket.maximum, bucket.available + (now - bucket.at) * bucket.restorePerMs)
      bucket.at = now
    }
    return bucket
  }
}
