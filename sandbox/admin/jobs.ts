import { findJobByToken, type Job } from '../state/jobs.ts'
import type { Api, Resolvers } from '../wire/api.ts'
import { gid, parseGid } from '../wire/gid.ts'

export const jobShown = ({ token, dueAt }: Job) => ({ __typename: 'Job', token, done: dueAt === null })

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The job with this name in a gid of the type; null if the shop has none. */
export async function jobIn(api: Api, type: string, id: string): Promise<Job | null> {
  const parsed = parseGid(api.shop, id)
  return parsed?.type === type && UUID.test(parsed.id)
    ? findJobByToken(api.db.direct, api.shop.storeId, parsed.id)
    : null
}

export const jobResolvers: Resolvers = {
  QueryRoot: {
    job: async (_root: unknown, { id }: { id: string }, api: Api) => {
      const job = await jobIn(api, 'Job', id)
      return job && jobShown(job)
    }
  },
  Job: { id: ({ token }: Job, _args: unknown, { shop }: Api) => gid(shop, 'Job', token) }
}
