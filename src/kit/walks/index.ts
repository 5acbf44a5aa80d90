export { createWalker, WALK_LEASE_MS } from './create-walker.ts'
export { retryMinutes, retrySeconds, secondsUntilNext } from './schedule.ts'
