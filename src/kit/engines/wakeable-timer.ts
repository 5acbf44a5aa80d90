import { setTimeout as sleep } from 'node:timers/promises'

/** Wakes one loop. A wake while the loop is busy ends its next wait at once. */
export type WakeableTimer = { wake(): void; wait(ms: number): Promise<void> }

export function createWakeableTimer(): WakeableTimer {
  let woken = Promise.withResolvers<void>()
  return {
    wake: () => woken.resolve(),
    async wait(ms) {
      const ended = new AbortController()
      const time = sleep(ms, undefined, { signal: ended.signal }).catch(() => {})
      await Promise.race([woken.promise, time])
      ended.abort()
      woken = Promise.withResolvers()
    }
  }
}
