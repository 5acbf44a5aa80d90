export { createPlan, type PlanInput } from './create-plan.ts'
export { findPlanByName, listPlans, type Plan } from './plan.ts'
