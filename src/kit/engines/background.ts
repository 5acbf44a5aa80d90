import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../postgres/index.ts'
import { findDueWork } from './due-work.ts'
import type { Engine } from './engine.ts'
import type { StoreHolds } from './store-holds.ts'
import { canWork, type StoreStatus } from './store-status.ts'
import { createTurns } from './turns.ts'
import { createWakeableTimer } from './wakeable-timer.ts'

/**
 * How often all stores are asked for what is due. What becomes due by time is known from the look before, and what is
 * written is reported, so this finds what a process left behind that ended between its commit and its report.
 */
const POLL_MS = 5_000
/** How soon a look that failed is repeated, and work that was due but could not be done. */
const RETRY_MS = 1_000
/** Reports that come within this time are looked at together. */
const BATCH_WAIT_MS = 20
/** So many stores are asked for at once, so that a report does not wait for the poll of all of them. */
const LOOK_STORES = 2_000
const NEVER_MS = 3_600_000
/** So many times a process that looks at no stores tries to end what is left, with the same pause: for an hour. */
const MAX_ENDS = 3_600

export type BackgroundOptions = {
  db: Database
  engines: Engine[]
  /** The status of these stores, or of all. */
  statuses: (storeIds: number[] | null) => Promise<StoreStatus[]>
  holds: StoreHolds
  /** Runs an engine once over a store; null when it fails. */
  run: (engine: Engine, storeId: number) => Promise<number | null>
  /**
   * Ends and records what an engine has under way in a store; false after an error, which is reported: something may be left to
   * record.
   */
  endUnderWay: (engine: Engine, storeId: number) => Promise<boolean>
  /** Gives back what an engine holds in memory of a store; an error is reported, not thrown. */
  letGo: (engine: Engine, storeId: number) => Promise<void>
  /** This process holds the store alone or waits to: no work is started there. */
  isHeld: (storeId: number) => boolean
  onError: (err: unknown, engine: string, storeId: number) => void
  /** Every five seconds when left out. */
  pollMs?: number
}

export type Background = {
  start(): void
  /** Looks at a store at once. */
  wake(storeId: number): void
  /** Looks at all stores at once: reports may have been lost. */
  wakeAll(): void
  /**
   * Has what an engine could not end or record in a store ended by a later try: again and again until that succeeds, or for an hour
   * where this was not started. A stop tries it once more.
   */
  endLater(engine: Engine, storeId: number): void
  /** Ends when nothing is under way in the store any more. */
  quiet(storeId: number): Promise<void>
  /** Begins nothing more, and ends when nothing is under way. */
  stop(): Promise<void>
}

/**
 * Runs engines over all stores as work becomes due: in single stores when work is reported there, at the instant that the
 * look before announced, and in all stores every few seconds.
 */
