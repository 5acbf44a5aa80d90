// Every metric, one line each: `/metrics` shows these, and the table in docs/operations.md is made from them.
export { queueDepth } from '#audit/metrics'
export { engineFailures, engineItems, engineRuns } from '#kit/engine-metrics'
export { clockOffset, cpuTime, eventLoopDelay, heapUsed, residentMemory } from '#kit/process-metrics'
export { platformCalls } from '#platform/metrics'
export { reconciledChanges, reconciledItems } from '#sync/metrics'
export { webhookTries } from '#webhooks/metrics'
export { requestDuration } from '../http/server/metrics.ts'
