// The engines of this module, in one line of the list of engines.
export { createCodeEngine } from './codes/code-engine.ts'
export { createAccountEngine } from './platform-account/account-engine.ts'
export { createSpendingWalkEngine } from './spending-walk-engine.ts'
