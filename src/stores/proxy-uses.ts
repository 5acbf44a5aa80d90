import { type Database, type Queries, sql, type Tx } from '#kit/postgres'
import { LastUses } from './last-uses.ts'

/** One for each database, whatever kind of work it is used for. */
const memories = new WeakMap<Queries, LastUses<{ storeId: number }>>()

function usesOf(db: Database): LastUses<{ storeId: number }> {
  let uses = memories.get(db.direct)
  if (!uses) memories.set(db.direct, (uses = new LastUses()))
  return uses
}

/** Notes that the app proxy of a store has passed on a request that it had signed. `writeProxyUses` writes it later. */
export function noteProxyUse(db: Database, storeId: number): void {
  usesOf(db).note(String(storeId), { storeId })
}

/** Writes the last uses of app proxies that this process has seen; after a failure they are written the next time. */
export function writeProxyUses(db: Database, options: { all?: boolean } = {}): Promise<number> {
  return usesOf(db).write((uses) => db.inInstallation((tx) => writeUses(tx, uses)), options)
}

function writeUses(tx: Tx, uses: { storeId: number; at: Temporal.Instant }[]): Promise<number> {
  return tx.run(sql`
    update stores s set proxy_used_at = u.at
      from unnest(${uses.map(({ storeId }) => storeId)}::bigint[], ${uses.map(({ at }) => at)}::timestamptz[]) as u(store_id, at)
     where s.store_id = u.store_id and (s.proxy_used_at is null or s.proxy_used_at < u.at)`)
}
