// The third door of subscriptions, open to billing only: what leaves charges as they are, which billing changes beside it. All others
// apply a plan by `applyPlans` of billing, which stops the charges too.

export { applyTransitions } from './apply-transitions.ts'
export { claimDueCycles, claimNextCycle, markDueNow, reopenCycles } from './claim-cycles.ts'
export { type CycleResult, type DeclineCounter, settleCycles } from './settle-cycles.ts'
