// The third door of subscriptions, open to billing only: what leaves charges as they are, which billing changes beside it. All others
// apply a plan by `#billing/apply-plans`, which stops the charges too.

export { endGraces, resumeEndedPauses } from '../due-transitions.ts'
export { applyTransitions } from './apply-transitions.ts'
export { claimDueCycles, claimNextCycle, markDueNow, reopenCycles } from './claim-cycles.ts'
export { type CycleResult, type DeclineCounter, settleCycles } from './settle-cycles.ts'
