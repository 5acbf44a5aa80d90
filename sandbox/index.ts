export { createSandbox, type Sandbox } from './create-sandbox.ts'
