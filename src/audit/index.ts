export { countQueues } from './count-queues.ts'
export { diagnose } from './diagnose.ts'
export { audit, auditStore, auditWarnings } from './run-rules.ts'
