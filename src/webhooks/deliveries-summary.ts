import type { Database } from '#kit/postgres'
import { summarize } from './history-queries.ts'

/** How much is still to be delivered and how the endpoints fare, over all stores: for metrics and the auditor. */
export type DeliveriesSummary = {
  /** Not tried yet. */
  waiting: number
  /** Tried without success, to be tried again. */
  retrying: number
  enabled: number
  disabled: number
  /** Enabled, but the last try failed. */
  failing: number
}

export function deliveriesSummary(db: Database): Promise<DeliveriesSummary> {
  return db.inInstallation(summarize)
}
