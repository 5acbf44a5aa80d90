import { setTimeout as sleep } from 'node:timers/promises'
import type { StoreHolds } from '#kit/engines'
import { type Database, UnknownStore } from '#kit/postgres'
import { beginStoreDeletion, eraseStore, listDeletingStores } from './delete-store.ts'
import { notTheName } from './refusals.ts'
import type { Store } from './store.ts'

/** How long the caller waits; the rest is done in the background. */
const WAIT_MS = 30_000
/** Longer than any process remembers a shop of the sandbox or a key. */
const FORGOTTEN_AFTER_MS = 2_500

export type StoreDeletionDeps = {
  db: Database
  holds: Pick<StoreHolds, 'holdAlone'>
  /** How many processes there are: others may remember what is deleted for a moment. */
  nodes: () => number
  /** Disconnects the store from its platform, as far as that answers. */
  leave: (storeId: number) => Promise<unknown>
  /** Removes the store's shop on the sandbox platform, if it has one. */
  deleteShop: (shop: { storeId: number; mayGoOn: () => boolean }) => Promise<void>
  /** Removes the files of the store that are outside of the database. */
  deleteFiles: (storeId: number) => Promise<void>
  log: (message: string, fields: object) => void
  warn: (err: Error, message: string) => void
  /** 30 seconds when left out. */
  waitMs?: number
}

export type StoreDeletions = {
  /**
   * Deletes a store with everything that it has, once its name is given. Returns whether that is done; otherwise it goes on in the
   * background, also after a crash. Safe to repeat.
   */
  delete(store: Store, confirmed: string): Promise<{ deleted: boolean }>
  /** Goes on with what processes have left behind that ended meanwhile. */
  resume(): Promise<void>
  /** Begins nothing more and ends after the present batch. */
  stop(): Promise<void>
}

export function createStoreDeletions(deps: StoreDeletionDeps): StoreDeletions {
  const { db, holds, nodes, leave, deleteShop, deleteFiles, log, warn, waitMs = WAIT_MS } = deps
  const running = new Map<number, Promise<boolean>>()
  let stopping = false
  const mayGoOn = () => !stopping

  const eraseAll = async (storeId: number): Promise<boolean> => {
    // Work that has begun ends first, here and on other nodes; what begins later finds no store.
    const isGone = await holds.holdAlone(storeId, async () => {
      await deleteShop({ storeId, mayGoOn })
      if (nodes() > 1) await sleep(FORGOTTEN_AFTER_MS)
      await deleteShop({ storeId, mayGoOn })
      await deleteFiles(storeId)
      return eraseStore(db, storeId, { mayGoOn })
    })
    if (isGone) log('The store is deleted', { store: { id: storeId } })
    return isGone
  }

  /** One at a time for a store; another process that does the same waits for its turn and finds nothing left. */
  const erase = (storeId: number): Promise<boolean> => {
    const known = running.get(storeId)
    if (known) return known
    const erasing = eraseAll(storeId)
      .catch((err: Error) => {
        warn(err, `A store is not deleted yet: ${err.message}`)
        return false
      })
      .finally(() => running.delete(storeId))
    running.set(storeId, erasing)
    return erasing
  }

  return {
    async delete(store, confirmed) {
      // Before the platform is left: a wrong name changes nothing.
      if (confirmed !== store.name) throw notTheName(store.name)
      if (store.status === 'active') await leave(store.storeId).catch(ignoreUnknown)
      await beginStoreDeletion(db, store, confirmed)
      const timeout = new AbortController()
      const isDone = await Promise.race([
        erase(store.storeId),
        sleep(waitMs, false, { signal: timeout.signal, ref: false }).catch(() => false)
      ])
      timeout.abort()
      return { deleted: isDone }
    },
    async resume() {
      for (const storeId of await listDeletingStores(db)) {
        if (stopping) return
        await erase(storeId)
      }
    },
    async stop() {
      stopping = true
      await Promise.all(running.values())
    }
  }
}

/** Another request has begun to delete the store meanwhile. */
function ignoreUnknown(err: unknown): void {
  if (!(err instanceof UnknownStore)) throw err
}
