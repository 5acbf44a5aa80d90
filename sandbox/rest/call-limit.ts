/** A leaky bucket of REST calls: 40 fit, and 2 drain each second of real time. */
const SIZE = 40
const PER_SECOND = 2

export class CallLimits {
  readonly #levels = new Map<number, { calls: number; at: number }>()

  /** Counts a call. If the bucket is full, the call is not counted and the result says how long to wait, in tenths rounded up. */
  take(storeId: number): { calls: number; size: number; retryAfterSeconds: number | null } {
    const at = performance.now()
    const known = this.#levels.get(storeId) ?? { calls: 0, at }
    const calls = Math.max(0, known.calls - ((at - known.at) / 1000) * PER_SECOND)
    if (calls + 1 > SIZE) {
      return {
        calls: Math.ceil(calls),
        size: SIZE,
        retryAfterSeconds: Math.ceil(((calls + 1 - SIZE) / PER_SECOND) * 10) / 10
      }
    }
    this.#levels.set(storeId, { calls: calls + 1, at })
    return { calls: Math.ceil(calls + 1), size: SIZE, retryAfterSeconds: null }
  }
}