export function createBackground(options: BackgroundOptions): Background {
  const { db, engines, statuses, holds, run, endUnderWay, letGo, isHeld, onError, pollMs = POLL_MS } = options
  /** Work under way, by store and engine: a slow receiver holds up neither billing nor another store. */
  const working = new Map<number, Map<Engine, Promise<void>>>()
  /**
   * Engines whose last run in a store failed or left work, and when they run again, in milliseconds of `performance.now()`.
   * They run again without a due query before: they may hold work in memory, and a due query leaves out what this process has
   * leased.
   */
  const unfinished = new Map<number, Map<Engine, number>>()
  const turns = createTurns()
  /** When a store is to be looked at again, in milliseconds of `performance.now()`. */
  const alarms = new Map<number, number>()
  const woken = new Set<number>()
  const wakeTimer = createWakeableTimer()
  const pollTimer = createWakeableTimer()
  let stopping = false
  let loops: Promise<void>[] = []
  let endingLeft: Promise<void> | null = null

  const wake = (storeId: number) => {
    woken.add(storeId)
    wakeTimer.wake()
  }

  const wakeIn = (storeId: number, ms: number) => {
    const at = performance.now() + ms
    if (at >= (alarms.get(storeId) ?? Number.POSITIVE_INFINITY)) return
    alarms.set(storeId, at)
    wakeTimer.wake()
  }

  const runAgain = (engine: Engine, storeId: number) => {
    const ofStore = unfinished.get(storeId) ?? new Map<Engine, number>()
    unfinished.set(storeId, ofStore.set(engine, performance.now() + RETRY_MS))
    wakeIn(storeId, RETRY_MS)
  }

  const finish = (engine: Engine, storeId: number) => {
    const ofStore = unfinished.get(storeId)
    ofStore?.delete(engine)
    if (ofStore?.size === 0) unfinished.delete(storeId)
  }

  /** Ends what is under way in a store that somebody else has, or will have: it would wait for what is leased here. */
  const leave = async (engine: Engine, storeId: number) => {
    if (await endUnderWay(engine, storeId)) finish(engine, storeId)
    else runAgain(engine, storeId)
    await letGo(engine, storeId)
  }

  const work = async (engine: Engine, status: StoreStatus): Promise<void> => {
    const { storeId, isSandbox } = status
    // Only sandbox stores have a clock that can be moved.
    const share = isSandbox ? await holds.share(storeId) : null
    if (isSandbox && !share) {
      // Whoever holds the store does what is due there, but not what this process has leased.
      if (unfinished.get(storeId)?.has(engine)) await leave(engine, storeId)
      return
    }
    const next = engine.next?.filter((one) => canWork(one, status))
    const mayGoOn = () => !stopping && !isHeld(storeId) && !share?.isOver()
    // What one engine did is often another's work.
    let isForOthers = !next
    let done = 0
    let last: number | null = 1
    let isOver = false
    let isEnded = true
    try {
      while (last && mayGoOn()) {
        last = await run(engine, storeId)
        done += last ?? 0
        if (last) for (const one of next ?? []) if (!begin(one, status)) isForOthers = true
        if (turns.waiting(engine).length > 0) break
      }
      isOver = stopping
      if (!mayGoOn()) isEnded = await endUnderWay(engine, storeId)
      // Another node is about to move the clock, and would wait for the leases of what is left here.
      if (share?.isOver()) await letGo(engine, storeId)
    } finally {
      await share?.end()
    }
    if (isEnded && (last === 0 || isOver)) finish(engine, storeId)
    else if (isEnded && last && mayGoOn()) turns.wait(engine, status)
    else runAgain(engine, storeId)
    // Work that is due and was not done is leased elsewhere, or failed.
    if (done === 0) wakeIn(storeId, RETRY_MS)
    else if (isForOthers) wake(storeId)
  }

  /** Begins, or lets the store wait for its turn. False when the engine is at work there: it may have missed what is new. */
  const begin = (engine: Engine, status: StoreStatus): boolean => {
    const { storeId } = status
    const ofStore = working.get(storeId) ?? new Map<Engine, Promise<void>>()
    if (stopping || isHeld(storeId) || ofStore.has(engine)) return false
    if (!turns.hasPlace(engine)) {
      turns.wait(engine, status)
      return true
    }
    turns.begin(engine, storeId)
    working.set(storeId, ofStore)
    const ended = work(engine, status)
      .catch((err) => onError(err, engine.name, storeId))
      .finally(() => {
        ofStore.delete(engine)
        if (ofStore.size === 0) working.delete(storeId)
        turns.end(engine)
        beginWaiting(engine)
      })
    ofStore.set(engine, ended)
    return true
  }

  const beginWaiting = (engine: Engine) => {
    for (const status of turns.waiting(engine)) {
      if (!turns.hasPlace(engine)) return
      // Its turn before is just ending, and comes here when it has ended.
      if (working.get(status.storeId)?.has(engine)) continue
      // A store that is held meanwhile is looked at again when it is free.
      turns.leave(engine, status.storeId)
      begin(engine, status)
    }
  }

  const beginUnfinished = (status: StoreStatus) => {
    for (const [engine, at] of unfinished.get(status.storeId) ?? []) {
      const inMs = at - performance.now()
      if (inMs > 0) wakeIn(status.storeId, inMs)
      else if (canWork(engine, status)) begin(engine, status)
      else endUnfinished(engine, status.storeId)
    }
  }

  /**
   * Nothing begins in a store that was disconnected, is on hold or is gone; what a call that was under way came to still counts.
   */
  const endUnfinished = (engine: Engine, storeId: number) => {
    const ofStore = working.get(storeId) ?? new Map<Engine, Promise<void>>()
    if (stopping || isHeld(storeId) || ofStore.has(engine)) return
    working.set(storeId, ofStore)
    const ended = endUnderWay(engine, storeId).then((isEnded) => {
      if (isEnded) finish(engine, storeId)
      else runAgain(engine, storeId)
      ofStore.delete(engine)
      if (ofStore.size === 0) working.delete(storeId)
    })
    ofStore.set(engine, ended)
  }

  /** Deleted stores have no status. */
  const endDeleted = (stores: StoreStatus[]) => {
    const ids = new Set(stores.map(({ storeId }) => storeId))
    for (const [storeId, ofStore] of unfinished) {
      if (!ids.has(storeId)) for (const engine of ofStore.keys()) endUnfinished(engine, storeId)
    }
  }

  /** Where nothing looks at stores: tries to end what is left. */
  const endLeft = async () => {
    for (let tries = 0; unfinished.size > 0 && tries < MAX_ENDS && !stopping; tries++) {
      await pollTimer.wait(RETRY_MS)
      for (const [storeId, ofStore] of unfinished) for (const engine of ofStore.keys()) endUnfinished(engine, storeId)
      await Promise.all([...working.keys()].map(quiet))
    }
    endingLeft = null
  }

  /** Ends what engines have under way in stores where they are not at work just now: once, since the process is to stop. */
  const endIdle = async () => {
    const left = engines.flatMap((engine) => {
      const waiting = turns.waiting(engine).map(({ storeId }) => storeId)
      const failed = [...unfinished].flatMap(([storeId, ofStore]) => (ofStore.has(engine) ? [storeId] : []))
      return [...new Set([...waiting, ...failed])].map((storeId) => ({ engine, storeId }))
    })
    // Who has a store alone does it there.
    const ends = left.map(async ({ engine, storeId }) => {
      if (isHeld(storeId)) return
      await endUnderWay(engine, storeId)
      turns.leave(engine, storeId)
      finish(engine, storeId)
    })
    await Promise.all(ends)
  }

  /** Returns whether every engine could be asked. One that could not leaves the others their work. */
  const look = async (stores: StoreStatus[]): Promise<boolean> => {
    stores.forEach(beginUnfinished)
    const isWanted = (engine: Engine, storeId: number) =>
      !isHeld(storeId) && !working.get(storeId)?.has(engine) && !turns.isWaiting(engine, storeId)
    const { found, failed } = await findDueWork(db, engines, stores, isWanted)
    // Without a database all of them fail for one reason.
    if (failed.length === engines.length) throw failed[0]!.err
    for (const { engine, err } of failed) onError(err, engine.name, 0)
    for (const { engine, status, inMs } of found) {
      if (inMs === 0) begin(engine, status)
      else wakeIn(status.storeId, inMs + 1)
    }
    return failed.length === 0
  }

  const pollAll = async () => {
    while (!stopping) {
      let pauseMs = pollMs
      try {
        const all = await statuses(null)
        endDeleted(all)
        for (let i = 0; i < all.length && !stopping; i += LOOK_STORES) {
          if (!(await look(all.slice(i, i + LOOK_STORES)))) pauseMs = RETRY_MS
        }
      } catch (err) {
        onError(err, 'runner', 0)
        pauseMs = RETRY_MS
      }
      if (!stopping) await pollTimer.wait(pauseMs)
    }
  }

  /** Moves stores whose time has come to those that are woken; returns how long the next one is ahead. */
  const takeAlarms = (): number => {
    const now = performance.now()
    let next = now + NEVER_MS
    for (const [storeId, at] of alarms) {
      if (at > now) next = Math.min(next, at)
      else {
        alarms.delete(storeId)
        woken.add(storeId)
      }
    }
    return next - now
  }

  const lookAtWoken = async () => {
    while (!stopping) {
      const nextMs = takeAlarms()
      if (woken.size === 0) {
        await wakeTimer.wait(nextMs)
        continue
      }
      const ids = [...woken].slice(0, LOOK_STORES)
      for (const id of ids) woken.delete(id)
      const isWhole = await statuses(ids)
        .then(look)
        .catch((err) => {
          onError(err, 'runner', 0)
          return false
        })
      if (!isWhole) for (const id of ids) wakeIn(id, RETRY_MS)
      await sleep(BATCH_WAIT_MS)
    }
  }

  const quiet = async (storeId: number) => void (await Promise.all(working.get(storeId)?.values() ?? []))

  return {
    start() {
      loops = [pollAll(), lookAtWoken()]
    },
    wake,
    wakeAll: () => pollTimer.wake(),
    endLater(engine, storeId) {
      runAgain(engine, storeId)
      if (loops.length === 0) endingLeft ??= endLeft()
    },
    quiet,
    async stop() {
      stopping = true
      wakeTimer.wake()
      pollTimer.wake()
      await Promise.all([...loops, endingLeft])
      await Promise.all([...working.keys()].map(quiet))
      await endIdle()
    }
  }
}
