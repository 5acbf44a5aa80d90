import type { AnyJob } from '#kit/jobs'
import type { Database } from '#kit/postgres'
import type { Connector } from '#platform'
import * as jobList from './job-list.ts'

type Deps = { db: Database; connectorOf: (storeId: number) => Promise<Connector> }

/** Every job, by the module that runs it. */
export const jobs = Object.values(jobList).flatMap((ofModule): AnyJob<Deps>[] => Object.values(ofModule))
