import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'
import { type Database, int, row, sql, type Tx } from './postgres/index.ts'

/** The advisory lock class of running workers; the second number of the lock is the worker's id. */
const WORKER_LOCK = 7_236_002
const RECONNECT_AFTER_MS = [100, 500, 2_000, 5_000] as const

export type Worker = {
  /** Written into `lease_owner` of what this process works on. */
  id: number
  /**
   * Frees what dead workers had leased in these tables, so that a restart after a crash goes on at once. Returns how
   * many rows. Safe at any time: a worker that lives holds its lock, and fencing counters refuse its late results
   * if its connection was lost for a while.
   */
  releaseDeadLeases(tables: string[]): Promise<number>
  /** Gives the identity up: from now on what this worker still holds counts as a dead one's. */
  stop(): Promise<void>
}

/**
 * This process as an owner of leases: an id, and a session that holds the advisory lock on that id for as long as the
 * process lives. When the session is lost it is opened again with the same id.
 */
export async function startWorker(db: Database): Promise<Worker> {
  const stopping = new AbortController()
  let session: pg.Client

  const hold = async (id: number) => {
    const opened = await db.session()
    try {
      await opened.query('select pg_advisory_lock($1, $2)', [WORKER_LOCK, id])
    } catch (err) {
      await opened.end()
      throw err
    }
    if (stopping.signal.aborted) return opened.end()
    session = opened
    opened.once('end', () => void holdAgain(id))
  }

  const holdAgain = async (id: number) => {
    for (let attempt = 0; !stopping.signal.aborted; attempt++) {
      try {
        const ms = RECONNECT_AFTER_MS[attempt] ?? RECONNECT_AFTER_MS.at(-1)!
        await setTimeout(ms, undefined, { signal: stopping.signal })
        return await hold(id)
      } catch {
        // Stopping, or the server is still away: leases end by themselves meanwhile; ask until it is back.
      }
    }
  }

  const { id } = await db.inInstallation((tx) => tx.one(row({ id: int }), sql`select nextval('worker_ids') as id`))
  await hold(id)

  return {
    id,
    async releaseDeadLeases(tables) {
      let released = 0
      for (const table of tables) released += await db.inInstallation((tx) => release(tx, table, id))
      return released
    },
    async stop() {
      stopping.abort()
      await session.end()
    }
  }
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
    values: [own, WORKER_LOCK]
  })
  if (dead.length === 0) return 0
  return tx.run({
    name: `release_leases_${table}`,
    text: `update ${table} set lease_owner = null, leased_until = null where lease_owner = any($1::bigint[])`,
    values: [dead.map((d) => d.owner)]
  })
}
