import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'
import { Connection } from './connection.ts'
import { type Applied, type MigrationSet, planMigration, type SetPlan } from './migration-set.ts'
import { createRoles } from './roles.ts'

const LOCK = 7_236_001
/** How long a start waits for another node that migrates, and how long one statement of a migration may last. */
const MIGRATED_WITHIN_MS = 1_800_000
const STATEMENT_MS = 7_200_000
/** How long the server may take to answer what has nothing to wait for, before the connection is cut. */
const ANSWER_MS = 30_000
/**
 * How long a statement waits for a lock on its table. Whoever comes after it waits for that table too, so it gives up soon, and its
 * migration is tried again for some four minutes.
 */
const LOCK_MS = 4_000
const MAX_TRIES = 60
const PAUSE_MS = 250
/** A deadlock, or a lock that others keep. */
const LOCK_NOT_AVAILABLE = '55P03'
const PASSES = new Set(['40P01', LOCK_NOT_AVAILABLE])

const OLDER_THAN_BASELINE =
  'This database was created by a version of Perennial from before the first release, and its tables cannot be migrated. ' +
  'Use an empty database (DATABASE_URL), or remove the embedded one (DATA_DIR/postgres)'

/**
 * Migrates the schema of every set to its newest version, and returns the names of the files applied now. Each numbered
 * migration runs in its own transaction; after them, the functions whose files have changed are replaced in one transaction.
 * One advisory lock covers everything, so several nodes may start at once.
 *
 * `through` stops at the migration that it names for each set, before any function: for rows of an older version, which are loaded
 * before functions and triggers are made.
 *
 * A database that a newer version has migrated is left unchanged if that version allows this one to run on it. Throws if it does
 * not, if a migration was changed after it was applied, if the database is older than the baseline, and if the server is older
 * than PostgreSQL 15.
 */
export async function migrate(
  url: string,
  sets: readonly MigrationSet[],
  log: (line: string) => void = () => {},
  through?: Record<string, string>
): Promise<string[]> {
  const client = new Connection({ connectionString: url })
  try {
    await client.open(`set lock_timeout = ${MIGRATED_WITHIN_MS}; set statement_timeout = ${STATEMENT_MS}`)
    const { rows } = await client.within(ANSWER_MS, () => client.query('show server_version_num'))
    const version = Number(rows[0].server_version_num)
    if (version < 150_000) throw new Error(`PostgreSQL 15 or later is required; this server is ${version / 10_000}`)
    await lockSchema(client)
    const plans = await client.within(ANSWER_MS, () => planAll(client, sets, through))
    const names: string[] = []
    for (const plan of plans) names.push(...(await apply(client, plan, log)))
    return names
  } finally {
    await client.end()
  }
}

/** Waits until no other process migrates the database. */
async function lockSchema(client: Connection): Promise<void> {
  const locked = client.within(MIGRATED_WITHIN_MS + ANSWER_MS, () =>
    client.query('select pg_advisory_lock($1)', [LOCK])
  )
  await locked.catch((err: Error & { code?: string }) => {
    const minutes = MIGRATED_WITHIN_MS / 60_000
    throw err.code === LOCK_NOT_AVAILABLE
      ? new Error(`another process has been migrating it for ${minutes} minutes`)
      : err
  })
  await client.within(ANSWER_MS, () => client.query(`set lock_timeout = ${LOCK_MS}`))
}

/** Creates what the plans need, and checks all sets before anything is changed. */
async function planAll(
  client: Connection,
  sets: readonly MigrationSet[],
  through?: Record<string, string>
): Promise<SetPlan[]> {
  await createRoles(client)
  await refuseOldNames(client)
  await client.query(`create table if not exists schema_migrations (
      migration_set text not null, name text not null, hash text not null, oldest_code integer not null,
      applied_at timestamptz not null default now(), primary key (migration_set, name))`)
  const plans: SetPlan[] = []
  for (const set of sets)
    plans.push(await planMigration(set, await appliedOf(client, set.name), through && (through[set.name] ?? '')))
  return plans
}

async function refuseOldNames(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select exists (select from pg_attribute where attrelid = c.oid and attname = 'migration_set') as known
       from (select to_regclass('schema_migrations') as oid) c where c.oid is not null`
  )
  if (rows[0]?.known === false) throw new Error(OLDER_THAN_BASELINE)
}

async function appliedOf(client: pg.Client, set: string): Promise<Applied[]> {
  const { rows } = await client.query(
    'select name, hash, oldest_code as "oldestCode" from schema_migrations where migration_set = $1 order by name',
    [set]
  )
  return rows
}

async function apply(client: Connection, plan: SetPlan, log: (line: string) => void): Promise<string[]> {
  const record = async (name: string, hash: string, oldestCode: number) => {
    await client.query(
      `insert into schema_migrations (migration_set, name, hash, oldest_code) values ($1, $2, $3, $4)
       on conflict (migration_set, name) do update
         set hash = excluded.hash, oldest_code = excluded.oldest_code, applied_at = statement_timestamp()`,
      [plan.set, name, hash, oldestCode]
    )
  }
  for (const { name, text, hash, oldestCode } of plan.migrations) {
    await inTransaction(client, async () => {
      await client.query(text).catch((err) => {
        throw failedIn(`Migration ${name}`, err)
      })
      await record(name, hash, oldestCode)
    })
    log(`migrated ${name}`)
  }
  if (plan.functions.length > 0 || plan.removed.length > 0) {
    await inTransaction(client, async () => {
      // Functions call each other, so no order lets PostgreSQL check each body when it is created.
      await client.query('set local check_function_bodies = off')
      for (const { name, text, hash } of plan.functions) {
        await client.query(text).catch((err) => {
          throw failedIn(name, err)
        })
        await record(name, hash, 0)
      }
      await client.query('delete from schema_migrations where migration_set = $1 and name = any ($2)', [
        plan.set,
        plan.removed
      ])
    })
    for (const { name } of plan.functions) log(`replaced ${name}`)
  }
  return [...plan.migrations, ...plan.functions].map(({ name }) => name)
}

/** The code stays: it says whether the same may be tried again. */
const failedIn = (what: string, err: Error & { code?: string }) =>
  Object.assign(new Error(`${what} failed: ${err.message}`, { cause: err }), { code: err.code })

/**
 * Tries again after a deadlock, since replacing a trigger locks its table in another order than running writers do, and while
 * others keep a table.
 */
async function inTransaction(client: Connection, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.within(STATEMENT_MS + ANSWER_MS, async () => {
        await client.query('begin')
        await work()
        await client.query('commit')
      })
      return
    } catch (err) {
      // Without a connection there is nothing to roll back.
      await client.within(ANSWER_MS, () => client.query('rollback')).catch(() => {})
      if (attempt >= MAX_TRIES || !PASSES.has((err as { code?: string }).code ?? '')) throw err
      await setTimeout(PAUSE_MS)
    }
  }
}
