// The jobs of this module: each line adds one to the registry.
export { applyPlanVersion } from './apply-plan-version.ts'
export { rebaseTimezoneJob } from './timezone-rebase-job.ts'
