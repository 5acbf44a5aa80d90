// The jobs of this module: each line adds one to the registry.
export { editContracts } from './contracts/edit-contracts.ts'
export { finishCreations } from './contracts/finish-creations.ts'
export { pushContracts } from './contracts/push-contracts.ts'
export { syncContracts } from './contracts/read-and-apply-contracts.ts'
