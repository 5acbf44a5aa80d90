// Background work: jobs are tasks that the database remembers. See also engines.ts (what falls due) and housekeeping.ts.
import type { AnyJob } from '#kit/jobs'
import type { Database } from '#kit/postgres'
import { memberJobs } from '#members'
import type { Connector } from '#platform'
import { subscriptionJobs } from '#subscriptions'
import { syncJobs } from '#sync'

type Deps = { db: Database; connectorOf: (storeId: number) => Promise<Connector> }

/** Every job, by the module that runs it. */
export const jobs: AnyJob<Deps>[] = [
  ...Object.values(memberJobs),
  ...Object.values(subscriptionJobs),
  ...Object.values(syncJobs)
]
