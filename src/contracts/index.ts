export { applyPaymentMethodUpdate } from './apply-payment-method-update.ts'
export { assertCadenceOpen, setCadence } from './change-cadence.ts'
export { editOf, endReady, listReadyChanges, partsOf, type ReadyChange } from './contract-edits.ts'
export { type ContractPush, listContractPushes, pushCalls, recordPushes } from './contract-pushes.ts'
export type { SubscriptionRequest } from './contract-request.ts'
export { createSubscription } from './create-subscription.ts'
export {
  expectGrantedDiscount,
  type GivenGrant,
  giveGrant,
  issueGrantAtOnce,
  recordGiven
} from './grants/give-at-once.ts'
export type { Grant as ContractGrant, GrantTerms } from './grants/grant.ts'
export { contractGrantsConsumer } from './grants/grants-on-facts.ts'
export { issueGrants, revokeGrants, transferGrants } from './grants/issue-grants.ts'
export type { ImportTerms } from './imported-subscription.ts'
export { type HeldContract, listHeldContracts, listLiveContracts, markContractsMissing } from './missing-contracts.ts'
export {
  abandonCreation,
  finishCreationJob,
  listUnansweredCreations,
  type UnansweredCreation
} from './pending-creations.ts'
export { quarantineContracts } from './quarantined-contracts.ts'
export { type RefusedChange, reportRefusedChanges } from './refused-changes.ts'
export { type ImportStake, upsertFromContracts } from './upsert-from-contracts.ts'
