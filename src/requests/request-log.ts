import { type Database, sql } from '#kit/postgres'

/** A request of a store, and how it was answered. `path` is as it may be logged. */
export type AnsweredRequest = {
  storeId: number
  at: Temporal.Instant
  requestId: string
  method: string
  path: string
  status: number
  durationMs: number
  /** The API key; null where the app proxy or a customer asked. */
  keyId: number | null
}

export type RequestLog = {
  /** Keeps it for the next `write`. */
  note(request: AnsweredRequest): void
  /** Writes what was kept. Returns how many found no room since the last time. What fails to be written is tried again. */
  write(): Promise<{ lost: number }>
}

/** So many wait for the next write, of which one statement takes all; and so many of one store, so that it leaves room for the others. */
const MAX_KEPT = 10_000
const MAX_OF_STORE = 200

/** A log that is written apart from the requests, in one statement over all stores. */
export function createRequestLog(db: Database, { maxKept = MAX_KEPT, maxOfStore = MAX_OF_STORE } = {}): RequestLog {
  let kept: AnsweredRequest[] = []
  let lost = 0
  const ofStore = new Map<number, number>()
  return {
    note(request) {
      const count = ofStore.get(request.storeId) ?? 0
      if (kept.length >= maxKept || count >= maxOfStore) return void lost++
      ofStore.set(request.storeId, count + 1)
      kept.push(request)
    },
    async write() {
      const count = kept.length
      if (count > 0) {
        await insertRequests(db, kept.slice(0, count))
        // Others may have come meanwhile.
        kept = kept.slice(count)
        ofStore.clear()
        for (const { storeId } of kept) ofStore.set(storeId, (ofStore.get(storeId) ?? 0) + 1)
      }
      const found = { lost }
      lost = 0
      return found
    }
  }
}

/** Requests of a store that was deleted meanwhile are left out. */
function insertRequests(db: Database, requests: AnsweredRequest[]): Promise<number> {
  return db.inInstallation((tx) =>
    tx.run(sql`
      insert into api_requests (store_id, requested_at, request_id, method, path, status, duration_ms, key_id)
      select s.store_id, r.requested_at, r.request_id, r.method, r.path, r.status, r.duration_ms, r.key_id
        from unnest(${requests.map((r) => r.storeId)}::bigint[], ${requests.map((r) => r.at)}::timestamptz[],
                    ${requests.map((r) => r.requestId)}::text[], ${requests.map((r) => r.method)}::text[],
                    ${requests.map((r) => r.path)}::text[], ${requests.map((r) => r.status)}::smallint[],
                    ${requests.map((r) => r.durationMs)}::int[], ${requests.map((r) => r.keyId)}::bigint[])
             with ordinality as r(store_id, requested_at, request_id, method, path, status, duration_ms, key_id, nth)
        join stores s on s.store_id = r.store_id and s.deleting_since is null
       order by r.nth
      returning id`)
  )
}
