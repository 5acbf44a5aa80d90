export {
  addPlanVersion,
  applyPlanVersionJob,
  followPlanVersionJob,
  nextPlanVersion,
  type VersionOffer
} from './add-plan-version.ts'
export { cartFrom } from './cart-input.ts'
export { createPlan } from './create-plan.ts'
export { CREDIT_PAYOUT_TYPES } from './credit-payout-types.ts'
export { assertMainPlans, type ExplainedMainPlan, explainMainPlans, findMainPlans, mainCadence } from './main-plans.ts'
export { presentPerks, withPerks } from './perks.ts'
export {
  isSoldUnder,
  PLAN_STATUSES,
  PLAN_TYPES,
  type Plan,
  type PlanVersion,
  TRIAL_TYPES,
  VERSION_TARGETS,
  type VersionTarget,
  versionSoldAt
} from './plan.ts'
export { collectionsOf, MAX_COLLECTIONS } from './plan-collections.ts'
export { ACCEPTED_TRIAL_DAYS, MAX_TRIAL_DAYS } from './plan-input.ts'
export { planSettingsField } from './published/plan-settings-fields.ts'
export { planSettingsOf } from './published/plan-settings-of.ts'
export { findPlan, listPlans, listPlanVersions } from './queries.ts'
export { recordCatalogChanges } from './record-catalog-changes.ts'
export { TIER_NAMES, tierOf, tierPlansOf } from './tier-plans.ts'
export { updatePlan } from './update-plan.ts'
