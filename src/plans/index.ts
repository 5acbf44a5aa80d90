export { addPlanVersion, followPlanVersionJob } from './add-plan-version.ts'
export { TAKES_COUNTRIES } from './countries.ts'
export { createPlan } from './create-plan.ts'
export { shownPerks } from './perks.ts'
export {
  CREDIT_TYPES,
  isSoldUnder,
  PLAN_STATUSES,
  PLAN_TYPES,
  type Plan,
  type PlanVersion,
  TRIAL_TYPES,
  versionSoldAt
} from './plan.ts'
export { findPlan, listPlans, listPlanVersions } from './queries.ts'
export { MAX_TRIAL_DAYS, TAKES_TRIAL_DAYS } from './terms.ts'
export { updatePlan } from './update-plan.ts'
