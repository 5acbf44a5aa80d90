import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'

const LIMIT_MS = 60_000

/** Waits until `check` returns something other than false, null and undefined, and returns that. Fails after a minute. */
export async function until<T>(what: string, check: () => Promise<T> | T): Promise<NonNullable<T>> {
  const endAt = performance.now() + LIMIT_MS
  for (;;) {
    const found = await check()
    if (found !== false && found !== null && found !== undefined) return found
    assert.ok(performance.now() < endAt, `${what}: not within a minute`)
    await setTimeout(20)
  }
}
