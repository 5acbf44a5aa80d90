import { type Database, int, row, sql, type Tx } from '../postgres/index.ts'
import { LOCKS } from './advisory-locks.ts'
import type { SessionPart } from './node-session.ts'

/** How long a node that comes back waits for the server to notice that its old connection is gone. */
const OWN_LOCK_TIMEOUT = '40s'

/** An id for `lease_owner`, and the part of the session that holds the lock on it for as long as the process lives. */
export async function newLeaseOwner(db: Database): Promise<{ id: number; part: SessionPart }> {
  const { id } = await db.inInstallation((tx) => tx.one(row({ id: int }), sql`select nextval('worker_ids') as id`))
  return {
    id,
    part: {
      async opened(session) {
        await session.query(`set lock_timeout = '${OWN_LOCK_TIMEOUT}'`)
        await session.query('select pg_advisory_lock($1, $2)', [LOCKS.node, id])
      }
    }
  }
}

/**
 * Frees what dead nodes had leased in these tables, so that other nodes continue at once instead of when the leases end.
 * Returns how many rows. Safe at any time: a node that lives holds its lock, and fencing counters refuse its late results
 * if its connection was lost for a while.
 */
export async function releaseDeadLeases(db: Database, own: number, tables: readonly string[]): Promise<number> {
  let released = 0
  for (const table of tables) released += await db.inInstallation((tx) => release(tx, table, own))
  return released
}

/**
 * Owners whose lock can be had are dead; holding their locks until the commit keeps one that only lost its
 * connection from taking new leases meanwhile.
 */
async function release(tx: Tx, table: string, own: number): Promise<number> {
  if (!/^[a-z_]+$/.test(table)) throw new Error(`${table} is no table name`)
  const dead = await tx.many(row({ owner: int }), {
    name: `dead_owners_${table}`,
    text: `select owner
             from (select distinct lease_owner as owner from ${table}
                    where lease_owner is not null and lease_owner <> $1 order by 1 offset 0) as owners
            where pg_try_advisory_xact_lock($2, owner::int)`,
    values: [own, LOCKS.node]
  })
  if (dead.length === 0) return 0
  return tx.run({
    name: `release_leases_${table}`,
    text: `update ${table} set lease_owner = null, leased_until = null where lease_owner = any($1::bigint[])`,
    values: [dead.map((d) => d.owner)]
  })
}
