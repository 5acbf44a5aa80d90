import { realNow } from '#kit/clock'
import { type Database, type Queries, sql } from '#kit/postgres'

/** A use is written for each store at most so often. */
const WRITE_EVERY_MS = 60_000

type Use = { at: Temporal.Instant | null; writtenMs: number }

/** By store; one for each database, whatever kind of work it is used for. */
const memories = new WeakMap<Queries, Map<number, Use>>()

function usesOf(db: Database): Map<number, Use> {
  let uses = memories.get(db.direct)
  if (!uses) memories.set(db.direct, (uses = new Map()))
  return uses
}

/** Notes that the app proxy of a store has passed on a request that it had signed. `writeProxyUses` writes it later. */
export function noteProxyUse(db: Database, storeId: number): void {
  const uses = usesOf(db)
  const use = uses.get(storeId)
  if (use) use.at = realNow()
  else uses.set(storeId, { at: realNow(), writtenMs: Number.NEGATIVE_INFINITY })
}

/** Writes the last uses of app proxies that this process has seen; after a failure they are written the next time. */
export async function writeProxyUses(db: Database, { all = false }: { all?: boolean } = {}): Promise<void> {
  const nowMs = performance.now()
  const due = [...usesOf(db)].flatMap(([storeId, use]) =>
    use.at && (all || nowMs - use.writtenMs >= WRITE_EVERY_MS) ? [{ storeId, use, at: use.at }] : []
  )
  if (due.length === 0) return
  await db.inInstallation((tx) =>
    tx.run(sql`
      update stores s set proxy_used_at = u.at
        from unnest(${due.map(({ storeId }) => storeId)}::bigint[], ${due.map(({ at }) => at)}::timestamptz[]) as u(store_id, at)
       where s.store_id = u.store_id and (s.proxy_used_at is null or s.proxy_used_at < u.at)`)
  )
  for (const { use, at } of due) {
    use.writtenMs = nowMs
    if (use.at === at) use.at = null
  }
}
