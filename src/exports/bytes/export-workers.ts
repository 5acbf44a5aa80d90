import { availableParallelism } from 'node:os'
import type { Readable } from 'node:stream'
import { Busy } from '#kit/refusal'
import type { PagePlan } from '../endpoint.ts'
import type { Encoding, ExportLimits } from './messages.ts'
import { createPlaces } from './places.ts'
import { ExportThread } from './thread-handle.ts'

export type ExportWorkersOptions = {
  /** Of the database; each export has a connection of its own. */
  url: string
  threads?: number
  maxPerStore?: number
  /** For all threads together. */
  maxRunning?: number
  limits?: Partial<ExportLimits>
}

const LIMITS: ExportLimits = { waitMs: 4_000, firstBytesMs: 8_000, stalledMs: 15_000, wholeMs: 60_000 }
/** One store's exports leave connections to others; kept pages count as well. */
export const MAX_PER_STORE = 8
const MAX_RUNNING = 12
/** A thread makes pages faster than one core of the database; each takes some 30 MB. */
const CORES_PER_THREAD = 4
const MAX_THREADS = 2

export type ExportWorkers = {
  /**
   * The bytes of a page, once the first of them or its end are there. Throws TooManyExports, Busy (the database or all connections
   * are busy) or what the statement failed with. Later the stream fails. Whoever destroys it, or aborts by the signal, ends the
   * statement on the server.
   */
  stream(plan: PagePlan, options?: { signal?: AbortSignal; encoding?: Encoding }): Promise<Readable>
  /** Ends what is under way. */
  close(): Promise<void>
}

/** Threads that run exports. They are started by the first one. */
export function createExportWorkers(options: ExportWorkersOptions): ExportWorkers {
  const limits = { ...LIMITS, ...options.limits }
  const count = options.threads ?? Math.min(MAX_THREADS, Math.ceil(availableParallelism() / CORES_PER_THREAD))
  const threads: ExportThread[] = []
  const places = createPlaces({
    maxPerStore: options.maxPerStore ?? MAX_PER_STORE,
    maxRunning: options.maxRunning ?? MAX_RUNNING,
    waitMs: limits.waitMs
  })
  let isClosed = false

  /** The thread with the least to do; a thread that has died is replaced. */
  const thread = (): ExportThread => {
    for (const dead of threads.filter(({ isDead }) => isDead)) threads.splice(threads.indexOf(dead), 1)
    const free = threads.find(({ running }) => running === 0)
    if (free) return free
    if (threads.length < count) {
      const started = new ExportThread({ url: options.url, statementMs: limits.wholeMs })
      threads.push(started)
      return started
    }
    return threads.reduce((best, one) => (one.running < best.running ? one : best))
  }

  return {
    async stream(plan, { signal, encoding = 'identity' } = {}) {
      if (isClosed) throw new Busy('The service is stopping; repeat the request after the seconds in Retry-After')
      const giveBack = await places.take(plan.storeId, signal)
      try {
        return await thread().run(plan, { encoding, limits, signal, onOver: giveBack })
      } catch (err) {
        giveBack()
        throw err
      }
    },
    async close() {
      isClosed = true
      await Promise.all(threads.splice(0).map((one) => one.stop()))
    }
  }
}
