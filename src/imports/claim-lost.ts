/** Another worker has taken the import over: what this one found out is not to be written. */
export class ClaimLost extends Error {
  constructor(importId: number) {
    super(`The import ${importId} is worked off by another process, or was cancelled`)
  }
}
