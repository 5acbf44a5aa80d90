import { type Database, int, row, type Statement, sql, type Tx } from '../postgres/index.ts'
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
        // Again after a lost connection, since others may have taken this node for dead meanwhile.
        await session.query('insert into nodes (id) values ($1) on conflict do nothing', [id])
      }
    }
  }
}

/** A statement that frees what these nodes have leased, in all stores; the module that owns the table has it. */
export type LeaseRelease = (owners: number[]) => Statement

/**
 * Frees what dead nodes had leased, so that other nodes continue at once instead of when the leases end. Returns how many
 * rows. Safe at any time: a node that lives holds its lock, and fencing counters refuse its late results if its connection
 * was lost for a while. `releases` are run only when a node is dead.
 */
export async function releaseDeadLeases(db: Database, own: number, releases: readonly LeaseRelease[]): Promise<number> {
  return db.inInstallation(async (tx) => {
    const dead = await lockDead(tx, own)
    if (dead.length === 0) return 0
    let released = 0
    for (const release of releases) released += await tx.run(release(dead))
    await tx.run(sql`delete from nodes where id = any(${dead}::bigint[])`)
    return released
  })
}

/**
 * Nodes whose lock can be had are dead; holding their locks until the commit keeps one that only lost its connection from
 * taking new leases meanwhile.
 */
async function lockDead(tx: Tx, own: number): Promise<number[]> {
  const others = await tx.many(row({ id: int }), sql`select id from nodes where id <> ${own}`)
  if (others.length === 0) return []
  const dead = await tx.many(
    row({ id: int }),
    sql`
    select id from unnest(${others.map(({ id }) => id)}::int[]) as others(id)
     where pg_try_advisory_xact_lock(${LOCKS.node}, id)`
  )
  return dead.map(({ id }) => id)
}
