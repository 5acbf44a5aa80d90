/** The cost bucket as a response states it: points, and points per second. */
export type ThrottleStatus = { maximumAvailable: number; currentlyAvailable: number; restoreRate: number }

/**
 * The cost budget of one store, kept up to date from responses, so that many calls at once queue for points instead of all
 * being THROTTLED. Other processes spend from the same bucket; each response corrects the number.
 */
export class CostBudget {
  #bucket: { maximum: number; restorePerMs: number; available: number; at: number } | null = null
  /** Points of the calls that are under way or waiting, which the number in the next response may not include yet. */
  #promised = 0

  /**
   * Reserves points for a call and returns how long it must wait for them, in milliseconds. Null when that is longer than
   * `patienceMs`: then nothing is reserved, and `waitFor` returns the wait.
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

  /** Ends the reservation of a call that has its response; `status` is the bucket as that response states it. */
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
