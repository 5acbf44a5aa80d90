import { setTimeout as sleep } from 'node:timers/promises'

/** How often the server is looked at. */
const LOOK_MS = 250
/** The pauses before each start of a server that died; after the last one that fails it is given up. */
const PAUSES_MS = [0, 500, 1_000, 2_000, 4_000] as const
/** A server that lived so long counts as well again: its next death begins with the first pause. */
const WELL_AFTER_MS = 60_000

export type KeptRunning = {
  /** Resolves with the reason once the server is dead and could not be started again. */
  gone: Promise<Error>
  /** Looks no more, and ends when no start is under way. */
  stop(): Promise<void>
}

/** Starts a server again whenever it has died. `startAgain` throws when it cannot. */
export function keepRunning(options: {
  isAlive(): Promise<boolean>
  startAgain(): Promise<unknown>
  log(line: string, level?: 'info' | 'warn'): void
  pausesMs?: readonly number[]
}): KeptRunning {
  const { isAlive, startAgain, log, pausesMs = PAUSES_MS } = options
  const stopping = new AbortController()
  const gone = Promise.withResolvers<Error>()
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal, ref: false }).catch(() => {})

  /** Tries from this pause on; returns with which one the next death begins, or why the last try failed. */
  const revive = async (from: number): Promise<{ next: number } | Error> => {
    let reason = new Error('it died again and again')
    for (let at = from; at < pausesMs.length && !stopping.signal.aborted; at++) {
      await pause(pausesMs[at]!)
      if (stopping.signal.aborted) break
      try {
        await startAgain()
        log('the database server runs again')
        return { next: at + 1 }
      } catch (err) {
        reason = err as Error
        const which = `try ${at + 1} of ${pausesMs.length}`
        log(`the database server could not be started again, ${which}: ${reason.message}`, 'warn')
      }
    }
    return reason
  }

  const watch = async () => {
    let next = 0
    let upSince = performance.now()
    while (!stopping.signal.aborted) {
      await pause(LOOK_MS)
      if (stopping.signal.aborted || (await isAlive())) continue
      log('the database server has died: starting it again', 'warn')
      if (performance.now() - upSince > WELL_AFTER_MS) next = 0
      const revived = await revive(next)
      if (revived instanceof Error) {
        if (!stopping.signal.aborted) gone.resolve(revived)
        return
      }
      next = revived.next
      upSince = performance.now()
    }
  }
  const watching = watch()
  return {
    gone: gone.promise,
    async stop() {
      stopping.abort()
      await watching
    }
  }
}
