import { setTimeout as sleep } from 'node:timers/promises'

/** Wakes one loop. A ring while the loop is busy ends its next wait at once. */
export type Bell = { ring(): void; wait(ms: number): Promise<void> }

export function createBell(): Bell {
  let rung = Promise.withResolvers<void>()
  return {
    ring: () => rung.resolve(),
    async wait(ms) {
      const ended = new AbortController()
      const time = sleep(ms, undefined, { signal: ended.signal }).catch(() => {})
      await Promise.race([rung.promise, time])
      ended.abort()
      rung = Promise.withResolvers()
    }
  }
}
