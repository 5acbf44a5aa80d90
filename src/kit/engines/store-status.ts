import type { Engine } from './engine.ts'

/** What the runner needs to know of a store. */
export type StoreStatus = {
  storeId: number
  /** Where its test clock is; null when it uses real time. By itself nothing becomes due under a test clock. */
  clockAt: Temporal.Instant | null
  realNowMs: number
  /** Its clock can be moved. */
  isSandbox: boolean
  /** Its platform can be worked with. */
  isConnected: boolean
  /** All that happened on the platform while the store was disconnected is known. */
  isCaughtUp: boolean
  /** It was restored from a backup, and what its platform did since the backup is not known yet. */
  isRestored: boolean
}

/** What time it is in the store, in epoch milliseconds. */
export function nowMsOf({ clockAt, realNowMs }: StoreStatus): number {
  return clockAt?.epochMilliseconds ?? realNowMs
}

/** Whether an engine can work in the store at present. */
export function canWork({ needsPlatform, restsAfterRestore }: Engine, status: StoreStatus): boolean {
  if (restsAfterRestore && status.isRestored) return false
  if (!needsPlatform) return true
  return status.isConnected && (status.isCaughtUp || needsPlatform !== 'known')
}
