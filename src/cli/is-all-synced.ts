import type { Document } from './admin-api.ts'

/**
 * Whether a sync of a sandbox store left nothing: all was compared, nothing waits, nothing was refused. That of a live store goes on in
 * the background; nothing is known of it yet.
 */
export const isAllSynced = ({ compared, waiting, problems, last_error: error }: Document): boolean =>
  waiting === null || (compared !== null && waiting === 0 && problems === 0 && !error)
