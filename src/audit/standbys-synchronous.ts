/** The one rule about the database's standbys, and about no store. */
export const standbysSynchronous = {
  name: 'standbys_synchronous',
  severity: 'warning',
  help:
    'The database has a standby that is asynchronous: when it takes over, writes of the last moments may be lost that were ' +
    'acknowledged to callers. Make it [synchronous](#standbys). Or it cannot be seen whether one is: the message says what to grant.'
} as const
