import { setTimeout as sleep } from 'node:timers/promises'
import { type Store, storeDisconnected } from '#stores'
import type { HttpDeps } from '../shared/deps.ts'

/** The platform is asked after a second or more whether it has read its customers, and another process may be at work. */
const WAIT_MS = 20_000
const EVERY_MS = 250
/** What another process is writing is written by then. */
const LEFT_MS = 3_000

/** Runs the due work of a sandbox store before the response; that of a live store is left to the background. */
export async function startDueWork(
  { settle }: Pick<HttpDeps, 'settle'>,
  { storeId, sandbox }: Pick<Store, 'storeId' | 'sandbox'>
): Promise<void> {
  if (sandbox) await settle(storeId)
}

/** Refuses what only a connected store can do. */
export function requireConnected({ status, domain }: Pick<Store, 'status' | 'domain'>): void {
  if (status === 'disconnected') throw storeDisconnected(domain)
}

/**
 * Runs the due work of a sandbox store until what `read` returns is done, for 20 seconds at most, and then for three more at most while
 * something is left. Returns what `read` returned last; null for a live store, whose work is left to the background.
 */
export async function workUntil<T>(
  deps: Pick<HttpDeps, 'settle'>,
  store: Pick<Store, 'storeId' | 'sandbox'>,
  read: () => Promise<T>,
  isDone: (found: T) => boolean,
  isLeft: (found: T) => boolean = () => false
): Promise<T | null> {
  if (!store.sandbox) return null
  let endAt = performance.now() + WAIT_MS
  for (let wasDone = false; ; ) {
    await startDueWork(deps, store)
    const found = await read()
    const isOver = isDone(found)
    if (isOver && !wasDone) endAt = performance.now() + LEFT_MS
    wasDone ||= isOver
    if ((isOver && !isLeft(found)) || performance.now() > endAt) return found
    await sleep(EVERY_MS)
  }
}

type Synced = { compared: number | null; waiting: number | null; last_error: string | null }

/** `workUntil` for a sync: until all was compared or that has failed, and then while something waits. */
export const workUntilSynced = <T extends Synced>(
  deps: Pick<HttpDeps, 'settle'>,
  store: Pick<Store, 'storeId' | 'sandbox'>,
  read: () => Promise<T>
): Promise<T | null> =>
  workUntil(
    deps,
    store,
    read,
    ({ compared, last_error }) => compared !== null || last_error !== null,
    ({ waiting, last_error }) => waiting !== 0 && last_error === null
  )
