import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'

/** A machine whose cores others use too can be five times slower than when it is quiet. */
const LIMIT_MS = 180_000

/**
 * Waits until `check` returns something other than false, null and undefined, and returns that. Fails after three minutes,
 * or `limitMs`.
 */
export async function until<T>(what: string, check: () => Promise<T> | T, limitMs = LIMIT_MS): Promise<NonNullable<T>> {
  const endAt = performance.now() + limitMs
  for (;;) {
    const found = await check()
    if (found !== false && found !== null && found !== undefined) return found
    assert.ok(performance.now() < endAt, `${what}: not within ${limitMs / 1_000} s`)
    await setTimeout(20)
  }
}
