import { type Database, instant, int, nullable, row, sql, text } from '#kit/postgres'
import type { Problem } from './problem.ts'

const MAX_GROUPS = 100

const Group = row({
  storeId: int,
  name: text,
  count: int,
  since: nullable(instant),
  lastError: nullable(text),
  /** Names one of the group. */
  example: int
})

type DomainOf = (storeId: number) => string

/** Events that a consumer gave up, and those that it tries again, by store and consumer. */
export async function eventProblems(db: Database, storeId: number | null, domainOf: DomainOf): Promise<Problem[]> {
  const [dead, retried] = await db.inInstallation(async (tx) => [
    await tx.many(
      Group,
      sql`
      select r.store_id, r.consumer as name, count(*) as count, min(r.dead_at) as since,
             (array_agg(r.last_error order by r.dead_at desc))[1] as last_error, max(r.fact_id) as example
        from fact_retries r join stores s on s.store_id = r.store_id and s.deleting_since is null
       where r.dead_at is not null and (${storeId}::bigint is null or r.store_id = ${storeId})
       group by r.store_id, r.consumer order by r.store_id, r.consumer limit ${MAX_GROUPS}`
    ),
    await tx.many(
      Group,
      sql`
      select r.store_id, r.consumer as name, count(*) as count, min(f.occurred_at) as since,
             (array_agg(r.last_error order by r.fact_id desc))[1] as last_error, max(r.fact_id) as example
        from fact_retries r
        join stores s on s.store_id = r.store_id and s.deleting_since is null
        join facts f on f.store_id = r.store_id and f.id = r.fact_id
       where r.attempts > 0 and r.dead_at is null and (${storeId}::bigint is null or r.store_id = ${storeId})
       group by r.store_id, r.consumer order by r.store_id, r.consumer limit ${MAX_GROUPS}`
    )
  ])
  return [
    ...dead.map((group): Problem => {
      const store = domainOf(group.storeId)
      const retry =
        group.count === 1
          ? `perennial dead-letter retry ${group.name}:${group.example} --store ${store}`
          : `perennial dead-letter list --store ${store}, then perennial dead-letter retry ID --store ${store}`
      return {
        kind: 'dead_letters',
        store,
        subject: group.name,
        since: group.since,
        message: `${events(group.count)} failed in every try of the consumer ${group.name}: ${group.lastError}`,
        next: `When the reason is removed: ${retry}`
      }
    }),
    ...retried.map(
      (group): Problem => ({
        kind: 'events_retried',
        store: domainOf(group.storeId),
        subject: group.name,
        since: group.since,
        message: `The consumer ${group.name} fails on ${events(group.count).toLowerCase()}: ${group.lastError}`,
        next: 'Remove the reason that the error names. It is tried again by itself.'
      })
    )
  ]
}

const events = (count: number) => (count === 1 ? 'One event' : `${count} events`)

/** Tasks for the platform that fail, by store and kind. */
export async function jobProblems(db: Database, storeId: number | null, domainOf: DomainOf): Promise<Problem[]> {
  const groups = await db.inInstallation((tx) =>
    tx.many(
      Group,
      sql`
      select j.store_id, j.kind as name, count(*) as count, min(j.failing_since) as since,
             (array_agg(j.last_error order by j.attempts desc))[1] as last_error, max(j.id) as example
        from jobs j join stores s on s.store_id = j.store_id and s.deleting_since is null
       where j.last_error is not null and (${storeId}::bigint is null or j.store_id = ${storeId})
       group by j.store_id, j.kind order by j.store_id, j.kind limit ${MAX_GROUPS}`
    )
  )
  return groups.map((group) => ({
    kind: 'job_failing',
    store: domainOf(group.storeId),
    subject: group.name,
    since: group.since,
    message: `${group.count === 1 ? 'One job' : `${group.count} jobs`} ${group.name} failed: ${group.lastError}`,
    next: 'Remove the reason that the error names. They are tried again by themselves.'
  }))
}

/** Readings of the platform that fail, by store and kind. */
export async function reconciliationProblems(
  db: Database,
  storeId: number | null,
  domainOf: DomainOf
): Promise<Problem[]> {
  const groups = await db.inInstallation((tx) =>
    tx.many(
      Group,
      sql`
      select r.store_id, r.kind as name, r.failures as count, r.cursor_at as since, r.last_error, 0 as example
        from reconciliations r
        join stores s on s.store_id = r.store_id and s.status = 'active' and s.deleting_since is null
                    and s.token_refused_at is null
       where r.failures > 0 and (${storeId}::bigint is null or r.store_id = ${storeId})
       order by r.failures desc, r.store_id, r.kind limit ${MAX_GROUPS}`
    )
  )
  return groups.map((group) => ({
    kind: 'reconciliation_failing',
    store: domainOf(group.storeId),
    subject: group.name,
    since: group.since,
    message: `Reading ${group.name} from the platform failed ${group.count === 1 ? 'once' : `${group.count} times`}; what changed there since then is not known: ${group.lastError}`,
    next: `perennial store reconcile --store ${domainOf(group.storeId)} --show`
  }))
}
