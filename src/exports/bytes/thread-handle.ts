import { Readable } from 'node:stream'
import { Worker } from 'node:worker_threads'
import { Busy } from '#kit/refusal'
import type { PagePlan } from '../endpoint.ts'
import type { Encoding, ExportLimits, FromThread, ThreadOptions, ToThread } from './messages.ts'

/** A thread copies bytes and keeps nothing: a small young generation returns the memory of what it has read soon. */
const HEAP = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 64 }
const STOP_MS = 5_000

type Run = { encoding: Encoding; limits: ExportLimits; signal?: AbortSignal; onOver: () => void }

/** One thread, as the main thread sees it. */
export class ExportThread {
  readonly #worker: Worker
  readonly #exports = new Map<number, ExportStream>()
  readonly #stopped = Promise.withResolvers<void>()
  #nextId = 1
  isDead = false

  constructor(options: ThreadOptions) {
    this.#worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData: options, resourceLimits: HEAP })
    // A command that has ended its exports can end.
    this.#worker.unref()
    this.#worker.on('message', (message: FromThread) => this.#hear(message))
    this.#worker.on('error', (err) => this.#die(err as Error))
    this.#worker.on('exit', () => this.#die(new Error('The thread of the export has ended')))
  }

  get running(): number {
    return this.#exports.size
  }

  run(plan: PagePlan, { encoding, limits, signal, onOver }: Run): Promise<Readable> {
    const id = this.#nextId++
    const stream = new ExportStream(limits, {
      taken: (bytes) => this.#tell({ kind: 'taken', id, bytes }),
      cancel: () => this.#tell({ kind: 'cancel', id }),
      over: () => {
        this.#exports.delete(id)
        if (this.#exports.size === 0) this.#worker.unref()
        onOver()
      }
    })
    if (this.#exports.size === 0) this.#worker.ref()
    this.#exports.set(id, stream)
    this.#tell({ kind: 'start', id, plan, encoding })
    return stream.begun(signal)
  }

  /** Ends what is under way, and then the thread. */
  async stop(): Promise<void> {
    for (const stream of this.#exports.values()) stream.destroy(new Error('The service is stopping'))
    this.#worker.ref()
    this.#tell({ kind: 'stop' })
    const timer = setTimeout(() => void this.#worker.terminate(), STOP_MS)
    await this.#stopped.promise
    clearTimeout(timer)
    await this.#worker.terminate()
  }

  #tell(message: ToThread): void {
    if (!this.isDead) this.#worker.postMessage(message)
  }

  #hear(message: FromThread): void {
    if (message.kind === 'stopped') this.#stopped.resolve()
    else this.#exports.get(message.id)?.hear(message)
  }

  #die(err: Error): void {
    this.isDead = true
    this.#stopped.resolve()
    for (const stream of this.#exports.values()) stream.died(err)
  }
}

type Calls = { taken: (bytes: number) => void; cancel: () => void; over: () => void }

/** The bytes of one export. Only what its reader has taken makes room for more in the thread. */
class ExportStream extends Readable {
  readonly #limits: ExportLimits
  readonly #calls: Calls
  readonly #waiting: Uint8Array[] = []
  readonly #begun = Promise.withResolvers<void>()
  readonly #wholeTimer: NodeJS.Timeout
  #stalledTimer: NodeJS.Timeout | null = null
  #isWanted = false
  #isEnded = false
  /** The thread has said its last word about it. */
  #isOver = false

  constructor(limits: ExportLimits, calls: Calls) {
    super({ highWaterMark: 0 })
    // Whoever waits for it or reads it gets the error, also one who begins to read later: without a listener it would end the process.
    this.on('error', () => {})
    this.#limits = limits
    this.#calls = calls
    this.#wholeTimer = setTimeout(() => this.destroy(tooSlow('took too long')), limits.wholeMs)
  }

  /** Returns when there is something to read. Until then errors are thrown, and later they destroy the stream. */
  async begun(signal?: AbortSignal): Promise<this> {
    const onAbort = () => this.destroy(signal!.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    this.once('close', () => signal?.removeEventListener('abort', onAbort))
    const timer = setTimeout(() => this.destroy(tooSlow('did not begin in time')), this.#limits.firstBytesMs)
    try {
      if (signal?.aborted) onAbort()
      await this.#begun.promise
      return this
    } finally {
      clearTimeout(timer)
    }
  }

  hear(message: Exclude<FromThread, { kind: 'stopped' }>): void {
    if (message.kind === 'bytes') {
      if (this.destroyed) return
      this.#waiting.push(message.chunk)
      this.#begun.resolve()
      this.#pass()
      return
    }
    this.#over()
    if (message.kind === 'ended') {
      this.#isEnded = true
      this.#begun.resolve()
      this.#pass()
    } else if (message.kind === 'failed') {
      const { message: text, code, isTemporary } = message
      this.destroy(
        isTemporary ? new Busy(`The export was given up: ${text}`) : Object.assign(new Error(text), { code })
      )
    }
  }

  died(err: Error): void {
    this.#over()
    this.destroy(err)
  }

  override _read(): void {
    this.#isWanted = true
    this.#pass()
  }

  override _destroy(err: Error | null, done: (err: Error | null) => void): void {
    clearTimeout(this.#wholeTimer)
    if (this.#stalledTimer) clearTimeout(this.#stalledTimer)
    this.#waiting.length = 0
    this.#begun.reject(err ?? new Error('The export was given up'))
    // Nobody may wait for it any more.
    this.#begun.promise.catch(() => {})
    if (!this.#isOver) this.#calls.cancel()
    done(err)
  }

  #pass(): void {
    const next = this.#isWanted ? this.#waiting.shift() : undefined
    if (next) {
      this.#isWanted = false
      if (this.#stalledTimer) clearTimeout(this.#stalledTimer)
      this.#stalledTimer = null
      this.#calls.taken(next.length)
      this.push(next)
    } else if (this.#isEnded && this.#waiting.length === 0) this.push(null)
    this.#watchReader()
  }

  /** Gives up a reader that takes nothing of what is there. */
  #watchReader(): void {
    if (this.#stalledTimer || this.#waiting.length === 0 || this.#isWanted || this.destroyed) return
    const err = new Error('The reader of the export takes nothing')
    this.#stalledTimer = setTimeout(() => this.destroy(err), this.#limits.stalledMs)
  }

  #over(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#calls.over()
  }
}

const tooSlow = (what: string) => new Busy(`The export ${what}: repeat the request after the seconds in Retry-After`)
