export {
  type AnyJob,
  type DeclaredJob,
  type DefinedJob,
  declareJob,
  defineJob,
  type JobOutcome,
  type QueuedJob
} from './define-job.ts'
export { enqueue, waitingKeys } from './enqueue.ts'
export { createJobEngine } from './job-engine.ts'
export { retryJobsNow } from './job-queries.ts'
