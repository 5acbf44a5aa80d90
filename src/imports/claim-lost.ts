/** Another worker holds the import now, or it was cancelled: this worker must not write its results. */
export class ClaimLost extends Error {
  constructor(importId: number) {
    super(`Import ${importId} is being processed by another process, or was cancelled`)
  }
}
