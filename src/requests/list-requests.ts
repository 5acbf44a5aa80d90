import { type Ctx, instant, int, nullable, type RowOf, row, sql, text } from '#kit/postgres'

const ApiRequest = row({
  id: int,
  requestedAt: instant,
  requestId: text,
  method: text,
  path: text,
  status: int,
  durationMs: int,
  keyId: nullable(int),
  /** Null also where the key is gone. */
  keyName: nullable(text)
})

/** A request that changed something or was refused, in real time. */
export type ApiRequest = RowOf<typeof ApiRequest>

/** The requests of a store, the newest first. `before`: the id after which the last page ended. */
export function listApiRequests(ctx: Ctx, { before, limit }: { before: number; limit: number }): Promise<ApiRequest[]> {
  return ctx.tx.many(
    ApiRequest,
    sql`
    select r.id, r.requested_at, r.request_id, r.method, r.path, r.status, r.duration_ms, r.key_id, k.name as key_name
      from api_requests r left join api_keys k on k.store_id = ${ctx.storeId} and k.id = r.key_id
     where r.store_id = ${ctx.storeId} and r.id < ${before}
     order by r.id desc limit ${limit}`
  )
}

/** The request of an `X-Request-Id`; null when it is not kept. */
export function findApiRequest(ctx: Ctx, requestId: string): Promise<ApiRequest | null> {
  return ctx.tx.maybeOne(
    ApiRequest,
    sql`
    select r.id, r.requested_at, r.request_id, r.method, r.path, r.status, r.duration_ms, r.key_id, k.name as key_name
      from api_requests r left join api_keys k on k.store_id = ${ctx.storeId} and k.id = r.key_id
     where r.store_id = ${ctx.storeId} and r.request_id = ${requestId} limit 1`
  )
}
