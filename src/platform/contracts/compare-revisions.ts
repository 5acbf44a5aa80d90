/**
 * -1, 0 or 1 as revision `a` is older than, the same as or newer than `b`. Revisions are digits beyond 2^53, so they
 * compare by length first. Both must be digits without leading zeros, as the platform writes them.
 */
export function compareRevisions(a: string, b: string): number {
  if (a.length !== b.length) return a.length < b.length ? -1 : 1
  return a === b ? 0 : a < b ? -1 : 1
}
