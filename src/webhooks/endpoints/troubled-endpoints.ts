import { publicId } from '#kit/ids'
import { type Ctx, type Database, instant, int, nullable, oneOf, row, sql, text } from '#kit/postgres'
import { undeliveredSince } from './undelivered-since.ts'

const MAX_ENDPOINTS = 10_000
/** For so many the last failure is looked for. */
const MAX_LAST_ERRORS = 100
/** How many of its last deliveries are looked at for the last failure. */
const LOOKED_AT = 20

const Troubled = row({
  storeId: int,
  id: int,
  url: text,
  status: oneOf('enabled', 'disabled'),
  disabledReason: nullable(text),
  disabledAt: nullable(instant),
  failingSince: nullable(instant)
})

/** An endpoint that fails or is disabled. Store time. */
export type TroubledEndpoint = {
  storeId: number
  /** The public `we_…`. */
  id: string
  url: string
  isDisabled: boolean
  disabledReason: string | null
  disabledAt: Temporal.Instant | null
  /** Since when every try has failed; null for one that a person disabled. */
  failingSince: Temporal.Instant | null
  /** When the first event occurred whose delivery failed or was cancelled, of one that the service disabled; null without one. */
  undeliveredSince: Temporal.Instant | null
  /** What the last failed try came to: `500`, `timeout`, …; null when the history has none any more. */
  lastError: string | null
}

/**
 * The endpoints of one store, or of all, that fail or are disabled: the hundred that have failed longest, or with `all` every one
 * (up to 10,000), the newest failures first, with the last error of a hundred.
 */
export async function listTroubledEndpoints(
  db: Database,
  storeId: number | null,
  { all }: { all: boolean }
): Promise<TroubledEndpoint[]> {
  const rows = await db.inInstallation((tx) =>
    tx.many(
      Troubled,
      sql`
      select e.store_id, e.id, e.url, e.status, e.disabled_reason, e.disabled_at, e.failing_since
        from webhook_endpoints e join stores s on s.store_id = e.store_id and s.deleting_since is null
       where (${storeId}::bigint is null or e.store_id = ${storeId}) and e.kind = 'url' and e.deleted_at is null
         and (e.status = 'disabled' or e.failing_since is not null)
       order by case when ${all}::boolean then coalesce(e.disabled_at, e.failing_since) end desc nulls last,
                e.failing_since nulls last, e.store_id, e.id
       limit ${all ? MAX_ENDPOINTS : MAX_LAST_ERRORS}`
    )
  )
  const troubled: TroubledEndpoint[] = []
  for (const { id, status, ...endpoint } of rows) {
    const isDisabled = status === 'disabled'
    const found =
      endpoint.failingSince && troubled.length < MAX_LAST_ERRORS
        ? await db.inStore(endpoint.storeId, async (ctx) => ({
            undeliveredSince: isDisabled ? await undeliveredSince(ctx, id) : null,
            lastError: await findLastFailure(ctx, id)
          }))
        : { undeliveredSince: null, lastError: null }
    troubled.push({ ...endpoint, ...found, id: publicId('we', id), isDisabled })
  }
  return troubled
}

/** In the words of the delivery history: the code of a response, else how the try failed. */
async function findLastFailure(ctx: Ctx, endpointId: number): Promise<string | null> {
  const found = await ctx.tx.maybeOne(
    row({ error: text }),
    sql`
    select coalesce(t.response_code::text, t.failure) as error
      from (select day, id from webhook_deliveries
             where store_id = ${ctx.storeId} and endpoint_id = ${endpointId}
             order by day desc, id desc limit ${LOOKED_AT}) d
      join webhook_tries t on t.store_id = ${ctx.storeId} and t.day = d.day and t.delivery_id = d.id
     where t.failure is not null
     order by t.started_at desc limit 1`
  )
  return found?.error ?? null
}
