import { Type } from 'typebox'
import { defineJob, type JobOutcome, type QueuedJob } from '#kit/jobs'
import type { Database } from '#kit/postgres'
import { rebuildMetrics } from './roll-up-metrics.ts'

/** Computes all metrics of a store again, after a migration has changed what one of them counts; the migration enqueues it. */
export const rebuildMetricsJob = defineJob(
  'rebuild-metrics',
  Type.Object({}),
  { priority: 'low', dedupe: () => 'rebuild-metrics' },
  rebuildAll
)

async function rebuildAll({ db }: { db: Database }, storeId: number, jobs: QueuedJob<object>[]): Promise<JobOutcome[]> {
  await db.inStore(storeId, rebuildMetrics)
  return jobs.map(() => ({ done: true }))
}
