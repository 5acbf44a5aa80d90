// The jobs of every module that has some, one line each module; its jobs.ts has a line for each job. Other background work:
// engines.ts (billing, deliveries, imports, the reconciler) and housekeeping.ts (what one node does for all).
export * as memberJobs from '#members/jobs'
export * as subscriptionJobs from '#subscriptions/jobs'
export * as syncJobs from '#sync/jobs'
