import { findJob, type Job } from '../state/jobs.ts'
import type { Api, Resolvers } from '../wire/api.ts'
import { parseGid } from '../wire/gid.ts'
import { dueJobIn, jobShown } from './due-jobs.ts'

/** Work that is begun says that it is not done, as recorded; a client asks again. Checks of many values take a while. */
async function read(_root: unknown, { id }: { id: string }, api: Api) {
  const parsed = parseGid(api.shop, id)
  const job = parsed?.type === 'Job' ? await findJob(api.db.direct, api.shop.storeId, parsed.id) : null
  if (!job) {
    const due = await dueJobIn(api, 'Job', id)
    return due && jobShown(due)
  }
  const { doneAt } = job.result
  return { ...job, isDone: doneAt === undefined || Temporal.Instant.compare(await api.now(), String(doneAt)) >= 0 }
}

export const jobResolvers: Resolvers = {
  QueryRoot: { job: read },
  Job: {
    done: ({ isDone }: Job & { isDone?: boolean }) => isDone ?? false,
    query: ({ isDone }: Job & { isDone?: boolean }) => (isDone ? {} : null)
  }
}
