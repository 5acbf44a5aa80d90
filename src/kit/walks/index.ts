export { createWalker, WALK_LEASE_MS } from './create-walker.ts'
export { retryMinutes, secondsUntilNext } from './schedule.ts'
