// The jobs of this module: each line adds one to the registry.
export { editContracts } from './edit-contracts.ts'
export { finishCreations } from './finish-creations.ts'
export { pushContracts } from './push-contracts.ts'
export { syncContractJobs } from './sync-contracts.ts'
