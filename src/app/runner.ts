import { setTimeout as sleep } from 'node:timers/promises'
import { earliest } from '#kit/clock'
import type { Engine } from '#kit/engines'
import type { Database } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { listStores, storeStatus } from '#stores'

/** How long real time may pass in a settling store without anything getting done, before we say so. */
const STUCK_AFTER_MS = 180_000
const SWEEP_MS = 1_000
const PAUSE_MS = 20

export type Runner = {
  /** Has the store to itself while `work` runs: the background keeps off, and others who ask wait their turn. */
  alone<T>(storeId: number, work: (store: SettledStore) => Promise<T>): Promise<T>
  /** Starts working in the background, for every store. */
  start(): void
  /** Has the background look at the store at once: something has just been written there. */
  wake(storeId: number): void
  stop(): Promise<void>
}

export type SettledStore = {
  /**
   * Does all that is due by the store's clock, and returns when nothing more is. Refuses when something will not end, and
   * when the service is stopping; what is left then is done after the next start.
   */
  settle(): Promise<void>
  /** The earliest thing still ahead. */
  nextDueAt(): Promise<Temporal.Instant | null>
}

/** Runs engines over stores: in the background as things fall due, or to the end of what is due for a test clock. */
export function createRunner(options: {
  db: Database
  engines: Engine[]
  onError: (err: unknown, engine: string, storeId: number) => void
  onRun?: (engine: string, done: number) => void
}): Runner {
  const { db, engines, onError, onRun } = options
  /** Background runs under way, by store and engine: a slow receiver holds up neither billing nor another store. */
  const running = new Map<number, Map<string, Promise<void>>>()
  const held = new Map<number, Promise<void>>()
  const woken = new Set<number>()
  let stopping = false
  let sweeping: Promise<void> = Promise.resolve()
  let alarm = Promise.withResolvers<void>()

  const look = async (storeId: number) => {
    const { now, ...status } = await storeStatus(db, storeId)
    const able = engines.filter((engine) => isAble(engine, status))
    const dues = await Promise.all(able.map((engine) => engine.nextDueAt(storeId)))
    const due = able.filter((_, i) => dues[i] && Temporal.Instant.compare(dues[i], now) <= 0)
    return { due, next: earliest(...dues) }
  }

  /** An engine that fails leaves the others their turn. */
  const run = async (engine: Engine, storeId: number): Promise<number> => {
    try {
      const done = await engine.runOnce(storeId)
      onRun?.(engine.name, done)
      return done
    } catch (err) {
      onError(err, engine.name, storeId)
      return 0
    }
  }

  const settle = async (storeId: number) => {
    let idleSince = performance.now()
    for (;;) {
      if (stopping) throw new Refusal('unavailable', 'The service is stopping; ask again when it is back')
      const { now, ...status } = await storeStatus(db, storeId)
      let done = 0
      const due: string[] = []
      // Each is asked right before its turn: what one did is often the next one's work, so one round goes a long way.
      for (const engine of engines) {
        if (!isAble(engine, status)) continue
        const at = await engine.nextDueAt(storeId)
        if (!at || Temporal.Instant.compare(at, now) > 0) continue
        due.push(engine.name)
        done += await run(engine, storeId)
      }
      if (due.length === 0) return
      if (done > 0) {
        idleSince = performance.now()
        continue
      }
      // What is due but cannot be taken is in another process's hands, or an engine keeps failing.
      if (performance.now() - idleSince > STUCK_AFTER_MS) {
        throw new Refusal('unavailable', `The store does not settle: ${due.join(', ')} cannot go on`)
      }
      await sleep(PAUSE_MS)
    }
  }

  const work = async (engine: Engine, storeId: number) => {
    let done = 0
    for (let did = 1; did > 0 && !stopping && !held.has(storeId); done += did) did = await run(engine, storeId)
    // What one engine did is often another's work. One that did nothing, or fails, is looked at again with the next sweep.
    if (done > 0 && !stopping) wake(storeId)
  }

  const visit = async (storeId: number) => {
    if (held.has(storeId)) return
    const { due } = await look(storeId)
    if (stopping || held.has(storeId)) return
    const ofStore = running.get(storeId) ?? new Map<string, Promise<void>>()
    running.set(storeId, ofStore)
    for (const engine of due) {
      if (ofStore.has(engine.name)) continue
      ofStore.set(
        engine.name,
        work(engine, storeId).finally(() => ofStore.delete(engine.name))
      )
    }
  }

  const sweep = async () => {
    let sweptAt = Number.NEGATIVE_INFINITY
    while (!stopping) {
      alarm = Promise.withResolvers()
      const visited = [...woken]
      woken.clear()
      try {
        if (performance.now() - sweptAt >= SWEEP_MS) {
          sweptAt = performance.now()
          visited.push(...(await listStores(db)).map((s) => s.storeId))
        }
        await Promise.all([...new Set(visited)].map((id) => visit(id).catch((err) => onError(err, 'runner', id))))
      } catch (err) {
        onError(err, 'runner', 0)
      }
      await Promise.all([sleep(PAUSE_MS), Promise.race([sleep(SWEEP_MS), alarm.promise])])
    }
  }

  const wake = (storeId: number) => {
    woken.add(storeId)
    alarm.resolve()
  }

  return {
    async alone(storeId, action) {
      const before = held.get(storeId)
      const mine = Promise.withResolvers<void>()
      held.set(storeId, mine.promise)
      try {
        await before
        await Promise.all(running.get(storeId)?.values() ?? [])
        return await action({
          settle: () => settle(storeId),
          nextDueAt: async () => (await look(storeId)).next
        })
      } finally {
        if (held.get(storeId) === mine.promise) held.delete(storeId)
        mine.resolve()
        wake(storeId)
      }
    },
    start() {
      sweeping = sweep()
    },
    wake,
    async stop() {
      stopping = true
      alarm.resolve()
      await sweeping
      await Promise.all([...running.values()].flatMap((ofStore) => [...ofStore.values()]))
      await Promise.all(held.values())
    }
  }
}

function isAble({ needsPlatform }: Engine, status: { isConnected: boolean; isCaughtUp: boolean }): boolean {
  if (!needsPlatform) return true
  return status.isConnected && (status.isCaughtUp || needsPlatform !== 'known')
}
