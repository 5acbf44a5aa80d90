import type { Document } from './admin-api.ts'

/**
 * Whether a sync of a sandbox store left nothing: all was compared, nothing waits, nothing was refused. That of a live store goes on in
 * the background; nothing is known of it yet.
 */
export const isAllSynced = ({ compared, waiting, problems, last_error: error }: Document): boolean =>
  waiting === null || (compared !== null && waiting === 0 && problems === 0 && !error)

/** Whether there is anything to look for afterwards: something is left, or that is not known yet. */
export const mayBeLeft = (synced: Document): boolean => synced.waiting === null || !isAllSynced(synced)
