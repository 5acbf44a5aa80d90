import { type Database, UnknownStore } from '../postgres/index.ts'
import { createBackground } from './background.ts'
import type { Engine } from './engine.ts'
import { type SettledStore, settledStore } from './settle-store.ts'
import { inStages } from './stages.ts'
import type { StoreHolds } from './store-holds.ts'
import type { StoreStatus } from './store-status.ts'

export type RunnerOptions = {
  db: Database
  /** In any order: each declares its stage. */
  engines: Engine[]
  holds: StoreHolds
  /** The status of these stores, or of all. */
  statuses: (storeIds: number[] | null) => Promise<StoreStatus[]>
  /** Frees what dead nodes have leased. */
  freeLeases: () => Promise<unknown>
  /** Called for a store with new work by a process that was not started: other nodes do the work. */
  announce?: (storeId: number) => void
  onError: (err: unknown, engine: string, storeId: number) => void
  /** After a run that did not fail. */
  onRun?: (engine: string, done: number, storeId: number) => void
  /** How often all stores are asked for what is due; five seconds when left out. */
  pollMs?: number
}

export type Runner = {
  /**
   * Has the store to itself while `work` runs, over all nodes: background work keeps off, and others who ask wait for their
   * turn. Refuses when another process keeps the store for three minutes.
   */
  alone<T>(storeId: number, work: (store: SettledStore) => Promise<T>): Promise<T>
  /** Starts working in the background, for every store. */
  start(): void
  /** Has the background look at the store at once: something has just been written there. */
  wake(storeId: number): void
  /** Has the background look at all stores at once. */
  wakeAll(): void
  stop(): Promise<void>
}

/** Runs engines over stores: in the background as work becomes due, or to the end of what is due for a test clock. */
export function createRunner(options: RunnerOptions): Runner {
  const { db, holds, statuses, freeLeases, announce, onError, onRun } = options
  const engines = inStages(options.engines)
  const held = new Map<number, Promise<void>>()
  let started = false
  let stopping = false

  /** Null when it fails: that leaves the others their turn. */
  const run = async (engine: Engine, storeId: number): Promise<number | null> => {
    try {
      const done = await engine.runOnce(storeId)
      onRun?.(engine.name, done, storeId)
      return done
    } catch (err) {
      onError(err, engine.name, storeId)
      return null
    }
  }

  /** False when something may be left. */
  const endUnderWay = async (engine: Engine, storeId: number): Promise<boolean> => {
    try {
      await engine.endUnderWay?.(storeId)
      return true
    } catch (err) {
      onError(err, engine.name, storeId)
      return false
    }
  }
  const letGo = async (engine: Engine, storeId: number): Promise<void> => {
    await engine.letGo?.(storeId).catch((err) => onError(err, engine.name, storeId))
  }

  const background = createBackground({
    ...options,
    engines,
    run,
    endUnderWay,
    letGo,
    isHeld: (storeId) => held.has(storeId)
  })
  const endNowOrLater = async (engine: Engine, storeId: number): Promise<void> => {
    if (!(await endUnderWay(engine, storeId))) background.endLater(engine, storeId)
  }
  const wake = (storeId: number) => (started ? background.wake(storeId) : announce?.(storeId))

  const statusOf = async (storeId: number) => {
    const [status] = await statuses([storeId])
    if (!status) throw new UnknownStore(`There is no store ${storeId}`)
    return status
  }

  return {
    async alone(storeId, action) {
      const before = held.get(storeId)
      const mine = Promise.withResolvers<void>()
      held.set(storeId, mine.promise)
      try {
        await before
        await background.quiet(storeId)
        return await holds.holdAlone(storeId, (hold) =>
          action(
            settledStore({
              db,
              engines,
              status: () => statusOf(storeId),
              run: (engine) => run(engine, storeId),
              endUnderWay: (engine) => endNowOrLater(engine, storeId),
              letGo: (engine) => letGo(engine, storeId),
              hold,
              freeLeases,
              isStopping: () => stopping
            })
          )
        )
      } finally {
        // The background leaves the store to this, and nothing may have been run here.
        if (stopping) await Promise.all(engines.map((engine) => endUnderWay(engine, storeId)))
        if (held.get(storeId) === mine.promise) held.delete(storeId)
        mine.resolve()
        wake(storeId)
      }
    },
    start() {
      started = true
      background.start()
    },
    wake,
    wakeAll: background.wakeAll,
    async stop() {
      stopping = true
      await background.stop()
      await Promise.all(held.values())
    }
  }
}
