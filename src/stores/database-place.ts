import { bool, type Database, int, nullable, row, sql, text } from '#kit/postgres'

/** The installation that a node has seen in its database, and the highest epoch that it saw there. */
export type DatabaseSeen = { id: string; epoch: number }

/** Why a database counts as restored: it is a copy in another place, or older than what a node has seen. */
export type Restore = 'copied' | 'older'

const Installation = row({ id: text, place: nullable(text), epoch: int })

/**
 * Whether the rows of the database come from a backup. A dump that was loaded is in another server, database or table than it was
 * used in last. A server whose files were set back is where it was, but its epoch is lower than a node has seen.
 */
export async function findRestore(db: Database, seen: DatabaseSeen | null): Promise<Restore | null> {
  const { id, place, epoch } = await db.inInstallation((tx) =>
    tx.one(Installation, sql`select id::text, place, epoch from installation`)
  )
  if (place !== null && place !== (await presentPlace(db))) return 'copied'
  return seen !== null && seen.id === id && seen.epoch > epoch ? 'older' : null
}

/** How far above what one node has seen the epoch of an older copy continues, so that the other nodes do not find it older too. */
const EPOCHS_AHEAD = 10_000

/** Records that these rows are used here from now on. */
export async function writePlace(db: Database, seen: DatabaseSeen | null): Promise<void> {
  const place = await presentPlace(db)
  await db.inInstallation((tx) =>
    tx.run(sql`
    update installation
       set place = ${place},
           epoch = case when id::text = ${seen?.id ?? ''} and epoch < ${seen?.epoch ?? 0}
                        then ${(seen?.epoch ?? 0) + EPOCHS_AHEAD} else epoch end`)
  )
}

/** The next epoch, for a node to remember. */
export async function tickEpoch(db: Database): Promise<DatabaseSeen> {
  return db.inInstallation((tx) =>
    tx.one(row({ id: text, epoch: int }), sql`update installation set epoch = epoch + 1 returning id::text, epoch`)
  )
}

/**
 * The numbers of the server, the database and the table `stores`. A dump that is loaded gets another table; an upgrade of the
 * server or a failover to a standby keeps all of them, except that pg_upgrade makes another server.
 */
async function presentPlace(db: Database): Promise<string> {
  const { may, place } = await db.inInstallation((tx) =>
    tx.one(
      row({ may: bool, place: text }),
      sql`
      select has_function_privilege('pg_control_system()', 'execute') as may,
             (select oid from pg_database where datname = current_database()) || '/' || 'stores'::regclass::oid as place`
    )
  )
  if (!may) return place
  const { server } = await db.inInstallation((tx) =>
    tx.one(row({ server: text }), sql`select system_identifier::text as server from pg_control_system()`)
  )
  return `${server}/${place}`
}
