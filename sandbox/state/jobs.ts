import { randomUUID } from 'node:crypto'
import { json, type Queries, type RowOf, row, sql, text } from '#kit/postgres'

const JobRow = row({ id: text, result: json<Record<string, unknown>>() })
export type Job = RowOf<typeof JobRow> & { __typename: 'Job' }

/** Notes work that is done, so that a client can ask what came of it. */
export async function insertJob(
  q: Queries,
  storeId: number,
  result: Record<string, unknown>,
  now: Temporal.Instant
): Promise<Job> {
  const id = randomUUID()
  await q.run(sql`
    insert into sandbox.jobs (store_id, id, result, created_at)
    values (${storeId}, ${id}, ${JSON.stringify(result)}, ${now})`)
  return { __typename: 'Job', id, result }
}

export async function findJob(q: Queries, storeId: number, id: string): Promise<Job | null> {
  const found = await q.maybeOne(
    JobRow,
    sql`select id, result from sandbox.jobs where store_id = ${storeId} and id = ${id}`
  )
  return found && { __typename: 'Job', ...found }
}
