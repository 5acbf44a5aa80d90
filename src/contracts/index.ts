export { editOf, endReady, listReadyChanges, type ReadyChange, refuseChange } from './contract-edits.ts'
export { putOffContracts, takeUpContracts } from './contracts-put-off.ts'
export { createSubscription } from './create-subscription.ts'
export { finishCreationJob, giveUpCreation, listOpenCreations, type OpenCreation } from './creations.ts'
export type { ImportTerms } from './imported-subscription.ts'
export {
  findContractsAgain,
  type HeldContract,
  listHeldContracts,
  listLiveContracts,
  missContracts
} from './missing-contracts.ts'
export { syncContracts } from './sync-contracts.ts'
export type { SubscriptionWish } from './wished-contract.ts'
