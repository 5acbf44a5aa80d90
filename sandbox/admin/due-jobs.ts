import { type DueJob, findDueJobByToken } from '../state/due-jobs.ts'
import type { Api } from '../wire/api.ts'
import { parseGid } from '../wire/gid.ts'

export const jobShown = ({ token, dueAt }: DueJob) => ({ __typename: 'Job', id: token, isDone: dueAt === null })

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The job with this name in a gid of the type; null if the shop has none. */
export async function dueJobIn(api: Api, type: string, id: string): Promise<DueJob | null> {
  const parsed = parseGid(api.shop, id)
  return parsed?.type === type && UUID.test(parsed.id)
    ? findDueJobByToken(api.db.direct, api.shop.storeId, parsed.id)
    : null
}
