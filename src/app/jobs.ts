import type { SendMail } from '#identification'
import type { AnyJob } from '#kit/jobs'
import type { Database } from '#kit/postgres'
import type { Connector } from '#platform'
import * as jobList from './job-list.ts'

type Deps = { db: Database; connectorOf: (storeId: number) => Promise<Connector>; sendMail: SendMail }

/** Every job, in any order: each declares its priority. */
export const jobs: AnyJob<Deps>[] = Object.values<AnyJob<Deps>>(jobList)
