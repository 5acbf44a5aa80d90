export type { Controls } from './controls/index.ts'
export { createSandbox, type Sandbox } from './create-sandbox.ts'
