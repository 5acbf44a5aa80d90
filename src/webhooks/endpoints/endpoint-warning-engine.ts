import { dueQuery, type Engine, nextDueBy } from '#kit/engines'
import { type Ctx, type Database, directSql, instant, int, nullable, row, sql, text } from '#kit/postgres'
import { notify } from '#stores'
import { endpointFailingAlert } from './endpoint-failing-alert.ts'
import { warningsOf } from './failing-endpoints.ts'

const BATCH = 100

/** Warns the people who run a store of endpoints that have failed for a day, and for three. */
export function createEndpointWarningEngine({ db }: { db: Database }): Engine {
  return {
    name: 'webhook-warnings',
    stage: 'others',
    // Nothing is sent meanwhile, and the endpoint may have been well again since the backup.
    restsAfterRestore: true,
    due: dueWarnings,
    ...nextDueBy(db, nextWarning),
    runOnce: (storeId) => db.inStore(storeId, async (ctx) => (ctx.isRestored ? 0 : warnOfFailing(ctx)))
  }
}

async function warnOfFailing(ctx: Ctx): Promise<number> {
  const endpoints = await lockDueWarnings(ctx)
  const next: (Temporal.Instant | null)[] = []
  for (const { failingSince, ...endpoint } of endpoints) {
    // Older code ends a failure, begins another or disables the endpoint without regard to its warning.
    const { due, nextAt } = failingSince === null ? { due: [], nextAt: null } : warningsOf(failingSince, ctx.now)
    next.push(nextAt)
    // Of warnings that were missed together, the last one says all.
    const hours = due.at(-1)
    if (failingSince && hours) await notify(ctx, await endpointFailingAlert(ctx, { ...endpoint, failingSince }, hours))
  }
  if (endpoints.length > 0) await moveWarnings(ctx, endpoints, next)
  return endpoints.length
}

const dueWarnings = dueQuery(
  'webhook_warnings_due',
  `select e.store_id, min(e.warn_at) as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join webhook_endpoints e on e.store_id = s.store_id and e.warn_at <= s.until
    group by e.store_id`
)

const nextWarning = directSql<[storeId: number]>(
  'webhook_warnings_next',
  'select min(warn_at) as at from webhook_endpoints where store_id = $1 and warn_at is not null'
)

function lockDueWarnings(ctx: Ctx) {
  return ctx.tx.many(
    row({ id: int, url: text, failingSince: nullable(instant), failedDeliveries: int }),
    sql`
    select id, url, case when status = 'enabled' then failing_since end as failing_since, failed_deliveries
      from webhook_endpoints
     where store_id = ${ctx.storeId} and warn_at <= ${ctx.now}
     order by id limit ${BATCH} for no key update`
  )
}

async function moveWarnings(ctx: Ctx, endpoints: { id: number }[], next: (Temporal.Instant | null)[]): Promise<void> {
  await ctx.tx.run(sql`
    update webhook_endpoints e set warn_at = n.warn_at
      from unnest(${endpoints.map(({ id }) => id)}::bigint[], ${next}::timestamptz[]) as n(id, warn_at)
     where e.store_id = ${ctx.storeId} and e.id = n.id`)
}
