import { type Database, instant, int, nullable, row, sql, text } from '#kit/postgres'
import type { Problem } from './problem.ts'

const MAX_STORES = 100

const Group = row({ storeId: int, count: int, since: nullable(instant), reason: text })

/** Metafields and tags that the platform refuses, or does not take after several tries, by store. Times are real time. */
export async function mirrorProblems(
  db: Database,
  storeId: number | null,
  domainOf: (storeId: number) => string
): Promise<Problem[]> {
  // One table each: so each can be sharded.
  const [metafields, tags] = await db.inInstallation(async (tx) => [
    await tx.many(
      Group,
      sql`
      select o.store_id, count(*) as count, min(o.waits_since) as since, min(coalesce(o.problem, o.last_error, '')) as reason
        from metafield_owners o join stores s on s.store_id = o.store_id and s.deleting_since is null
       where (o.problem is not null or o.attempts > 3) and (${storeId}::bigint is null or o.store_id = ${storeId})
       group by o.store_id order by o.store_id limit ${MAX_STORES}`
    ),
    await tx.many(
      Group,
      sql`
      select o.store_id, count(*) as count, min(o.waits_since) as since, min(coalesce(o.problem, o.last_error, '')) as reason
        from tag_owners o join stores s on s.store_id = o.store_id and s.deleting_since is null
       where (o.problem is not null or o.attempts > 3) and (${storeId}::bigint is null or o.store_id = ${storeId})
       group by o.store_id order by o.store_id limit ${MAX_STORES}`
    )
  ])
  const ofStores = (groups: typeof metafields, name: 'metafields' | 'tags') =>
    groups.map(({ storeId: id, count, since, reason }): Problem => {
      const store = domainOf(id)
      return {
        kind: `${name}_differ`,
        store,
        subject: name,
        since,
        message: `The ${name} of ${count === 1 ? 'one owner are' : `${count} owners are`} not as they are to be on the platform: ${reason}`,
        next: `Remove the reason. It is tried again by itself. What differs: perennial ${name} diff --store ${store}`
      }
    })
  return [...ofStores(metafields, 'metafields'), ...ofStores(tags, 'tags')]
}
