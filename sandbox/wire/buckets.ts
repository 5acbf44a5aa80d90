export type ThrottleStatus = { maximumAvailable: number; currentlyAvailable: number; restoreRate: number }

/**
 * Leaky buckets, one per shop, in memory and in real time: they limit the load of a machine, which does not follow a shop's clock.
 * A restart empties them, which does no harm.
 */
export class Buckets {
  readonly #levels = new Map<number, { available: number; at: number }>()

  /** Adds the cost if it fits. */
  take(
    storeId: number,
    cost: number,
    size: { capacity: number; restoreRate: number }
  ): { taken: boolean; status: ThrottleStatus } {
    const at = performance.now()
    const known = this.#levels.get(storeId) ?? { available: size.capacity, at }
    const refilled = Math.min(size.capacity, known.available + ((at - known.at) / 1000) * size.restoreRate)
    const taken = refilled >= cost
    const available = taken ? refilled - cost : refilled
    this.#levels.set(storeId, { available, at })
    return { taken, status: statusOf(available, size) }
  }

  /** Refunds the part of the cost that a request did not use. */
  giveBack(storeId: number, cost: number, size: { capacity: number; restoreRate: number }): ThrottleStatus {
    const known = this.#levels.get(storeId)
    if (known) known.available = Math.min(size.capacity, known.available + cost)
    return statusOf(known?.available ?? size.capacity, size)
  }
}

function statusOf(available: number, size: { capacity: number; restoreRate: number }): ThrottleStatus {
  return {
    maximumAvailable: size.capacity,
    currentlyAvailable: Math.floor(available),
    restoreRate: size.restoreRate
  }
}
