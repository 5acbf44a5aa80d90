// The jobs of every module that has some, one line each module; its jobs.ts has a line for each job.
export * as memberJobs from '#members/jobs'
export * as subscriptionJobs from '#subscriptions/jobs'
export * as syncJobs from '#sync/jobs'
