// Every job, one line each, from the file that defines it. Other background work: engine-list.ts (billing, deliveries, imports,
// the reconciler) and housekeeping.ts (what one node does for all).
export { pushCustomerJob } from '../members/push-customers.ts'
export { cancelDisputedJob } from '../order-effects/lost-disputes.ts'
export { applyEarlierPlanVersion, applyPlanVersion } from '../subscriptions/apply-plan-version.ts'
export { forfeitCreditJob } from '../subscriptions/forfeit-credit-job.ts'
export { rebaseTimezoneJob } from '../subscriptions/timezone-rebase-job.ts'
export { editContracts } from '../sync/contracts/edit-contracts.ts'
export { finishCreations } from '../sync/contracts/finish-creations.ts'
export { pushContracts } from '../sync/contracts/push-contracts.ts'
export { syncContracts } from '../sync/contracts/read-and-apply-contracts.ts'
