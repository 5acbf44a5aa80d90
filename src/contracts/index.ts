export { editOf, endReady, listReadyChanges, type ReadyChange, refuseChange } from './contract-edits.ts'
export type { SubscriptionRequest } from './contract-request.ts'
export { createSubscription } from './create-subscription.ts'
export type { ImportTerms } from './imported-subscription.ts'
export {
  type HeldContract,
  listHeldContracts,
  listLiveContracts,
  markContractsFound,
  markContractsMissing
} from './missing-contracts.ts'
export {
  abandonCreation,
  finishCreationJob,
  listUnansweredCreations,
  type UnansweredCreation
} from './pending-creations.ts'
export { quarantineContracts, releaseQuarantinedContracts } from './quarantined-contracts.ts'
export { syncContracts } from './sync-contracts.ts'
