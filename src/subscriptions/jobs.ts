// The jobs of this module: each line adds one to the registry.
export { followPlanVersion } from './follow-plan-version.ts'
export { moveTimezoneJob } from './move-timezone.ts'
