export { type ChargeFaults, UNKIND } from './billing/charge-faults.ts'
export { createSandbox, type Sandbox } from './create-sandbox.ts'
