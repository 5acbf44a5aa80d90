export { createPlan, type PlanInput } from './create-plan.ts'
export { findPlanByName, listPlans, listPlansBySellingPlan, type Plan } from './plan.ts'
