import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../postgres/index.ts'
import { Refusal } from '../refusal.ts'
import type { Engine } from './engine.ts'
import { earliestDueOf, nextDueOf } from './next-due.ts'
import type { Stage } from './stages.ts'
import type { Hold } from './store-holds.ts'
import { canWork, nowMsOf, type StoreStatus } from './store-status.ts'

/** How long real time may pass in a settling store without anything getting done, before we say so. */
const STUCK_AFTER_MS = 180_000
const PAUSE_MS = 20
/** How long nothing gets done before leases of dead nodes are freed, and how often from then on. */
const FREE_LEASES_EVERY_MS = 1_000

export type SettledStore = {
  /**
   * Does all that is due by the store's clock, and returns when nothing more is. Refuses when something does not end, and
   * when the service is stopping; what is under way then is ended and recorded before, what is left is done after the next start.
   */
  settle(): Promise<void>
  /** The earliest thing still ahead. */
  nextDueAt(): Promise<Temporal.Instant | null>
}

/** Runs engines to the end of what is due in a store that is held. */
export function settledStore(options: {
  db: Database
  /** In the order of their stages. */
  engines: Engine[]
  status: () => Promise<StoreStatus>
  /** Runs an engine once; null when it fails. */
  run: (engine: Engine) => Promise<number | null>
  /** Ends and records what an engine has under way; after an error, which is reported and not thrown, it is tried again later. */
  endUnderWay: (engine: Engine) => Promise<void>
  /** Gives back what an engine holds in memory; an error is reported, not thrown. */
  letGo: (engine: Engine) => Promise<void>
  hold: Hold
  /** Frees what dead nodes have leased. */
  freeLeases: () => Promise<unknown>
  isStopping: () => boolean
}): SettledStore {
  const { db, engines, status, run, endUnderWay, letGo, hold, freeLeases, isStopping } = options
  const able = async () => {
    const found = await status()
    return { ...found, engines: engines.filter((engine) => canWork(engine, found)) }
  }
  const settleAll = async () => {
    let idleSince = performance.now()
    let freedAt = idleSince
    for (;;) {
      if (isStopping()) throw new Refusal('unavailable', 'The service is stopping; try again when it is back')
      await hold.assertHeld()
      const found = await able()
      const now = Temporal.Instant.fromEpochMilliseconds(nowMsOf(found))
      let done = 0
      const due: string[] = []
      let next = await nextDueOf(db, found.engines, found.storeId)
      let ranIn: Stage | null = null
      for (const engine of found.engines) {
        // All are asked again after each stage that had work: it is often the work of later ones, so one round goes a long way.
        if (ranIn && ranIn !== engine.stage) {
          next = await nextDueOf(db, found.engines, found.storeId)
          ranIn = null
        }
        const at = next.get(engine)
        if (!at || Temporal.Instant.compare(at, now) > 0) continue
        due.push(engine.name)
        done += (await run(engine)) ?? 0
        ranIn = engine.stage
      }
      if (due.length === 0) return
      if (done > 0) {
        idleSince = freedAt = performance.now()
        continue
      }
      // What is due but cannot be claimed is leased by another process, perhaps a dead one, or an engine keeps failing.
      if (performance.now() - freedAt > FREE_LEASES_EVERY_MS) {
        await freeLeases()
        freedAt = performance.now()
      }
      if (performance.now() - idleSince > STUCK_AFTER_MS) {
        throw new Refusal('unavailable', `The store does not settle: ${due.join(', ')} cannot go on`)
      }
      await sleep(PAUSE_MS)
    }
  }

  return {
    async settle() {
      try {
        await settleAll()
      } finally {
        // Nobody may run the engines here again soon: not on a node that only moves clocks, nor in a process that stops.
        await Promise.all(engines.map(endUnderWay))
        // A stop does this for all stores.
        if (!isStopping()) await Promise.all(engines.map(letGo))
      }
    },
    async nextDueAt() {
      const { storeId, engines } = await able()
      return earliestDueOf(db, engines, storeId)
    }
  }
}
